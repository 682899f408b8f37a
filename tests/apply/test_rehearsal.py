"""A rehearsal gives the receipts that the run would, and writes nothing anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.orders import Orders
from auditor.apply.pace import Pace
from auditor.apply.rehearsal import UnwrittenJournal, UnwrittenSettings, rehearse
from auditor.endpoints.common.remediator import Inheriting, Reading
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import GuardError
from auditor.model import Change, EndpointKind, FixClass, Outcome, Plan, Receipt, Scalar, Target
from tests.apply.conftest import Shelf

Make = Callable[..., Change]
KNOWN = {"vc": "1111"}


def yes(_changes: Sequence[Change]) -> bool:
    return True


@pytest.fixture
def rehearsed(sessions: Sessions, journals: Path, shelf: Shelf) -> Callable[..., tuple[tuple[Receipt, ...], GuardError | None]]:
    def rehearsed(
        *changes: Change, orders: Orders | None = None, confirm: Any = yes, **plan: Any
    ) -> tuple[tuple[Receipt, ...], GuardError | None]:
        of = Plan(changes, identities=KNOWN, **plan)
        orders = orders or Orders(allow={FixClass.ONLINE})
        return rehearse(of, sessions, journals, "run-1", orders, confirm=confirm, remediators=lambda _name: shelf)

    return rehearsed


def test_the_receipts_are_those_of_the_run_and_nothing_is_written(rehearsed: Any, shelf: Shelf, journals: Path, change: Make) -> None:
    shelf.settings = {"a": 32, "b": 256, "c": 64}
    receipts, stopped = rehearsed(change("a", host="h1"), change("b", host="h2", cluster="blue"), change("c", host="h3", cluster="silver"))
    assert stopped is None
    assert {one.change.resource.name: (one.outcome, one.found) for one in receipts} == {
        "a": (Outcome.APPLIED, 256),
        "b": (Outcome.ALREADY, 256),
        "c": (Outcome.STALE, 64),
    }
    assert (shelf.writes, shelf.settings) == ([], {"a": 32, "b": 256, "c": 64})
    assert list(journals.glob("**/*.jsonl")) == []


def test_a_second_change_of_a_setting_finds_what_the_first_would_have_written(rehearsed: Any, shelf: Shelf, change: Make) -> None:
    shelf.settings = {"a": 32}
    receipts, _ = rehearsed(replace(change("a", 32, 64), number=1), replace(change("a", 64, 256), number=2, waits_for=(1,)))
    assert [(one.outcome, one.found) for one in receipts] == [(Outcome.APPLIED, 64), (Outcome.APPLIED, 256)]


def test_a_guard_that_would_stop_the_run_is_given_back(rehearsed: Any, shelf: Shelf, change: Make) -> None:
    shelf.settings = {"a": 32}
    receipts, stopped = rehearsed(change("a"), confirm=lambda _changes: False)
    assert receipts == ()
    assert stopped.what == "1 change was not confirmed"


def test_receipts_before_what_would_stop_the_run_are_given_with_it(rehearsed: Any, shelf: Shelf, change: Make) -> None:
    shelf.settings = {"a": 256, "b": 256, "c": 32}
    orders = Orders(allow={FixClass.ONLINE}, pace=Pace(just_read=True, who_else=lambda _change, _sessions: ""))
    receipts, stopped = rehearsed(*(change(name, host=f"h-{name}", cluster=name) for name in "abc"), orders=orders)
    assert [one.outcome for one in receipts] == [Outcome.ALREADY, Outcome.ALREADY, Outcome.PROPOSED]
    assert stopped.what.endswith("shelf on b of h-b was 32 and is 256, as this run was to set it")


def test_a_rehearsal_does_not_wait_for_what_it_does_not_write(rehearsed: Any, shelf: Shelf, change: Make) -> None:
    shelf.settings = {"a": 32}
    waits: list[float] = []
    orders = Orders(allow={FixClass.ONLINE}, pace=Pace(60.0, wait=waits.append))
    assert [one.outcome for one in rehearsed(change("a"), orders=orders)[0]] == [Outcome.APPLIED]
    assert waits == []


def test_a_rehearsal_runs_by_orders_that_say_so(
    monkeypatch: pytest.MonkeyPatch, sessions: Sessions, journals: Path, change: Make, shelf: Shelf
) -> None:
    given: list[Any] = []

    def apply(*parts: Any, **options: Any) -> tuple[Receipt, ...]:
        given.append((parts, options))
        return ()

    monkeypatch.setattr("auditor.apply.rehearsal.apply", apply)
    plan = Plan((change("a"),), identities=KNOWN)
    orders = Orders(allow={FixClass.ONLINE}, pace=Pace(60.0, ask_health=True))
    assert rehearse(plan, sessions, journals, "run-1", orders, confirm=yes, remediators=lambda _name: shelf) == ((), None)
    [((got_plan, got_sessions, journal, got), options)] = given
    assert (got_plan, got_sessions, journal.directory, journal.run) == (plan, sessions, journals, "run-1")
    assert (got.is_rehearsal, got.allow, got.pace.settle_seconds, got.pace.ask_health) == (True, {FixClass.ONLINE}, 0.0, True)
    assert options["confirm"] is yes


def test_a_journal_of_a_rehearsal_counts_its_intents_and_keeps_nothing(journals: Path, change: Make) -> None:
    journal = UnwrittenJournal(journals, "run-1")
    before = datetime.now(UTC)
    first, second = journal.intend(change("a"), "1111"), journal.intend(change("b"))
    assert [(one.run, one.number, one.change.resource.name, one.identity) for one in (first, second)] == [
        ("run-1", 1, "a", "1111"),
        ("run-1", 2, "b", None),
    ]
    assert before <= first.time <= second.time <= datetime.now(UTC)
    journal.receipt(first, Receipt(change("a"), Outcome.APPLIED, 256))
    journal.settle(second)
    assert not journals.exists() or list(journals.iterdir()) == []


class Plain:
    """A remediator that knows no parent."""

    kind = EndpointKind.ELEMENT

    def __init__(self, value: Scalar) -> None:
        self.value = value

    def read(self, session: object, target: Target) -> Reading:
        assert session == "session"
        return Reading(self.value if target["setting"] == "a" else 1, "reboot", None)

    def write(self, session: object, target: Target, value: Scalar) -> None:
        raise AssertionError("a rehearsal writes")


class Parented(Plain):
    """One that does; each setting has a value of its own."""

    kind = EndpointKind.VCENTER

    def read(self, session: object, target: Target) -> Reading:
        return replace(super().read(session, target), inherited=False)

    def inherit(self, session: object, target: Target, value: Scalar) -> None:
        raise AssertionError("a rehearsal writes")


A, B = (Target("vc", (("setting", name),)) for name in "ab")


def test_what_would_be_written_is_read_back_of_that_setting_alone() -> None:
    settings = UnwrittenSettings({"one": Plain(32), "two": Plain(32)}.__getitem__)
    one = settings("one")
    assert (one.kind, isinstance(one, Inheriting)) == (EndpointKind.ELEMENT, False)
    one.write("session", A, 256)
    assert settings("one").read("session", A) == Reading(256, "reboot", None)
    assert settings("one").read("session", B) == Reading(1, "reboot", None)
    assert settings("two").read("session", A) == Reading(32, "reboot", None)


def test_what_would_inherit_again_does_until_it_would_be_written() -> None:
    settings = UnwrittenSettings({"one": Parented(32), "two": Parented(32)}.__getitem__)
    one: Any = settings("one")
    assert (one.kind, isinstance(one, Inheriting)) == (EndpointKind.VCENTER, True)

    def found(name: str, target: Target) -> tuple[Scalar, bool | None]:
        now = settings(name).read("session", target)
        return now.value, now.inherited

    one.inherit("session", A, 64)
    assert (found("one", A), found("one", B), found("two", A)) == ((64, True), (1, False), (32, False))
    one.inherit("session", B, 64)
    settings("one").write("session", A, 256)
    assert (found("one", A), found("one", B)) == ((256, False), (64, True))
