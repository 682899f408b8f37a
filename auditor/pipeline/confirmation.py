"""Waits for the confirmation of a run, and undoes those that nobody confirmed in time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.history.confirming import deadline_of, forget_deadline, overdue
from auditor.history.folders import JOURNAL_FOLDER
from auditor.history.state import state_directory
from auditor.journal import history
from auditor.model import Outcome
from auditor.pipeline.changes import undo_run
from auditor.pipeline.request import UndoRequest
from auditor.pipeline.writing import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from auditor.fleet.loading import Fleet

_POLL_SECONDS = 1.0


def utc_now() -> datetime:
    """The time now, aware."""
    return datetime.now(UTC)


def await_confirmation(
    run: str, fleet: Fleet, state: Path | None, *, now: Callable[[], datetime] = utc_now, wait: Callable[[float], None] = time.sleep
) -> Written | None:
    """Wait until `run` is confirmed, and undo it when its time is over; None where it was confirmed, or needs no confirmation.

    Raises:
        ConfigurationError: what it has to be confirmed by cannot be read.
        JournalError: a journal is damaged.
    """
    folder = state_directory(state)
    while True:
        deadline = deadline_of(folder, run)
        if deadline is None or not deadline.is_open:
            return None
        if now() > deadline.until:
            return _undone(run, fleet, folder)
        wait(_POLL_SECONDS)


def undo_overdue(fleet: Fleet, state: Path | None, *, now: Callable[[], datetime] = utc_now) -> tuple[str, ...]:
    """Undo every run that was not confirmed in time, for example because the machine that ran it went down; a sentence for each.

    A run that cannot be put back whole stays overdue, and is tried again the next time.

    Raises:
        ConfigurationError: what a run has to be confirmed by cannot be read.
    """
    folder = state_directory(state)
    return tuple(_sentences(overdue(folder, now()), fleet, folder))


def _sentences(runs: Iterable[str], fleet: Fleet, folder: Path) -> Iterable[str]:
    journals = folder / JOURNAL_FOLDER
    for run in runs:
        if not history(journals).of_run(run):
            forget_deadline(folder, run)  # it was cut off before its first write
            continue
        try:
            written = _undone(run, fleet, folder)
        except AuditorError as error:
            yield f"Run {run} was not confirmed in time, and could not be put back: {error.what}."
            continue
        if written.stopped is not None:
            yield f"Run {run} was not confirmed in time, and could not be put back: {written.stopped.what}."
            continue
        number = sum(receipt.outcome is Outcome.APPLIED for receipt in written.receipts)
        left = sum(receipt.outcome not in {Outcome.APPLIED, Outcome.ALREADY} for receipt in written.receipts)
        rest = f"; {left} were left, see `auditor journal export {written.run}`" if left else ""
        yield f"Run {run} was not confirmed in time: run {written.run} put back {number} settings{rest}."


def _undone(run: str, fleet: Fleet, folder: Path) -> Written:
    return undo_run(UndoRequest(run=run, fleet=fleet, state=folder), confirm=lambda _changes: True)
