"""Troubles inside the endpoints, and the control file that puts any of them there."""

from __future__ import annotations

import base64
import http.client
import json
import os
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import ConfigurationError
from auditor_lab.arrays.element.description import ElementDescription, QosPolicyDescription
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.authority import Authority
from auditor_lab.faults import Fault, FaultFile, Faults, load_faults
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import serve, served_by
from auditor_lab.vcenter.server import VCenterServer
from tests.waiting import PATIENCE_SECONDS

DEVICE = "naa.624a9370aaaa"
KINDS = {"vc": "vcenter", "array": "element"}
UPDATE = (
    '<UpdateOptions xmlns="urn:vim25"><_this type="OptionManager">EsxHostAdvSettings-11</_this>'
    '<changedValue><key>Disk.QFullSampleSize</key><value xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xsi:type="xsd:long">32</value></changedValue>'
    '<changedValue><key>Disk.QFullThreshold</key><value xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xsi:type="xsd:long">4</value></changedValue></UpdateOptions>'
)
NOW = '<CurrentTime xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></CurrentTime>'
MAINTENANCE = (
    '<EnterMaintenanceMode_Task xmlns="urn:vim25"><_this type="HostSystem">host-11</_this><timeout>0</timeout></EnterMaintenanceMode_Task>'
)


def _options(server: VCenterServer) -> tuple[Any, Any]:
    options = server.state.hosts["host-11"].options
    return options["Disk.QFullSampleSize"], options["Disk.QFullThreshold"]


@pytest.mark.parametrize(
    ("fault", "status", "after"),
    [
        pytest.param(None, 200, (32, 4), id="no fault"),
        pytest.param(Fault("deaf", "UpdateOptions"), 200, (0, 8), id="accepted and ignored"),
        pytest.param(Fault("half", "UpdateOptions"), 500, (32, 8), id="the first of two is written"),
        pytest.param(Fault("permission", privilege="Host.Config.AdvancedConfig"), 500, (0, 8), id="the account may not"),
        pytest.param(Fault("session"), 500, (0, 8), id="the session is lost"),
    ],
)
def test_a_write_of_two_options(
    fault: Fault | None, status: int, after: tuple[int, int], vcenter: VCenterServer, plain: Callable[..., Any]
) -> None:
    client = plain(vcenter)
    vcenter.faults.active = [fault] if fault else []
    assert client.post(UPDATE)[0] == status
    assert _options(vcenter) == after


def test_a_lost_session_can_be_opened_again(vcenter: VCenterServer, plain: Callable[..., Any]) -> None:
    client = plain(vcenter)
    vcenter.faults.active = [Fault("session", times=1)]
    assert client.post(UPDATE)[0] == 500
    client.login()
    assert client.post(UPDATE)[0] == 200


@pytest.mark.parametrize(
    ("kind", "answer", "after"),
    [
        pytest.param("deaf", "true", 32, id="accepted and ignored"),
        pytest.param("half", "An injected fault stopped this half way.", 64, id="done, and failed all the same"),
    ],
)
def test_a_write_by_esxcli(kind: str, answer: str, after: int, vcenter: VCenterServer, plain: Callable[..., Any]) -> None:
    client = plain(vcenter)
    vcenter.faults.active = [Fault(kind, "storage.core.device.set")]
    assert client.esxcli("host-11", "storage core device set", device=DEVICE, schednumreqoutstanding=64) == answer
    host = vcenter.state.hosts["host-11"]
    assert host.dsnro(host.devices[DEVICE]) == after


@pytest.mark.parametrize(
    ("kind", "state", "entered"),
    [
        pytest.param("", "success", True, id="no fault"),
        pytest.param("stuck", "running", False, id="never ends"),
        pytest.param("deaf", "success", False, id="says it is done"),
    ],
)
def test_a_task(
    kind: str, state: str, entered: bool, vcenter: VCenterServer, plain: Callable[..., Any], connect: Callable[..., Any]
) -> None:
    from pyVmomi import vim

    client = connect(vcenter)
    vcenter.faults.active = [Fault(kind, "EnterMaintenanceMode_Task")] if kind else []
    task = vim.HostSystem("host-11", client.instance._stub).EnterMaintenanceMode_Task(timeout=0)
    vcenter.faults.active = []
    assert task.info.state == state
    assert vcenter.state.hosts["host-11"].in_maintenance_mode is entered
    second = vim.HostSystem("host-12", client.instance._stub).EnterMaintenanceMode_Task(timeout=0)
    assert second.info.state == "success"  # the fault was of one call


