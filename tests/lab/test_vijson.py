"""VI/JSON: the same vCenter in JSON, held against its SOAP side, against govmomi's forms and against govc."""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor_lab.scenario import load_scenario
from auditor_lab.serving import VCENTER_USER, serve
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.envelope import wire_version
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from auditor_lab.vcenter.vijson.encoding import encoded
from auditor_lab.wire import Fault
from tests.waiting import PATIENCE_SECONDS, completed

USER, PASSWORD = "auditor@vsphere.local", "only-for-this-test"  # conftest's vCenter
RELEASE = "8.0.2.0"
VERSION = wire_version(RELEASE)
SESSION = "vmware-api-session-id"
XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


class Json:
    """VI/JSON by hand: what is sent and what comes back, with nothing in between."""

    def __init__(self, server: VCenterServer, context: ssl.SSLContext) -> None:
        self._connection = http.client.HTTPSConnection(server.host, server.port, context=context, timeout=PATIENCE_SECONDS)
        self.session = ""
        self.release = RELEASE

    def get(self, path: str) -> tuple[int, Any]:
        return self._ask("GET", path, None)

    def post(self, path: str, body: str | None = None, **parameters: Any) -> tuple[int, Any]:
        return self._ask("POST", path, json.dumps(parameters) if body is None else body)

    def _ask(self, method: str, path: str, body: str | None) -> tuple[int, Any]:
        headers = {SESSION: self.session} if self.session else {}
        self._connection.request(method, f"/sdk/vim25/{self.release}/{path}", body, headers)
        response = self._connection.getresponse()
        self.session = response.getheader(SESSION) or self.session
        text = response.read()
        if text:
            assert response.getheader("Content-Type", "").startswith("application/json")
        return response.status, json.loads(text) if text else None

    def login(self, user: str = USER, password: str = PASSWORD) -> tuple[int, Any]:
        return self.post("SessionManager/SessionManager/Login", userName=user, password=password)

    def read(self, kind: str, moids: list[str], *paths: str) -> tuple[int, Any]:
        """RetrievePropertiesEx of these objects; no paths means all."""
        wanted = {"type": kind, "pathSet": list(paths)} if paths else {"type": kind, "all": True}
        objects = [{"obj": reference(kind, moid)} for moid in moids]
        return self.post(
            "PropertyCollector/propertyCollector/RetrievePropertiesEx",
            specSet=[{"propSet": [wanted], "objectSet": objects}],
            options={"_typeName": "RetrieveOptions"},
        )

    def close(self) -> None:
        self._connection.close()


def reference(kind: str, moid: str) -> dict[str, str]:
    return {"_typeName": "ManagedObjectReference", "type": kind, "value": moid}


@pytest.fixture
def plain_json(client_context: ssl.SSLContext) -> Iterator[Callable[..., Json]]:
    with ExitStack() as stack:

        def connect(server: VCenterServer, *, login: bool = True) -> Json:
            client = Json(server, client_context)
            stack.callback(client.close)
            if login:
                assert client.login()[0] == 200
            return client

        yield connect


