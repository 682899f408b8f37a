"""Kept runs: what each audit read, judged and reported, under the state directory."""

from __future__ import annotations

import difflib
import json
import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.errors import ConfigurationError
from auditor.history.folders import FINDINGS_FILE, KEPT_FILE, REPORT_FILE, RUN_FILE, RUNS_FOLDER
from auditor.history.kept_run import KeptAlong, head_of, list_runs, read_kept
from auditor.history.run_names import LAST, RUN_ID, id_named
from auditor.history.running import forget_owner, note_owner
from auditor.history.working_copy import send_run
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.history.kept_run import KeptRun
    from auditor.model import DriftAge, Fix, Report
    from auditor.model.comparison import ChangedFinding, Comparison
    from auditor.report.json.saved_report import FindingKey

__all__ = [
    "begin_run",
    "keep_exit_code",
    "keep_run",
    "last_reading",
    "list_runs",
    "load_run",
    "new_run_id",
    "report_of_run",
    "run_directory",
]

_WRITING_ID = re.compile(rf"{RUN_ID.pattern}-(apply|undo|resume)")
_PRIVATE = 0o700


def new_run_id(now: datetime) -> str:
    """A name for the run that begins at `now` (aware): sortable by time to 1/256 of a second, and its own when two begin in one moment.

    Behind the second stand two hexadecimal digits of time and two of chance: an audit of few things takes less than a second, and the
    run that the next one is compared with is the newest by name.
    """
    moment = now.astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%SZ}-{moment.microsecond * 256 // 1_000_000:02x}{secrets.token_hex(1)}"


def run_directory(state: Path, run_id: str) -> Path:
    """Where the run `run_id` is kept; it need not exist.

    Raises:
        ConfigurationError: not a run id, so it could lead anywhere.
    """
    if _WRITING_ID.fullmatch(run_id):
        raise ConfigurationError(
            f"run {run_id} judged nothing, so it has no report",
            why="it applied, undid or resumed changes.",
            do=f"`auditor undo {run_id} --dry-run --fleet fleet.yaml` shows what it changed.",
        )
    if not RUN_ID.fullmatch(run_id):
        raise ConfigurationError(
            f'"{run_id}" is not the id of a run',
            why="nothing was read.",
            do="take an id from `auditor runs list`, for example 20261121T065500Z-1a2b.",
        )
    return state / RUNS_FOLDER / run_id


def begin_run(state: Path, run_id: str) -> Path:
    """Make the directory of a new run (mode 0700); until `keep_run` it counts as unfinished.

    Raises:
        ConfigurationError: not a run id, already there, or the state directory cannot be written.
    """
    directory = run_directory(state, run_id)
    try:
        directory.parent.mkdir(mode=_PRIVATE, exist_ok=True)
        directory.mkdir(mode=_PRIVATE)
    except OSError as error:
        raise ConfigurationError(
            f"cannot keep a run in {directory}: {error.strerror or error}",
            why="nothing was read or judged: the run could not have been kept.",
            do="name a folder this account may write to: --state-dir DIR",
        ) from error
    note_owner(directory)
    return directory


def keep_run(
    directory: Path,
    report: Report,
    fixes: Mapping[FindingKey, Fix] | None = None,
    drift_ages: Mapping[FindingKey, DriftAge] | None = None,
    along: KeptAlong | None = None,
) -> None:
    """Finish a run: write what it reports, and then the small file that marks it as finished.

    Args:
        directory: the run's own.
        report: what it reports.
        fixes: what became of the fix of findings that are not as FINDINGS_FILE has them; all findings stand in that file of the directory.
            None: there is no such file, and every finding is written.
        drift_ages: since when failures of drift are there, where that file is.
        along: what is kept besides the report; None: nothing of it is known.

    Raises:
        ConfigurationError: the disk is full or may not be written; the run stays unfinished.
    """
    from auditor.report.json.report import write_full_json
    from auditor.report.json.saved_report import write_saved_report

    with written_whole(directory / (REPORT_FILE if fixes is None else KEPT_FILE), mode=0o600) as out:
        if fixes is None:
            write_full_json(report, out)
        else:
            write_saved_report(report, fixes, out, drift_ages)
    with written_whole(directory / RUN_FILE, mode=0o600) as out:
        json.dump(head_of(report, along or KeptAlong()), out, indent=1)
    forget_owner(directory)


def keep_exit_code(directory: Path, code: int) -> None:
    """Note with which exit code the command of a finished run ended; nothing where the run did not finish.

    A run of a working copy that could not be sent is sent now.

    Raises:
        ConfigurationError: it cannot be written.
        StoreError: it could not be sent, and is kept on this machine.
    """
    path = directory / RUN_FILE
    if path.exists():
        head = {**read_json(path), "exit_code": code}
        with written_whole(path, mode=0o600) as out:
            json.dump(head, out, indent=1)
        send_run(directory)


def report_of_run(run: KeptRun) -> Report:
    """What a finished run reported; its findings are read from its files at each pass.

    Raises:
        SnapshotError: its files cannot be read, are torn, or of another version.
    """
    from auditor.engine.verdicts import load_evaluation
    from auditor.history.trend import points_before
    from auditor.report.json.reading import load_report
    from auditor.report.json.saved_report import load_saved_report
    from auditor.report.verdict_counts import LISTED

    if run.report.exists():
        report = load_report(run.report)
    else:
        evaluation = load_evaluation(run.directory / FINDINGS_FILE)
        report = load_saved_report(run.directory / KEPT_FILE, evaluation.findings, partial(evaluation.findings, LISTED))
        report = replace(report, counts=evaluation.counts, hosts_judged=evaluation.hosts_judged, by_place=evaluation.by_place)
    earlier = partial(points_before, run.directory.parents[1], run.id, run.scope)
    return replace(report, snapshot=run.snapshot, compared=_compared(run), earlier=earlier)


def _compared(run: KeptRun) -> Comparison | None:
    """What had changed in a run when it was kept, as long as the run that it was compared with is kept as well."""
    from auditor.report.json.reading import compared_of

    if run.compared is None:
        return None
    before = run.directory.parent / str(run.compared["run"])
    if not before.is_dir():
        return None

    from auditor.history.comparison.comparing import compare_runs

    def listed() -> Iterator[ChangedFinding]:
        return compare_runs(read_kept(before), run).listed()

    return compared_of(run.compared, listed)


def load_run(state: Path, run_id: str | None = None) -> KeptRun:
    """One finished run: the newest where `run_id` is None or "last", else the one of that id, or of an id that begins so.

    A run of `auditor demo` is only the newest where no other one is kept.

    Raises:
        ConfigurationError: no such run, several, none at all, or it never finished.
        SnapshotError: its file cannot be read.
    """
    if run_id is None or run_id == LAST:
        finished = [run for run in list_runs(state) if run.finished is not None]
        latest = next((run for run in finished if not run.along.is_demo), finished[0] if finished else None)
        if latest is None:
            raise _no_run("no finished run is kept", "`auditor audit --fleet fleet.yaml` makes one.")
        return latest
    folder = state / RUNS_FOLDER
    names = sorted((name for entry in folder.iterdir() if RUN_ID.fullmatch(name := entry.name)), reverse=True) if folder.is_dir() else []
    run_id = id_named(run_id, names)
    directory = run_directory(state, run_id)
    if not directory.is_dir():
        nearest = difflib.get_close_matches(run_id, names, n=1)
        raise _no_run(f"no run {run_id} is kept", f"did you mean {nearest[0]}?" if nearest else "`auditor runs list` names them.")
    run = read_kept(directory)
    if run.finished is None:
        raise _no_run(f"run {run_id} never finished", "audit again; what it had read is left in its folder.")
    return run


def last_reading(state: Path, fleet: str | None = None, *, whole: bool = False) -> KeptRun | None:
    """The newest finished run that read the fleet itself, instead of judging a saved snapshot; None where there is none.

    Args:
        state: the state directory.
        fleet: who the fleet is (`Scope.fleet`); None: any but that of the demo.
        whole: no option narrowed it.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """

    def is_it(run: KeptRun) -> bool:
        if run.finished is None or run.along.is_demo:
            return False
        if run.scope is not None and ((whole and run.scope.is_narrow) or fleet not in (None, run.scope.fleet)):
            return False
        return run.snapshot is not None

    return next((run for run in list_runs(state) if is_it(run)), None)


def _no_run(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="there is nothing to show.", do=do)
