"""Runs that undo themselves unless somebody confirms them in time: the deadline is on disk before the first write."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json
from auditor.errors import ConfigurationError, GuardError
from auditor.history.folders import RUNS_FOLDER
from auditor.history.writing_runs import writing_directory
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from pathlib import Path

CONFIRM_FILE = "confirm.json"
"""In a run that writes: until when it has to be confirmed, and what became of that."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a run has to be confirmed. Times are aware, UTC.

    Attributes:
        confirmed: when it was; None: not yet.
        undone_by: the run that put it back because nobody did, or that somebody made by hand; None: it was not put back.
    """

    run: str
    until: datetime
    confirmed: datetime | None = None
    undone_by: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is neither confirmed nor put back."""
        return self.confirmed is None and self.undone_by is None


def keep_deadline(state: Path, deadline: Deadline) -> None:
    """Write it into the run's directory, which exists; it is on disk when this returns."""
    fields = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in asdict(deadline).items()}
    with written_whole(writing_directory(state, deadline.run) / CONFIRM_FILE, mode=0o600) as out:
        out.write(json.dumps(fields, indent=1) + "\n")


def forget_deadline(state: Path, run: str) -> None:
    """Remove it: the run wrote nothing."""
    (writing_directory(state, run) / CONFIRM_FILE).unlink(missing_ok=True)


def deadline_of(state: Path, run: str) -> Deadline | None:
    """The deadline of a run; None where it has none.

    Raises:
        ConfigurationError: its file is damaged.
    """
    path = writing_directory(state, run) / CONFIRM_FILE
    try:
        fields: dict[str, Any] = read_json(path)
        confirmed = fields["confirmed"]
        return Deadline(
            run,
            datetime.fromisoformat(fields["until"]),
            None if confirmed is None else datetime.fromisoformat(confirmed),
            fields["undone_by"],
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path}: {error}",
            why="whether the run was confirmed is not known.",
            do=f"look at the fleet; then `auditor undo {run} --fleet fleet.yaml`, or remove the file.",
        ) from error


def confirm(state: Path, run: str, now: datetime) -> Deadline:
    """Note that somebody confirms a run, which then stays as it is.

    Raises:
        ConfigurationError: there is no such run, or it needs no confirmation.
        GuardError: it is too late: the run was put back, or is about to be.
    """
    deadline = deadline_of(state, run)
    if deadline is None:
        raise ConfigurationError(
            f"run {run} waits for no confirmation", why="nothing was done.", do="`auditor runs list` names the runs; see --confirm-within."
        )
    if deadline.undone_by is not None:
        raise GuardError(f"run {run} was put back by run {deadline.undone_by}", why="nothing is left to confirm.", do="fix it again.")
    if deadline.confirmed is None and now > deadline.until:
        raise GuardError(
            f"run {run} had to be confirmed until {deadline.until:%Y-%m-%d %H:%M:%S} UTC",
            why="it is put back by the command that waits for it, by the next `auditor resume`, or by the schedule.",
            do="wait for that, then fix it again.",
        )
    kept = deadline if deadline.confirmed is not None else replace(deadline, confirmed=now)
    keep_deadline(state, kept)
    return kept


def overdue(state: Path, now: datetime) -> tuple[str, ...]:
    """The runs that were not confirmed in time and are not put back, the newest first: so they are undone.

    Raises:
        ConfigurationError: a file is damaged.
    """
    runs = sorted((path.parent.name for path in (state / RUNS_FOLDER).glob(f"*/{CONFIRM_FILE}")), reverse=True)
    found = [deadline for run in runs if (deadline := deadline_of(state, run)) is not None]
    return tuple(deadline.run for deadline in found if deadline.is_open and now > deadline.until)


def refuse_undone(state: Path, run: str) -> None:
    """Refuse to go on with a run that was put back, or is to be.

    Raises:
        GuardError: it was.
    """
    deadline = deadline_of(state, run)
    if deadline is not None and deadline.undone_by is not None:
        raise GuardError(
            f"run {run} was put back by run {deadline.undone_by}",
            why="going on with it would bring back half of what was put back; nothing was written.",
            do="fix the fleet anew: auditor audit --fleet fleet.yaml --fix.",
        )


def mark_undone(state: Path, run: str, by: str) -> None:
    """Note which run put `run` back; nothing where it waits for no confirmation."""
    deadline = deadline_of(state, run)
    if deadline is not None:
        keep_deadline(state, replace(deadline, undone_by=by))
