from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply import Fate, Limits, recover, undo
from auditor.apply.restrictions import Restrictions
from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import ConfigurationError, EndpointUnreachableError, GuardError
from auditor.fleet.windows import MaintenanceWindow
from auditor.journal import History, history, open_intents, open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Protection, RebootLimits, Receipt, Scalar, Target
from tests.applying import apply

Make = Callable[..., Change]
KNOWN = {"vc": "1111"}
KILLED, NEXT, LATER = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"


@pytest.fixture
def killed(journals: Path) -> Callable[[Change], None]:
    """A run that ended between the intent and the receipt."""

    def intend_only(change: Change) -> None:
        with open_journal(journals, KILLED) as journal:
            journal.intend(change, KNOWN["vc"])

    return intend_only


@pytest.fixture
def ran(shelf: Any, sessions: Sessions, journals: Path, remediators: Any) -> Callable[..., list[Receipt]]:
    """A run that made these changes and ended."""

    def one_run(run: str, *changes: Change) -> list[Receipt]:
        with open_journal(journals, run) as journal:
            every = frozenset(FixClass)
            return list(
                apply(Plan(changes, identities=KNOWN), sessions, journal, allow=every, confirm=lambda _: True, remediators=remediators)
            )

    return one_run


@pytest.fixture
def undone(sessions: Sessions, journals: Path, remediators: Any) -> Callable[..., list[Receipt]]:
    def one_undo(run: str, by: str = LATER) -> list[Receipt]:
        with open_journal(journals, by) as journal:
            return list(undo(run, sessions, journal, confirm=lambda _: True, remediators=remediators))

    return one_undo


@pytest.mark.parametrize(
    ("now", "fault", "fate", "found", "outcome"),
    [
        pytest.param(256, "", Fate.APPLIED, 256, Outcome.APPLIED, id="the write had arrived"),
        pytest.param(32, "", Fate.NOT_APPLIED, 32, Outcome.UNVERIFIED, id="the write had not been sent"),
        pytest.param(64, "", Fate.CHANGED, 64, Outcome.STALE, id="somebody changed it since"),
        pytest.param(None, "", Fate.CHANGED, None, Outcome.STALE, id="somebody removed it since"),
        pytest.param("256", "", Fate.CHANGED, "256", Outcome.STALE, id="the same digits as text are another value"),
        pytest.param(256, "unreadable", Fate.UNKNOWN, None, None, id="it cannot be read now"),
        pytest.param(256, "gone", Fate.UNKNOWN, None, None, id="the object is gone"),
    ],
)
def test_the_next_run_reports_the_result_of_a_change_whose_run_was_killed(
    shelf: Any,
    sessions: Sessions,
    journals: Path,
    remediators: Any,
    change: Make,
    killed: Any,
    now: Scalar,
    fault: str,
    fate: Fate,
    found: Scalar,
    outcome: Outcome | None,
) -> None:
    killed(change("depth", 32, 256))
    shelf.settings["depth"] = now
    shelf.faults["depth"] = fault

    with open_journal(journals, NEXT) as journal:
        (recovered,) = recover(journal, sessions, remediators)

    assert (recovered.fate, recovered.found, recovered.intent.run) == (fate, found, KILLED)
    assert shelf.writes == [], "finding out is not writing"
    (entry,) = history(journals).entries
    assert (entry.receipt.outcome if entry.receipt else None) is outcome


def test_a_recovered_result_is_reported_once_and_read_again_only_while_unknown(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, killed: Any
) -> None:
    killed(change())
    fates: list[list[Fate]] = []
    for run, fault in ((NEXT, "unreadable"), (LATER, ""), ("20181104T150000Z-0004", "")):
        shelf.settings["depth"], shelf.faults["depth"] = 256, fault
        with open_journal(journals, run) as journal:
            fates.append([one.fate for one in recover(journal, sessions, remediators)])
    assert fates == [[Fate.UNKNOWN], [Fate.APPLIED], []]
    assert open_intents(journals) == []


