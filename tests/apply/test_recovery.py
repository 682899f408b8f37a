from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import Fate, recover, undo
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import ConfigurationError, GuardError
from auditor.journal import History, history, open_intents, open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Scalar
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
