"""A session with a vCenter: what it promises when everything works, and what it says when something does not."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import ssl
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter import session as vcenter_module
from auditor.endpoints.vcenter.bulk.reading import GONE, ObjectProperties
from auditor.endpoints.vcenter.read import read_objects
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.endpoints.vcenter.stub import newest_known
from auditor.endpoints.vcenter.translation import translated
from auditor.endpoints.vcenter.wire import ATTEMPTS
from auditor.errors import (
    AuditorError,
    CredentialsError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Endpoint, Secret, Tls
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault
from tests.waiting import NEVER_SECONDS, PATIENCE_SECONDS, SHORT_SECONDS

Serve = Callable[..., tuple[VCenterServer, Endpoint]]


def names(vcenter: VCenter) -> list[str]:
    return sorted(facts.values["name"] for facts in vcenter.read(vim.HostSystem, ("name",)))


def hosts_in_parts(vcenter: VCenter, page: int, answer_size: int) -> Generator[ObjectProperties]:
    yield from read_objects(vcenter.stub, vcenter.content, vim.HostSystem, ("name",), None, page, answer_size=answer_size)


def options_of(vcenter: VCenter, host_id: str = "host-11") -> Any:
    return vcenter.value(vim.HostSystem, host_id, "configManager.advancedOption")


def test_a_session_reads_and_is_gone_afterwards(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        assert names(vcenter) == ["esx-1", "esx-2", "esx-fc"]
        assert vcenter.about.apiVersion == "8.0.2.0"
        assert server.sessions.count == 1
    assert server.sessions.count == 0
    assert server.requests[-1] == "Logout"


def test_the_session_ends_also_when_its_user_fails(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with pytest.raises(ZeroDivisionError), open_vcenter(endpoint):
        raise ZeroDivisionError
    assert server.sessions.count == 0


def test_a_wrong_password_is_tried_once_and_never_shown(serve_vcenter: Serve, tmp_path: Path) -> None:
    server, endpoint = serve_vcenter()
    (tmp_path / "wrong").write_text("guess-4711")
    with (
        pytest.raises(CredentialsError) as caught,
        open_vcenter(dataclasses.replace(endpoint, password=Secret("file", (str(tmp_path / "wrong"),)))),
    ):
        pass
    assert server.requests.count("Login") == 1
    printed = io.StringIO()
    traceback.print_exception(caught.value, file=printed)
    assert "guess-4711" not in printed.getvalue() + repr(caught.value)
    assert "audit@vsphere.local" in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_a_certificate_of_an_unknown_authority_is_refused_also_on_loopback(serve_vcenter: Serve, address: str) -> None:
    server, endpoint = serve_vcenter()
    with (
        pytest.raises(EndpointUnreachableError, match="does not verify"),
        open_vcenter(dataclasses.replace(endpoint, address=address, tls=Tls())),
    ):
        pass
    assert server.requests == []


def test_a_certificate_for_another_name_is_refused(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(names=("vc-east.example.net",))
    with pytest.raises(EndpointUnreachableError, match="does not verify"), open_vcenter(endpoint):
        pass
    assert server.requests == []


def test_a_pinned_certificate_is_the_only_one_trusted(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(names=("another-name.example",))
    pem = ssl.get_server_certificate((server.host, server.port))
    pin = "sha256:" + hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    with open_vcenter(dataclasses.replace(endpoint, tls=Tls(fingerprint=pin))) as vcenter:
        assert len(names(vcenter)) == 3
    before = len(server.requests)
    with (
        pytest.raises(EndpointUnreachableError, match="pins"),
        open_vcenter(dataclasses.replace(endpoint, tls=Tls(fingerprint="sha256:" + "0" * 64))),
    ):
        pass
    assert len(server.requests) == before


def test_verification_is_off_only_when_fleet_yaml_says_so(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter(names=("another-name.example",))
    with open_vcenter(dataclasses.replace(endpoint, tls=Tls(verify=False))) as vcenter:
        assert len(names(vcenter)) == 3


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


def test_a_password_that_changed_meanwhile_is_tried_once_and_then_nothing_is_asked(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        server.sessions.expire()
        server.sessions._password = "changed"
        with ThreadPoolExecutor(8) as pool:
            errors = [one.exception() for one in [pool.submit(manager.QueryOptions, "Disk.") for _ in range(24)]]
        assert all(isinstance(error, CredentialsError) for error in errors)
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


def test_a_missing_permission_is_named_per_property_and_the_rest_is_read(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        server.privileges = ALL - {"System.Read"}
        with pytest.raises(PermissionMissingError, match=r"System\.Read"):
            names(vcenter)
        host = vcenter.object(vim.HostSystem, "host-11")
        facts = next(vcenter.read(vim.HostSystem, ("name", "config.storageDevice.scsiLun"), [host]))
        assert facts.values == {"name": "esx-1"}
        assert facts.missing["config.storageDevice.scsiLun"].startswith("NoPermission: System.Read")
        with pytest.raises(PermissionMissingError, match=r"System\.Read"):
            vcenter.value(vim.HostSystem, facts.id, "config.storageDevice.scsiLun")


def test_a_property_the_server_does_not_know_costs_only_itself(serve_vcenter: Serve) -> None:
    # The lab answers as a real vCenter does: it fails the whole call.
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        facts = list(vcenter.read(vim.HostSystem, ("name", "config.nonsense", "runtime.connectionState"), page=1))
        assert [one.values for one in facts] == [
            {"name": name, "runtime.connectionState": "connected"} for name in ("esx-1", "esx-2", "esx-fc")
        ]
        assert all(one.missing["config.nonsense"].startswith("InvalidProperty") for one in facts)
        # One list (a view and its content), one refusal, three pages.
        assert server.requests.count("RetrievePropertiesEx") == 5


def test_vcsim_names_an_unknown_property_in_its_own_way_with_the_same_result(start_vcsim: Callable[..., Endpoint]) -> None:
    with open_vcenter(start_vcsim()) as vcenter:
        facts = list(vcenter.read(vim.HostSystem, ("name", "config.nonsense"), page=3))
        assert len(facts) == 4
        assert all(one.values["name"] and one.missing["config.nonsense"].startswith("InvalidProperty") for one in facts)


def test_vcsim_refuses_a_wrong_password(start_vcsim: Callable[..., Endpoint], tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("guess")
    with (
        pytest.raises(CredentialsError),
        open_vcenter(dataclasses.replace(start_vcsim(), password=Secret("file", (str(tmp_path / "wrong"),)))),
    ):
        pass


def test_pages_and_their_parts_hold_every_object_once(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        seen = [facts.values["name"] for facts in hosts_in_parts(vcenter, 20, answer_size=7)]
    assert sorted(seen) == [f"esx-{number:03}" for number in range(45)]
    # 20 objects at 7 an answer are three answers, twice; the last page of 5 is one.
    assert server.requests.count("ContinueRetrievePropertiesEx") == 4


def test_a_reader_that_stops_early_leaves_nothing_open_on_the_server(serve_vcenter: Serve, many_hosts: VCenterDescription) -> None:
    server, endpoint = serve_vcenter(many_hosts)
    with open_vcenter(endpoint) as vcenter:
        reader = hosts_in_parts(vcenter, 20, answer_size=7)
        next(reader)
        reader.close()
        # The page was read to its end before its first object came out.
        assert server.requests.count("ContinueRetrievePropertiesEx") == 2
        assert not any(session.unread for session in server.sessions._open.values())
        assert server.requests.count("DestroyView") == server.requests.count("CreateContainerView")


def test_an_object_removed_meanwhile_is_told_gone_and_the_others_are_read(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        refs = [vcenter.object(vim.HostSystem, moid) for moid in ("host-11", "host-999", "host-12")]
        facts = {one.id: one for one in vcenter.read(vim.HostSystem, ("name",), refs)}
        assert facts["host-999"].is_gone
        assert facts["host-999"].missing == {"name": GONE}
        assert {one.values.get("name") for one in facts.values()} == {"esx-1", None, "esx-2"}
        with pytest.raises(NotThereError):
            vcenter.value(vim.HostSystem, "host-999", "name")


def test_a_task_is_waited_for_and_its_error_is_ours(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.task_seconds = 0.2
    with open_vcenter(endpoint) as vcenter:
        host = vcenter.object(vim.HostSystem, "host-11")
        vcenter.wait(host.EnterMaintenanceMode_Task(0), 5)
        assert vcenter.value(vim.HostSystem, "host-11", "runtime.inMaintenanceMode") is True
        with pytest.raises(RefusedError, match="InvalidState"), translated(endpoint, "again"):
            vcenter.wait(host.EnterMaintenanceMode_Task(0), 5)


def test_a_task_that_does_not_end_is_unknown_and_not_refused(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter:
        # Without DRS a host with a running machine never gets there by itself.
        task = vcenter.object(vim.HostSystem, "host-13").EnterMaintenanceMode_Task(0)
        with pytest.raises(EndpointUnreachableError, match="still running"):
            vcenter.wait(task, 0.3)


def test_no_more_requests_are_in_flight_than_allowed(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter(concurrency=2)
    with open_vcenter(endpoint) as vcenter:
        manager = options_of(vcenter)
        server.faults.active.append(Fault("latency", "QueryOptions", seconds=0.1))
        began = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: manager.QueryOptions("Disk."), range(8)))
        assert time.monotonic() - began >= 0.4


def test_an_idle_session_is_kept_alive(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vcenter_module, "KEEPALIVE_SECONDS", 0.1)
    server, endpoint = serve_vcenter(session_seconds=0.6)
    with open_vcenter(endpoint) as vcenter:
        time.sleep(1.0)
        assert len(names(vcenter)) == 3
        assert server.requests.count("Login") == 1
    assert not any(thread.name.startswith("keepalive") for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("api_version", "name"),
    [
        pytest.param("8.0.2.0", "vim.version.v8_0_2_0", id="known"),
        pytest.param("8.0.2.7", "vim.version.v8_0_2_0", id="a patch nobody has heard of"),
        pytest.param("99.0.0.0", "vim.version.v9_1_1_0", id="newer than we are"),
        pytest.param("6.5", "vim.version.version11", id="old numbering"),
        pytest.param("nonsense", "vim.version.version10", id="no number"),
    ],
)
def test_the_newest_version_that_both_sides_know_is_spoken(api_version: str, name: str) -> None:
    assert newest_known(api_version) == name


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        pytest.param(vim.fault.InvalidLogin(), CredentialsError, id="login"),
        pytest.param(vim.fault.NoPermission(privilegeId="Host.Config.Storage"), PermissionMissingError, id="permission"),
        pytest.param(vim.fault.NotAuthenticated(), EndpointUnreachableError, id="session"),
        pytest.param(vmodl.fault.HostNotConnected(), EndpointUnreachableError, id="host not connected"),
        pytest.param(vmodl.fault.SystemError(reason="x"), EndpointUnreachableError, id="the server broke down meanwhile"),
        pytest.param(vim.fault.InvalidName(name="x"), NotThereError, id="option"),
        pytest.param(vmodl.fault.ManagedObjectNotFound(), NotThereError, id="object"),
        pytest.param(vmodl.fault.NotSupported(), NotThereError, id="method of another build"),
        pytest.param(vmodl.fault.InvalidArgument(invalidProperty="x"), RefusedError, id="argument"),
        pytest.param(vim.fault.InvalidState(), RefusedError, id="state"),
    ],
)
def test_each_fault_becomes_the_error_a_caller_can_act_on(serve_vcenter: Serve, fault: Exception, error: type[AuditorError]) -> None:
    _, endpoint = serve_vcenter()
    with pytest.raises(error) as caught, translated(endpoint, "doing it"):
        raise fault
    assert type(caught.value) is error
    assert caught.value.__suppress_context__


def test_the_bytes_of_durable_names_are_dropped_and_nothing_else(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    answer = (
        b'<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Body>'
        b'<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects><obj type="HostSystem">host-1</obj><propSet><name>x</name>'
        b'<val xsi:type="ArrayOfScsiLun"><ScsiLun xsi:type="HostScsiDisk"><deviceName>d</deviceName><canonicalName>naa.1</canonicalName>'
        b"<durableName><namespace>VPD83</namespace><namespaceId>1</namespaceId><data>3</data><data>0</data></durableName>"
        b"<alternateName><namespace>A</namespace><namespaceId>1</namespaceId><data>3</data></alternateName>"
        b"<standardInquiry>0</standardInquiry><standardInquiry>1</standardInquiry><queueDepth>64</queueDepth></ScsiLun></val></propSet>"
        b"</objects></returnval></RetrievePropertiesExResponse></Body></Envelope>"
    )
    with open_vcenter(endpoint) as vcenter:
        result = vcenter.stub.decoded("RetrievePropertiesEx", vmodl.query.PropertyCollector.RetrieveResult, 200, answer)
    (disk,) = result.objects[0].propSet[0].val
    assert (disk.canonicalName, disk.queueDepth, disk.durableName, list(disk.alternateName)) == ("naa.1", 64, None, [])
    assert not disk.standardInquiry


def test_a_password_that_is_not_there_opens_nothing(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    nowhere = dataclasses.replace(endpoint, password=Secret("env", ("AUDITOR_TEST_NO_SUCH_VARIABLE",)))
    with pytest.raises(CredentialsError, match="AUDITOR_TEST_NO_SUCH_VARIABLE"), open_vcenter(nowhere):
        pass
    assert "Login" not in server.requests


def test_importing_the_client_imports_no_pyvmomi() -> None:
    code = "import sys, auditor.endpoints.vcenter.session, auditor.endpoints.vcenter.esxcli; sys.exit('pyVmomi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=PATIENCE_SECONDS).returncode == 0
