from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.one_change import apply_change
from auditor.errors import JournalError
from auditor.journal import Journal, history, open_intents
from auditor.model import Change, FixClass, Outcome, Scalar

ABSENT = None


@pytest.mark.parametrize(
    ("now", "fault", "outcome", "found", "writes"),
    [
        pytest.param(32, "", Outcome.APPLIED, 256, 1, id="still as planned"),
        pytest.param(256, "", Outcome.ALREADY, 256, 0, id="someone else fixed it"),
        pytest.param(64, "", Outcome.STALE, 64, 0, id="someone else changed it"),
        pytest.param(ABSENT, "", Outcome.STALE, None, 0, id="someone else removed it"),
        pytest.param("32", "", Outcome.STALE, "32", 0, id="the same digits as text"),
        pytest.param(32.0, "", Outcome.STALE, 32.0, 0, id="the same number as a float"),
        pytest.param(32, "deaf", Outcome.UNVERIFIED, 32, 1, id="it took it and did nothing"),
        pytest.param(32, "clamps", Outcome.UNVERIFIED, 64, 1, id="it stored something else"),
        pytest.param(32, "stores text", Outcome.UNVERIFIED, "256", 1, id="it stored another type"),
        pytest.param(32, "answer lost, stored", Outcome.APPLIED, 256, 1, id="the answer was lost and it is stored"),
        pytest.param(32, "answer lost, not stored", Outcome.UNVERIFIED, 32, 1, id="the answer was lost and it is not stored"),
        pytest.param(32, "dies after the write", Outcome.UNVERIFIED, None, 1, id="it died with the write stored"),
        pytest.param(32, "dies at the write", Outcome.UNVERIFIED, None, 1, id="it died before the write was stored"),
        pytest.param(32, "refuses", Outcome.REFUSED, 32, 1, id="it refused"),
        pytest.param(32, "may not", Outcome.REFUSED, 32, 1, id="the account may not"),
        pytest.param(32, "not there", Outcome.REFUSED, 32, 1, id="there is nothing to write to"),
        pytest.param(32, "logged out", Outcome.REFUSED, 32, 1, id="the account is not known any more"),
        pytest.param(32, "refuses and changes", Outcome.UNVERIFIED, 7, 1, id="it refused and changed all the same"),
        pytest.param(32, "unreadable", Outcome.REFUSED, None, 0, id="it cannot be read first"),
        pytest.param(32, "gone", Outcome.REFUSED, None, 0, id="the object is gone"),
    ],
)
def test_a_change_is_made_only_when_the_plan_still_holds(
    shelf: Any, journal: Journal, change: Callable[..., Change], now: Scalar, fault: str, outcome: Outcome, found: Scalar, writes: int
) -> None:
    shelf.settings["depth"] = now
    shelf.faults["depth"] = fault

    receipt = apply_change(change("depth", 32, 256), shelf, "session", journal)

    assert (receipt.outcome, receipt.found, len(shelf.writes)) == (outcome, found, writes)
    assert type(receipt.found) is type(found)
    assert receipt.why or outcome is Outcome.APPLIED, "a change that was not simply made says why"


@pytest.mark.parametrize(
    ("before", "after", "now", "outcome"),
    [
        pytest.param(1, 0, True, Outcome.STALE, id="true is not the 1 the plan saw"),
        pytest.param(0, 1, True, Outcome.STALE, id="true is not the 1 that is wanted"),
        pytest.param(ABSENT, 256, ABSENT, Outcome.APPLIED, id="absent is a value the plan can see"),
        pytest.param(256, ABSENT, 256, Outcome.APPLIED, id="absent is a value that can be wanted"),
        pytest.param(ABSENT, 256, 0, Outcome.STALE, id="0 is not absent"),
        pytest.param(ABSENT, 256, "", Outcome.STALE, id="an empty text is not absent"),
        pytest.param(0, ABSENT, False, Outcome.STALE, id="false is not 0"),
    ],
)
def test_values_are_compared_with_their_type(
    shelf: Any, journal: Journal, change: Callable[..., Change], before: Scalar, after: Scalar, now: Scalar, outcome: Outcome
) -> None:
    shelf.settings["depth"] = now
    assert apply_change(change("depth", before, after), shelf, "session", journal).outcome is outcome


def test_an_integer_type_of_the_wire_is_an_integer(shelf: Any, journal: Journal, change: Callable[..., Change]) -> None:
    wire_long = type("long", (int,), {})  # what pyVmomi gives for xsd:long
    shelf.settings["depth"] = wire_long(32)
    assert apply_change(change("depth", 32, 256), shelf, "session", journal).outcome is Outcome.APPLIED