def test_an_earlier_run_s_file_is_not_changed_by_the_run_that_records_its_result(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, killed: Any
) -> None:
    killed(change())
    before = (journals / f"{KILLED}.jsonl").read_bytes()
    shelf.settings["depth"] = 256
    with open_journal(journals, NEXT) as journal:
        recover(journal, sessions, remediators)
    assert (journals / f"{KILLED}.jsonl").read_bytes() == before


def test_a_run_s_own_writes_are_not_an_earlier_run_s(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make
) -> None:
    with open_journal(journals, NEXT) as journal:
        journal.intend(change(), KNOWN["vc"])
        assert recover(journal, sessions, remediators) == []
    assert len(open_intents(journals)) == 1


def test_the_next_run_recovers_a_write_that_was_carried_out_late(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, ran: Any
) -> None:
    shelf.settings["depth"], shelf.faults["depth"] = 32, "answer lost, not stored"
    (receipt,) = ran(KILLED, change())
    assert receipt.outcome is Outcome.UNVERIFIED
    shelf.settings["depth"], shelf.faults["depth"] = 256, ""  # the host got round to it after we stopped asking
    with open_journal(journals, NEXT) as journal:
        assert [one.fate for one in recover(journal, sessions, remediators)] == [Fate.APPLIED]


@pytest.mark.parametrize(
    "misfit",
    [pytest.param({"where": "vc-gone"}, id="its vCenter left fleet.yaml"), pytest.param({}, id="its remediator is not in this version")],
)
def test_a_change_this_run_cannot_even_name_is_unknown(
    sessions: Sessions, journals: Path, change: Make, killed: Any, misfit: dict[str, Any]
) -> None:
    killed(change(**misfit))
    with open_journal(journals, NEXT) as journal:
        (recovered,) = recover(journal, sessions)
    assert recovered.fate is Fate.UNKNOWN
    assert len(open_intents(journals)) == 1


