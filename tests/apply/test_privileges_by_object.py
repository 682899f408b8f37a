"""On which object each privilege is asked for, what is named where one is missing, and the roles of a plan, typed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply.privileges import check_privileges, needed_for, privileges_of, roles_for
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.endpoints.vcenter.privileges import vcenter_fixes, vcenter_steps
from auditor.errors import EndpointUnreachableError, GuardError
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Resource, Target
from tests.apply.conftest import WHY_AND_DO, endpoint

ADVANCED, STORAGE, SETTINGS, MAINTENANCE = (f"Host.Config.{name}" for name in ("AdvancedConfig", "Storage", "Settings", "Maintenance"))
BUILT_IN = ["System.Anonymous", "System.View", "System.Read"]
KINDS = {"vc": EndpointKind.VCENTER, "vc-2": EndpointKind.VCENTER, "esx": EndpointKind.ESXI, "fa": EndpointKind.FLASHARRAY}


def change(remediator: str, where: str = "vc", *, host: str | None = "esx-1", fix_class: FixClass = FixClass.ONLINE, **keys: str) -> Change:
    target = Target(where, tuple(sorted({"setting": "x", **keys}.items())))
    return Change(remediator, fix_class, target, 1, 2, ("a/rule",), Resource("any", "id-1", "thing", where, "gold", host), "reason")


def option(number: int = 1, where: str = "vc") -> Change:
    return change("host.option", where, host=f"esx-{number}", host_id=f"host-{number}")


DEPTH = change("device.dsnro", host_id="host-1")
MODULE = change("host.module_option", fix_class=FixClass.REBOOT, host_id="host-1")


class Answering(SessionBase):
    """A session with a vCenter or an array; the roles are the array's."""

    roles: str | None = None

    def __init__(self, one: Endpoint) -> None:
        super().__init__(one)
        self.content = SimpleNamespace(rootFolder=self.object(_type("Folder"), "group-d1"))

    def object(self, kind: type, key: str) -> Any:
        return kind(key)

    def role(self) -> str | None:
        return self.roles


def _type(name: str) -> Any:
    from pyVmomi import vim

    return getattr(vim, name)


@dataclass
class Estate:
    """Sessions, what was asked of vCenters, and what accounts lack: (endpoint, object) -> privileges; answers leave out `untold`."""

    sessions: Sessions
    asked: list[tuple[str, list[tuple[str, str]], list[str]]]
    lacking: dict[tuple[str, str], set[str]]
    dead: set[str]
    untold: set[str]

    def check(self, *changes: Change, reboots: bool = True) -> tuple[str, ...]:
        return check_privileges(changes, self.sessions, reboots=reboots)

    def refused(self, *changes: Change) -> list[str]:
        """The lines of the refusal, without its first."""
        with pytest.raises(GuardError) as refused:
            self.check(*changes)
        first, *lines = refused.value.what.split("\n       ")
        assert first == "the accounts may not make every planned change:"
        return lines


@pytest.fixture
def estate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Estate]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name in found.dead:
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        yield Answering(one)

    def held(session: SessionBase, entities: Sequence[Any], privileges: Sequence[str]) -> dict[str, frozenset[str]]:
        name = session.endpoint.name
        found.asked.append((name, [(type(one).__name__, one._moId) for one in entities], list(privileges)))
        every = frozenset(privileges)
        return {one._moId: every - found.lacking.get((name, one._moId), set()) for one in entities if one._moId not in found.untold}

    monkeypatch.setattr("auditor.endpoints.vcenter.account.privileges_held", held)
    ends = {name: endpoint(name, kind) for name, kind in KINDS.items()}
    with Sessions(ends, dict.fromkeys(EndpointKind, opened)) as sessions:
        found = Estate(sessions, [], {}, set(), set())
        yield found


@pytest.mark.parametrize(
    ("one", "kind", "key", "privileges"),
    [
        pytest.param(option(), "vim.HostSystem", "host-1", [ADVANCED], id="a host"),
        pytest.param(
            change("datastore.sioc", datastore_id="datastore-1"),
            "vim.Datastore",
            "datastore-1",
            ["Datastore.ConfigIOManagement"],
            id="a store",
        ),
        pytest.param(
            change("vm.disk_limit", vm_id="vm-1"), "vim.VirtualMachine", "vm-1", ["VirtualMachine.Config.EditDevice"], id="a machine"
        ),
        pytest.param(change("pod.automation", pod_id="pod-1"), "vim.StoragePod", "pod-1", ["StoragePod.Config"], id="a datastore cluster"),
        pytest.param(change("host.option", cluster_id="cl-1"), "vim.ClusterComputeResource", "cl-1", [ADVANCED], id="a cluster"),
        pytest.param(change("host.option"), "vim.Folder", "group-d1", [ADVANCED], id="nothing that is known: the root folder"),
        pytest.param(
            change("datastore.unmap", host_id="host-1", datastore_id="ds-1"), "vim.HostSystem", "host-1", [STORAGE], id="by a host"
        ),
        pytest.param(DEPTH, "vim.HostSystem", "host-1", [SETTINGS, STORAGE], id="two privileges"),
        pytest.param(MODULE, "vim.HostSystem", "host-1", [MAINTENANCE, SETTINGS], id="a setting and its reboot"),
    ],
)
def test_a_privilege_is_asked_for_on_the_object_that_is_written(
    estate: Estate, one: Change, kind: str, key: str, privileges: list[str]
) -> None:
    assert estate.check(one) == ()
    assert estate.asked == [("vc", [(kind, key)], sorted([*BUILT_IN, *privileges]))]
    estate.lacking["vc", key] = {privileges[0]}
    assert len(estate.refused(one)) == 1