def test_a_script_that_knows_nothing_finds_its_way_in_and_out(plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    client = plain_json(vcenter, login=False)
    status, content = client.get("ServiceInstance/ServiceInstance/content")
    assert (status, content["_typeName"], content["about"]["apiVersion"]) == (200, "ServiceContent", RELEASE)
    manager = content["sessionManager"]
    assert manager == reference("SessionManager", manager["value"])
    assert (client.session, client.get("ServiceInstance/ServiceInstance/serverClock")[0]) == ("", 500)
    status, session = client.post(f"SessionManager/{manager['value']}/Login", userName=USER, password=PASSWORD)
    assert (status, session["_typeName"], session["userName"]) == (200, "UserSession", USER)
    assert client.session
    status, clock = client.post("ServiceInstance/ServiceInstance/CurrentTime")
    assert status == 200
    assert abs((datetime.now(UTC) - datetime.fromisoformat(clock)).total_seconds()) < 60
    assert client.get(f"SessionManager/{manager['value']}/currentSession")[1]["key"] == session["key"]
    assert client.post(f"SessionManager/{manager['value']}/Logout") == (204, None)
    assert client.post("ServiceInstance/ServiceInstance/CurrentTime")[1]["_typeName"] == "NotAuthenticated"


def test_both_protocols_know_the_same_sessions(plain_json: Callable[..., Json], plain: Callable[..., Any], vcenter: VCenterServer) -> None:
    client, soap = plain_json(vcenter), plain(vcenter, login=False)
    soap.cookie = f'vmware_soap_session="{client.session}"'
    clock = '<CurrentTime xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></CurrentTime>'
    assert soap.post(clock)[0] == 200
    assert vcenter.sessions.count == 1
    stranger = plain_json(vcenter, login=False)
    stranger.session = "guess"
    assert stranger.post("ServiceInstance/ServiceInstance/CurrentTime")[0] == 500
    vcenter.sessions.expire()
    assert client.post("ServiceInstance/ServiceInstance/CurrentTime")[0] == 500


@pytest.mark.parametrize(
    ("ask", "fault"),
    [
        pytest.param(lambda client: client.login(password="guess"), {"_typeName": "InvalidLogin"}, id="wrong password"),
        pytest.param(
            lambda client: client.read("HostSystem", ["host-11"], "config.nonsense"),
            {"_typeName": "InvalidProperty", "name": "config.nonsense"},
            id="a property that is not there",
        ),
        pytest.param(
            lambda client: client.post("OptionManager/EsxHostAdvSettings-11/QueryOptions", name="No.Such"),
            {"_typeName": "InvalidName", "name": "No.Such"},
            id="an option that is not there",
        ),
        pytest.param(
            lambda client: client.read("HostSystem", ["host-999"], "name"),
            {"_typeName": "ManagedObjectNotFound", "obj": reference("HostSystem", "host-999")},
            id="an object that is not there",
        ),
        pytest.param(
            lambda client: client.post(
                "AlarmManager/AlarmManager/AcknowledgeAlarm", alarm=reference("Alarm", "a"), entity=reference("Folder", "b")
            ),
            {"_typeName": "MethodNotFound", "method": "AcknowledgeAlarm", "receiver": reference("AlarmManager", "AlarmManager")},
            id="a method the lab does not have",
        ),
    ],
)
def test_a_fault_tells_its_type_its_members_and_its_message(
    ask: Callable[[Json], tuple[int, Any]], fault: dict[str, Any], plain_json: Callable[..., Json], vcenter: VCenterServer
) -> None:
    status, answer = ask(plain_json(vcenter))
    assert status == 500
    assert isinstance(answer.pop("faultstring"), str)
    assert answer == fault


def test_without_a_session_a_fault_names_what_was_asked_for(plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    assert plain_json(vcenter, login=False).read("HostSystem", ["host-11"], "name") == (
        500,
        {
            "_typeName": "NotAuthenticated",
            "object": reference("PropertyCollector", "propertyCollector"),
            "privilegeId": "System.View",
            "faultstring": "The session is not authenticated.",
        },
    )


def test_a_missing_privilege_is_named_in_a_fault_and_in_the_missing_set(
    serve_vcenter: Callable[..., VCenterServer], plain_json: Callable[..., Json], vcenter: VCenterServer
) -> None:
    server = serve_vcenter(vcenter.state.description, privileges=READ_ONLY)
    client = plain_json(server)
    manager = client.get("HostSystem/host-11/configManager")[1]["advancedOption"]["value"]
    changed = [{"_typeName": "OptionValue", "key": "ISCSI.MaxIoSizeKB", "value": {"_typeName": "long", "_value": 256}}]
    status, reported = client.post(f"OptionManager/{manager}/UpdateOptions", changedValue=changed)
    assert (status, reported["_typeName"], reported["privilegeId"]) == (500, "NoPermission", "Host.Config.AdvancedConfig")
    assert reported["object"] == reference("OptionManager", manager)
    server.privileges = READ_ONLY - {"System.Read"}
    _, result = client.read("HostSystem", ["host-11"], "name", "config.storageDevice")
    ((missing,), (name,)) = result["objects"][0]["missingSet"], result["objects"][0]["propSet"]
    assert name == {"_typeName": "DynamicProperty", "name": "name", "val": {"_typeName": "string", "_value": "esx-1"}}
    assert (missing["path"], missing["fault"]["_typeName"]) == ("config.storageDevice", "LocalizedMethodFault")
    assert missing["fault"]["fault"] == {
        "_typeName": "NoPermission",
        "object": reference("HostSystem", "host-11"),
        "privilegeId": "System.Read",
    }
    assert missing["fault"]["localizedMessage"] == "Permission to perform this operation was denied."


def test_a_property_is_a_get_and_one_that_is_unset_is_no_content(plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    client = plain_json(vcenter)
    assert client.get("HostSystem/host-11/name") == (200, "esx-1")
    assert client.get("HostSystem/host-11/parent")[1]["type"] == "ClusterComputeResource"
    assert client.get("HostSystem/host-11/overallStatus") == (200, "green")
    assert client.get("Folder/group-d1/childType") == (200, ["Folder", "Datacenter"])
    assert client.get("HostSystem/host-11/runtime")[1]["connectionState"] == "connected"
    assert client.get("Folder/group-d1/parent") == (204, None)


def test_what_is_written_through_json_is_read_through_soap(
    plain_json: Callable[..., Json], connect: Callable[..., Any], vcenter: VCenterServer
) -> None:
    client = plain_json(vcenter)
    manager = client.get("HostSystem/host-11/configManager")[1]["advancedOption"]["value"]
    options = f"OptionManager/{manager}"
    before = {"_typeName": "OptionValue", "key": "ISCSI.MaxIoSizeKB", "value": {"_typeName": "long", "_value": 128}}
    assert client.post(f"{options}/QueryOptions", name="ISCSI.MaxIoSizeKB") == (200, [before])
    after = before | {"value": {"_typeName": "long", "_value": 512}}
    assert client.post(f"{options}/UpdateOptions", changedValue=[after]) == (204, None)
    assert client.post(f"{options}/QueryOptions", name="ISCSI.MaxIoSizeKB") == (200, [after])
    (answer,) = connect(vcenter).hosts()["esx-1"].configManager.advancedOption.QueryOptions("ISCSI.MaxIoSizeKB")
    assert answer.value == 512


def test_a_wait_for_updates_ends_with_no_content_or_with_what_changed(plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    client = plain_json(vcenter)
    _, task = client.post("HostSystem/host-11/EnterMaintenanceMode_Task", timeout=0)
    assert task == reference("Task", task["value"])
    spec = {"propSet": [{"type": "Task", "pathSet": ["info.state"]}], "objectSet": [{"obj": task}]}
    _, collector = client.post("PropertyCollector/propertyCollector/CreatePropertyCollector")
    path = f"PropertyCollector/{collector['value']}"
    assert client.post(f"{path}/CreateFilter", spec=spec, partialUpdates=False)[1]["type"] == "PropertyFilter"
    version, states = "", []
    while "success" not in states:
        status, update = client.post(f"{path}/WaitForUpdatesEx", version=version, options={"maxWaitSeconds": 8})
        assert (status, update["_typeName"]) == (200, "UpdateSet")
        version = update["version"]
        for change in (change for reported in update["filterSet"] for one in reported["objectSet"] for change in one["changeSet"]):
            assert (change["name"], change["val"]["_typeName"]) == ("info.state", "TaskInfoState")
            states.append(change["val"]["_value"])
    assert client.post(f"{path}/WaitForUpdatesEx", version=version, options={"maxWaitSeconds": 0}) == (204, None)
    assert client.get("HostSystem/host-11/runtime")[1]["inMaintenanceMode"] is True


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "HostSystem/host-11/nonsense"),
        ("GET", "HostSystem/host-11/QueryOptions"),
        ("GET", "Nonsense/host-11/name"),
        ("GET", "HostNetworkInfo/host-11/name"),
        ("GET", "HostSystem/host-11"),
        ("GET", "HostSystem/host-11/name/more"),
        ("POST", "HostSystem/host-11/name"),
        ("POST", "HostSystem/host-11/Login"),
        ("POST", "HostSystem/host-11/Frobnicate"),
        ("POST", "HostSystem/host-11/Fetch"),
        ("POST", "HostSystem/host-11/RetrieveManagedMethodExecuter"),
        ("PUT", "HostSystem/host-11/name"),
    ],
)
def test_a_path_outside_the_api_is_not_found(method: str, path: str, plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    assert plain_json(vcenter)._ask(method, path, "{}" if method == "POST" else None) == (404, None)


@pytest.mark.parametrize(
    ("newest", "release", "status"),
    [
        pytest.param("8.0.0.2", "8.0.0.2", 404, id="a vCenter before 8.0 U1"),
        pytest.param("8.0.1.0", "8.0.1.0", 200, id="the first that has it"),
        pytest.param("8.0.3.0", "8.0.1.0", 200, id="an older release"),
        pytest.param("8.0.2.0", "8.0.3.0", 404, id="a newer release"),
        pytest.param("8.0.2.0", "8.0.0.1", 404, id="a release before there was JSON"),
        pytest.param("8.0.3.0", "8.0.2.7", 404, id="a release that never was"),
        pytest.param("8.0.3.0", "latest", 404, id="no release"),
    ],
)
def test_json_is_there_from_8_0_u1_on_in_the_releases_the_vcenter_knows(
    newest: str,
    release: str,
    status: int,
    serve_vcenter: Callable[..., VCenterServer],
    plain_json: Callable[..., Json],
    vcenter: VCenterServer,
) -> None:
    client = plain_json(serve_vcenter(replace(vcenter.state.description, api_version=newest)), login=False)
    client.release = release
    assert client.get("ServiceInstance/ServiceInstance/content")[0] == status


def test_a_release_does_not_tell_what_came_after_it() -> None:
    bios = vim.host.BIOSInfo(biosVersion="1.2", firmwareType="UEFI")  # the type of firmware came with 8.0.2.0
    older = {"_typeName": "HostBIOSInfo", "biosVersion": "1.2"}
    assert encoded(bios, vim.host.BIOSInfo, wire_version("8.0.1.0")) == older
    assert encoded(bios, vim.host.BIOSInfo, wire_version("8.0.2.0")) == older | {"firmwareType": "UEFI"}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param("SessionManager/SessionManager/Login", "{", id="no JSON"),
        pytest.param("SessionManager/SessionManager/Login", "[]", id="no object"),
        pytest.param("SessionManager/SessionManager/Login", '{"userName": "x"}', id="a parameter left out"),
        pytest.param("SessionManager/SessionManager/Login", '{"userName": "x", "password": 5}', id="a number for a text"),
        pytest.param("SessionManager/SessionManager/Login", '{"userName": "x", "password": "y", "realm": "z"}', id="an unknown parameter"),
        pytest.param("HostSystem/host-11/EnterMaintenanceMode_Task", '{"timeout": 2147483648}', id="too big for an int"),
        pytest.param("HostSystem/host-11/EnterMaintenanceMode_Task", '{"timeout": true}', id="a truth for a number"),
        pytest.param("HostSystem/host-11/EnterMaintenanceMode_Task", '{"timeout": "0"}', id="a text for a number"),
        pytest.param(
            "OptionManager/EsxHostAdvSettings-11/UpdateOptions",
            '{"changedValue": [{"key": "a.b", "value": 5}]}',
            id="an Any without its box",
        ),
        pytest.param("OptionManager/EsxHostAdvSettings-11/UpdateOptions", '{"changedValue": {"key": "a.b"}}', id="one thing for an array"),
        pytest.param(
            "OptionManager/EsxHostAdvSettings-11/UpdateOptions",
            '{"changedValue": [{"_typeName": ["OptionValue"]}]}',
            id="a type that is no name",
        ),
        pytest.param(
            "OptionManager/EsxHostAdvSettings-11/UpdateOptions",
            '{"changedValue": [{"_typeName": "DynamicData"}]}',
            id="an object of another type",
        ),
        pytest.param(
            "PropertyCollector/propertyCollector/RetrievePropertiesEx",
            '{"specSet": [{"propSet": [{"type": "Nonsense"}], "objectSet": []}], "options": {}}',
            id="a type name the API does not have",
        ),
        pytest.param(
            "ViewManager/ViewManager/CreateContainerView",
            '{"container": {"type": "Nonsense", "value": "x"}, "recursive": true}',
            id="a reference to a type the API does not have",
        ),
        pytest.param(
            "ViewManager/ViewManager/CreateContainerView", '{"container": "group-d1", "recursive": true}', id="a text for a reference"
        ),
    ],
)
def test_a_body_that_does_not_fit_the_method_is_an_invalid_request(
    path: str, body: str, plain_json: Callable[..., Json], vcenter: VCenterServer
) -> None:
    client = plain_json(vcenter)
    status, reported = client.post(path, body)
    assert (status, reported["_typeName"]) == (500, "InvalidRequest")
    assert client.post("ServiceInstance/ServiceInstance/CurrentTime")[0] == 200