def test_the_intent_is_on_disk_before_the_write_and_the_receipt_after_it(
    shelf: Any, journal: Journal, journals: Path, change: Callable[..., Change]
) -> None:
    shelf.settings["depth"] = 32
    seen: list[Change] = []
    shelf.before_write = lambda: seen.extend(intent.change for intent in open_intents(journals))

    planned = change("depth", 32, 256)
    apply_change(planned, shelf, "session", journal)

    assert seen == [planned]
    assert open_intents(journals) == []
    (entry,) = history(journals).entries
    assert (entry.intent.change.before, entry.intent.change.after) == (32, 256)
    assert entry.receipt is not None
    assert entry.receipt.outcome is Outcome.APPLIED


@pytest.mark.parametrize("now", [pytest.param(256, id="as wanted"), pytest.param(64, id="stale")])
def test_where_nothing_is_written_no_journal_appears(
    shelf: Any, journal: Journal, journals: Path, change: Callable[..., Change], now: int
) -> None:
    shelf.settings["depth"] = now
    apply_change(change("depth", 32, 256), shelf, "session", journal)
    assert list(journals.glob("*.jsonl")) == []


def test_without_a_journal_nothing_is_written(shelf: Any, journal: Journal, journals: Path, change: Callable[..., Change]) -> None:
    shelf.settings["depth"] = 32
    (journals / f"{journal.run}.jsonl").touch()  # its name is taken: the journal cannot be made
    with pytest.raises(JournalError, match="File exists"):
        apply_change(change("depth", 32, 256), shelf, "session", journal)
    assert (shelf.writes, shelf.settings) == ([], {"depth": 32})


@pytest.mark.parametrize(
    ("fault", "open_after"),
    [
        pytest.param("", 0, id="applied"),
        pytest.param("deaf", 0, id="accepted and not done"),
        pytest.param("refuses", 0, id="refused"),
        pytest.param("refuses and changes", 0, id="refused and changed"),
        pytest.param("clamps", 0, id="stored something else"),
        pytest.param("answer lost, stored", 0, id="answer lost, read back as wanted"),
        pytest.param("answer lost, not stored", 1, id="answer lost, it may still come"),
        pytest.param("dies after the write", 1, id="not read back"),
    ],
)
def test_an_intent_stays_open_while_its_end_is_not_known(
    shelf: Any, journal: Journal, journals: Path, change: Callable[..., Change], fault: str, open_after: int
) -> None:
    shelf.settings["depth"] = 32
    shelf.faults["depth"] = fault
    apply_change(change("depth", 32, 256), shelf, "session", journal)
    assert len(open_intents(journals)) == open_after


@pytest.mark.parametrize(
    ("fix_class", "wire", "now", "outcome", "pending"),
    [
        pytest.param(FixClass.REBOOT, "reboot", 32, Outcome.APPLIED, "reboot", id="stored for the next boot"),
        pytest.param(FixClass.REBOOT, None, 32, Outcome.APPLIED, "reboot", id="the wire does not tell, the class does"),
        pytest.param(FixClass.ONLINE, None, 32, Outcome.APPLIED, None, id="in effect at once"),
        pytest.param(FixClass.REBOOT, "reboot", 256, Outcome.ALREADY, "reboot", id="stored earlier, not booted yet"),
        pytest.param(FixClass.REBOOT, None, 256, Outcome.ALREADY, None, id="booted since"),
    ],
)
def test_a_value_stored_for_the_next_boot_is_pending(
    shelf: Any,
    journal: Journal,
    change: Callable[..., Change],
    fix_class: FixClass,
    wire: str | None,
    now: int,
    outcome: Outcome,
    pending: str | None,
) -> None:
    shelf.settings["depth"] = now
    shelf.pending = wire
    receipt = apply_change(change("depth", 32, 256, fix_class=fix_class), shelf, "session", journal)
    assert (receipt.outcome, receipt.pending) == (outcome, pending)


def test_an_interrupt_during_the_write_leaves_the_intent_open_and_passes_on(
    shelf: Any, journal: Journal, journals: Path, change: Callable[..., Change]
) -> None:
    shelf.settings["depth"] = 32

    def interrupt() -> None:
        raise KeyboardInterrupt

    shelf.before_write = interrupt
    with pytest.raises(KeyboardInterrupt):
        apply_change(change("depth", 32, 256), shelf, "session", journal)
    assert [intent.change.after for intent in open_intents(journals)] == [256]
