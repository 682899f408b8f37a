"""Sessions, privileges and faults of the Automation API, by VMware's own client."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from auditor_lab.faults import Fault
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap import sessions
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from tests.lab.conftest import PASSWORD, USER
from tests.lab.vapi.conftest import CLIENT_WARNS, FLEET, KEY, ONE, Client, Connect, document, error, thing

pytestmark = CLIENT_WARNS


def test_a_session_tells_whose_it_is_and_ends_when_it_is_deleted(client: Client) -> None:
    assert client.session.get().user == USER
    client.session.delete()
    with pytest.raises(error("Unauthenticated")) as raised:
        client.tag.list()
    assert str(raised.value.error_type) == "UNAUTHENTICATED"
    assert raised.value.challenge.startswith("Basic realm=")


@pytest.mark.parametrize(("user", "password"), [(USER, "wrong"), ("nobody@vsphere.local", PASSWORD)], ids=["password", "user"])
def test_a_wrong_name_or_password_opens_no_session(vcenter: VCenterServer, log_on: Connect, user: str, password: str) -> None:
    with pytest.raises(error("Unauthenticated")):
        log_on(vcenter, user, password)
    assert vcenter.vapi.sessions.count == 0


def test_a_session_of_soap_is_none_of_this_api_and_the_other_way_round(
    vcenter: VCenterServer, log_on: Connect, connect: Callable[..., Any], http: httpx.Client
) -> None:
    soap = connect(vcenter).content.sessionManager.currentSession.key
    with pytest.raises(error("Unauthenticated")):
        log_on(vcenter, session_id=soap).tag.list()
    own = log_on(vcenter)
    answer = http.get("/sdk/vim25/8.0.2.0/SessionManager/SessionManager/sessionList", headers={"vmware-api-session-id": own.key})
    assert answer.status_code == 500
    assert answer.json()["_typeName"] == "NotAuthenticated"


def test_a_session_that_nobody_uses_expires(
    serve_vcenter: Callable[..., VCenterServer], log_on: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(sessions, "time", SimpleNamespace(monotonic=lambda: clock.now))
    client = log_on(serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0], session_seconds=60))
    clock.now += 59
    client.tag.list()
    clock.now += 59
    client.tag.list()
    clock.now += 61
    with pytest.raises(error("Unauthenticated")):
        client.tag.list()


def test_the_client_refuses_a_certificate_of_an_authority_it_does_not_know(vcenter: VCenterServer, log_on: Connect) -> None:
    with pytest.raises(import_module("requests").exceptions.SSLError):
        log_on(vcenter, verify=True)


@pytest.mark.parametrize(
    ("privilege", "ask"),
    [
        ("InventoryService.Tagging.CreateCategory", lambda client: client.create_category("x")),
        ("InventoryService.Tagging.CreateTag", lambda client: client.create_tag("x", client.categories()["tier"])),
        ("InventoryService.Tagging.DeleteTag", lambda client: client.tag.delete(client.tags()["gold"])),
        ("InventoryService.Tagging.EditTag", lambda client: client.tag.update(client.tags()["gold"], client.tag.UpdateSpec(name="x"))),
        (
            "InventoryService.Tagging.AttachTag",
            lambda client: client.association.attach(client.tags()["gold"], thing("Datastore", "datastore-101")),
        ),
        ("VcIntegrity.ClusterConfiguration.View", lambda client: client.configuration.get(ONE)),
        ("VcIntegrity.ClusterConfiguration.Export", lambda client: client.configuration.export_config(ONE)),
        ("VcIntegrity.ClusterConfiguration.Modify", lambda client: client.import_document(ONE, document(8))),
        (
            "VcIntegrity.ClusterConfiguration.Remediate",
            lambda client: client.configuration.apply_task(ONE, client.configuration.ApplySpec()),
        ),
    ],
    ids=lambda value: value.rpartition(".")[2] if isinstance(value, str) else "",
)
def test_an_account_without_the_privilege_is_told_which(
    vcenter: VCenterServer, client: Client, privilege: str, ask: Callable[[Client], Any]
) -> None:
    vcenter.privileges = ALL - {privilege}
    with pytest.raises(error("Unauthorized")) as raised:
        ask(client)
    assert privilege in raised.value.messages[0].args
    assert raised.value.data.get_struct_value().get_field("privilege").value == privilege


def test_an_account_that_only_reads_sees_tags(serve_vcenter: Callable[..., VCenterServer], log_on: Connect) -> None:
    client = log_on(serve_vcenter(parse_scenario(FLEET, "tags").vcenters[0], privileges=READ_ONLY))
    assert client.tags().keys() == {"storage", "compute", "gold"}


def test_requests_and_faults_go_by_service_and_operation(vcenter: VCenterServer, client: Client, http: httpx.Client) -> None:
    vcenter.faults.active = [Fault("status", "com.vmware.cis.tagging.tag.list", status=503)]
    with pytest.raises(import_module("requests").exceptions.HTTPError, match="503"):
        client.tag.list()
    assert http.get("/api/cis/tagging/tag", headers={"vmware-api-session-id": client.key}).status_code == 503
    assert len(client.category.list()) == 2
    assert vcenter.requests[-3:] == ["com.vmware.cis.tagging.tag.list"] * 2 + ["com.vmware.cis.tagging.category.list"]


def test_a_lost_session_and_a_missing_privilege_come_on_demand(vcenter: VCenterServer, client: Client, log_on: Connect) -> None:
    vcenter.faults.active = [Fault("permission", privilege="System.Read", times=1)]
    with pytest.raises(error("Unauthorized")):
        client.tag.list()
    client.tag.list()
    vcenter.faults.active = [Fault("session", times=1)]
    with pytest.raises(error("Unauthenticated")):
        client.tag.list()
    log_on(vcenter).tag.list()


def test_writes_go_wrong_on_demand(vcenter: VCenterServer, client: Client) -> None:
    tag, several = client.tags()["compute"], [thing("HostSystem", key) for key in ("host-12", "host-14")]
    vcenter.faults.active = [Fault("deaf", "com.vmware.cis.tagging.tag_association.attach", times=1)]
    client.association.attach(tag, several[0])
    assert client.association.list_attached_objects(tag) == []
    vcenter.faults.active = [Fault("half", "com.vmware.cis.tagging.tag_association.attach_tag_to_multiple_objects", times=1)]
    with pytest.raises(error("InternalServerError")):
        client.association.attach_tag_to_multiple_objects(tag, several)
    assert [one.id for one in client.association.list_attached_objects(tag)] == ["host-12"]


def test_a_task_that_is_stuck_never_ends_and_a_deaf_one_does_nothing(vcenter: VCenterServer, client: Client) -> None:
    service = "com.vmware.esx.settings.clusters.configuration"
    vcenter.faults.active = [Fault("stuck", f"{service}.check_compliance$task", times=1), Fault("deaf", f"{service}.apply$task", times=1)]
    assert str(client.configuration.check_compliance_task(ONE).get_info().status) == "RUNNING"
    answer = client.configuration.apply_task(ONE, client.configuration.ApplySpec()).get_result()
    assert answer.successful_hosts == {"host-11", "host-12"}
    assert vcenter.state.hosts["host-11"].options[KEY] == 0


def test_a_task_runs_as_long_as_tasks_of_the_lab_do(vcenter: VCenterServer, client: Client, clock: SimpleNamespace) -> None:
    vcenter.state.task_seconds = 20
    task = client.configuration.check_compliance_task(ONE)
    assert str(task.get_info().status) == "RUNNING"
    clock.now += 21
    assert str(task.get_info().status) == "SUCCEEDED"
