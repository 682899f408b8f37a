"""Privileges: a client can ask beforehand what it will be allowed to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY
from tests.lab.conftest import USER, Client, small
from tests.lab.govc import govc_on

SOME = READ_ONLY | {"Host.Config.AdvancedConfig"}
ASKED = ["System.Read", "Host.Config.AdvancedConfig", "Host.Config.Storage"]


@pytest.fixture
def limited(serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]) -> Client:
    return connect(serve_vcenter(small(), privileges=SOME))


def answers(found: Any) -> dict[str, list[bool]]:
    return {one.entity._GetMoId(): [reported.isGranted for reported in one.privAvailability] for one in found}


def test_a_session_learns_what_it_may_do_on_entities(limited: Client) -> None:
    manager, session = limited.content.authorizationManager, limited.content.sessionManager.currentSession.key
    hosts = [vim.HostSystem("host-11"), vim.HostSystem("host-12")]
    assert answers(manager.HasPrivilegeOnEntities(hosts, session, ASKED)) == {
        "host-11": [True, True, False],
        "host-12": [True, True, False],
    }
    assert list(manager.HasPrivilegeOnEntity(hosts[0], session, ASKED)) == [True, True, False]


@pytest.mark.parametrize("user", [USER, "VSPHERE.LOCAL\\auditor"], ids=["as it logs in", "as permissions name it"])
def test_a_user_learns_what_it_may_do_on_entities(limited: Client, user: str) -> None:
    manager = limited.content.authorizationManager
    (fetched,) = manager.FetchUserPrivilegeOnEntities([vim.HostSystem("host-11")], user)
    assert set(fetched.privileges) == SOME
    assert answers(manager.HasUserPrivilegeOnEntities([vim.HostSystem("host-11")], user, ASKED)) == {"host-11": [True, True, False]}


def test_somebody_unknown_may_do_nothing(limited: Client) -> None:
    (fetched,) = limited.content.authorizationManager.FetchUserPrivilegeOnEntities([vim.HostSystem("host-11")], "other@vsphere.local")
    assert list(fetched.privileges) == []


def test_what_is_promised_is_what_happens(limited: Client) -> None:
    manager, session = limited.content.authorizationManager, limited.content.sessionManager.currentSession.key
    host = vim.HostSystem("host-11", limited.instance._stub)
    asked = ["Host.Config.AdvancedConfig", "Host.Config.Maintenance"]
    assert list(manager.HasPrivilegeOnEntity(host, session, asked)) == [True, False]
    option = host.configManager.advancedOption.QueryOptions("Disk.QFullThreshold")
    host.configManager.advancedOption.UpdateOptions(option)
    with pytest.raises(vim.fault.NoPermission) as refused:
        host.EnterMaintenanceMode_Task(timeout=0)
    assert refused.value.privilegeId == "Host.Config.Maintenance"


def test_another_session_and_an_unknown_entity_are_refused(limited: Client) -> None:
    manager, session = limited.content.authorizationManager, limited.content.sessionManager.currentSession.key
    with pytest.raises(vim.fault.NoPermission):
        manager.HasPrivilegeOnEntities([vim.HostSystem("host-11")], "somebody-elses", ASKED)
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        manager.HasPrivilegeOnEntities([vim.HostSystem("host-999")], session, ASKED)


@pytest.mark.parametrize(
    ("privileges", "role", "number"),
    [
        pytest.param(ALL, "Admin", -1, id="everything"),
        pytest.param(READ_ONLY, "ReadOnly", -2, id="reading"),
        pytest.param(SOME, "auditor", 1001, id="something between"),
    ],
)
def test_the_account_has_one_role_for_everything(
    vcenter: VCenterServer, connect: Callable[..., Client], privileges: frozenset[str], role: str, number: int
) -> None:
    client = connect(vcenter)
    manager = client.content.authorizationManager
    assert {one.roleId for one in manager.roleList} == {-1, -2, -3, -4, -5}
    vcenter.privileges = privileges  # while somebody is logged in
    (permission,) = manager.RetrieveAllPermissions()
    assert (permission.principal, permission.roleId, permission.propagate) == ("VSPHERE.LOCAL\\auditor", number, True)
    (mine,) = (one for one in manager.roleList if one.roleId == number)
    assert (mine.name, frozenset(mine.privilege)) == (role, privileges)
    assert [one.roleId for one in manager.RetrieveRolePermissions(number)] == [number]
    assert list(manager.RetrieveEntityPermissions(vim.HostSystem("host-11"), inherited=False)) == []
    assert [one.roleId for one in manager.RetrieveEntityPermissions(vim.HostSystem("host-11"), inherited=True)] == [number]
    assert [one.roleId for one in manager.RetrieveEntityPermissions(client.content.rootFolder, inherited=False)] == [number]
    with pytest.raises(vim.fault.NotFound):
        manager.RetrieveRolePermissions(42)


def test_every_privilege_of_the_lab_is_listed(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    listed = connect(vcenter).content.authorizationManager.privilegeList
    assert {one.privId for one in listed} == ALL
    assert {(one.privGroupName, one.name) for one in listed} >= {("Host.Config", "AdvancedConfig"), ("Datastore", "ConfigIOManagement")}


def test_govc_lists_roles_and_permissions(govc_binary: str, tmp_path: Path) -> None:
    with govc_on(govc_binary, load_scenario("solidfire-vvols"), tmp_path) as (govc, server):
        assert govc("permissions.ls").split()[4:] == ["Admin", "/", "VSPHERE.LOCAL\\auditor", "Yes"]
        assert {"NoAccess", "Anonymous", "View", "ReadOnly", "Admin"} <= set(govc("role.ls").split())
        assert set(govc("role.ls", "ReadOnly").split()) == READ_ONLY
        server.privileges = SOME
        assert govc("permissions.ls").split()[4:] == ["auditor", "/", "VSPHERE.LOCAL\\auditor", "Yes"]
        assert set(govc("role.ls", "auditor").split()) == SOME
