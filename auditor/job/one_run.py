"""Makes one run of a job in this process: undoes what nobody confirmed, audits, and writes the files of the run."""

from __future__ import annotations

import logging
from itertools import islice
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError, StoreError
from auditor.job.published import MOST_CLUSTERS, NOT_NOTIFIED, PublishedRun
from auditor.job.runs import Published
from auditor.job.site.publishing import change_text, publish_report
from auditor.model import Severity, Verdict
from auditor.model.comparison import WORDS
from auditor.report.digest import headline
from auditor.report.verdict_counts import by_rule, fails_by_cluster
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from auditor.job.jobs_file import Job
    from auditor.job.site.publishing import Site
    from auditor.model import Report
    from auditor.model.comparison import Comparison
    from auditor.pipeline.request import AuditRequest


HIGHLIGHTS = 10
"""Changes that a notice names one by one; the others are counted."""
log = logging.getLogger("auditor.job")


def make_run(job: Job, site: Site, state: Path, previous: str | None) -> Published:
    """Audit what `job` names and write the files of the run.

    Args:
        job: what is audited.
        site: where the files go.
        state: the state directory.
        previous: the id of the run to compare with; None: there is none.

    Raises:
        AuditorError: as `audit`, or the files cannot be written.
    """
    from auditor.audit import audit
    from auditor.fleet.loading import load_fleet
    from auditor.history.runs import keep_exit_code
    from auditor.pipeline.confirmation import undo_overdue

    for sentence in undo_overdue(load_fleet(job.fleet), state):
        log.warning(sentence)
    audited = audit(request_of(job, state))
    report = audited.report
    code = audited.exit_code(Severity(job.fail_on), job.min_coverage)
    try:
        keep_exit_code(audited.directory, code)
    except StoreError as error:  # the report is published all the same; the next run sends this one
        log.warning("%s: %s", job.name, error.what)
    run = run_of_report(report, code)
    changes = changes_since(state, previous, report)
    published = Published(publish_report(site, report, run, changes), tuple(highlights(changes)), screen_of(report))
    remove_old_runs(job, state)
    return published


def screen_of(report: Report) -> str:
    """The first screen of `report`, as a file of 100 columns has it."""
    from io import StringIO

    from auditor.report.terminal.first_screen import write_first_screen

    out = StringIO()
    write_first_screen(report, out)
    return out.getvalue()


def remove_old_runs(job: Job, state: Path) -> None:
    """Remove the runs that are beyond the limits of `job`; where that fails it is in the log, and the run stays published."""
    from datetime import UTC, datetime

    from auditor.errors import AuditorError
    from auditor.history.retention import parse_keep, prune, pruned_text

    if not job.keep_runs:
        return
    try:
        pruning = prune(state, parse_keep(job.keep_runs), datetime.now(UTC))
        if pruning.removed:
            log.info("%s: %s", job.name, pruned_text(pruning))
    except AuditorError as error:
        log.warning("%s: kept runs could not be removed: %s", job.name, error.what)


def request_of(job: Job, state: Path) -> AuditRequest:
    """What is requested of the audit of `job`.

    Raises:
        ConfigurationError: `max_age` is no age, or `history` is no span.
    """
    from datetime import UTC, datetime

    from auditor.history.incremental import MAX_AGE, Incremental, parse_max_age
    from auditor.pipeline.history_span import history_span
    from auditor.pipeline.request import AuditRequest

    age = MAX_AGE if job.max_age is None else parse_max_age(job.max_age)
    return AuditRequest(
        fleet=job.fleet,  # by its path: each run reads the file anew
        rules=job.rules,
        only=job.only,
        tags=job.tag,
        exclude=job.exclude,
        severity=None if job.severity is None else Severity(job.severity),
        endpoints=job.endpoint,
        clusters=job.cluster,
        hosts=job.host,
        waivers=job.waivers,
        history=history_span(job.history, None, datetime.now(UTC)),
        incremental=None if job.since is None else Incremental(job.since, age),
        workers=job.workers,
        workers_certificates=job.workers_certificates,
        state=state,
        warn=log.warning,
    )


def run_of_report(report: Report, exit_code: int = 0) -> PublishedRun:
    """What the index lists of `report`, before it is compared with an earlier run."""
    return PublishedRun(
        id=report.run.id,
        started=report.run.started,
        finished=report.run.finished,
        fail=report.summary.fail,
        unknown=report.summary.unknown,
        accepted_unknown=report.summary.accepted_unknown,
        gaps=len(report.open_gaps),
        hosts=report.run.hosts,
        coverage=report.summary.coverage,
        endpoints=_incomplete(report),
        exit_code=exit_code,
        by_severity=dict(report.summary.by_severity),
        rules={rule: counts[Verdict.FAIL] for rule, counts in by_rule(report).items() if counts[Verdict.FAIL]},
        clusters=dict(fails_by_cluster(report).most_common(MOST_CLUSTERS)),
        word=_clean_word(report),
        scope="" if report.scope is None else report.scope.sentence(),
    )


def _clean_word(report: Report) -> str:
    """What was found of what was judged: "no drift", or "4 checks hold"; "" where something fails or was not judged."""
    result = headline(report, 0, 0)
    return result.word.lower() if result.state == "clean" else ""


def _incomplete(report: Report) -> Mapping[str, str]:
    """What could not be read of each endpoint that was not read whole: the first gap, and how many more there are."""
    texts: dict[str, str] = {}
    for endpoint in report.run.endpoints:
        gaps = [gap for gap in report.open_gaps if gap.endpoint == endpoint.name]
        if gaps:
            more = f", and {count_of(len(gaps) - 1, 'more gap')}" if gaps[1:] else ""
            texts[endpoint.name] = f"{gaps[0].what}: {gaps[0].why}{more}"
    return texts


def highlights(changes: Comparison | None) -> Iterator[str]:
    """The first of what changed, a sentence each; fixes only as far as there is room beside what got worse."""
    if changes is None:
        return
    shown = (change for change in changes.listed() if change.kind.value not in NOT_NOTIFIED)
    for change in islice(shown, HIGHLIGHTS):
        finding = change.finding
        yield neutral(f"{WORDS[change.kind]}: [{finding.severity}] {finding.rule}: {change_text(finding)}")


log = logging.getLogger(__name__)


def changes_since(state: Path, earlier: str | None, report: Report) -> Comparison | None:
    """What changed from the run `earlier` to the one of `report`; None where there is no earlier one, or it is not kept any more.

    A job is compared with its own run before, whatever was audited by hand meanwhile.
    """
    from auditor.history.comparison.comparing import compare_runs
    from auditor.history.runs import load_run

    if earlier is None:
        return None
    if report.compared is not None and report.compared.before == earlier:
        return report.compared
    try:
        return compare_runs(load_run(state, earlier), load_run(state, report.run.id))
    except (ConfigurationError, SnapshotError) as error:
        log.warning("run %s cannot be compared with %s: %s", report.run.id, earlier, error.what)
        return None
