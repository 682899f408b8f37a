"""Publishes the site of a job: the files of each run, a page of what changed, the latest page, a feed, and the index with its calendar.

Order is what keeps the site whole when this process is killed: the files of a run first, then what leads to them, the index last, and only
then are files removed that no page leads to any more. Each file appears completely or not at all. The list that the index is made from lies
in the job's folder of the state directory; nothing but pages lies in the published folder.
"""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError
from auditor.job.published import METRICS_FILE, checked, published_runs, save_published
from auditor.job.site.calendar import trend_points, weeks_of
from auditor.job.site.feed import FEED_FILE, write_feed
from auditor.job.site.worse import searched, worse_clusters
from auditor.job.wording import STATE_WORDS, result_text, word_of
from auditor.model import Severity, Verdict
from auditor.model.comparison import WORDS, ChangeKind
from auditor.report import writer_of
from auditor.report.files import sweep, written_whole
from auditor.report.html.changes import KIND_LOOKS
from auditor.report.json.values import utc_text
from auditor.report.messages import message_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from auditor.job.job_status import JobStatuses
    from auditor.job.jobs_file import Jobs
    from auditor.job.published import PublishedRun
    from auditor.model import Finding, Report
    from auditor.model.comparison import ChangedFinding, Comparison

INDEX_FILE = "index.html"
LATEST_FILE = "latest.html"
TREND_FILE = "trend.csv"
CHANGES_LISTED = 2_000
"""Changes that the page of a run lists; it says how many were left out."""
_FORMATS = ("html", "json", "csv")
_RUN_FILE = re.compile(r"(?P<run>\d{8}T\d{6}Z-[0-9a-f]{4})(?:\.changes)?\.(?:html|json|csv)")
_LOOKS = {"failed": "bad", "drift": "bad", "incomplete": "warn", "clean": "good"}
KIND_TITLES: Mapping[str, str] = {
    ChangeKind.NEW: "New failures",
    ChangeKind.CAME_BACK: "Failures that came back",
    ChangeKind.NEWLY_JUDGED: "Failures that were not judged before",
    ChangeKind.NEWLY_UNKNOWN: "Newly unknown",
    ChangeKind.NO_LONGER_READ: "Failures that are no longer read",
    ChangeKind.FIXED: "Fixed",
    ChangeKind.GONE: "Failures that are gone with their resource",
    ChangeKind.NEWLY_WAIVED: "Newly waived",
    ChangeKind.CHANGED: "Failures with other values",
}
"""The heading of each kind of change, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages of one job go.

    Attributes:
        job: the job's name.
        folder: the published folder; the caller makes sure that no other process writes there.
        state: the job's own folder in the state directory.
        keep: how many runs stay; the files of older ones are removed.
        timezone: the calendar's, an IANA name.
        url: where people open the folder; None: it is not known.
    """

    job: str
    folder: Path
    state: Path
    keep: int
    timezone: str = "UTC"
    url: str | None = None


def publish_report(site: Site, report: Report, run: PublishedRun, changes: Comparison | None = None) -> PublishedRun:
    """Write the files of one run, which nothing leads to yet; `run` with what it was compared with and the files that it has.

    Raises:
        ConfigurationError: the folder cannot be written.
    """
    from auditor.report.html.pages import write_page

    formats: tuple[str, ...] = _FORMATS
    if changes is not None:
        counts = {str(kind): number for kind, number in changes.counts.items()}
        run = replace(run, changes=counts, compared_with=changes.before, changed_text=changes.sentence())
        formats = (*formats, "changes.html")
    run = replace(run, formats=formats)
    for name in _FORMATS:
        with written_whole(site.folder / checked(f"{run.id}.{name}")) as out:
            writer_of(name)(report, out)
    if changes is not None and run.changes_page is not None:
        values = {"run": run, "groups": _groups(changes), "limit": CHANGES_LISTED, "job": site.job, "looks": KIND_LOOKS}
        values |= {"notes": changes.notes}
        with written_whole(site.folder / run.changes_page) as out:
            write_page("changes.html.j2", values, out, styles=("page.css", "index.css"))
    with written_whole(site.state / METRICS_FILE, mode=0o600) as out:
        writer_of("openmetrics")(report, out)
    return run


