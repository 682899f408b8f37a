"""Errors name a vCenter that does not answer, is busy or answers nonsense; reads are repeated once, writes never."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.translation import translated
from auditor.endpoints.vcenter.wire import ATTEMPTS
from auditor.errors import (
    EndpointUnreachableError,
    MalformedAnswerError,
    PermissionMissingError,
)
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.wire import Fault
from tests.endpoints.vcenter.vcenter_reading import Serve, hosts_in_parts, names, options_of
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS


def test_nobody_at_the_address_is_unreachable(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.stop()
    with pytest.raises(EndpointUnreachableError, match="vc-test"), open_vcenter(endpoint):
        pass


def test_a_silent_server_is_given_up(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(timeout_seconds=SHORT_SECONDS)
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("latency", "CreateContainerView", seconds=NEVER_SECONDS, times=1))
        with pytest.raises(EndpointUnreachableError, match="within 1 s"):
            names(vcenter)


def test_an_answer_that_dribbles_in_is_given_up(
    serve_vcenter: Serve, many_hosts: VCenterDescription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.endpoints.common.answer_time.WHOLE_ANSWER_TIMEOUTS", 2)
    server, endpoint = serve_vcenter(many_hosts, timeout_seconds=SHORT_SECONDS)
    with open_vcenter(endpoint) as vcenter:
        host = vcenter.object(vim.HostSystem, "host-11")
        # Each piece comes in time; there are too many of them.
        server.faults.active.append(Fault("slow", "RetrievePropertiesEx", seconds=SHORT_SECONDS / 2, times=1))
        with pytest.raises(EndpointUnreachableError):
            list(vcenter.read(vim.HostSystem, ("config",), [host]))


def test_an_expired_session_is_renewed_once_for_a_read(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        server.sessions.expire()
        assert names(vcenter) == ["esx-1", "esx-2", "esx-fc"]
        assert server.requests.count("Login") == 2
    assert server.sessions.count == 0


def test_many_threads_renew_an_expired_session_together(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        server.sessions.expire()
        server.faults.active.append(Fault("latency", "QueryOptions", seconds=0.1))
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: len(manager.QueryOptions("Disk.")), range(8)))
        assert len(set(answers)) == 1
        assert server.requests.count("Login") == 2


def test_a_session_that_ends_between_two_parts_of_a_page_costs_no_object(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        # The first part of the page is answered; before the second is asked for, the session is gone.
        server.faults.active.append(Fault("session", "ContinueRetrievePropertiesEx", times=1))
        seen = [facts.values["name"] for facts in hosts_in_parts(vcenter, 45, answer_size=10)]
    assert sorted(seen) == [f"esx-{number:03}" for number in range(45)]
    assert server.requests.count("Login") == 2


def test_a_write_on_an_expired_session_is_not_repeated(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        value = manager.QueryOptions("Disk.QFullSampleSize")[0].value
        server.sessions.expire()
        with pytest.raises(EndpointUnreachableError), translated(endpoint, "writing"):
            manager.UpdateOptions([vim.option.OptionValue(key="Disk.QFullSampleSize", value=type(value)(32))])
        assert server.requests.count("UpdateOptions") == 1
        assert server.requests.count("Login") == 1


def test_a_write_whose_answer_is_lost_is_neither_repeated_nor_taken_for_refused(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        value = manager.QueryOptions("Disk.QFullSampleSize")[0].value
        for kind in ("lose", "drop", "truncate", "garbage", "status"):
            server.faults.active[:] = [Fault(kind, "UpdateOptions")]
            before = server.requests.count("UpdateOptions")
            with pytest.raises(EndpointUnreachableError, match=r"(?i)updateoptions"), translated(endpoint, "writing"):
                manager.UpdateOptions([vim.option.OptionValue(key="Disk.QFullSampleSize", value=type(value)(32))])
            assert server.requests.count("UpdateOptions") == before + 1, kind
        assert server.state.hosts["host-11"].options["Disk.QFullSampleSize"] == 32


def test_a_busy_server_is_waited_for_as_long_as_it_asks(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("status", "CreateContainerView", status=503, times=1))
        began = time.monotonic()
        assert len(names(vcenter)) == 3
        assert time.monotonic() - began >= 1.0  # the lab's Retry-After


def test_a_server_that_stays_busy_is_given_up(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("status", "CreateContainerView", status=503))
        with pytest.raises(EndpointUnreachableError, match="503"):
            names(vcenter)
        assert server.requests.count("CreateContainerView") == ATTEMPTS


@pytest.mark.parametrize("kind", ["truncate", "garbage"])
def test_an_answer_that_makes_no_sense_is_told_and_not_half_used(serve_vcenter: Serve, kind: str) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault(kind, "RetrievePropertiesEx"))
        with pytest.raises(MalformedAnswerError, match="RetrievePropertiesEx"):
            names(vcenter)


UNKNOWN_FAULT = b"""<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>it is too new</faultstring><detail>
<TooNewFault xmlns="urn:vim25" xsi:type="TooNew"><number>1</number><inner><part>x</part></inner></TooNewFault>
</detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>"""


def test_a_fault_of_a_type_that_pyvmomi_does_not_know_is_told_by_its_name_and_message(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        with pytest.raises(EndpointUnreachableError, match="TooNew: it is too new"), translated(endpoint, "asking"):
            vcenter.stub.decoded("QueryOptions", vim.option.OptionValue.Array, 500, UNKNOWN_FAULT)
        # A known one with a part that is not known keeps its own meaning.
        known = UNKNOWN_FAULT.replace(b'"TooNew"', b'"NoPermission"').replace(b"TooNewFault", b"NoPermissionFault")
        with pytest.raises(PermissionMissingError), translated(endpoint, "asking"):
            vcenter.stub.decoded("QueryOptions", vim.option.OptionValue.Array, 500, known)
        with pytest.raises(MalformedAnswerError):
            vcenter.stub.decoded("QueryOptions", vim.option.OptionValue.Array, 500, b"<!DOCTYPE x>" + UNKNOWN_FAULT)


def test_an_answer_of_another_call_is_not_taken_for_an_empty_one(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(MalformedAnswerError, match="neither its response nor a fault"):
        vcenter.stub.decoded("RetrievePropertiesEx", object, 200, b"<html><body>welcome</body></html>")


def test_an_answer_torn_by_a_proxy_that_mended_its_length_is_noticed(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    torn = b'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><QueryOptionsResponse xmlns="urn:vim25">'
    with open_vcenter(endpoint) as vcenter, pytest.raises(MalformedAnswerError):
        vcenter.stub.decoded("QueryOptions", vim.option.OptionValue.Array, 200, torn)


def test_something_that_is_no_vcenter_is_told_so(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("garbage"))
    with pytest.raises(MalformedAnswerError), open_vcenter(endpoint):
        pass


def test_a_kept_connection_that_the_server_closed_costs_nothing(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        names(vcenter)
        server.faults.active.append(Fault("drop", "CreateContainerView", times=1))
        assert len(names(vcenter)) == 3


def test_a_server_that_drops_every_connection_is_unreachable(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.faults.active.append(Fault("drop"))
        with pytest.raises(EndpointUnreachableError):
            names(vcenter)


def test_a_task_that_does_not_end_is_unknown_and_not_refused(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        # Without DRS a host with a running machine never gets there by itself.
        task = vcenter.object(vim.HostSystem, "host-13").EnterMaintenanceMode_Task(0)
        with pytest.raises(EndpointUnreachableError, match="still running"):
            vcenter.wait(task, 0.3)
