"""The reboot of hosts step by step, in memory: what is attempted, in which order, and what stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply.reboots import Rolling, reboot_hosts, takes_reboot
from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.journal import open_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, RebootLimits, Receipt, Resource, Scalar, Target
from tests.apply.conftest import WHY_AND_DO, endpoint
from tests.apply.hosts_in_memory import BOOT, BOOTED, IN, OUT, Cluster, setting

WRITTEN = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
LIMITS = RebootLimits(evacuate_seconds=30, return_seconds=40, in_force_seconds=4.5, leave_seconds=60)
NO_ANSWER = EndpointUnreachableError("no answer", **WHY_AND_DO)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()

    def now(session: SessionBase, host: str) -> Any:
        assert session.endpoint.name in {"vc", "vc-2"}
        return SimpleNamespace(id=host, host=SimpleNamespace(in_maintenance=cluster.in_maintenance))

    monkeypatch.setattr("auditor.endpoints.vcenter.steps.cluster_room.cluster_now", now)
    monkeypatch.setattr("auditor.endpoints.vcenter.steps.host_boot.boot_time", cluster.boot_time)
    monkeypatch.setattr("auditor.apply.reboots.refusal", lambda now, *, is_ours: cluster.refusal(now.id, is_ours=is_ours))
    monkeypatch.setattr("auditor.apply.reboots.time", SimpleNamespace(monotonic=lambda: cluster.clock, sleep=cluster.sleep))
    return cluster


@pytest.fixture
def roll(cluster: Cluster, journals: Path) -> Iterator[Callable[..., tuple[list[Receipt], str]]]:
    """Reboots the hosts of some changes; the receipts, and why the run stops."""

    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name == "dead":
            raise NO_ANSWER
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session

    ends = {name: endpoint(name) for name in ("vc", "vc-2", "dead")}
    with Sessions(ends, {EndpointKind.VCENTER: opened}) as sessions, open_journal(journals, "run-2") as journal:

        def roll(*changes: Change, stops: str | None = None, **options: Any) -> tuple[list[Receipt], str]:
            rolling = Rolling(
                sessions,
                journal,
                {"shelf": cluster}.__getitem__,  # type: ignore[arg-type]
                cluster.attempt,
                LIMITS,
                lambda change: stops if change.target["host_id"] == "host-1" else None,
                lambda change, number: cluster.shown.append((change.remediator, number)),
            )
            made, receipts = reboot_hosts(changes, rolling, **options), []
            while True:
                try:
                    receipts.append(next(made))
                except StopIteration as end:
                    return receipts, end.value

        yield roll


def left_in_maintenance(journals: Path, host: str, *written: Change, identity: str = "1111") -> None:
    """An earlier run that took a host into maintenance mode, wrote, and was killed."""
    step = replace(setting(host=host), remediator="host.maintenance", before=False, after=True)
    with open_journal(journals, "run-1", lambda: WRITTEN) as journal:
        for one in (step, *written):
            journal.receipt(journal.intend(one, identity), Receipt(one, Outcome.APPLIED, one.after))


def told(receipts: list[Receipt]) -> list[tuple[str, str, str]]:
    """Host, setting or step, and outcome."""
    return [
        (str(one.change.resource.host), dict(one.change.target.keys).get("setting", one.change.remediator), str(one.outcome))
        for one in receipts
    ]


def test_a_host_is_taken_out_written_rebooted_compared_and_taken_back(cluster: Cluster, roll: Any) -> None:
    receipts, stopped = roll(setting("depth", number=4), setting("second", number=5))
    assert stopped == ""
    assert told(receipts) == [
        ("esx-1", "host.maintenance", "applied"),
        ("esx-1", "host.boot", "applied"),
        ("esx-1", "depth", "applied"),
        ("esx-1", "second", "applied"),
        ("esx-1", "host.maintenance", "applied"),
    ]
    assert cluster.done == [("host-1", name) for name in (IN, "depth", "second", BOOT, OUT)]
    assert [(one.pending, one.found, one.why) for one in receipts[2:4]] == [(None, 256, "in force since the reboot of esx-1")] * 2
    assert cluster.shown == [("host.maintenance", 4), ("shelf", 4), ("shelf", 5), ("host.boot", 4), ("host.maintenance", 4)]
    assert cluster.sleeps == []


def test_each_step_is_a_change_of_its_own_with_its_limit(cluster: Cluster, roll: Any) -> None:
    roll(setting("depth"), setting("second"))
    place = Resource("host", "host-1", "esx-1", "vc", "gold", "esx-1")
    rules = ("a/rule", "b/depth", "b/second")

    def step(name: str, keys: tuple[tuple[str, str], ...], before: Scalar, after: Scalar, reason: str) -> Change:
        return Change(name, FixClass.REBOOT, Target("vc", keys), before, after, rules, place, reason)

    keys = (("booted_before", "2026-11-21T20:00:00+00:00"), ("host_id", "host-1"), ("limit_seconds", "40"))
    entered = (("host_id", "host-1"), ("limit_seconds", "30"))
    left = (("host_id", "host-1"), ("limit_seconds", "60"))
    assert cluster.steps == [
        step("host.maintenance", entered, before=False, after=True, reason="its machines run elsewhere while it is rebooted"),
        step("host.boot", keys, before=False, after=True, reason="settings take effect at a boot"),
        step("host.maintenance", left, before=True, after=False, reason="the host carries machines again"),
    ]


@pytest.mark.parametrize(
    ("readings", "reboots"),
    [
        pytest.param((Reading(32), Reading(32)), True, id="both as the plan saw them"),
        pytest.param((Reading(256), Reading(32)), True, id="one as the plan saw it"),
        pytest.param((Reading(256), Reading(256, "reboot")), True, id="one is stored and waits"),
        pytest.param((Reading(256), Reading(256)), False, id="both in force"),
        pytest.param((Reading(64), Reading(64, "reboot")), False, id="somebody else changed both"),
    ],
)
def test_a_host_is_rebooted_only_where_a_setting_needs_it(
    cluster: Cluster, roll: Any, readings: tuple[Reading, Reading], reboots: bool
) -> None:
    cluster.readings = {("host-1", "depth"): readings[0], ("host-1", "second"): readings[1]}
    receipts, stopped = roll(setting("depth"), setting("second"))
    assert stopped == ""
    assert (BOOT in [name for _, name in cluster.done]) is reboots
    if not reboots:
        assert [name for _, name in cluster.done] == ["depth", "second"]
        assert len(receipts) == 2


def store(journals: Path, identity: str = "1111") -> None:
    """A journal of a run that stored a setting, beside the one that is open."""
    with open_journal(journals.parent / "earlier", "run-1", lambda: WRITTEN) as journal:
        journal.receipt(journal.intend(setting(), identity), Receipt(setting(), Outcome.APPLIED, 256, pending="reboot"))
    (journals.parent / "earlier" / "run-1.jsonl").rename(journals / "run-1.jsonl")


LATER = datetime(2026, 11, 21, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("booted", "identity", "reboots"),
    [
        pytest.param(BOOTED, "1111", True, id="it did not boot since"),
        pytest.param(None, "1111", True, id="nobody knows when it booted"),
        pytest.param(LATER, "1111", False, id="it booted since"),
        pytest.param(BOOTED, "2222", False, id="that was another endpoint"),
    ],
)
def test_a_setting_that_an_earlier_run_stored_waits_for_a_boot(
    cluster: Cluster, roll: Any, journals: Path, booted: datetime | None, identity: str, reboots: bool
) -> None:
    cluster.readings = {("host-1", "depth"): Reading(256)}
    cluster.booted = [booted]
    store(journals, identity)
    receipts, _ = roll(setting())
    assert ("host.maintenance" in [one.change.remediator for one in receipts]) is reboots


def test_what_an_earlier_run_stored_is_brought_into_force_though_nothing_is_written(cluster: Cluster, roll: Any, journals: Path) -> None:
    cluster.readings, cluster.ends = {("host-1", "depth"): Reading(256)}, {"depth": Outcome.ALREADY}
    store(journals)
    receipts, stopped = roll(setting())
    assert (stopped, [name for _, name in cluster.done]) == ("", [IN, "depth", BOOT, OUT])
    assert receipts[2] == Receipt(setting(), Outcome.APPLIED, 256, "in force since the reboot of esx-1")


def test_what_an_earlier_run_stored_is_not_known_to_be_in_force_where_the_host_does_not_come_back(
    cluster: Cluster, roll: Any, journals: Path
) -> None:
    cluster.readings, cluster.ends = {("host-1", "depth"): Reading(256)}, {"depth": Outcome.ALREADY, BOOT: Outcome.UNVERIFIED}
    store(journals)
    receipts, _ = roll(setting())
    assert (receipts[2].outcome, receipts[2].pending) == (Outcome.UNVERIFIED, "reboot")


def test_a_host_that_booted_since_its_setting_was_stored_boots_for_another_one_alone(cluster: Cluster, roll: Any, journals: Path) -> None:
    cluster.readings, cluster.ends, cluster.booted = {("host-1", "depth"): Reading(256)}, {"depth": Outcome.ALREADY}, [LATER]
    store(journals)
    receipts, _ = roll(setting("depth"), setting("second"))
    assert [(name, outcome) for _, name, outcome in told(receipts)[2:4]] == [("depth", "already"), ("second", "applied")]


@pytest.mark.parametrize("stored", [True, False], ids=["stored by an earlier run", "not stored"])
def test_a_setting_that_is_refused_is_no_reason_for_a_boot(cluster: Cluster, roll: Any, journals: Path, stored: bool) -> None:
    cluster.ends = {"depth": Outcome.REFUSED}
    if stored:
        cluster.readings = {("host-1", "depth"): Reading(256)}
        store(journals)
    _, stopped = roll(setting())
    assert (stopped, [name for _, name in cluster.done]) == ("", [IN, "depth", OUT])


def test_a_setting_that_somebody_made_and_booted_for_is_no_reason_for_a_boot(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {"depth": Outcome.ALREADY}
    receipts, stopped = roll(setting())
    assert (stopped, [name for _, name in cluster.done]) == ("", [IN, "depth", OUT])
    assert receipts[1].outcome is Outcome.ALREADY


def test_what_was_refused_needs_no_boot_and_the_host_carries_machines_again(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {"depth": Outcome.REFUSED}
    receipts, stopped = roll(setting(), setting("depth", "2"))
    assert stopped == ""
    assert [name for _, name in cluster.done] == [IN, "depth", OUT] * 2
    assert told(receipts)[1] == ("esx-1", "depth", "refused")


def test_what_is_in_force_already_is_left_as_it_is_beside_what_waits(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {"depth": Outcome.STALE}
    receipts, stopped = roll(setting("depth"), setting("second"))
    assert (stopped, [name for _, name in cluster.done]) == ("", [IN, "depth", "second", BOOT, OUT])
    assert [(name, outcome) for _, name, outcome in told(receipts)[2:4]] == [("depth", "stale"), ("second", "applied")]
    assert receipts[2].why == "because"


def test_a_host_that_may_not_be_rebooted_holds_up_its_cluster_and_no_other(cluster: Cluster, roll: Any) -> None:
    cluster.refusals = {"host-1": "a machine cannot move"}
    receipts, stopped = roll(
        setting(host="1"), setting(host="2"), setting(host="3", cluster="silver"), setting(host="4", where="vc-2"), setting("second", "2")
    )
    assert stopped == ""
    refused, *rest = receipts
    why = "esx-1 was not rebooted: a machine cannot move; nothing was written"
    assert refused == Receipt(setting(host="1"), Outcome.REFUSED, None, why)
    held = "not attempted: esx-1 of the same cluster was not rebooted"
    assert rest[:2] == [Receipt(setting(name, "2"), Outcome.PROPOSED, 32, held) for name in ("depth", "second")]
    assert {host for host, _ in cluster.done} == {"host-3", "host-4"}
    assert [name for host, name in cluster.done if host == "host-4"] == [IN, "depth", BOOT, OUT]


def test_a_host_of_a_vcenter_that_does_not_answer_gets_no_write(cluster: Cluster, roll: Any) -> None:
    receipts, stopped = roll(setting(where="dead"), setting(host="2"))
    assert (receipts[0].outcome, receipts[0].why) == (
        Outcome.REFUSED,
        "esx-1 was not rebooted: it could not be asked: no answer; nothing was written",
    )
    assert (stopped, {host for host, _ in cluster.done}) == ("", {"host-2"})


@pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.UNVERIFIED, Outcome.ALREADY, Outcome.STALE], ids=str)
def test_a_host_that_auditor_did_not_take_into_maintenance_mode_is_not_written(cluster: Cluster, roll: Any, outcome: Outcome) -> None:
    cluster.ends = {IN: outcome}
    receipts, stopped = roll(setting(), setting(host="2", cluster="silver"))
    assert stopped == "not attempted: esx-1 did not enter maintenance mode"
    assert cluster.done == [("host-1", IN)]
    assert receipts[1:] == [
        Receipt(setting(), Outcome.REFUSED, None, "esx-1 did not enter maintenance mode: because; nothing was written"),
        Receipt(setting(host="2", cluster="silver"), Outcome.PROPOSED, 32, stopped),
    ]


@pytest.fixture
def left(journals: Path) -> None:
    left_in_maintenance(journals, "2")


@pytest.mark.usefixtures("left")
def test_a_host_that_a_run_left_in_maintenance_mode_comes_first_and_may_be_in_it(cluster: Cluster, roll: Any) -> None:
    cluster.in_maintenance, cluster.ends = True, {IN: Outcome.ALREADY}
    cluster.readings = {("host-2", "depth"): Reading(256)}
    _, stopped = roll(setting(host="1"), setting(host="2"))
    assert cluster.done == [("host-2", IN), ("host-2", "depth"), ("host-2", BOOT), ("host-2", OUT), ("host-1", IN)]
    assert stopped == "not attempted: esx-1 did not enter maintenance mode", "that one is not ours"
    assert cluster.asked_as_ours == [True, False]


@pytest.mark.usefixtures("left")
def test_a_host_that_a_run_left_and_that_cannot_enter_again_is_not_written(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {IN: Outcome.REFUSED}
    _, stopped = roll(setting(host="2"))
    assert (cluster.done, stopped) == ([("host-2", IN)], "not attempted: esx-2 did not enter maintenance mode")


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("now", [False, None], ids=["it is out", "not reported"])
def test_a_host_that_somebody_took_out_is_asked_about_like_any_other(cluster: Cluster, roll: Any, now: bool | None) -> None:
    cluster.in_maintenance = now
    roll(setting(host="2"))
    assert cluster.asked_as_ours == [False]


def test_a_write_that_is_not_read_back_stops_the_run_without_a_boot(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {"second": Outcome.UNVERIFIED}
    receipts, stopped = roll(setting("depth"), setting("second"), setting(host="2"))
    assert stopped == "not attempted: shelf on esx-1 was written and not read back as wanted"
    assert cluster.done == [("host-1", name) for name in (IN, "depth", "second", OUT)]
    assert told(receipts)[-1] == ("esx-2", "depth", "proposed")


def test_a_host_that_does_not_come_back_stays_out_and_what_it_stored_is_unverified(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {BOOT: Outcome.UNVERIFIED, "second": Outcome.REFUSED}
    receipts, stopped = roll(setting("depth"), setting("second"), setting(host="2"))
    assert stopped == "not attempted: esx-1 did not come back from its reboot"
    assert cluster.done == [("host-1", name) for name in (IN, "depth", "second", BOOT)]
    assert told(receipts)[2:] == [("esx-1", "depth", "unverified"), ("esx-1", "second", "refused"), ("esx-2", "depth", "proposed")]
    assert receipts[2].pending == "reboot"
    assert receipts[2].why == ("it is stored, and whether it is in force is not known: esx-1 did not come back from its reboot: because")


def test_a_host_whose_last_boot_is_not_reported_is_not_rebooted(cluster: Cluster, roll: Any) -> None:
    cluster.booted = [BOOTED, None]
    receipts, stopped = roll(setting())
    assert stopped == "not attempted: esx-1 did not come back from its reboot"
    assert (receipts[1].change.remediator, receipts[1].outcome, receipts[1].found) == ("host.boot", Outcome.REFUSED, None)
    assert receipts[1].why == "not rebooted: vCenter does not report its last boot, by which its return is seen"
    assert receipts[1].change.target == Target("vc", (("host_id", "host-1"),))
    assert (receipts[1].change.before, receipts[1].change.after) == (False, True)
    assert receipts[1].change.reason == "settings take effect at a boot"


def test_a_host_that_cannot_be_asked_in_maintenance_mode_is_not_written_and_leaves_it(cluster: Cluster, roll: Any) -> None:
    cluster.booted = [BOOTED, NO_ANSWER]
    receipts, stopped = roll(setting(), setting(host="2"))
    assert stopped == ""
    assert cluster.done == [("host-1", IN), ("host-1", OUT)]
    assert receipts[1] == Receipt(
        setting(), Outcome.REFUSED, None, "esx-1 was not rebooted: when it booted last could not be read: no answer; nothing was written"
    )
    assert told(receipts)[2:] == [("esx-1", "host.maintenance", "applied"), ("esx-2", "depth", "proposed")]


WANTED, STORED = Reading(256), Reading(256, "reboot")


@pytest.mark.parametrize(
    ("later", "outcome", "sleeps", "found", "pending", "why"),
    [
        pytest.param([WANTED], "applied", [], 256, None, "in force since the reboot of esx-1", id="at once"),
        pytest.param(
            [STORED, NO_ANSWER, WANTED], "applied", [2.0, 2.0], 256, None, "in force since the reboot of esx-1", id="after some time"
        ),
        pytest.param(
            *([STORED], "unverified", [2.0, 2.0, 0.5], 256, "reboot"),
            "after the reboot of esx-1 it is 256 and still not in force",
            id="never",
        ),
        pytest.param(
            *([Reading(32)], "unverified", [2.0, 2.0, 0.5], 32, None), "after the reboot of esx-1 it is 32 instead of 256", id="as before"
        ),
        pytest.param(
            *([NO_ANSWER], "unverified", [2.0, 2.0, 0.5], None, None),
            "after the reboot of esx-1 it could not be read: no answer",
            id="not readable",
        ),
    ],
)
def test_after_the_boot_each_setting_is_read_until_it_is_in_force(
    cluster: Cluster, roll: Any, later: list[Any], outcome: str, sleeps: list[float], found: Scalar, pending: str | None, why: str
) -> None:
    cluster.after_boot = {"depth": later}
    receipts, stopped = roll(setting(), setting(host="2", cluster="silver"))
    assert (str(receipts[2].outcome), receipts[2].found, receipts[2].pending, receipts[2].why) == (outcome, found, pending, why)
    assert cluster.sleeps[: len(sleeps)] == sleeps
    assert cluster.done[:4] == [("host-1", name) for name in (IN, "depth", BOOT, OUT)]
    assert stopped == ("" if outcome == "applied" else "not attempted: a setting of esx-1 is not in force after its reboot")
    assert told(receipts)[-1][0] == "esx-2"
    assert (told(receipts)[-1][2] == "proposed") is (outcome == "unverified")


def test_a_host_that_does_not_leave_maintenance_mode_stops_the_run(cluster: Cluster, roll: Any) -> None:
    cluster.ends = {OUT: Outcome.UNVERIFIED}
    receipts, stopped = roll(setting(), setting(host="2"))
    assert stopped == "not attempted: esx-1 did not leave maintenance mode"
    assert receipts[-1] == Receipt(setting(host="2"), Outcome.PROPOSED, 32, stopped)


def test_no_host_is_begun_once_the_run_may_go_no_further(cluster: Cluster, roll: Any) -> None:
    receipts, stopped = roll(setting(), setting("second"), setting(host="2"), stops="not attempted: the window has closed")
    assert stopped == ""
    assert receipts[:2] == [
        Receipt(setting(name), Outcome.PROPOSED, 32, "not attempted: the window has closed") for name in ("depth", "second")
    ]
    assert {host for host, _ in cluster.done} == {"host-2"}


def test_a_change_waits_for_what_ended_on_an_earlier_host_and_the_others_go_on(cluster: Cluster, roll: Any) -> None:
    ended = {9: Receipt(setting(number=9), Outcome.REFUSED, 32, "no")}
    cluster.ends = {"refused": Outcome.REFUSED}
    receipts, _ = roll(
        setting("refused", number=1),
        setting("waits", number=2, waits_for=(9,)),
        setting("follows", "2", number=3, waits_for=(1,)),
        setting("free", "2", number=4),
        setting("last", "3", number=5, waits_for=(4,)),
        setting("held", "4", number=6, waits_for=(2,)),
        ended=ended,
    )
    outcomes = {name: outcome for _, name, outcome in told(receipts)}
    assert {name: outcomes[name] for name in ("refused", "waits", "follows", "free", "last", "held")} == {
        "refused": "refused",
        "waits": "proposed",
        "follows": "proposed",
        "free": "applied",
        "last": "applied",
        "held": "proposed",
    }
    assert sorted(ended) == [1, 2, 3, 4, 5, 6, 9]
    assert {ended[number].change.remediator for number in ended} == {"shelf"}
    waits = next(one for one in receipts if one.change.number == 2)
    assert (waits.found, waits.why) == (32, "not attempted: it waits for change 9 (shelf on depth), which ended refused: no")


@pytest.mark.parametrize(("well", "made"), [(set[Outcome](), False), ({Outcome.STALE}, True)], ids=["after a fix", "as an undo says"])
def test_after_which_outcomes_others_follow_is_for_the_run_to_say(cluster: Cluster, roll: Any, well: set[Outcome], made: bool) -> None:
    ended = {9: Receipt(setting(number=9), Outcome.STALE, 64)}
    roll(setting(number=1, waits_for=(9,)), ended=ended, good_outcomes=well)
    assert bool(cluster.done) is made


@pytest.mark.parametrize(
    ("one", "takes"),
    [
        pytest.param(setting(), True, id="a setting of a host"),
        pytest.param(replace(setting(), fix_class=FixClass.ONLINE), False, id="in force at once"),
        pytest.param(replace(setting(), fix_class=FixClass.RETUNE, takes=FixClass.REBOOT), True, id="retuned by a reboot"),
        pytest.param(replace(setting(), target=Target("vc", (("setting", "depth"),))), False, id="on no host"),
    ],
)
def test_a_reboot_is_taken_by_settings_of_hosts_alone(one: Change, takes: bool) -> None:
    assert takes_reboot(one) is takes


def test_a_host_of_an_older_journal_is_named_by_what_its_setting_is_about(cluster: Cluster, roll: Any) -> None:
    cluster.refusals = {"host-1": "a machine cannot move"}
    [receipt], _ = roll(replace(setting(), resource=replace(setting().resource, host=None)))
    assert receipt.why == "depth was not rebooted: a machine cannot move; nothing was written"
