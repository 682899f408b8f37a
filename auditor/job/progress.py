"""What a job remembers between its runs: up to when all was dealt with, and how its runs ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.errors import SnapshotError
from auditor.report.files import written_whole
from auditor.report.json.values import utc_text

if TYPE_CHECKING:
    from pathlib import Path

PROGRESS_FILE = "progress.json"
"""In a job's folder of the state directory."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    Attributes:
        done: the planned time up to which all was dealt with, aware; None: it was never scheduled.
        ended_well: runs that reached verdicts, since the folder was made.
        failed: runs that did not.
        missed: planned times for which nothing ran.
    """

    done: datetime | None = None
    ended_well: int = 0
    failed: int = 0
    missed: int = 0


def load_progress(folder: Path) -> Progress:
    """How far the job of `folder` is.

    Raises:
        SnapshotError: its file is there and cannot be read.
    """
    path = folder / PROGRESS_FILE
    try:
        record = read_json(path)
        done = None if record["done"] is None else datetime.fromisoformat(record["done"])
        return Progress(done, int(record["ended_well"]), int(record["failed"]), int(record["missed"]))
    except FileNotFoundError:
        return Progress()
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(
            f"{path}: cannot be read ({type(error).__name__}: {error})",
            why="it is not known which runs were missed.",
            do=f"move {path} away; the next run begins a new count.",
        ) from error


def save_progress(folder: Path, progress: Progress) -> None:
    """Keep how far the job of `folder` is."""
    record = {
        "done": None if progress.done is None else utc_text(progress.done),
        "ended_well": progress.ended_well,
        "failed": progress.failed,
        "missed": progress.missed,
    }
    with written_whole(folder / PROGRESS_FILE, mode=0o600) as out:
        json.dump(record, out)
