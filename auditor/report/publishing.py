"""Publishes the pages of the scheduled job: one for each run, the latest, and an index with the drift between runs."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.errors import SnapshotError
from auditor.model import Verdict
from auditor.report.files import written_whole
from auditor.report.json_report import utc_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auditor.model import Finding, Report

RUNS_FILE = "runs.json"
_FAILING_FILE = ".failing"
_FORMAT = 1
_PAGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed since the previous run that reached verdicts."""

    new: int  # failures that were not failures then
    fixed: int  # failures then that now pass, are waived or no longer apply
    unjudged: int  # failures then that are unknown now, or whose resource was not seen


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One line of the index."""

    id: str
    started: datetime  # aware, UTC
    finished: datetime
    error: str | None = None  # why there is no verdict; None when the job ended well
    fail: int = 0
    unknown: int = 0
    gaps: int = 0
    hosts: int = 0
    coverage: float = 0.0  # 0 to 1
    drift: Drift | None = None  # None without a previous run to compare with

    @property
    def page(self) -> str:
        """The file name of its page."""
        return f"{self.id}.html"

    @property
    def state(self) -> str:
        """The state that the index shows: failed, drift, incomplete or clean."""
        if self.error is not None:
            return "failed"
        incomplete = self.unknown or self.gaps or not self.coverage
        return "drift" if self.fail else "incomplete" if incomplete else "clean"


def publish_report(folder: Path, report: Report, *, keep: int, next_due: datetime | None) -> PublishedRun:
    """Publish the page of `report`, the latest page and the index; each file is written completely or not at all.

    Args:
        folder: where to write the pages; the caller makes sure that no other process writes there.
        report: the run.
        keep: how many runs stay; the pages of older ones are removed.
        next_due: when the next run is due; None when it is not known.

    Raises:
        ConfigurationError: the folder cannot be written.
        SnapshotError: the list of published runs cannot be read.
    """
    from auditor.report.html_report import write_html

    runs = published_runs(folder)
    before = _failing_before(folder) if any(run.error is None for run in runs) else None
    drift, failing = _compare(report, before or set())
    run = PublishedRun(
        id=report.run.id,
        started=report.run.started,
        finished=report.run.finished,
        fail=report.summary.fail,
        unknown=report.summary.unknown,
        gaps=len(report.gaps),
        hosts=report.run.hosts,
        coverage=report.summary.coverage,
        drift=drift if before is not None else None,
    )
    with written_whole(folder / _checked(run.page)) as out:
        write_html(report, out)
    _become_latest(folder, run)
    with written_whole(folder / _FAILING_FILE) as out:
        out.writelines(f"{key:016x}\n" for key in failing)
    _publish_index(folder, [run, *runs], keep, next_due)
    return run


def publish_failure(
    folder: Path, run: PublishedRun, details: Sequence[tuple[str, str]], *, keep: int, next_due: datetime | None
) -> PublishedRun:
    """Publish that a run reached no verdict, so that nobody mistakes an older page for the current one.

    Args:
        folder: as in `publish_report`.
        run: with its `error`.
        details: label and text of each thing that is known about the failure.
        keep: as in `publish_report`.
        next_due: as in `publish_report`.

    Raises:
        ConfigurationError: the folder cannot be written.
        SnapshotError: the list of published runs cannot be read.
    """
    from auditor.report.pages import write_page

    runs = published_runs(folder)
    last_good = next((one for one in runs if one.error is None), None)
    with written_whole(folder / _checked(run.page)) as out:
        write_page("failed.html.j2", {"run": run, "details": details, "last_good": last_good}, out)
    _become_latest(folder, run)
    _publish_index(folder, [run, *runs], keep, next_due)
    return run


def published_runs(folder: Path) -> list[PublishedRun]:
    """The runs that the index of `folder` lists, newest first.

    Raises:
        SnapshotError: the list exists and cannot be read.
    """
    path = folder / RUNS_FILE
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        return [_run(run) for run in index["runs"]]
    except FileNotFoundError:
        return []
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SnapshotError(
            f"{path}: cannot be read ({type(error).__name__}: {error})",
            why="the index would lose the earlier runs, and drift could not be computed.",
            do=f"move {path} away to begin a new index, or publish into another folder.",
        ) from error


def _run(record: dict[str, Any]) -> PublishedRun:
    moments = {name: datetime.fromisoformat(record[name]) for name in ("started", "finished")}
    drift = record["drift"]
    run = PublishedRun(**{**record, **moments, "drift": Drift(drift["new"], drift["mended"], drift["unjudged"]) if drift else None})
    _checked(run.page)
    return run


def _record(run: PublishedRun) -> dict[str, Any]:
    """One run as the list of runs holds it; `mended` is the name of `Drift.fixed` there."""
    drift = run.drift and {"new": run.drift.new, "mended": run.drift.fixed, "unjudged": run.drift.unjudged}
    return {**asdict(run), "started": utc_text(run.started), "finished": utc_text(run.finished), "drift": drift}


def _checked(page: str) -> str:
    if not _PAGE_NAME.fullmatch(page):
        raise ValueError(f"{page!r} is not the name of a page")
    return page


def _become_latest(folder: Path, run: PublishedRun) -> None:
    with (folder / run.page).open(encoding="utf-8") as page, written_whole(folder / "latest.html") as out:
        shutil.copyfileobj(page, out, 1 << 20)


def _publish_index(folder: Path, runs: list[PublishedRun], keep: int, next_due: datetime | None) -> None:
    from auditor.report.pages import write_page

    listed, dropped = runs[:keep], runs[keep:]
    with written_whole(folder / RUNS_FILE) as out:
        json.dump({"schema_version": _FORMAT, "runs": [_record(run) for run in listed]}, out, indent=1)
    with written_whole(folder / "index.html") as out:
        write_page("index.html.j2", {"runs": listed, "next_due": next_due}, out, script="index.js")
    for run in dropped:
        (folder / run.page).unlink(missing_ok=True)


def _compare(report: Report, before: set[int]) -> tuple[Drift, set[int]]:
    """The drift since the failures `before`, and the failures to compare the next run with.

    A failure that could not be judged this time stays in the set, so that it is not new when its host answers again. One whose resource
    is gone although everything was read leaves the set.
    """
    failing: set[int] = set()
    settled: set[int] = set()
    unknown: set[int] = set()
    for finding in report.findings():
        if finding.verdict is Verdict.FAIL:
            failing.add(_key(finding))
        elif before and (key := _key(finding)) in before:
            (unknown if _is_unjudged(finding) else settled).add(key)
    unjudged = before - failing - settled
    return Drift(len(failing - before), len(settled - failing), len(unjudged)), failing | (unjudged if report.gaps else unknown - failing)


def _is_unjudged(finding: Finding) -> bool:
    waived_from = (finding.waiver or {}).get("verdict")
    return finding.verdict is Verdict.UNKNOWN or waived_from == Verdict.UNKNOWN


def _key(finding: Finding) -> int:
    resource = finding.resource
    named = f"{finding.rule}\0{resource.endpoint}\0{resource.kind}\0{resource.id}"
    return int.from_bytes(hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _failing_before(folder: Path) -> set[int] | None:
    try:
        with (folder / _FAILING_FILE).open(encoding="ascii") as lines:
            return {int(line, 16) for line in lines}
    except (OSError, ValueError):
        return None  # the index then shows that there is nothing to compare with
