"""Rolling reboots over real wire protocols, against the lab's vCenter: order, refusals, hosts that do not come back, and kills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import undo_plan
from auditor.apply.interrupted import recover_interrupted
from auditor.apply.reboots import Rolling
from auditor.apply.resuming import finish_reboots
from auditor.apply.unfinished import unfinished
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for, remediator_names
from auditor.journal import Journal, open_intents, open_journal
from auditor.model import Change, Endpoint, FixClass, Outcome, Plan, RebootLimits, Receipt, Resource, Scalar, Target
from auditor_lab.vcenter.description.hosts import ClusterDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault
from tests.applying import apply
from tests.identified import as_seen

pytestmark = pytest.mark.long

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

FIRST, SECOND, THIRD = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"
EVERY = frozenset(FixClass)
QUICK = RebootLimits(evacuate_seconds=3, return_seconds=3, in_force_seconds=1, leave_seconds=3)
STEPS = ["host.maintenance", "host.boot", "host.module_option", "host.maintenance"]


@dataclass
class Site:
    """A served vCenter with one cluster of three hosts, and what was written there."""

    server: VCenterServer
    endpoint: Endpoint
    journals: Path

    def host(self, name: str) -> Any:
        return self.server.state.hosts[self.server.state.host_id[name]]

    def deepen(self, name: str, after: Scalar = 256, before: Scalar = None) -> Change:
        moid = self.server.state.host_id[name]
        keys = (("host_id", moid), ("module", "iscsi_vmk"), ("parameter", "iscsivmk_LunQDepth"))
        resource = Resource("host_module", f"{name}/iscsi_vmk", "iscsi_vmk", "vc-test", "one", name)
        return Change(
            "host.module_option", FixClass.REBOOT, Target("vc-test", keys), before, after, ("queue/driver-depth",), resource, "reason"
        )

    @contextmanager
    def rolling(self, run: str, limits: RebootLimits = QUICK) -> Iterator[tuple[Sessions, Journal]]:
        with Sessions({"vc-test": self.endpoint}) as sessions, open_journal(self.journals, run) as journal:
            yield sessions, journal

    def run(self, *changes: Change, run: str = FIRST, limits: RebootLimits | None = QUICK) -> list[Receipt]:
        with self.rolling(run) as (sessions, journal):
            return list(apply(as_seen(sessions, *changes), sessions, journal, allow=EVERY, confirm=lambda _: True, reboots=limits))

    def recovered(self, run: str = SECOND) -> tuple[str, ...]:
        return recover_interrupted([self.endpoint], self.journals, run)

    def depth(self, name: str) -> int:
        host = self.host(name)
        return int(host.queue_depth(next(iter(host.devices.values()))))


def _outcomes(receipts: list[Receipt]) -> list[tuple[str, str | None, str]]:
    return [(receipt.change.remediator, receipt.change.resource.host, str(receipt.outcome)) for receipt in receipts]


@pytest.fixture
def describe(small_vcenter: VCenterDescription) -> Callable[..., VCenterDescription]:
    """The small vCenter with three hosts in its first cluster, the driver at its default; keywords change the cluster."""

    def describe(vsan: tuple[str, ...] = (), **changed: Any) -> VCenterDescription:
        first = small_vcenter.clusters[0]
        host = replace(first.hosts[0], modules={}, vsan_enabled=bool(vsan))
        health = vsan or ("healthy",) * 3
        hosts = tuple(replace(host, name=f"esx-{number}", vsan_health=health[number - 1]) for number in (1, 2, 3))
        stores = tuple(replace(one, hosts=tuple(host.name for host in hosts)) for one in small_vcenter.datastores if one.name != "old")
        vms = tuple(replace(one, host="esx-1") for one in small_vcenter.vms if one.name != "stuck")
        cluster = ClusterDescription(**{"name": "one", "hosts": hosts} | changed)
        return replace(small_vcenter, clusters=(cluster,), datastores=stores, vms=vms, pods=(), storage_policies=(), storage_providers=())

    return describe


@pytest.fixture
def site(serve_vcenter: Serve, describe: Callable[..., VCenterDescription], tmp_path: Path) -> Callable[..., Site]:
    def site(**changed: Any) -> Site:
        server, endpoint = serve_vcenter(describe(**changed), timeout_seconds=5.0)
        server.state.reboot_seconds = 0.05
        return Site(server, endpoint, tmp_path / "journal")

    return site


def test_hosts_are_rebooted_one_after_another_each_once_for_all_its_settings(site: Callable[..., Site]) -> None:
    one = site()
    booted = {name: one.host(name).boot_time for name in ("esx-1", "esx-2")}
    second = replace(
        one.deepen("esx-1", 4096),
        target=Target("vc-test", tuple(sorted({**dict(one.deepen("esx-1").target.keys), "parameter": "iscsivmk_HostQDepth"}.items()))),
    )
    receipts = one.run(one.deepen("esx-1"), one.deepen("esx-2"), second)
    assert _outcomes(receipts) == [
        ("host.maintenance", "esx-1", "applied"),
        ("host.boot", "esx-1", "applied"),
        ("host.module_option", "esx-1", "applied"),
        ("host.module_option", "esx-1", "applied"),
        ("host.maintenance", "esx-1", "applied"),
        *((name, "esx-2", "applied") for name in STEPS),
    ]
    assert {receipt.pending for receipt in receipts} == {None}, "in force"
    assert [one.depth(name) for name in ("esx-1", "esx-2", "esx-3")] == [256, 256, 128]
    assert all(one.host(name).boot_time > before for name, before in booted.items())
    assert not any(one.host(name).in_maintenance_mode for name in ("esx-1", "esx-2", "esx-3"))
    assert one.server.requests.count("RebootHost_Task") == 2
    assert unfinished(one.journals).left_out == {}
    assert unfinished(one.journals).waiting == {}

    again = one.run(one.deepen("esx-1"), one.deepen("esx-2"), run=SECOND)
    assert {receipt.outcome for receipt in again} == {Outcome.ALREADY}
    assert one.server.requests.count("RebootHost_Task") == 2


def test_a_reboot_is_no_setting_a_rule_could_ask_for_and_no_undo_makes_one(site: Callable[..., Site]) -> None:
    assert not {"host.boot", "host.maintenance"} & set(remediator_names())
    one = site()
    one.run(one.deepen("esx-1"))
    assert [(change.remediator, change.before, change.after) for change in undo_plan(one.journals, FIRST).changes] == [
        ("host.module_option", 256, None)
    ]


def test_without_reboots_the_value_is_stored_and_a_later_run_brings_it_into_force(site: Callable[..., Site]) -> None:
    one = site()
    (stored,) = one.run(one.deepen("esx-1"), limits=None)
    assert (stored.outcome, stored.pending, one.depth("esx-1")) == (Outcome.APPLIED, "reboot", 128)
    receipts = one.run(one.deepen("esx-1"), run=SECOND)
    assert _outcomes(receipts)[1:3] == [("host.boot", "esx-1", "applied"), ("host.module_option", "esx-1", "applied")]
    assert one.depth("esx-1") == 256


def test_a_host_that_may_not_leave_is_not_written_and_its_cluster_waits(site: Callable[..., Site]) -> None:
    one = site(drs=False)
    first, second = one.run(one.deepen("esx-1"), one.deepen("esx-2"))
    assert (first.outcome, second.outcome) == (Outcome.REFUSED, Outcome.PROPOSED)
    assert "DRS of one is off" in first.why
    assert "esx-1 of the same cluster" in second.why
    assert {"UpdateModuleOptionString", "EnterMaintenanceMode_Task"}.isdisjoint(one.server.requests)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"automation": "manual"}, "a person has to move them", id="DRS only recommends"),
        pytest.param({"machine_automation": {"vm-2": "disabled"}}, "DRS does not move vm-2", id="DRS leaves a machine alone"),
    ],
)
def test_the_lab_s_cluster_is_read_as_it_is(site: Callable[..., Site], changed: dict[str, Any], words: str) -> None:
    one = site(**changed)
    (receipt,) = one.run(one.deepen("esx-1"))
    assert (receipt.outcome, words in receipt.why) == (Outcome.REFUSED, True), receipt.why


@pytest.mark.parametrize(
    ("vsan", "outcomes"),
    [
        pytest.param((), ["applied"] * 4, id="no vSAN"),
        pytest.param(("healthy",) * 3, ["unverified", "refused"], id="in vSAN, whose objects stay accessible"),
        pytest.param(("healthy", "healthy", "unhealthy"), ["refused"], id="vSAN is not healthy on another host"),
    ],
)
def test_a_host_in_vsan_keeps_its_objects_accessible(site: Callable[..., Site], vsan: tuple[str, ...], outcomes: list[str]) -> None:
    one = site(vsan=vsan)
    # Only the request that asks vSAN for it is lost.
    one.server.faults.active.append(Fault("drop", "EnterMaintenanceMode_Task", containing=b"ensureObjectAccessibility"))
    receipts = one.run(one.deepen("esx-1"), limits=replace(QUICK, evacuate_seconds=0.3))
    assert [str(receipt.outcome) for receipt in receipts] == outcomes


def test_a_second_host_of_the_cluster_that_is_away_or_out_refuses(site: Callable[..., Site]) -> None:
    one = site()
    for change in ({"connection_state": "notResponding"}, {"in_maintenance_mode": True, "connection_state": "connected"}):
        for name, value in change.items():
            setattr(one.host("esx-3"), name, value)
        one.server.state.changed()
        (receipt,) = one.run(one.deepen("esx-1"), run=f"{FIRST}-{len(change)}")
        assert receipt.outcome is Outcome.REFUSED
        assert "esx-3 of the same cluster" in receipt.why


def test_a_machine_that_cannot_move_keeps_its_host_as_it_was(site: Callable[..., Site]) -> None:
    one = site()
    with one.server.state.lock:  # a datastore that only esx-1 mounts
        store = next(one for one in one.server.state.datastores.values() if one.description.name == "fast")
        store.description = replace(store.description, hosts=("esx-1",))
        one.server.state.changed()
    receipts = one.run(one.deepen("esx-1"), one.deepen("esx-2"), limits=replace(QUICK, evacuate_seconds=1))
    assert _outcomes(receipts) == [
        ("host.maintenance", "esx-1", "refused"),
        ("host.module_option", "esx-1", "refused"),
        ("host.module_option", "esx-2", "proposed"),
    ]
    assert "Timedout" in receipts[0].why
    assert "vm-1" in receipts[0].why
    assert not one.host("esx-1").in_maintenance_mode
    assert "UpdateModuleOptionString" not in one.server.requests


def test_a_task_that_never_ends_is_cancelled_and_nothing_is_written(site: Callable[..., Site]) -> None:
    one = site()
    one.server.faults.active.append(Fault("stuck", "EnterMaintenanceMode_Task"))
    receipts = one.run(one.deepen("esx-1"), one.deepen("esx-2"), limits=replace(QUICK, evacuate_seconds=0.3))
    assert [str(receipt.outcome) for receipt in receipts] == ["refused", "refused", "proposed"]
    assert "CancelTask" in one.server.requests
    assert "UpdateModuleOptionString" not in one.server.requests


def test_a_host_that_does_not_come_back_stops_the_run_and_is_named(site: Callable[..., Site]) -> None:
    one = site()
    one.server.faults.active.append(Fault("away", "RebootHost_Task"))
    dsnro = replace(one.deepen("esx-3"), remediator="host.option", fix_class=FixClass.ONLINE)
    receipts = one.run(one.deepen("esx-1"), one.deepen("esx-2"), dsnro, limits=replace(QUICK, return_seconds=0.5))
    assert [str(receipt.outcome) for receipt in receipts] == ["applied", "unverified", "unverified", "proposed", "proposed"]
    assert "did not come back within 0.5 s" in receipts[1].why
    assert receipts[2].pending == "reboot"
    assert all("esx-1 did not come back" in receipt.why for receipt in receipts[2:])
    assert [intent.change.remediator for intent in open_intents(one.journals)] == ["host.boot"]

    rebooting, left_out = one.recovered()
    assert "cut off while it rebooted it, host esx-1" in rebooting
    assert "may be rebooting" in rebooting
    assert f"Run {FIRST} took host esx-1" in left_out

    with one.server.state.lock:  # somebody repairs it
        one.host("esx-1").reboot()
        one.host("esx-1").connection_state = "connected"
        one.server.state.changed()
    rebooting, left_out = one.recovered(THIRD)
    assert "esx-1 has been rebooted" in rebooting
    assert f"`auditor resume {FIRST}` takes it out" in left_out


class KilledError(BaseException):
    """The process is gone."""


RECORDS = ["enter", "entered", "write", "written", "boot", "booted", "leave", "left"]


def killed_after(records: int, one: Site, monkeypatch: pytest.MonkeyPatch, hosts: Sequence[str] = ("esx-1",)) -> None:
    """A run that reboots hosts and is killed when it has written so many records."""
    append, count = Journal._append, 0

    def killed(journal: Journal, record: dict[str, Any]) -> int:
        nonlocal count
        if count == records:
            raise KilledError
        count += 1
        return append(journal, record)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "_append", killed)
        if records < len(RECORDS) * len(hosts):
            with pytest.raises(KilledError):
                one.run(*map(one.deepen, hosts))
        else:
            one.run(*map(one.deepen, hosts))


@pytest.mark.parametrize("records", range(1, len(RECORDS) + 1), ids=[f"after the record '{name}'" for name in RECORDS])
def test_after_a_kill_at_any_record_the_state_is_said_and_the_reboot_is_carried_to_its_end(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    one = site()
    killed_after(records, one, monkeypatch)
    until_back(one)

    sentences = one.recovered()
    is_out = one.host("esx-1").in_maintenance_mode
    assert any("is in maintenance mode, and carries no machines" in sentence for sentence in sentences) == is_out, sentences
    assert one.recovered(f"{SECOND}-again") == tuple(s for s in sentences if "cut off" not in s), "what is settled is said once"

    with one.rolling(THIRD) as (sessions, journal):
        receipts = list(finish_reboots(FIRST, rolling(one, sessions, journal)))
    assert {receipt.outcome for receipt in receipts} <= {Outcome.APPLIED, Outcome.ALREADY}
    assert not one.host("esx-1").in_maintenance_mode
    was_written = RECORDS.index("write") < records
    if was_written and one.host("esx-1").modules["iscsi_vmk"].configured:
        assert one.depth("esx-1") == 256, "what was written is in force"
    assert one.server.requests.count("RebootHost_Task") <= 1
    assert one.recovered(f"{THIRD}-again") == ()


def until_back(one: Site) -> None:
    from tests.waiting import until

    def back() -> bool:
        with one.server.state.lock:
            one.server.state.settle()
            return bool(one.host("esx-1").reachable)

    until(back, "the host is back")


def rolling(one: Site, sessions: Sessions, journal: Journal) -> Rolling:
    from auditor.apply.one_change import apply_change

    def attempt(change: Change) -> Receipt:
        session = sessions.session("vc-test")
        return apply_change(change, remediator_for(change.remediator), session, journal, session.known_identity)

    return Rolling(sessions, journal, remediator_for, attempt, QUICK)


def test_a_host_that_somebody_took_out_of_maintenance_mode_is_theirs_again(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = site()
    killed_after(RECORDS.index("booted") + 1, one, monkeypatch)
    until_back(one)
    for state in (False, True):
        with one.server.state.lock:
            one.host("esx-1").in_maintenance_mode = state
            one.server.state.changed()
        assert one.recovered(f"{SECOND}-{state}") == ()
    (receipt,) = one.run(one.deepen("esx-1", 192, 256), run=THIRD)
    assert (receipt.outcome, "not this fix that put it there" in receipt.why) == (Outcome.REFUSED, True)


def test_a_host_that_does_not_leave_maintenance_mode_stops_the_run(site: Callable[..., Site]) -> None:
    one = site()
    one.server.faults.active.append(Fault("drop", "ExitMaintenanceMode_Task"))
    receipts = one.run(one.deepen("esx-1"), one.deepen("esx-2"), limits=replace(QUICK, leave_seconds=0.3))
    assert _outcomes(receipts)[-2:] == [("host.maintenance", "esx-1", "unverified"), ("host.module_option", "esx-2", "proposed")]
    assert "esx-1 did not leave maintenance mode" in receipts[-1].why


def test_a_run_that_goes_on_finishes_the_host_first_and_then_makes_what_waited_for_it(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = site()
    deepened = replace(one.deepen("esx-1"), number=1)
    monkeypatch.setattr(one, "deepen", lambda _name: deepened)
    killed_after(RECORDS.index("write") + 1, one, monkeypatch)
    until_back(one)
    one.recovered()
    option = Target("vc-test", (("host_id", one.server.state.host_id["esx-1"]), ("option", "ISCSI.MaxIoSizeKB")))
    later = replace(deepened, remediator="host.option", fix_class=FixClass.ONLINE, target=option, before=128, after=512)
    entering = unfinished(one.journals).left_out["vc-test", one.server.state.host_id["esx-1"]].intent.change
    asked: list[Change] = []

    def yes(changes: Sequence[Change]) -> bool:
        asked.extend(changes)
        return True

    with one.rolling(THIRD) as (sessions, journal):
        plan = as_seen(sessions, replace(later, number=2, waits_for=(1,)))
        written = Receipt(deepened, Outcome.APPLIED, 256, "", "reboot")
        receipts = list(
            apply(
                plan,
                sessions,
                journal,
                allow=EVERY,
                confirm=yes,
                reboots=QUICK,
                earlier={1: written},
                unfinished_hosts={FIRST: (entering,)},
            )
        )
    assert asked == [entering, *plan.changes]
    assert _outcomes(receipts)[-2:] == [("host.maintenance", "esx-1", "applied"), ("host.option", "esx-1", "applied")]
    assert (one.depth("esx-1"), one.host("esx-1").in_maintenance_mode) == (256, False)


@pytest.mark.parametrize(
    ("records", "reboots"),
    [
        pytest.param(2, QUICK, id="killed before a setting was written"),
        pytest.param(2, None, id="likewise, and hosts are not to be rebooted"),
        pytest.param(5, QUICK, id="killed before the host was back"),
        pytest.param(7, None, id="killed before the host left, and the next boot does the rest"),
    ],
)
def test_an_undo_leaves_no_host_in_maintenance_mode_that_a_killed_run_took_there(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch, records: int, reboots: RebootLimits | None
) -> None:
    one = site()
    killed_after(records, one, monkeypatch)
    until_back(one)
    one.recovered()
    with one.rolling(THIRD) as (sessions, journal):
        plan = undo_plan(one.journals, FIRST)
        receipts = list(
            apply(plan, sessions, journal, allow=EVERY, confirm=lambda _: True, reboots=reboots, left_by={FIRST}, allow_unusual=True)
        )
    assert {receipt.outcome for receipt in receipts} <= {Outcome.APPLIED, Outcome.ALREADY, Outcome.STALE}
    assert not one.host("esx-1").in_maintenance_mode
    assert unfinished(one.journals).left_out == {}


@pytest.mark.parametrize("records", [2, 5], ids=["before a setting was written there", "before it was rebooted"])
def test_an_undo_begins_with_the_host_that_a_killed_run_left_in_maintenance_mode(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    one = site()
    killed_after(len(RECORDS) + records, one, monkeypatch, ("esx-2", "esx-1"))
    until_back(one)
    one.recovered()
    with one.rolling(THIRD) as (sessions, journal):
        newest_last = replace(plan := undo_plan(one.journals, FIRST), changes=plan.changes[::-1])
        receipts = list(apply(newest_last, sessions, journal, allow=EVERY, confirm=lambda _: True, reboots=QUICK, left_by={FIRST}))
    assert {receipt.outcome for receipt in receipts} <= {Outcome.APPLIED, Outcome.ALREADY}, [receipt.why for receipt in receipts]
    assert [one.depth(name) for name in ("esx-1", "esx-2")] == [128, 128]
    assert not any(one.host(name).in_maintenance_mode for name in ("esx-1", "esx-2"))


def test_an_undo_leaves_a_host_alone_that_another_run_took_into_maintenance_mode(
    site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = site()
    killed_after(RECORDS.index("entered") + 1, one, monkeypatch)
    with one.rolling(THIRD) as (sessions, journal):
        assert list(apply(Plan(), sessions, journal, allow=EVERY, confirm=lambda _: True, left_by={SECOND})) == []
    assert one.host("esx-1").in_maintenance_mode