def test_a_clock_that_is_wrong_shows_in_the_header_and_in_current_time(vcenter: VCenterServer, connect: Callable[..., Any]) -> None:
    client = connect(vcenter)
    vcenter.faults.active = [Fault("skew", seconds=-7200)]
    assert timedelta(hours=-3) < client.instance.CurrentTime() - datetime.now(UTC) < timedelta(hours=-1)
    vcenter.faults.active = []
    assert abs(client.instance.CurrentTime() - datetime.now(UTC)) < timedelta(hours=1)


@pytest.fixture
def array(authority: Authority) -> Iterator[ElementServer]:
    description = ElementDescription("array", "abcd", qos_policies=(QosPolicyDescription("Gold", 100, 3000, 6000),))
    server = ElementServer(description, authority.server_context("127.0.0.1"), "auditor", "secret")
    yield server
    server.stop()


@pytest.fixture
def ask(array: ElementServer, client_context: ssl.SSLContext) -> Iterator[Callable[..., Any]]:
    connection = http.client.HTTPSConnection(array.host, array.port, context=client_context, timeout=PATIENCE_SECONDS)

    def send(method: str, **params: Any) -> tuple[dict[str, Any], datetime]:
        headers = {"Authorization": "Basic " + base64.b64encode(b"auditor:secret").decode()}
        connection.request("POST", "/json-rpc/12.3", json.dumps({"method": method, "params": params, "id": 1}), headers)
        response = connection.getresponse()
        return json.loads(response.read()), parsedate_to_datetime(response.headers["Date"])

    yield send
    connection.close()