def test_of_many_objects_two_hundred_are_asked_about_in_one_request(estate: Estate) -> None:
    estate.lacking["vc", "host-201"] = {ADVANCED}
    lines = estate.refused(*(option(number) for number in range(1, 202)), option(1))
    assert [len(objects) for _, objects, _ in estate.asked] == [200, 1]
    assert estate.asked[1][1] == [("vim.HostSystem", "host-201")]
    assert lines == [f"vc: {ADVANCED} on esx-201, which host.option needs"]


def test_what_is_missing_is_named_with_the_object_it_is_missing_on(estate: Estate) -> None:
    estate.lacking = {("vc", "host-1"): {STORAGE}, ("vc", "datastore-1"): {"Datastore.ConfigIOManagement"}, ("vc-2", "host-1"): {ADVANCED}}
    estate.lacking["vc", "group-d1"] = {"StoragePod.Config"}
    assert estate.refused(
        DEPTH,
        change("device.queue_full", host_id="host-1"),
        option(2),
        change("datastore.sioc", datastore_id="datastore-1"),
        change("pod.automation", host=None),
        change("host.option", "vc-2", host=None, host_id="host-1"),
    ) == [
        f"vc: {STORAGE} on esx-1, which device.dsnro needs",
        "vc: Datastore.ConfigIOManagement on thing, which datastore.sioc needs",
        "vc: StoragePod.Config on thing, which pod.automation needs",
        f"vc-2: {ADVANCED} on thing, which host.option needs",
    ]


def test_of_an_object_that_an_answer_leaves_out_the_account_holds_nothing(estate: Estate) -> None:
    estate.untold = {"host-2"}
    assert estate.refused(option(1), option(2)) == [f"vc: {ADVANCED} on esx-2, which host.option needs"]


@pytest.mark.parametrize(
    ("hosts", "last"), [(10, f"vc: {ADVANCED} on esx-10, which host.option needs"), (12, "... and 2 more")], ids=["ten", "twelve"]
)
def test_ten_missing_privileges_are_named_and_the_others_counted(estate: Estate, hosts: int, last: str) -> None:
    estate.lacking = {("vc", f"host-{number}"): {ADVANCED} for number in range(1, hosts + 1)}
    lines = estate.refused(*(option(number) for number in range(1, hosts + 1)))
    assert (len(lines), lines[-1]) == (min(hosts, 11), last)
    assert lines[9] == f"vc: {ADVANCED} on esx-10, which host.option needs"


def test_a_vcenter_of_which_nothing_is_needed_is_not_asked_and_the_others_are(estate: Estate) -> None:
    assert estate.check(change("shelf", host_id="host-1"), option(1, "esx"), option(1, "vc-2")) == ()
    assert [name for name, _, _ in estate.asked] == ["esx", "vc-2"]


def test_where_an_account_cannot_be_asked_a_sentence_says_so_and_the_others_are_checked(estate: Estate) -> None:
    estate.dead = {"vc", "fa"}
    assert estate.check(option(), change("flasharray.volume_limit", "fa"), option(1, "vc-2")) == (
        "vc: what the account may change could not be read (no answer); the endpoint itself refuses what it may not.",
        "fa: what the account may change could not be read (no answer); the endpoint itself refuses what it may not.",
    )
    estate.lacking["vc-2", "host-1"] = {ADVANCED}
    assert len(estate.refused(option(), option(1, "vc-2"))) == 1


