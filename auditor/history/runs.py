"""Kept runs: what each audit read, judged and reported, under the state directory."""

from __future__ import annotations

import difflib
import json
import re
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.folders import FINDINGS_FILE, KEPT_FILE, REPORT_FILE, RUN_FILE, RUNS_FOLDER, last_snapshot
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import DriftAge, Fix, Report
    from auditor.report.saved_report import FindingKey

LAST = "last"
"""The word for the newest run that read the fleet itself."""
_RUN_ID = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{4}")
_WRITING_ID = re.compile(rf"{_RUN_ID.pattern}-(apply|undo|resume)")
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run as the state directory has it."""

    id: str
    directory: Path
    started: datetime  # aware, UTC
    finished: datetime | None  # None: it was interrupted, or is still going on
    hosts: int
    endpoints: int
    gaps: int
    fail: int
    unknown: int
    passed: int
    waived: int
    coverage: float  # 0 to 1

    @property
    def report(self) -> Path:
        """The JSON report of a finished run that has one, for `auditor.report.json_reading.load_report`; see `report_of_run`."""
        return self.directory / REPORT_FILE

    @property
    def snapshot(self) -> Path | None:
        """The snapshot of the last state that it read; None where it judged a saved one."""
        return last_snapshot(self.directory)

    @property
    def findings(self) -> Path | None:
        """Its verdicts as columns; None where it has none."""
        path = self.directory / FINDINGS_FILE
        return path if path.exists() else None


def new_run_id(now: datetime) -> str:
    """A name for the run that begins at `now` (aware): sortable by time, and its own when two begin in one second."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


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
    if not _RUN_ID.fullmatch(run_id):
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
    return directory


def keep_run(
    directory: Path, report: Report, fixes: Mapping[FindingKey, Fix] | None = None, drift_ages: Mapping[FindingKey, DriftAge] | None = None
) -> None:
    """Finish a run: write what it reports, and then the small file that marks it as finished.

    Args:
        directory: the run's own.
        report: what it reports.
        fixes: what became of the fix of findings that are not as FINDINGS_FILE has them; all findings stand in that file of the directory.
            None: there is no such file, and every finding is written.
        drift_ages: since when failures of drift are there, where that file is.

    Raises:
        ConfigurationError: the disk is full or may not be written; the run stays unfinished.
    """
    from auditor.report.json_report import coverage_object, run_object, summary_object, write_full_json
    from auditor.report.saved_report import write_saved_report

    with written_whole(directory / (REPORT_FILE if fixes is None else KEPT_FILE), mode=0o600) as out:
        if fixes is None:
            write_full_json(report, out)
        else:
            write_saved_report(report, fixes, out, drift_ages)
    head = {
        "run": run_object(report.run),
        "coverage": coverage_object(report.summary),
        "summary": summary_object(report.summary),
        "gaps": len(report.gaps),
    }
    with written_whole(directory / RUN_FILE, mode=0o600) as out:
        json.dump(head, out, indent=1)


def report_of_run(run: KeptRun) -> Report:
    """What a finished run reported; its findings are read from its files at each pass.

    Raises:
        SnapshotError: its files cannot be read, are torn, or of another version.
    """
    from auditor.engine.verdicts import load_evaluation
    from auditor.report.json_reading import load_report
    from auditor.report.saved_report import load_saved_report
    from auditor.report.verdict_counts import LISTED

    if run.report.exists():
        report = load_report(run.report)
    else:
        evaluation = load_evaluation(run.directory / FINDINGS_FILE)
        report = load_saved_report(run.directory / KEPT_FILE, evaluation.findings, partial(evaluation.findings, LISTED))
        report = replace(report, counts=evaluation.counts)
    return replace(report, snapshot=run.snapshot)


def list_runs(state: Path) -> tuple[KeptRun, ...]:
    """Every kept run, newest first, unfinished ones too.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    folder = state / RUNS_FOLDER
    names = sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), reverse=True) if folder.is_dir() else []
    return tuple(_kept(folder / name) for name in names if _RUN_ID.fullmatch(name))


def load_run(state: Path, run_id: str | None = None) -> KeptRun:
    """One finished run: `run_id`, or the newest when None.

    Raises:
        ConfigurationError: no such run, none at all, or it never finished.
        SnapshotError: its file cannot be read.
    """
    if run_id is None:
        latest = next((run for run in list_runs(state) if run.finished is not None), None)
        if latest is None:
            raise _no_run("no finished run is kept", "`auditor audit` makes one.")
        return latest
    directory = run_directory(state, run_id)
    if not directory.is_dir():
        names = [run.id for run in list_runs(state)]
        nearest = difflib.get_close_matches(run_id, names, n=1)
        raise _no_run(f"no run {run_id} is kept", f"did you mean {nearest[0]}?" if nearest else "`auditor runs list` names them.")
    run = _kept(directory)
    if run.finished is None:
        raise _no_run(f"run {run_id} never finished", "audit again; what it had read is left in its folder.")
    return run


def last_reading(state: Path) -> KeptRun | None:
    """The newest finished run that read the fleet itself, instead of judging a saved snapshot; None where there is none.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    return next((run for run in list_runs(state) if run.finished is not None and run.snapshot is not None), None)


def _no_run(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="there is nothing to show.", do=do)


def _kept(directory: Path) -> KeptRun:
    started = datetime.strptime(directory.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    try:
        head = json.loads((directory / RUN_FILE).read_text(encoding="utf-8"))
        summary, run = head["summary"], head["run"]
        return KeptRun(
            id=directory.name,
            directory=directory,
            started=datetime.fromisoformat(run["started"]),
            finished=datetime.fromisoformat(run["finished"]),
            hosts=run["hosts"],
            endpoints=len(run["endpoints"]),
            gaps=head["gaps"],
            fail=summary["fail"],
            unknown=summary["unknown"],
            passed=summary["pass"],
            waived=summary["waived"],
            coverage=head["coverage"]["ratio"],
        )
    except FileNotFoundError:
        return KeptRun(directory.name, directory, started, None, 0, 0, 0, 0, 0, 0, 0, 0.0)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(
            f"{directory / RUN_FILE}: cannot be read ({type(error).__name__}: {error})",
            why="the run cannot be shown, and listing without it would hide it.",
            do=f"remove {directory} if nobody needs it.",
        ) from error
