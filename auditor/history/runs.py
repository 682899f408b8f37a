"""Kept runs: what each audit read, judged and reported, under the state directory."""

from __future__ import annotations

import difflib
import json
import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError
from auditor.history.folders import FINDINGS_FILE, KEPT_FILE, REPORT_FILE
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import DriftAge, Fix, Report
    from auditor.report.saved_report import FindingKey

RUN_FILE = "run.json"
"""Written last: a run that has none is unfinished."""
_RUN_ID = re.compile(r"(\d{8}T\d{6}Z)-[0-9a-f]{4}")
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


def state_directory(option: Path | None, environment: Mapping[str, str] | None = None, *, to_read: bool = False) -> Path:
    """Where runs and journals are kept, made if need be, for this account's eyes only (mode 0700).

    Args:
        option: ``--state-dir``; None means ``$XDG_STATE_HOME/auditor``, by default ``~/.local/state/auditor``.
        environment: instead of the process's own.
        to_read: nothing will be written; it is not made, and the one that goes without saying need not be there.

    Raises:
        ConfigurationError: it cannot be made or written; or the one that was named is not there to be read.

    Source: XDG Base Directory Specification 0.8: a relative path in the variable is to be ignored.
    """
    home = (os.environ if environment is None else environment).get("XDG_STATE_HOME", "")
    base = Path(home) if Path(home).is_absolute() else Path("~/.local/state").expanduser()
    directory = option.expanduser() if option is not None else base / "auditor"
    if to_read and option is not None and not directory.is_dir():
        raise ConfigurationError(
            f"there is no folder {directory}", why="there is nothing to show.", do="name the folder that audits keep their runs in."
        )
    if to_read:
        return directory
    try:
        directory.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        reason = None if os.access(directory, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason is not None:
        raise ConfigurationError(
            f"cannot keep anything in {directory}: {reason}",
            why="nothing was read or judged: neither the run nor the journal of a fix could have been kept.",
            do="name a folder this account may write to: --state-dir DIR",
        )
    return directory


def new_run_id(now: datetime) -> str:
    """A name for the run that begins at `now` (aware): sortable by time, and its own when two begin in one second."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def run_directory(state: Path, run_id: str) -> Path:
    """Where the run `run_id` is kept; it need not exist.

    Raises:
        ConfigurationError: not a run id, so it could lead anywhere.
    """
    if not _RUN_ID.fullmatch(run_id):
        raise ConfigurationError(
            f'"{run_id}" is not the id of a run',
            why="nothing was read.",
            do="take an id from `auditor runs list`, for example 20261121T065500Z-1a2b.",
        )
    return state / "runs" / run_id


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
    directory: Path, report: Report, fixes: Mapping[FindingKey, Fix] | None = None, since: Mapping[FindingKey, DriftAge] | None = None
) -> None:
    """Finish a run: what it reports, and then the small file that says it is whole.

    Args:
        directory: the run's own.
        report: what it reports.
        fixes: what became of the fix of findings that are not as FINDINGS_FILE has them; all findings stand in that file of the directory.
            None: there is no such file, and every finding is written.
        since: since when failures of drift are there, where that file is.

    Raises:
        ConfigurationError: the disk is full or may not be written; the run stays unfinished.
    """
    from auditor.report.json_report import coverage_object, run_object, summary_object, write_json
    from auditor.report.saved_report import write_saved_report

    with written_whole(directory / (REPORT_FILE if fixes is None else KEPT_FILE), mode=0o600) as out:
        if fixes is None:
            write_json(report, out)
        else:
            write_saved_report(report, fixes, out, since)
    said = {
        "run": run_object(report.run),
        "coverage": coverage_object(report.summary),
        "summary": summary_object(report.summary),
        "gaps": len(report.gaps),
    }
    with written_whole(directory / RUN_FILE, mode=0o600) as out:
        json.dump(said, out, indent=1)


def report_of_run(run: KeptRun) -> Report:
    """What a finished run reported; its findings are read from its files at each pass.

    Raises:
        SnapshotError: its files cannot be read, are torn, or of another version.
    """
    from auditor.engine.verdicts import load_evaluation
    from auditor.report.json_reading import load_report
    from auditor.report.saved_report import load_saved_report

    if run.report.exists():
        return load_report(run.report)
    return load_saved_report(run.directory / KEPT_FILE, load_evaluation(run.directory / FINDINGS_FILE).findings)


def list_runs(state: Path) -> tuple[KeptRun, ...]:
    """Every kept run, newest first, unfinished ones too.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    folder = state / "runs"
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


def _no_run(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="there is nothing to show.", do=do)


def _kept(directory: Path) -> KeptRun:
    started = datetime.strptime(directory.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    try:
        said = json.loads((directory / RUN_FILE).read_text(encoding="utf-8"))
        summary, run = said["summary"], said["run"]
        return KeptRun(
            id=directory.name,
            directory=directory,
            started=datetime.fromisoformat(run["started"]),
            finished=datetime.fromisoformat(run["finished"]),
            hosts=run["hosts"],
            endpoints=len(run["endpoints"]),
            gaps=said["gaps"],
            fail=summary["fail"],
            unknown=summary["unknown"],
            passed=summary["pass"],
            waived=summary["waived"],
            coverage=said["coverage"]["ratio"],
        )
    except FileNotFoundError:
        return KeptRun(directory.name, directory, started, None, 0, 0, 0, 0, 0, 0, 0, 0.0)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(
            f"{directory / RUN_FILE}: cannot be read ({type(error).__name__}: {error})",
            why="the run cannot be shown, and listing without it would hide it.",
            do=f"remove {directory} if nobody needs it.",
        ) from error