@pytest.mark.parametrize(
    ("roles", "result"),
    [
        pytest.param("readonly", "refused", id="may read alone"),
        pytest.param(" ReadOnly ,", "refused", id="in another case, with blanks"),
        pytest.param("readonly,STORAGE_ADMIN", "", id="may write"),
        pytest.param("readonly, ops_admin", "not known", id="one that nobody knows may allow anything"),
        pytest.param("", "not known", id="none"),
        pytest.param(None, "not known", id="it does not say"),
    ],
)
def test_the_roles_of_an_array_s_account_decide_as_far_as_they_are_known(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, roles: str | None, result: str
) -> None:
    monkeypatch.setattr(Answering, "roles", roles)
    both = change("flasharray.volume_limit", "fa"), change("flasharray.host_limit", "fa")
    if result == "refused":
        assert estate.refused(*both) == ["fa: role array_admin or storage_admin on fa, which flasharray.volume_limit needs"]
    else:
        unknown = "fa: its API does not say what the account may change; the endpoint itself refuses what it may not."
        assert estate.check(*both) == ((unknown,) if result else ())
    assert estate.asked == []


@pytest.mark.parametrize(
    ("one", "reboots", "needed"),
    [
        pytest.param(MODULE, True, {"host.module_option", "host.boot", "host.maintenance"}, id="with its reboot"),
        pytest.param(MODULE, False, {"host.module_option"}, id="stored for the next boot"),
        pytest.param(option(), True, {"host.option"}, id="at once"),
        pytest.param(change("shelf"), True, set(), id="nothing is known"),
    ],
)
def test_a_change_needs_its_own_privileges_and_those_of_its_reboot(one: Change, reboots: bool, needed: set[str]) -> None:
    found = needed_for(one, reboots=reboots)
    assert found.keys() == needed
    assert found == {name: entry for name, entry in {**vcenter_fixes(), **vcenter_steps()}.items() if name in needed}


@pytest.mark.parametrize(
    ("one", "privileges"),
    [
        pytest.param(MODULE, [MAINTENANCE, SETTINGS], id="with its reboot"),
        pytest.param(DEPTH, [SETTINGS, STORAGE], id="two"),
        pytest.param(change("flasharray.volume_limit", "fa"), ["role array_admin", "role storage_admin"], id="of an array"),
        pytest.param(change("shelf"), [], id="nothing is known"),
    ],
)
def test_what_an_account_needs_for_one_change_is_sorted(one: Change, privileges: list[str]) -> None:
    assert privileges_of(one) == privileges


def test_each_endpoint_gets_the_roles_of_its_own_changes() -> None:
    ends = {name: endpoint(name, kind) for name, kind in KINDS.items()}
    planned = [option(), option(2), DEPTH, change("host.claim_rule", host_id="host-1"), change("flasharray.volume_limit", "fa")]
    roles = roles_for(planned, ends | {"fa-2": endpoint("fa-2", EndpointKind.FLASHARRAY)})
    audit = {
        "name": "auditor-audit",
        "privileges": [SETTINGS, "StorageProfile.View"],
        "govc": f"govc role.create auditor-audit {SETTINGS} StorageProfile.View",
        "powercli": f"New-VIRole -Name 'auditor-audit' -Privilege (Get-VIPrivilege -Id '{SETTINGS}','StorageProfile.View')",
    }
    first, second, single = roles["vcenters"]
    fix = first.pop("fix")
    assert roles["version"] == 1
    assert first == {"endpoint": "vc", "user": "audit", "audit": audit}
    assert second == {"endpoint": "vc-2", "user": "audit", "audit": audit, "fix": None}
    assert (single["endpoint"], single["audit"]["privileges"], single["fix"]) == ("esx", [SETTINGS], None)

    sources = fix.pop("sources")
    assert fix["name"] == "auditor-fix"
    assert fix["privileges"] == [ADVANCED, SETTINGS, STORAGE, "StorageProfile.View"]
    assert list(sources) == [ADVANCED, SETTINGS, STORAGE]
    source = {
        name: {"for": name, "source": vcenter_fixes()[name].source, "verified": vcenter_fixes()[name].verified} for name in vcenter_fixes()
    }
    assert sources[ADVANCED] == [source["host.option"]]
    assert sources[SETTINGS] == sources[STORAGE] == [source["device.dsnro"], source["host.claim_rule"]]

    about = {"user": "audit", "kind": "flasharray", "audit": ["readonly"], "source": "Purity REST reference, admins: role; not verified"}
    assert roles["arrays"] == [
        about | {"endpoint": "fa", "fix": ["array_admin", "storage_admin"]},
        about | {"endpoint": "fa-2", "fix": None},
    ]


@pytest.mark.parametrize(("reboots", "needs"), [(True, True), (False, False)], ids=["rebooted", "stored for the next boot"])
def test_the_role_for_a_reboot_is_part_of_the_role_where_hosts_are_rebooted(reboots: bool, needs: bool) -> None:
    [one] = roles_for([MODULE], {"vc": endpoint()}, reboots=reboots)["vcenters"]
    assert (MAINTENANCE in one["fix"]["privileges"]) is needs
    [one] = roles_for([MODULE], {"vc": endpoint()})["vcenters"]
    assert MAINTENANCE in one["fix"]["privileges"]
