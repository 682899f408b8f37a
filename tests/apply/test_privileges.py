"""What accounts may do is asked before the first write; and the roles that a plan needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.apply.privileges import check_privileges, roles_for
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.privileges import vcenter_fixes, vcenter_steps
from auditor.errors import GuardError, PermissionMissingError
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Resource, Secret, Target
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault

HOST_11 = Resource("host", "host-11", "esx-1", "vc-test", "one", "esx-1")
STORE = Resource("datastore", "datastore-101", "fast", "vc-test", None, None)


def change(remediator: str, resource: Resource = HOST_11, fix_class: FixClass = FixClass.ONLINE, **keys: str) -> Change:
    keys = keys or {"host_id": "host-11", "option": "x"}
    return Change(remediator, fix_class, Target("vc-test", tuple(sorted(keys.items()))), 1, 2, ("a/rule",), resource, "reason")


OPTION = change("host.option")
SIOC = change("datastore.sioc", STORE, datastore_id="datastore-101")
MODULE = change("host.module_option", fix_class=FixClass.REBOOT, host_id="host-11", module="m", parameter="p")


@pytest.fixture
def checked(serve_vcenter: Callable[..., Any]) -> Callable[..., tuple[str, ...]]:
    server, endpoint = serve_vcenter()

    def check(*changes: Change, without: str = "", reboots: bool = True, fault: Fault | None = None) -> tuple[str, ...]:
        server.privileges = ALL - {without}
        server.faults.active = [] if fault is None else [fault]
        with Sessions({"vc-test": endpoint}) as sessions:
            return check_privileges(changes, sessions, reboots=reboots)

    return check


@pytest.mark.parametrize(
    ("privilege", "place", "remediator"),
    [
        ("Host.Config.AdvancedConfig", "esx-1", "host.option"),
        ("Datastore.ConfigIOManagement", "fast", "datastore.sioc"),
        ("Host.Config.Settings", "esx-1", "host.module_option"),
        ("Host.Config.Maintenance", "esx-1", "host.boot"),
    ],
)
def test_a_missing_privilege_refuses_the_run_and_is_named_with_its_object(
    checked: Callable[..., tuple[str, ...]], privilege: str, place: str, remediator: str
) -> None:
    with pytest.raises(GuardError) as refused:
        checked(OPTION, SIOC, MODULE, without=privilege)
    assert f"vc-test: {privilege} on {place}, which {remediator} needs" in refused.value.what
    assert refused.value.what.count("\n") == 1, "what is there is not named"


def test_what_no_planned_change_needs_is_not_asked_for(checked: Callable[..., tuple[str, ...]]) -> None:
    assert checked(OPTION, SIOC, MODULE) == ()
    assert checked(OPTION, without="Host.Config.Maintenance") == ()
    assert checked(MODULE, without="Host.Config.Maintenance", reboots=False) == (), "nobody reboots"


def test_where_it_cannot_be_asked_a_sentence_says_so_and_the_vcenter_decides(checked: Callable[..., tuple[str, ...]]) -> None:
    (sentence,) = checked(OPTION, fault=Fault("status", "HasPrivilegeOnEntities", status=500))
    assert sentence.startswith("vc-test: what the account may change could not be read")
    assert "itself refuses" in sentence


@pytest.mark.parametrize("step", sorted(vcenter_steps()))
def test_without_the_privilege_of_a_step_the_lab_refuses_it(serve_vcenter: Callable[..., Any], step: str) -> None:
    server, endpoint = serve_vcenter()
    target = Target("vc-test", (("booted_before", "2020-01-01T00:00:00+00:00"), ("host_id", "host-11"), ("limit_seconds", "1")))
    server.privileges = ALL - set(vcenter_steps()[step].privileges)
    with Sessions({"vc-test": endpoint}) as sessions:
        session = sessions.session("vc-test")
        if step == "host.boot":
            server.state.hosts["host-11"].in_maintenance_mode = True
            target = Target("vc-test", (("booted_before", "2100-01-01T00:00:00+00:00"), *target.keys[1:]))
        with pytest.raises(PermissionMissingError, match=r"Host\.Config\.Maintenance"):
            remediator_for(step).write(session, target, value=True)


class Array(SessionBase):
    """An array that says which roles the account has."""

    def __init__(self, endpoint: Endpoint, roles: str | None) -> None:
        super().__init__(endpoint)
        self._roles = roles

    def role(self) -> str | None:
        return self._roles


@pytest.mark.parametrize(
    ("roles", "result"),
    [
        pytest.param("readonly", "refused", id="may read alone"),
        pytest.param("Storage_Admin, readonly", "", id="may write"),
        pytest.param("ops_admin", "does not say", id="a role that nobody here knows"),
        pytest.param(None, "does not say", id="it does not say"),
    ],
)
def test_of_an_array_its_roles_decide_as_far_as_they_are_known(roles: str | None, result: str) -> None:
    endpoint = Endpoint("fa", EndpointKind.FLASHARRAY, "192.0.2.1", 443, "", Secret("env", ("X",)))

    class Held(Sessions):
        def session(self, name: str) -> Any:
            return Array(endpoint, roles)

    one = Change("flasharray.volume_limit", FixClass.ARRAY, Target("fa", (("volume", "v"),)), 1, 2, ("a/b",), HOST_11, "reason")
    if result == "refused":
        with pytest.raises(GuardError, match=r"fa: role array_admin or storage_admin on fa, which flasharray\.volume_limit needs"):
            check_privileges([one], Held({"fa": endpoint}), reboots=True)
    else:
        sentences = check_privileges([one], Held({"fa": endpoint}), reboots=True)
        assert [result in sentence for sentence in sentences] == ([True] if result else [])


def test_the_roles_of_a_plan_are_what_its_changes_and_the_audit_need() -> None:
    vcenter = Endpoint("vc-test", EndpointKind.VCENTER, "192.0.2.1", 443, "audit@vsphere.local", Secret("env", ("X",)))
    array = Endpoint("fa", EndpointKind.FLASHARRAY, "192.0.2.2", 443, "", Secret("env", ("X",)))
    roles = roles_for([OPTION, MODULE], {"vc-test": vcenter, "fa": array})
    (of_vcenter,), (of_array,) = roles["vcenters"], roles["arrays"]
    assert of_vcenter["audit"]["privileges"] == ["Host.Config.Settings", "StorageProfile.View"]
    fix = of_vcenter["fix"]
    assert fix["privileges"] == ["Host.Config.AdvancedConfig", "Host.Config.Maintenance", "Host.Config.Settings", "StorageProfile.View"]
    assert fix["govc"] == (
        "govc role.create auditor-fix Host.Config.AdvancedConfig Host.Config.Maintenance Host.Config.Settings StorageProfile.View"
    )
    assert fix["powercli"].startswith("New-VIRole -Name 'auditor-fix' -Privilege (Get-VIPrivilege -Id 'Host.Config.AdvancedConfig',")
    assert {one["for"] for one in fix["sources"]["Host.Config.Maintenance"]} == {"host.boot", "host.maintenance"}
    assert fix["sources"]["Host.Config.AdvancedConfig"][0]["source"] == vcenter_fixes()["host.option"].source
    assert (of_array["audit"], of_array["fix"]) == (["readonly"], None), "nothing is written there"
    assert (
        "Host.Config.Maintenance"
        not in roles_for([OPTION, MODULE], {"vc-test": vcenter}, reboots=False)["vcenters"][0]["fix"]["privileges"]
    )
    assert roles_for([], {"vc-test": vcenter})["vcenters"][0]["fix"] is None