def publish_failure(site: Site, run: PublishedRun, details: Sequence[tuple[str, str]]) -> PublishedRun:
    """Write the page of a run that reached no verdict, so that nobody mistakes an older page for the current one.

    Args:
        site: where to.
        run: with its `error`.
        details: label and text of each thing that is known about the failure.

    Raises:
        ConfigurationError: the folder cannot be written.
        SnapshotError: the list of published runs cannot be read.
    """
    from auditor.report.html.pages import write_page

    last_good = next((one for one in published_runs(site.state) if one.error is None), None)
    with written_whole(site.folder / checked(run.page)) as out:
        write_page("failed.html.j2", {"run": run, "details": details, "last_good": last_good}, out)
    return run


def publish_index(
    site: Site, run: PublishedRun | None, *, now: datetime, next_due: datetime | None, problems: Sequence[str] = ()
) -> list[PublishedRun]:
    """Let the site lead to the files of `run`, and remove those of runs that are listed no more; the runs that are listed, newest first.

    Args:
        site: where to.
        run: the newest run, whose files are there; None: the index is made anew of the runs that it lists.
        now: the moment, aware.
        next_due: when the next run is due; None when it is not known.
        problems: sentences about the job itself that every reader has to see, for example that a target of notices does not answer.

    Raises:
        ConfigurationError: the folder cannot be written.
        SnapshotError: the list of published runs cannot be read.
    """
    earlier = [one for one in published_runs(site.state) if run is None or one.id != run.id]
    listed = [*([] if run is None else [run]), *earlier][: site.keep]
    if not listed:
        return []
    save_published(site.state, listed)
    _write_latest(site.folder, listed[0])
    with written_whole(site.folder / FEED_FILE) as out:
        write_feed(site.job, listed, out, site.url)
    with written_whole(site.folder / TREND_FILE) as out:
        _write_trend(listed, out)
    _write_index(site, listed, now, next_due, problems)
    _remove_unlisted(site.folder, listed)
    return listed


def _write_latest(folder: Path, run: PublishedRun) -> None:
    with (folder / run.page).open(encoding="utf-8") as page, written_whole(folder / LATEST_FILE) as out:
        shutil.copyfileobj(page, out, 1 << 20)


def _write_index(site: Site, runs: Sequence[PublishedRun], now: datetime, next_due: datetime | None, problems: Sequence[str]) -> None:
    from markupsafe import Markup

    from auditor.report.html.pages import embedded, write_page
    from auditor.report.html.sparkline import severities_sentence, sparkline, trend_sentence

    points = trend_points(runs)
    values = {
        "job": site.job,
        "runs": runs,
        "next_due": next_due,
        "problems": problems,
        "weeks": weeks_of(runs, now, site.timezone),
        "timezone": site.timezone,
        "trend": Markup(sparkline(points)) if len(points) > 1 else None,  # noqa: S704  all of its text is ours
        "trend_text": trend_sentence(points) if len(points) > 1 else "",
        "words": STATE_WORDS,
        "looks": _LOOKS,
        "worse": worse_clusters(runs),
        "searched": embedded(searched(runs)),
        "severities": list(Severity),
        "severities_text": severities_sentence(points) if len(points) > 1 else "",
        "kinds": [(kind.value, WORDS[kind], KIND_LOOKS[kind]) for kind in WORDS],
        "result_text": result_text,
        "word_of": word_of,
    }
    with written_whole(site.folder / INDEX_FILE) as out:
        write_page("index.html.j2", values, out, script="index.js", styles=("page.css", "index.css"))


