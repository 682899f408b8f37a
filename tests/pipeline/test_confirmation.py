"""Who waits for a confirmation, and who undoes what nobody confirmed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import GuardError
from auditor.fleet.loading import Fleet
from auditor.history.confirming import Deadline, confirm, deadline_of, keep_deadline
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target
from auditor.pipeline.confirmation import await_confirmation, undo_overdue
from auditor.pipeline.writing import Written

RUN = "20181104T120000Z-0001"
BEGIN = datetime(2018, 11, 4, 12, tzinfo=UTC)
FLEET = Fleet(Path("fleet.yaml"), ())
CHANGE = Change("shelf", FixClass.ONLINE, Target("vc", ()), 32, 256, ("r",), Resource("device", "d", "d", "vc", None, None), "why")


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def undone(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests of undo; the undo itself is one of the journal's own tests."""
    requests: list[Any] = []

    def undo_run(request: Any, *, confirm: Any) -> Written:
        assert confirm(())
        requests.append(request)
        if request.run.endswith("9"):
            raise GuardError("another run writes", why="x", do="x")
        return Written("undo-1", "undo", (Receipt(CHANGE, Outcome.APPLIED, 32), Receipt(CHANGE, Outcome.STALE, 64)))

    monkeypatch.setattr("auditor.pipeline.confirmation.undo_run", undo_run)
    return requests


@pytest.fixture
def state(tmp_path: Path) -> Path:
    for run in (RUN, f"{RUN[:-1]}9"):
        (tmp_path / RUNS_FOLDER / run).mkdir(parents=True)
        keep_deadline(tmp_path, Deadline(run, BEGIN + timedelta(minutes=15)))
        with open_journal(tmp_path / JOURNAL_FOLDER, run) as journal:
            journal.intend(CHANGE)
    return tmp_path


def test_a_run_is_undone_when_its_time_is_over(state: Path, undone: list[Any]) -> None:
    clock = Clock()
    written = await_confirmation(RUN, FLEET, state, now=clock, wait=clock.wait)
    assert written is not None
    assert [request.run for request in undone] == [RUN]
    assert timedelta(minutes=15) < clock.now - BEGIN < timedelta(minutes=15, seconds=5)


def test_a_run_that_is_confirmed_meanwhile_is_not_undone(state: Path, undone: list[Any]) -> None:
    clock = Clock()

    def wait(seconds: float) -> None:
        clock.wait(seconds)
        if clock.now > BEGIN + timedelta(minutes=1) and deadline_of(state, RUN) == Deadline(RUN, BEGIN + timedelta(minutes=15)):
            confirm(state, RUN, clock.now)

    assert await_confirmation(RUN, FLEET, state, now=clock, wait=wait) is None
    assert undone == []
    assert clock.now < BEGIN + timedelta(minutes=2)


def test_after_a_crash_the_next_command_undoes_what_is_overdue_and_goes_on_where_it_cannot(state: Path, undone: list[Any]) -> None:
    assert undo_overdue(FLEET, state, now=lambda: BEGIN) == ()
    first, second = undo_overdue(FLEET, state, now=lambda: BEGIN + timedelta(hours=1))
    assert first == f"Run {RUN[:-1]}9 was not confirmed in time, and could not be put back: another run writes."
    assert second.startswith(f"Run {RUN} was not confirmed in time: run undo-1 put back 1 settings; 1 were left")


def test_a_run_that_was_cut_off_before_its_first_write_has_nothing_to_undo(tmp_path: Path, undone: list[Any]) -> None:
    (tmp_path / RUNS_FOLDER / RUN).mkdir(parents=True)
    keep_deadline(tmp_path, Deadline(RUN, BEGIN))
    assert undo_overdue(FLEET, tmp_path, now=lambda: BEGIN + timedelta(hours=1)) == ()
    assert (undone, deadline_of(tmp_path, RUN)) == ([], None)
