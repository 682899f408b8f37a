"""Runs that write: which plan each had, how far it got, and the list of every run of a state directory, whatever it did."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping  # msgspec reads the types of fields
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from auditor.bounds.files import read_struct
from auditor.errors import ConfigurationError, JournalError, SnapshotError
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER
from auditor.history.kept_run import KeptRun
from auditor.history.plan_file import PLAN_FILE, PlanFile, plan_text, read_plan_file
from auditor.history.run_names import LAST, id_named
from auditor.history.running import forget_owner, note_owner
from auditor.history.runs import list_runs
from auditor.history.stopped_runs import StoppedBy, stopped_by
from auditor.journal import read_journal
from auditor.journal.records import SUFFIX
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from pathlib import Path

WRITES_FILE = "writes.json"
"""In a run that writes: what it was to do, and how it ended."""
_ID = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{4}(-(apply|undo|resume))?")
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class Writes:
    """What a run was to write, and how it ended.

    Attributes:
        kind: "fix", "apply", "undo" or "resume".
        of: the run whose plan it is, or that it undoes or resumes; of a fix its own id.
        started: aware.
        allow: the classes that were allowed.
        trust_names: as in an `UndoRequest`.
        reboot: as in `FixLimits`.
        finished: None: it is going on, or was killed.
        outcomes: how many changes ended so.
        journal: the digest of the last line of its journal when it ended; None: it did not end, wrote nothing, or an older auditor did it.
    """

    kind: str
    of: str
    started: datetime
    allow: tuple[str, ...] = ()
    trust_names: bool = False
    reboot: bool = True
    finished: datetime | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    journal: str | None = None


@dataclass(frozen=True, slots=True)
class ListedRun:
    """One run of any kind, as the state directory has it."""

    id: str
    kind: str  # "audit", "fix", "apply", "undo" or "resume"
    started: datetime  # aware
    finished: datetime | None  # None: it was cut off, or is still going on; or an older auditor did not write it down
    of: str | None = None  # as Writes.of; None where an older auditor did not write it down, and for audits
    outcomes: Mapping[str, int] = field(default_factory=dict)
    kept: KeptRun | None = None  # of an audit
    stopped: StoppedBy | None = None  # of one that did not finish


def writing_directory(state: Path, run_id: str) -> Path:
    """Where a run of any kind is kept; it need not exist.

    Raises:
        ConfigurationError: not a run id, so it could lead anywhere.
    """
    if not _ID.fullmatch(run_id):
        raise ConfigurationError(
            f'"{run_id}" is not the id of a run',
            why="nothing was written.",
            do="take an id from `auditor runs list`, for example 20261121T065500Z-1a2b or 20261121T070000Z-3c4d-apply.",
        )
    return state / RUNS_FOLDER / run_id


def writing_run_named(state: Path, word: str, file: str = "") -> str:
    """The id of the run that wrote, or was to write, which `word` names (`id_named`); "last" is the newest of them.

    Args:
        state: the state directory.
        word: an id, the beginning of one, or "last".
        file: only runs whose directory has this file; "": those that have a journal.

    Raises:
        ConfigurationError: several ids begin so, or "last" and there is none.
    """
    if file:
        ids = sorted(
            (path.parent.name for path in (state / RUNS_FOLDER).glob(f"*/{file}") if _ID.fullmatch(path.parent.name)), reverse=True
        )
    else:
        ids = sorted((path.stem for path in (state / JOURNAL_FOLDER).glob(f"*{SUFFIX}") if _ID.fullmatch(path.stem)), reverse=True)
    if word == LAST and not ids:
        raise ConfigurationError(
            "no run that wrote is kept", why="there is nothing that it could have changed.", do="`auditor runs list` names the runs."
        )
    return id_named(word, ids)


def begin_writes(directory: Path, writes: Writes, file: PlanFile) -> None:
    """Keep the plan of a run and its options before its first write.

    Raises:
        ConfigurationError: it cannot be written.
    """
    try:
        directory.parent.mkdir(mode=_PRIVATE, exist_ok=True)
        directory.mkdir(mode=_PRIVATE, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"cannot keep a run in {directory}: {error.strerror or error}",
            why="nothing was written: a run that is cut off could not have been resumed.",
            do="name a folder this account may write to: --state-dir DIR",
        ) from error
    note_owner(directory)
    with written_whole(directory / PLAN_FILE, mode=0o600) as out:
        out.write(plan_text(file))
    _write(directory, writes)


def finish_writes(directory: Path, writes: Writes, finished: datetime, outcomes: Mapping[str, int], journal: str | None = None) -> None:
    """Mark a run that writes as finished."""
    _write(directory, replace(writes, finished=finished, outcomes=outcomes, journal=journal))
    if writes.kind != "fix":  # after which the fleet is read again
        forget_owner(directory)


def forget_writes(directory: Path) -> None:
    """Remove the directory of a run that was stopped before it wrote anything."""
    shutil.rmtree(directory, ignore_errors=True)


def check_journal(state: Path, run_id: str) -> None:
    """Refuse a run whose journal is not as it was when the run ended.

    Raises:
        JournalError: it was changed or taken away, so what the run wrote is not known.
        SnapshotError: the file about the run is damaged.
    """
    writes = _read(writing_directory(state, run_id))
    if writes is None or writes.journal is None:
        return
    path = state / JOURNAL_FOLDER / f"{run_id}{SUFFIX}"
    if not path.exists() or read_journal(path).digests[-1:] != (writes.journal,):
        raise JournalError(
            f"{path}: it is not as it was when run {run_id} ended",
            why="what the run wrote is not known, so nothing was written.",
            do="restore the file from a backup, or look at the fleet by hand.",
        )


def load_writes(state: Path, run_id: str) -> tuple[Writes, PlanFile]:
    """What a run was to write, and its plan.

    Raises:
        ConfigurationError: there is no such run, it wrote nothing, or an older auditor did not keep its plan.
        GuardError: the plan is not as it was written.
        SnapshotError: the file about it is damaged.
    """
    directory = writing_directory(state, run_id)
    writes = _read(directory)
    if writes is None:
        ids = [run.id for run in list_all_runs(state) if (directory.parent / run.id / WRITES_FILE).exists()]
        raise ConfigurationError(
            f"run {run_id} has no plan that it was making",
            why="there is nothing to resume.",
            do=f"name one of the last runs that have: {', '.join(ids[:5]) or 'there is none'}.",
        )
    path = directory / PLAN_FILE
    return writes, read_plan_file(path)


def list_all_runs(state: Path) -> tuple[ListedRun, ...]:
    """Every run of every kind, newest first; those of older auditors as far as their journals show.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    folder, journals = state / RUNS_FOLDER, state / JOURNAL_FOLDER
    wrote = {path.stem for path in journals.glob(f"*{SUFFIX}") if _ID.fullmatch(path.stem)}
    listed = {
        run.id: ListedRun(run.id, "fix" if run.id in wrote else "audit", run.started, run.finished, kept=run) for run in list_runs(state)
    }
    names = {entry.name for entry in folder.iterdir() if entry.is_dir()} if folder.is_dir() else set()
    for name in sorted(names | wrote):
        match = _ID.fullmatch(name)
        writes = _read(folder / name) if match else None
        if match is None or (writes is None and name in listed):
            continue
        if writes is not None and name in listed:
            listed[name] = replace(listed[name], kind=writes.kind, outcomes=writes.outcomes)
        elif writes is not None:
            listed[name] = ListedRun(name, writes.kind, writes.started, writes.finished, writes.of, writes.outcomes)
        else:
            started = datetime.strptime(f"{match[1]}+0000", "%Y%m%dT%H%M%SZ%z")
            listed[name] = ListedRun(name, match[3] or "fix", started, None)
    runs = (run if run.finished is not None else replace(run, stopped=stopped_by(folder / run.id)) for run in listed.values())
    return tuple(sorted(runs, key=lambda run: run.id, reverse=True))


def _write(directory: Path, writes: Writes) -> None:
    with written_whole(directory / WRITES_FILE, mode=0o600) as out:
        out.write(msgspec.json.encode(asdict(writes)).decode())


def _read(directory: Path) -> Writes | None:
    path = directory / WRITES_FILE
    try:
        return read_struct(path, Writes)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise SnapshotError(
            f"{path}: cannot be read ({type(error).__name__}: {error})",
            why="what the run was to write is not known, and listing without it would hide it.",
            do=f"`auditor undo {directory.name}` works from the journal; remove {path} if nobody needs to resume the run.",
        ) from error
