"""Makes one run of a job: publishes it, lets what changed wait for its targets, and counts it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.history.runs import new_run_id
from auditor.job.folder_lock import only_publisher
from auditor.job.notices import notice_of
from auditor.job.progress import save_progress
from auditor.job.published import PublishedRun, published_runs
from auditor.job.runs import Failed, Published
from auditor.job.site.calendar import trend_points
from auditor.job.site.publishing import Site, prepare, publish_failure, publish_index, write_overview
from auditor.job.wording import result_text
from auditor.report.files import sweep
from auditor.report.wording import lasted

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from auditor.job.clock import Clock
    from auditor.job.entries import Entry
    from auditor.job.job_status import JobStatuses
    from auditor.job.jobs_file import Job, Jobs
    from auditor.job.notices import Notifier
    from auditor.job.progress import Progress
    from auditor.job.runs import Ended, Runner
    from auditor.job.stopping import StopRequest
    from auditor.job.timing import Due

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempts:
    """What making a run takes: as the attributes of a `Schedule`."""

    jobs: Jobs
    state: Path
    run: Runner
    notifier: Notifier
    clock: Clock
    statuses: JobStatuses

    def attempt(self, entry: Entry, due: Due | None, stop: StopRequest) -> Ended:
        """Make one run, publish it, and let what changed wait for its targets."""
        job, site = entry.job, entry.site
        prepare(site.folder)  # somebody may have removed it
        with only_publisher(site):
            sweep(site.folder)
            earlier = published_runs(site.state)
            began = self.clock.now()
            self.statuses.update(job.name, running_since=began)
            if due is not None and due.is_catch_up:
                log.warning("job %s: makes up for the run of %s", job.name, due.planned, extra={"about": {"job": job.name}})
            before = next((run.id for run in earlier if run.error is None), None)
            with stop.interruptible():
                ended = self.run(job, site, self.state, before)
            run = ended.run if isinstance(ended, Published) else self._failed(site, began, ended)
            done = self.dealt_with(entry, due, failed=isinstance(ended, Failed), save=False)
            problems = self.notifier.problems([target.name for target in job.notify])
            runs = publish_index(site, run, now=self.clock.now(), next_due=entry.next_due(self.clock.now()), problems=problems)
            save_progress(site.state, done)
        judged = next((one for one in runs if one.has_verdicts), None)
        previous, unpublished = next(iter(earlier), None), self.statuses.by_job[job.name].unpublished
        if unpublished:  # people were notified of it: they are notified that it is over
            previous = replace(previous or run, error=unpublished)
        shown = {"last": run, "last_judged": judged, "trend": tuple(trend_points(runs)), "next_due": entry.next_due(self.clock.now())}
        self.statuses.update(job.name, running_since=None, progress=done, unpublished="", **shown)
        _log_run(job, run)
        highlights, screen = (ended.highlights, ended.screen) if isinstance(ended, Published) else ((), "")
        notice = notice_of(job.name, previous, run, highlights, site.url, screen)
        if notice is not None:
            self.notifier.add(notice, [target.name for target in job.notify])
        self.write_overview()
        return ended

    def _failed(self, site: Site, began: datetime, ended: Failed) -> PublishedRun:
        run = PublishedRun(new_run_id(began), began, self.clock.now(), error=ended.error.what)
        return publish_failure(site, run, [("what", ended.error.what), ("why", ended.error.why), ("do", ended.error.do)])

    def dealt_with(self, entry: Entry, due: Due | None, *, failed: bool, save: bool = True) -> Progress:
        """Count a run, and the times for which none was made: those missed before it, and those that came due while it ran."""
        progress = self.statuses.by_job[entry.job.name].progress
        now = self.clock.now()
        missed = 0
        if due is not None and entry.timing is not None:
            missed = entry.timing.missed(entry.done, due)
            meanwhile = entry.timing.after(due.planned)
            if meanwhile is not None and meanwhile <= now:
                text = "job %s: a run that came due meanwhile is left out: runs do not overlap, and the next is made at its time"
                log.warning(text, entry.job.name, extra={"about": {"job": entry.job.name}})
                missed += 1
            entry.done = max(due.planned, now)
        elif entry.timing is not None:
            entry.done = now
        progress = replace(
            progress,
            done=entry.done,
            ended_well=progress.ended_well + (not failed),
            failed=progress.failed + failed,
            missed=progress.missed + missed,
        )
        if save:
            self.statuses.update(entry.job.name, progress=progress)
            save_progress(entry.site.state, progress)
        return progress

    def write_overview(self) -> None:
        """Write the page of all jobs, where there is one; that it could not be written is logged."""
        if self.jobs.site is None:
            return
        try:
            write_overview(self.jobs, self.statuses)
        except (AuditorError, OSError) as error:  # the pages of the job are there
            log.error("the page of all jobs was not written: %s", setback(error).what)


def setback(error: AuditorError | OSError) -> AuditorError:
    """What is reported of a run that was not published; the operating system's errors get a cause and a remedy."""
    if isinstance(error, AuditorError):
        return error
    what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return AuditorError(what, why="the pages of this run are not there.", do="look at the disk and at the permissions of the folder.")


def _log_run(job: Job, run: PublishedRun) -> None:
    """One line for each endpoint that was not read whole, and one for the run."""
    about = {"job": job.name, "run": run.id}
    for endpoint, text in run.endpoints.items():
        log.warning("job %s: endpoint %s: %s", job.name, endpoint, text, extra={"about": {**about, "endpoint": endpoint}})
    counts = {"state": run.state, "fail": run.fail, "unknown": run.unknown, "gaps": run.gaps}
    changed = f"; {run.changed_text}" if run.changed_text else ""
    level = logging.ERROR if run.error is not None else logging.INFO
    took = lasted(run.started, run.finished)
    extra = {"about": {**about, **counts}}
    log.log(level, "job %s: run %s in %s: %s%s", job.name, run.id, took, result_text(run), changed, extra=extra)