def test_undo_restores_the_earlier_values_last_change_first(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings |= {"a1": 32, "a2": None}
    wrong = replace(change("a1", 32, 128), messages=("a1: the queue is too short",))
    ran(KILLED, wrong, change("a1", 128, 256), change("a2", None, 256))
    assert shelf.settings == {"a1": 256, "a2": 256}
    shelf.writes.clear()

    receipts = undone(KILLED)

    assert shelf.writes == [("a2", None), ("a1", 128), ("a1", 32)]
    assert {receipt.outcome for receipt in receipts} == {Outcome.APPLIED}
    assert {receipt.change.messages for receipt in receipts} == {()}


def test_undo_lets_a_setting_inherit_again_and_can_be_undone_itself(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.parents["depth"] = 32
    ran(KILLED, change("depth", 32, 256))
    assert shelf.settings == {"depth": 256}

    (receipt,) = undone(KILLED, by=NEXT)
    assert (receipt.outcome, receipt.found, shelf.settings) == (Outcome.APPLIED, 32, {})
    (again,) = undone(KILLED, by=LATER)
    assert (again.outcome, shelf.settings) == (Outcome.ALREADY, {})

    undone(NEXT, by="20181104T150000Z-0004")
    assert shelf.settings == {"depth": 256}
    undone("20181104T150000Z-0004", by="20181104T160000Z-0005")
    assert shelf.settings == {}


@pytest.mark.parametrize(
    ("parent", "fault", "outcome", "own"),
    [
        pytest.param(64, "", Outcome.APPLIED, {}, id="the parent changed since"),
        pytest.param(256, "", Outcome.APPLIED, {}, id="the parent has the fixed value by now"),
        pytest.param(32, "deaf", Outcome.UNVERIFIED, {"depth": 256}, id="the host keeps the own value"),
    ],
)
def test_what_inherits_again_is_made_whatever_the_parent_holds(
    shelf: Any, change: Make, ran: Any, undone: Any, parent: int, fault: str, outcome: Outcome, own: dict[str, Scalar]
) -> None:
    shelf.parents["depth"] = 32
    ran(KILLED, change("depth", 32, 256))
    shelf.parents["depth"], shelf.faults["depth"] = parent, fault
    (receipt,) = undone(KILLED)
    assert (receipt.outcome, shelf.settings) == (outcome, own)


def test_a_journal_that_does_not_say_who_inherited_is_undone_to_the_value(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings["depth"] = 32
    ran(KILLED, change("depth", 32, 256))
    shelf.parents["depth"] = 16
    undone(KILLED)
    assert shelf.settings == {"depth": 32}


def test_undo_puts_back_what_waited_before_what_it_waited_for(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings |= {"metric": 32, "sioc": 32}
    ran(KILLED, replace(change("sioc", cluster="gold"), number=2, waits_for=(1,)), replace(change("metric", cluster="blue"), number=1))
    shelf.writes.clear()
    undone(KILLED)
    assert shelf.writes == [("sioc", 32), ("metric", 32)]

    shelf.settings |= {"metric": 256, "sioc": 256}
    shelf.faults["sioc"] = "refuses"
    shelf.writes.clear()
    receipts = undone(KILLED, by="20181104T150000Z-0004")
    assert [(one.change.resource.name, one.outcome) for one in receipts] == [("sioc", Outcome.REFUSED), ("metric", Outcome.PROPOSED)]


def test_undo_never_overwrites_a_newer_change_of_somebody_else(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings |= {"a1": 32, "a2": 32, "a3": 32}
    ran(KILLED, change("a1"), change("a2", host="esx-02"), change("a3", host="esx-03"))
    shelf.settings["a3"] = 64
    receipts = undone(KILLED)
    assert shelf.settings == {"a1": 32, "a2": 32, "a3": 64}
    assert [receipt.outcome for receipt in receipts] == [Outcome.STALE, Outcome.APPLIED, Outcome.APPLIED]


def test_undo_leaves_a_later_run_s_change_alone(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings["depth"] = 32
    ran(KILLED, change("depth", 32, 256))
    ran(NEXT, change("depth", 256, 128))
    (receipt,) = undone(KILLED)
    assert (receipt.outcome, shelf.settings["depth"]) == (Outcome.STALE, 128)


def test_undo_can_be_undone_and_a_second_undo_finds_nothing_to_do(shelf: Any, change: Make, ran: Any, undone: Any) -> None:
    shelf.settings["depth"] = 32
    ran(KILLED, change())
    undone(KILLED, by=NEXT)
    (again,) = undone(KILLED, by=LATER)
    assert (again.outcome, shelf.settings["depth"]) == (Outcome.ALREADY, 32)
    undone(NEXT, by="20181104T150000Z-0004")
    assert shelf.settings["depth"] == 256


@pytest.mark.parametrize(
    ("fault", "now", "outcomes", "after"),
    [
        pytest.param("clamps", 64, [Outcome.APPLIED], 32, id="it stored something else"),
        pytest.param("deaf", 32, [Outcome.ALREADY], 32, id="it did nothing"),
        pytest.param("deaf", 256, [Outcome.APPLIED], 32, id="it did it late"),
        pytest.param("dies after the write", 256, [Outcome.APPLIED], 32, id="it was never read back"),
        pytest.param("clamps", 100, [Outcome.STALE], 100, id="it stored something else, and somebody changed that"),
        pytest.param("refuses", 256, [], 256, id="it refused, and somebody else set it"),
    ],
)
def test_undo_restores_the_value_before_an_unverified_write(
    shelf: Any, change: Make, ran: Any, undone: Any, fault: str, now: int, outcomes: list[Outcome], after: int
) -> None:
    shelf.settings["depth"], shelf.faults["depth"] = 32, fault
    ran(KILLED, change())
    shelf.settings["depth"], shelf.faults["depth"] = now, ""
    assert [receipt.outcome for receipt in undone(KILLED)] == outcomes
    assert shelf.settings["depth"] == after


def test_undo_after_recovery_leaves_a_newer_change_of_somebody_else(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, killed: Any, undone: Any
) -> None:
    killed(change("depth", 32, 256))
    shelf.settings["depth"] = 64
    with open_journal(journals, NEXT) as journal:
        recover(journal, sessions, remediators)
    assert undone(KILLED) == []
    assert shelf.settings["depth"] == 64


def test_undo_of_a_run_that_changed_nothing_names_those_that_did(change: Make, ran: Any, undone: Any, shelf: Any) -> None:
    shelf.settings["depth"] = 32
    ran(KILLED, change())
    with pytest.raises(ConfigurationError) as caught:
        undone("20200101T000000Z-ffff")
    assert KILLED in caught.value.do


def test_undo_needs_confirmation_like_every_other_write(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, ran: Any
) -> None:
    shelf.settings["depth"] = 32
    ran(KILLED, change())
    with open_journal(journals, LATER) as journal, pytest.raises(GuardError, match="not confirmed"):
        undo(KILLED, sessions, journal, confirm=lambda _: False, remediators=remediators)
    assert shelf.settings["depth"] == 256


def test_a_directory_without_journals_has_no_history(tmp_path: Path) -> None:
    assert history(tmp_path / "none") == History((), ())


@dataclass
class Places:
    """Remediators of settings and steps; they note by which session they read. `answer` is what they find; None: no answer."""

    answer: Reading | None
    read_by: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, name: str) -> Any:
        def read(session: SessionBase, target: Target) -> Reading:
            self.read_by.append((name, session.endpoint.name))
            if self.answer is None:
                raise EndpointUnreachableError("no answer", why="x", do="x")
            return self.answer

        return SimpleNamespace(read=read)


YES, NO = Reading(value=True), Reading(value=False)


@pytest.mark.parametrize(
    ("remediator", "before", "after", "answer", "fate", "why"),
    [
        pytest.param("shelf", 32, 256, Reading(256, "reboot"), Fate.APPLIED, "it is 256, as wanted", id="it arrived"),
        pytest.param("shelf", 32, 256, Reading(32, "reboot"), Fate.NOT_APPLIED, "it is still 32, as before", id="it did not"),
        pytest.param(
            "shelf", 32, 256, Reading(64, "reboot"), Fate.CHANGED, "it is 64; it was 32, and 256 was wanted", id="somebody changed it"
        ),
        pytest.param("shelf", 32, 256, None, Fate.UNKNOWN, "it cannot be read now: no answer", id="no answer"),
        pytest.param("host.boot", False, True, YES, Fate.APPLIED, "esx-01 has been rebooted", id="it booted"),
        pytest.param("host.boot", False, True, NO, Fate.NOT_APPLIED, "esx-01 has not been rebooted", id="it did not boot"),
        pytest.param(
            *("host.boot", False, True, None, Fate.UNKNOWN, "the host may be rebooting; it cannot be read now: no answer"), id="it is away"
        ),
        pytest.param("host.maintenance", False, True, YES, Fate.APPLIED, "esx-01 is in maintenance mode", id="it went in"),
        pytest.param("host.maintenance", True, False, YES, Fate.NOT_APPLIED, "esx-01 is in maintenance mode", id="it did not come out"),
        pytest.param("host.maintenance", False, True, None, Fate.UNKNOWN, "it cannot be read now: no answer", id="nobody knows"),
    ],
)
def test_what_became_of_a_write_is_said_and_kept(
    *,
    sessions: Sessions,
    journals: Path,
    change: Make,
    killed: Any,
    remediator: str,
    before: Scalar,
    after: Scalar,
    answer: Reading | None,
    fate: Fate,
    why: str,
) -> None:
    cut_off = replace(change("depth", before, after), remediator=remediator)
    killed(cut_off)
    places = Places(answer)
    with open_journal(journals, NEXT) as journal:
        [found] = recover(journal, sessions, places)
    value, pending = (None, None) if answer is None else (answer.value, answer.pending)
    assert (found.intent.change, found.fate, found.found, found.why, found.pending) == (cut_off, fate, value, why, pending)
    assert places.read_by == [(remediator, "vc")]
    [entry] = history(journals).entries
    outcome = {Fate.APPLIED: Outcome.APPLIED, Fate.NOT_APPLIED: Outcome.UNVERIFIED, Fate.CHANGED: Outcome.STALE}.get(fate)
    kept = None if outcome is None else Receipt(cut_off, outcome, value, f"read by run {NEXT}: {why}", pending)
    assert (entry.receipt, entry.settled) == (kept, kept is not None)


def test_writes_of_earlier_runs_are_looked_at_beside_those_of_this_one(sessions: Sessions, journals: Path, change: Make) -> None:
    with open_journal(journals, NEXT) as journal:
        journal.intend(change("own"), KNOWN["vc"])
    with open_journal(journals, LATER) as journal:
        journal.intend(change("later"), KNOWN["vc"])
    with open_journal(journals, "20181104T150000Z-0004") as journal:
        journal.run = NEXT
        found = recover(journal, sessions, Places(Reading(256)))
    assert [one.intent.change.resource.name for one in found] == ["later"]


def test_another_endpoint_under_the_name_settles_nothing(sessions: Sessions, journals: Path, change: Make) -> None:
    with open_journal(journals, KILLED) as journal:
        journal.intend(change(), "2222")
    with open_journal(journals, NEXT) as journal:
        [found] = recover(journal, sessions, Places(Reading(256)))
    assert (found.intent.change, found.fate, found.found) == (change(), Fate.UNKNOWN, None)
    assert found.why.startswith("vc was vCenter 2222, and is 1111 now: nothing was settled; ")


def test_an_undo_keeps_to_limits_and_protection_and_to_no_window(
    shelf: Any, sessions: Sessions, journals: Path, remediators: Any, change: Make, ran: Any
) -> None:
    shelf.settings |= {"a": 32, "b": 32}
    ran(KILLED, change("a", cluster="gold"), change("b", cluster="silver", host="esx-02"))
    shown: list[tuple[str, int, int]] = []
    never = MaintenanceWindow((0,), 0, 1, "UTC")
    restrictions = Restrictions((never,), (Protection("x", cluster="silver"),), now=lambda: datetime(2026, 11, 21, tzinfo=UTC))

    def undone(run: str, **options: Any) -> list[Receipt]:
        with open_journal(journals, run) as journal:
            return list(undo(KILLED, sessions, journal, confirm=lambda _: True, remediators=remediators, **options))

    with pytest.raises(GuardError, match="the limit of one run is 0 changes"):
        undone(NEXT, limits=Limits(max_writes=0))
    shelf.settings["a"] = 256
    made = undone(LATER, restrictions=restrictions, progress=lambda change, number, of: shown.append((change.resource.name, number, of)))
    assert [(one.change.resource.name, one.outcome) for one in made] == [("b", Outcome.PROPOSED), ("a", Outcome.APPLIED)]
    assert shown == [("a", 1, 1)]


def test_an_undo_reboots_hosts_where_it_is_told_to(
    sessions: Sessions, journals: Path, change: Make, ran: Any, shelf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.settings["a"] = 32
    ran(KILLED, change("a"))
    given: list[Any] = []

    def apply(*parts: Any, **_options: Any) -> None:
        given.append(parts[3])

    monkeypatch.setattr("auditor.apply.undoing.apply", apply)
    limits = RebootLimits(leave_seconds=60)
    with open_journal(journals, NEXT) as journal:
        undo(KILLED, sessions, journal, confirm=lambda _: True, reboots=limits)
    assert given[0].reboots is limits