def test_faults_on_the_wire_pick_a_method_or_a_property_by_its_name(plain_json: Callable[..., Json], vcenter: VCenterServer) -> None:
    client = plain_json(vcenter)
    vcenter.faults.active = [Fault("garbage", operation="RetrievePropertiesEx", times=1), Fault("drop", operation="overallStatus", times=1)]
    assert client.get("HostSystem/host-11/name")[0] == 200
    with pytest.raises(AssertionError):
        client.read("HostSystem", ["host-11"], "name")
    assert client.read("HostSystem", ["host-11"], "name")[0] == 200
    with pytest.raises(http.client.RemoteDisconnected):
        client.get("HostSystem/host-11/overallStatus")
    assert vcenter.requests == ["Login", "name", "RetrievePropertiesEx", "RetrievePropertiesEx", "overallStatus"]


@pytest.fixture
def govc(govc_binary: str, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Runs govc in one of its two languages; gives what it prints."""
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        server = lab.vcenters["vc-solidfire"]
        environment = os.environ | {
            "GOVC_URL": f"https://{server.host}:{server.port}/sdk",
            "GOVC_USERNAME": VCENTER_USER,
            "GOVC_PASSWORD": lab.password,
            "GOVC_TLS_CA_CERTS": str(tmp_path / "fleet-ca.pem"),
            "GOVC_VIM_VERSION": RELEASE,  # govc does not ask which one the vCenter has
        }

        def run(*arguments: str, in_json: bool, fails: bool = False) -> str:
            ours = {"GOVC_VI_JSON": "1"} if in_json else {}
            ours["GOVMOMI_HOME"] = str(tmp_path / f"govmomi-{in_json}")
            done = completed([govc_binary, *arguments], env=environment | ours, check=False)
            assert (done.returncode != 0) is fails, done.stdout + done.stderr
            return done.stderr if fails else done.stdout

        yield run


HOST = "esx-vvol-1.lab.example"


@pytest.mark.parametrize(
    "command",
    [
        "about",
        "ls",
        "ls host/sf-vvol",
        "find / -type h",
        "find /",
        f"object.collect -s host/sf-vvol/{HOST} name",
        f"object.collect -json host/sf-vvol/{HOST}",
        "object.collect -json datastore/sf-vmfs-01",
        "object.collect -json vm/gold-1",
        "datastore.info -json",
        f"host.option.ls -host {HOST}",
        f"host.option.ls -json -host {HOST}",
        f"host.storage.info -json -host {HOST}",
        "vm.info -json gold-1",
    ],
)
def test_govc_reads_the_same_through_json_as_through_soap(command: str, govc: Callable[..., str]) -> None:
    reported = govc(*command.split(), in_json=True)
    assert reported.strip()
    # SOAP has no empty list: govc shows null where JSON has [].
    assert reported.replace(": []", ": null") == govc(*command.split(), in_json=False).replace(": []", ": null")


def test_govc_writes_through_json(govc: Callable[..., str]) -> None:
    option = ("-host", HOST, "Scsi.ScsiVVolPESNRO")
    govc("host.option.set", *option, "256", in_json=True)
    for in_json in (True, False):
        assert govc("host.option.ls", *option, in_json=in_json).split() == ["Scsi.ScsiVVolPESNRO:", "256"]
    refused = govc("host.option.set", *option, "31", in_json=True, fails=True)
    assert "not correct" in refused
    assert refused == govc("host.option.set", *option, "31", in_json=False, fails=True)
    govc("host.maintenance.enter", HOST, in_json=True)
    assert govc("object.collect", "-s", f"host/sf-vvol/{HOST}", "runtime.inMaintenanceMode", in_json=True).strip() == "true"
    govc("host.maintenance.exit", HOST, in_json=True)
