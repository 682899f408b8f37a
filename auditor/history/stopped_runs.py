"""Runs that a signal stopped: they are closed by a small file, so that nobody takes them for ones that still go on."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.history.folders import JOURNAL_FOLDER, RUN_FILE, RUNS_FOLDER, last_snapshot
from auditor.journal import read_journal
from auditor.journal.records import SUFFIX
from auditor.model import Outcome
from auditor.report.files import written_whole
from auditor.stopping import signal_name

if TYPE_CHECKING:
    from pathlib import Path

STOPPED_FILE = "stopped.json"
"""In a run that was stopped by a signal: when, and by which."""


@dataclass(frozen=True, slots=True)
class StoppedBy:
    """When a run was stopped, and by what."""

    at: datetime  # aware, UTC
    by: str  # SIGINT, SIGTERM, SIGHUP; "stop" where somebody's own program stopped it


def mark_stopped(directory: Path) -> None:
    """Close the run in `directory` as stopped now; a folder that is not there is left so."""
    if directory.is_dir():
        with written_whole(directory / STOPPED_FILE, mode=0o600) as out:
            json.dump({"at": datetime.now(UTC).isoformat(), "by": signal_name() or "stop"}, out)


def close_audit(directory: Path, fixed: str = "") -> str:
    """Close the audit in `directory`, and answer what was and was not done; "" where it had not begun, or was done.

    `fixed` says what a fix has done, where it was made.
    """
    if not directory.is_dir() or (directory / RUN_FILE).exists():
        return ""
    mark_stopped(directory)
    if fixed:
        undo = f"auditor undo {directory.name} --fleet fleet.yaml puts them back"
        return f"run {directory.name}: {fixed}.\n  why: what became of its failures is not known.\n  do:  audit again; {undo}."
    snapshot = last_snapshot(directory)
    if snapshot is None:
        done, do = "the fleet was being read, and nothing of it is kept", "audit again."
    else:
        done, do = "the fleet had been read, and was not judged", f"auditor audit --from {snapshot} judges what was read."
    why = "there is no report; nothing was written to the fleet."
    return f"run {directory.name}: {done}.\n  why: {why}\n  do:  {do}"


def close_writes(state: Path, run_id: str, planned: int, *, is_audit: bool) -> str:
    """Close a run that writes, and answer what was and was not done.

    Args:
        state: the state directory.
        run_id: of the run.
        planned: how many changes its plan has.
        is_audit: it is a fix, whose folder is that of its audit and stays; another one that wrote nothing is forgotten.
    """
    directory, journal = state / RUNS_FOLDER / run_id, state / JOURNAL_FOLDER / f"{run_id}{SUFFIX}"
    known = read_journal(journal) if journal.is_file() else None
    if known is None or not known.intents:
        if is_audit or known is not None:  # a journal without intents says what became of the writes of an earlier run
            mark_stopped(directory)
        else:
            shutil.rmtree(directory, ignore_errors=True)
        return f"run {run_id}: nothing was written.\n  why: it was stopped before its first change.\n  do:  run the command again."
    mark_stopped(directory)
    own = [receipt for receipt in known.receipts if receipt.of[0] == run_id]
    made, attempted = Counter(receipt.outcome for receipt in own)[Outcome.APPLIED], len(known.intents)
    left_open = attempted - len({receipt.of for receipt in own if receipt.settled})
    unsure = f" Of {left_open} it is not known whether they arrived." if left_open else ""
    counts = f"{made} of {planned} planned changes were made and read back, {max(0, planned - attempted)} were not attempted"
    why = "the write in hand was finished, and nothing more is written; the journal is whole."
    resume, undo = (f"auditor {word} {run_id} --fleet fleet.yaml" for word in ("resume", "undo"))
    return f"run {run_id}: {counts}.{unsure}\n  why: {why}\n  do:  {resume} goes on, {undo} puts back what was made."


def stopped_by(directory: Path) -> StoppedBy | None:
    """What stopped the run in `directory`; None: nothing did, it is going on, it was killed, or an older auditor made it."""
    try:
        entry = read_json(directory / STOPPED_FILE)
        return StoppedBy(datetime.fromisoformat(entry["at"]), str(entry["by"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
