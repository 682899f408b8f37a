"""A kept run as its small file `run.json` has it: when, of what, how it ended, and what could not be read."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json
from auditor.errors import SnapshotError
from auditor.facts.snapshots.manifest import MANIFEST
from auditor.history.folders import BASELINE_FILE, FINDINGS_FILE, REPORT_FILE, RUN_FILE, RUNS_FOLDER, SETTINGS_FILE, last_snapshot
from auditor.history.run_names import RUN_ID
from auditor.history.working_copy import fetch
from auditor.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from auditor.model import Report
    from auditor.model.scope import Scope

_WRITTEN = frozenset({Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED})


@dataclass(frozen=True, slots=True)
class KeptEndpoint:
    """An endpoint of a kept run."""

    name: str
    kind: str
    identity: str | None  # who it said it is; None: not known
    answered: bool  # False: it never did
    complete: bool  # False: there is a gap


@dataclass(frozen=True, slots=True)
class Unread:
    """Topics that were not read whole."""

    endpoint: str
    host: str | None  # its name; None: topics of the endpoint itself
    topics: tuple[str, ...]  # sorted


@dataclass(frozen=True, slots=True)
class KeptAlong:
    """What is kept of a run besides its report.

    Attributes:
        unread: what its snapshot does not have; None: not known, as of an older auditor.
        basis: digests of what it was judged by, as in `Basis`: rules, params, waivers, baseline; {} where they are not known.
        fleet_file: the absolute path of the fleet.yaml that it read; "": a saved snapshot, an older auditor, or no file that stays.
        again: the words of the command that audits the same again, where it is not `auditor audit` with the fleet's file; (): it is, or
            an older auditor kept the run.
    """

    unread: tuple[Unread, ...] | None = None
    basis: Mapping[str, str] = field(default_factory=dict)
    is_demo: bool = False  # of the simulated fleet of `auditor demo`
    fleet_file: str = ""
    again: tuple[str, ...] = ()


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
    scope: Scope | None = None  # None: unfinished, or of an older auditor
    by_severity: Mapping[str, int] = field(default_factory=dict)  # failures
    listed: tuple[KeptEndpoint, ...] = ()  # `endpoints` of them
    along: KeptAlong = KeptAlong()
    wrote: int | None = None  # changes that it made; None: not known, as of an older auditor
    compared: Mapping[str, Any] | None = None  # as in a JSON report; None: it was compared with none
    exit_code: int | None = None  # None: not known: an older auditor, or called from Python
    waited_seconds: float | None = None  # as of a Run

    @property
    def report(self) -> Path:
        """The JSON report of a finished run that has one, for `auditor.report.json.reading.load_report`; see `report_of_run`."""
        fetch(self.directory, _is_of_report)
        return self.directory / REPORT_FILE

    @property
    def snapshot(self) -> Path | None:
        """The snapshot of the last state that it read; None where it judged a saved one."""
        fetch(self.directory, lambda name: not _is_of_report(name))
        return last_snapshot(self.directory)

    @property
    def baseline(self) -> Path | None:
        """The table `baseline` of that snapshot, with that of declared settings beside it; None where there is none."""
        fetch(self.directory, lambda name: name.endswith((f"/{BASELINE_FILE}", f"/{SETTINGS_FILE}", f"/{MANIFEST}")))
        folder = last_snapshot(self.directory)
        file = None if folder is None else folder / BASELINE_FILE
        return file if file is not None and file.exists() else None

    @property
    def findings(self) -> Path | None:
        """Its verdicts as columns; None where it has none."""
        fetch(self.directory, _is_of_report)
        path = self.directory / FINDINGS_FILE
        return path if path.exists() else None


def _is_of_report(name: str) -> bool:
    """Whether a file of a run, by its name in it, is of what the run reports, instead of what it read."""
    return "/" not in name


def head_of(report: Report, along: KeptAlong) -> dict[str, Any]:
    """What `run.json` holds of a run that reports `report`: little, whatever the fleet's size, so that a thousand are listed quickly."""
    from auditor.report.json.report import compared_object, coverage_object, run_object, scope_object, summary_object

    return {
        # When each host of an incremental audit was read stands in the report alone.
        "run": run_object(replace(report.run, read=())),
        "coverage": coverage_object(report.summary),
        "summary": summary_object(report.summary),
        "gaps": len(report.gaps),
        "scope": scope_object(report.scope),
        "unread": None if along.unread is None else [asdict(one) for one in along.unread],
        "basis": dict(along.basis),
        "fleet_file": along.fleet_file,
        "compared": compared_object(report.compared),
        "wrote": sum(receipt.outcome in _WRITTEN for receipt in report.receipts),
        **({"demo": True} if along.is_demo else {}),
        **({"again": list(along.again)} if along.again else {}),
    }


def kept_of(directory: Path, head: Mapping[str, Any]) -> KeptRun:
    """The finished run of `directory` whose `run.json` holds `head`; fields that an older auditor did not write are not known.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or has another type.
    """
    from auditor.report.json.reading import scope_of

    summary, run, unread = head["summary"], head["run"], head.get("unread")
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
        scope=scope_of(head.get("scope")),
        by_severity=summary.get("by_severity", {}),
        listed=tuple(
            KeptEndpoint(one["name"], one["kind"], one.get("identity"), one["version"] is not None, one["complete"])
            for one in run["endpoints"]
        ),
        along=KeptAlong(
            None if unread is None else tuple(Unread(one["endpoint"], one["host"], tuple(one["topics"])) for one in unread),
            head.get("basis", {}),
            bool(head.get("demo", False)),
            head.get("fleet_file", ""),
            tuple(head.get("again", ())),
        ),
        wrote=head.get("wrote"),
        compared=head.get("compared"),
        exit_code=head.get("exit_code"),
        waited_seconds=run.get("waited_seconds"),
    )


def list_runs(state: Path) -> tuple[KeptRun, ...]:
    """Every kept run, newest first, unfinished ones too.

    Raises:
        SnapshotError: a run's file is there and cannot be read.
    """
    folder = state / RUNS_FOLDER
    names = sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), reverse=True) if folder.is_dir() else []
    return tuple(read_kept(folder / name) for name in names if RUN_ID.fullmatch(name))


def read_kept(directory: Path) -> KeptRun:
    """The run of a directory, finished or not.

    Raises:
        SnapshotError: its file is there and cannot be read.
    """
    started = datetime.strptime(directory.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    try:
        return kept_of(directory, read_json(directory / RUN_FILE))
    except FileNotFoundError:
        return KeptRun(directory.name, directory, started, None, 0, 0, 0, 0, 0, 0, 0, 0.0)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(
            f"{directory / RUN_FILE}: cannot be read ({type(error).__name__}: {error})",
            why="the run cannot be shown, and listing without it would hide it.",
            do=f"remove {directory} if nobody needs it.",
        ) from error
