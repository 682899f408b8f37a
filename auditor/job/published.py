"""What the site lists of each run, and the folder of a job in the state directory, where that list and all else of a job is kept."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json
from auditor.errors import SnapshotError
from auditor.report.files import written_whole
from auditor.report.json.values import utc_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

JOBS_FOLDER = "jobs"
"""In the state directory: a folder for each job."""
PUBLISHED_FILE = "published.json"
"""In a job's folder: the runs that its index lists, newest first."""
METRICS_FILE = "metrics.txt"
"""In a job's folder: its latest run that reached verdicts, as OpenMetrics."""
MOST_CLUSTERS = 500
"""Clusters whose failures a run lists, those with most: policy, so that the list of a job's runs stays small."""
NOT_NOTIFIED = frozenset({"changed"})
"""Kinds of change that nobody is notified of: a load moves measured values from day to day."""
_FORMAT = 2
_PAGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PRIVATE = 0o700
_OLD_KINDS = {"new": "new", "mended": "fixed", "unjudged": "newly-unknown"}
"""The counts of drift of format 1, and the kind of change that each is."""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One line of the index."""

    id: str
    started: datetime  # aware, UTC
    finished: datetime
    error: str | None = None  # why there is no verdict; None when the job ended well
    fail: int = 0
    unknown: int = 0
    accepted_unknown: int = 0  # those of `unknown` that gaps make so which somebody answers for
    gaps: int = 0  # accepted ones are not among them
    hosts: int = 0
    coverage: float = 0.0  # 0 to 1
    changes: Mapping[str, int] | None = None  # by kind of change; None without an earlier run to compare with
    compared_with: str | None = None  # the id of that earlier run
    changed_text: str = ""  # the counts of `changes` as a sentence
    scope: str = ""  # how much was looked at; "" of a run by an older auditor
    endpoints: Mapping[str, str] = field(default_factory=dict)  # those that were not read whole: name -> what and why
    formats: tuple[str, ...] = ("html",)  # the files that it has
    exit_code: int = 0  # as `auditor audit` would have ended
    by_severity: Mapping[str, int] = field(default_factory=dict)  # failures; empty of a run by an older auditor
    rules: Mapping[str, int] = field(default_factory=dict)  # failures by rule; likewise
    clusters: Mapping[str, int] | None = None  # failures by "cluster (vCenter)", at most MOST_CLUSTERS; None: not kept
    word: str = ""  # the result in a word or two, of one that is clean; "" of any other, and of a run by an older auditor

    @property
    def page(self) -> str:
        """The file name of its page."""
        return f"{self.id}.html"

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all its files."""
        return tuple(f"{self.id}.{one}" for one in self.formats)

    @property
    def changes_page(self) -> str | None:
        """The file name of the page that lists what changed; None where there is none."""
        return f"{self.id}.changes.html" if "changes.html" in self.formats else None

    @property
    def state(self) -> str:
        """The state that the index shows: failed, drift, incomplete or clean."""
        if self.error is not None:
            return "failed"
        incomplete = self.unknown > self.accepted_unknown or self.gaps or not self.coverage
        return "drift" if self.fail else "incomplete" if incomplete else "clean"

    @property
    def has_verdicts(self) -> bool:
        """Whether it judged anything: where no endpoint answered, an audit ends well and knows nothing."""
        return self.error is None and self.coverage > 0

    @property
    def changed(self) -> bool:
        """Whether anything changed that people are notified of, since the run that it was compared with."""
        return any(number for kind, number in (self.changes or {}).items() if kind not in NOT_NOTIFIED)


def job_folder(state: Path, name: str, publish: Path) -> Path:
    """The folder of a job in the state directory, made if need be, for this account only.

    Two jobs of one name that publish to different folders have folders of their own.
    """
    digest = hashlib.sha256(str(publish.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    folder = state / JOBS_FOLDER / f"{name}-{digest}"
    folder.parent.mkdir(mode=_PRIVATE, exist_ok=True)
    folder.mkdir(mode=_PRIVATE, exist_ok=True)
    return folder


def published_runs(folder: Path) -> list[PublishedRun]:
    """The runs that the index of a job lists, newest first; `folder` is the job's own in the state directory.

    Raises:
        SnapshotError: the list exists and cannot be read.
    """
    return _runs_in(folder / PUBLISHED_FILE)


def take_over_old_list(folder: Path, publish: Path) -> None:
    """Move what an older auditor kept among the pages into the job's folder `folder`.

    Raises:
        SnapshotError: the old list cannot be read.
        ConfigurationError: the job's folder cannot be written.
    """
    old = publish / "runs.json"
    if old.is_file() and not (folder / PUBLISHED_FILE).exists():
        save_published(folder, _runs_in(old))
    for name in ("runs.json", ".failing", ".lock"):
        (publish / name).unlink(missing_ok=True)


def save_published(folder: Path, runs: Sequence[PublishedRun]) -> None:
    """Keep `runs`, newest first, as what the index lists."""
    with written_whole(folder / PUBLISHED_FILE, mode=0o600) as out:
        json.dump({"schema_version": _FORMAT, "runs": [run_record(run) for run in runs]}, out, indent=1)


def run_record(run: PublishedRun) -> dict[str, Any]:
    """One run as JSON has it."""
    return {**asdict(run), "started": utc_text(run.started), "finished": utc_text(run.finished)}


def run_of(record: Mapping[str, Any]) -> PublishedRun:
    """The run of a record, also of an older one.

    Raises:
        KeyError, TypeError, ValueError: it is none, or its id could lead to another folder.
    """
    known = {one.name for one in fields(PublishedRun)}
    values = {name: value for name, value in record.items() if name in known}
    values |= {name: datetime.fromisoformat(record[name]) for name in ("started", "finished")}
    if (drift := record.get("drift")) is not None:
        values["changes"] = {kind: drift[name] for name, kind in _OLD_KINDS.items()}
    values["formats"] = tuple(record.get("formats", ("html",)))
    run = PublishedRun(**values)
    for name in run.files:
        checked(name)
    return run


def checked(name: str) -> str:
    """`name`, which is the name of a file of a run.

    Raises:
        ValueError: it could lead to another folder.
    """
    if not _PAGE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a page")
    return name


def _runs_in(path: Path) -> list[PublishedRun]:
    try:
        index = read_json(path)
        return [run_of(run) for run in index["runs"]]
    except FileNotFoundError:
        return []
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotError(
            f"{path}: cannot be read ({type(error).__name__}: {error})",
            why="the index would lose the earlier runs, and nothing could be compared with them.",
            do=f"move {path} away to begin a new index, or publish into another folder.",
        ) from error