def _write_trend(runs: Sequence[PublishedRun], out: Any) -> None:
    """Write a line for each run, oldest first, for a spreadsheet."""
    kinds = list(KIND_TITLES)
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(["run", "started", "finished", "state", "fail", "unknown", "gaps", "coverage", "hosts", *kinds])
    for run in reversed(runs):
        judged: list[Any] = [""] * 5 if run.error else [run.fail, run.unknown, run.gaps, run.coverage, run.hosts]
        changed = [""] * len(kinds) if run.changes is None else [run.changes.get(kind, 0) for kind in kinds]
        table.writerow([run.id, utc_text(run.started), utc_text(run.finished), run.state, *judged, *changed])


def _remove_unlisted(folder: Path, listed: Sequence[PublishedRun]) -> None:
    """Remove the files of runs that no page leads to: those that are listed no more, and those of a run that was killed."""
    kept = {name for run in listed for name in run.files}
    for path in folder.iterdir():
        if _RUN_FILE.fullmatch(path.name) and path.name not in kept:
            path.unlink(missing_ok=True)
    sweep(folder)


def _groups(changes: Comparison) -> Iterator[dict[str, Any]]:
    """For each kind of change that there is: its title, how many there are, and the rows that the page lists."""
    rows: dict[str, list[dict[str, str]]] = {}
    for change in islice(changes.listed(), CHANGES_LISTED):
        rows.setdefault(change.kind, []).append(_row(change))
    for kind, title in KIND_TITLES.items():
        count = changes.counts.get(ChangeKind(kind), 0)
        if count:
            shown = rows.get(kind, [])
            yield {"kind": kind, "title": title, "count": count, "rows": shown, "left_out": count - len(shown)}


def _row(change: ChangedFinding) -> dict[str, str]:
    finding, resource = change.finding, change.finding.resource
    place = " · ".join(one for one in (resource.endpoint, resource.cluster, resource.host) if one)
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "name": resource.name,
        "place": place,
        "text": change_text(finding),
        "why": change.why,
    }


def change_text(finding: Finding) -> str:
    """What is wrong, or was; for a verdict without a message, the resource, the title and the verdict."""
    verdict = "unknown" if finding.verdict is Verdict.UNKNOWN else finding.verdict.value.replace("_", " ")
    return message_of(finding) or f"{finding.resource.name}: {finding.title}: {verdict}"


def prepare(folder: Path) -> None:
    """Make the published folder, where need be.

    Raises:
        ConfigurationError: it cannot be made or written.
    """
    import os

    try:
        folder.mkdir(parents=True, exist_ok=True)
        reason = None if os.access(folder, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason is not None:
        raise ConfigurationError(
            f"--publish {folder}: {reason}",
            why="nothing was run: nobody would have seen the result.",
            do="name a folder this account may write to.",
        )


def write_overview(jobs: Jobs, statuses: JobStatuses) -> None:
    """Write the page that lists all jobs into the folder above theirs; jobs that publish elsewhere have no link.

    Raises:
        ConfigurationError: the folder cannot be written.
    """
    from markupsafe import Markup

    from auditor.report.html.pages import write_page
    from auditor.report.html.sparkline import sparkline

    if jobs.site is None:
        return
    rows = []
    for job in jobs.jobs:
        status = statuses.by_job[job.name]
        last, trend = status.last, status.trend
        link = f"{job.name}/index.html" if job.publish == jobs.site / job.name and last is not None else None
        drawn = Markup(sparkline(trend)) if len(trend) > 1 else None  # noqa: S704  all of its text is ours
        row = {"job": job, "last": last, "link": link, "result": None if last is None else result_text(last)}
        rows.append({**row, "trend": drawn, "next_due": status.next_due})
    with written_whole(jobs.site / INDEX_FILE) as out:
        write_page(
            "jobs.html.j2", {"rows": rows, "words": STATE_WORDS, "severities": list(Severity)}, out, styles=("page.css", "index.css")
        )