@pytest.mark.parametrize(
    ("fault", "error", "after"),
    [
        pytest.param(None, None, (200, 4000), id="no fault"),
        pytest.param(Fault("deaf", "ModifyQoSPolicy"), None, (100, 3000), id="accepted and ignored"),
        pytest.param(Fault("half", "ModifyQoSPolicy"), "xDBOperationFailed", (200, 3000), id="the first of two is written"),
        pytest.param(Fault("permission", privilege="write"), "xPermissionDenied", (100, 3000), id="the account may not"),
    ],
)
def test_a_write_to_an_array(fault: Fault | None, error: str | None, after: tuple[int, int], array: ElementServer, ask: Any) -> None:
    array.faults.active = [fault] if fault else []
    answer, _ = ask("ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 200, "maxIOPS": 4000})
    assert answer.get("error", {}).get("name") == error
    limits = array.cluster.policies[1].qos.limits
    assert (limits["minIOPS"], limits["maxIOPS"]) == after
    assert ("error" in ask("ListQoSPolicies")[0]) is False


def test_an_array_may_have_a_wrong_clock(array: ElementServer, ask: Any) -> None:
    array.faults.active = [Fault("skew", seconds=86400)]
    assert ask("GetAPI")[1] - datetime.now(UTC) > timedelta(hours=23)


def test_a_control_file_names_faults_by_endpoint(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(
        "vc:\n  - {kind: latency, seconds: 0.2}\n  - {kind: deaf, operation: UpdateOptions, containing: host-11}\n"
        '"*":\n  - {kind: status, status: 503, times: 2}\narray: []\n'
    )
    found = load_faults(path, KINDS)
    assert found == {
        "vc": [Fault("latency", seconds=0.2), Fault("deaf", "UpdateOptions", containing=b"host-11"), Fault("status", status=503, times=2)],
        "array": [Fault("status", status=503, times=2)],
    }
    assert found["vc"][-1] is not found["array"][-1]  # each counts by itself


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param("vcc:\n  - {kind: drop}", ':1: the lab serves no endpoint "vcc"; did you mean "vc"?', id="no such endpoint"),
        pytest.param("vc:\n  kind: drop", ':1: "vc" must be a list of faults', id="no list"),
        pytest.param("vc:\n  - drop", ':2: a fault must be a mapping with a "kind"', id="no mapping"),
        pytest.param("vc:\n  - {kind: dorp}", ':2: an endpoint of kind vcenter has no fault "dorp"; did you mean "drop"?', id="kind"),
        pytest.param("array:\n  - {kind: session}", ':2: an endpoint of kind element has no fault "session"', id="not of this endpoint"),
        pytest.param(
            '"*":\n  - {kind: stuck, operation: x}', ':2: an endpoint of kind element has no fault "stuck"', id="not of every one"
        ),
        pytest.param("vc:\n  - kind: drop\n    tims: 1", ':3: a fault has no "tims"; did you mean "times"?', id="no such key"),
        pytest.param("vc:\n  - {kind: drop, times: 0}", ':2: "times" of drop must be a whole number, 1 or more', id="times"),
        pytest.param("vc:\n  - {kind: latency, seconds: -1}", ':2: "seconds" of latency must be a number', id="time backwards"),
        pytest.param("vc:\n  - {kind: latency, seconds: .nan}", ':2: "seconds" of latency must be a number', id="no number at all"),
        pytest.param("vc:\n  - {kind: status, status: 200}", ':2: "status" of status must be an HTTP status', id="status"),
        pytest.param("vc:\n  - {kind: deaf}", ':2: a fault of kind deaf must name its "operation"', id="deaf to everything"),
        pytest.param("vc:\n  - {kind: permission}", ':2: a fault of kind permission must name its "privilege"', id="no privilege"),
        pytest.param("array:\n  - {kind: permission, privilege: x}", '"privilege" of permission must be read or write', id="privilege"),
        pytest.param("vc: [", ":1: ", id="no YAML"),
    ],
)
def test_a_mistake_in_the_control_file_is_told_with_its_line(text: str, reported: str, tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        load_faults(path, KINDS)
    assert reported in str(error.value)


def _write(path: Path, text: str, moment: int) -> None:
    path.write_text(text)
    os.utime(path, (moment, moment))  # a file system may be too coarse to tell two writes of one test apart


def test_the_control_file_is_read_again_when_it_changes_and_a_mistake_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path, faults = tmp_path / "faults.yaml", Faults()
    _write(path, "vc:\n  - {kind: drop, times: 1}", 1)
    control = FaultFile(path, {"vc": ("vcenter", faults)})
    assert control.refresh()
    assert faults.active == [Fault("drop", times=1)]
    faults.take("Login")
    assert not control.refresh()
    assert faults.active == [Fault("drop", times=0)]  # what was counted down stays so
    _write(path, "vc:\n  - {kind: dorp}", 2)
    with pytest.raises(ConfigurationError):
        control.refresh()
    assert not control.refresh()  # reported once
    assert faults.active == [Fault("drop", times=0)]
    path.unlink()
    with pytest.raises(ConfigurationError):
        control.refresh()
    _write(path, "{}", 3)
    assert control.refresh()
    assert faults.active == []


def test_a_control_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        FaultFile(tmp_path / "faults.yaml", {}).refresh()


def test_every_endpoint_of_a_lab_can_be_troubled() -> None:
    with serve(load_scenario("solidfire-vvols")) as lab:
        served = served_by(lab)
        assert {name: kind for name, (kind, _) in served.items()} == {
            "vc-solidfire": "vcenter",
            "sf-prod": "element",
            "sf-twin": "element",
        }
        assert served["sf-prod"][1] is lab.element["sf-prod"].faults


TROUBLED = """
faults:
  array: [{kind: permission, privilege: read, operation: ListQoSPolicies}]
element: [{name: array, unique_id: abcd}, {name: other, unique_id: abce}]
"""


def test_a_description_may_have_troubles_from_the_start_which_a_control_file_adds_to(tmp_path: Path) -> None:
    fleet = parse_scenario(TROUBLED, "troubled")
    with serve(fleet) as lab:
        assert [fault.operation for fault in lab.element["array"].faults.active] == ["ListQoSPolicies"]
        assert lab.element["other"].faults.active == []
        file = tmp_path / "faults.yaml"
        file.write_text("array: [{kind: status, status: 502}]\n", encoding="utf-8")
        control = FaultFile(file, served_by(lab))
        control.refresh()
        assert [fault.kind for fault in lab.element["array"].faults.active] == ["permission", "status"]
        file.write_text("{}\n# nothing more\n", encoding="utf-8")
        control.refresh()
        assert [fault.kind for fault in lab.element["array"].faults.active] == ["permission"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("faults:\n  gone: [{kind: drop}]\n", 2, 'no endpoint "gone"', id="no such endpoint"),
        pytest.param(
            "faults:\n  array:\n  - kind: dropp\nelement: [{name: array, unique_id: abcd}]\n", 3, 'did you mean "drop"', id="no such fault"
        ),
    ],
)
def test_a_mistake_in_the_troubles_of_a_description_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse_scenario(text, "troubled")
    assert raised.value.what.startswith(f"troubled:{line}: ")
    assert message in raised.value.what
