"""A session with a vCenter reads, waits for tasks, keeps its pace, and is gone afterwards."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from pyVmomi import vim, vmodl

from auditor.endpoints.vcenter import session as vcenter_module
from auditor.endpoints.vcenter.bulk.reading import GONE
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.stub import newest_known
from auditor.endpoints.vcenter.translation import translated
from auditor.errors import (
    AuditorError,
    CredentialsError,
    EndpointUnreachableError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Endpoint
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault
from tests.endpoints.vcenter.vcenter_reading import Serve, hosts_in_parts, names, options_of
from tests.waiting import PATIENCE_SECONDS


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


def test_importing_the_client_imports_no_pyvmomi() -> None:
    code = "import sys, auditor.endpoints.vcenter.session, auditor.endpoints.vcenter.esxcli; sys.exit('pyVmomi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=PATIENCE_SECONDS).returncode == 0
