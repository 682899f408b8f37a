"""The compliance job: makes the runs of all jobs by the clock, one after another, publishes each, and says what changed.

Runs of one schedule never overlap: a job that comes due while another one runs waits for its turn. So the load on endpoints and memory is
that of one audit, and two runs never undo the same unconfirmed changes. Schedules of different processes may share a state directory.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.job.attempts import Attempts, setback
from auditor.job.clock import Clock, SystemClock
from auditor.job.entries import Entry, entry_of, keep_apart
from auditor.job.folder_lock import only_publisher
from auditor.job.job_status import JobStatus, JobStatuses
from auditor.job.notices import Notice, Notifier
from auditor.job.progress import load_progress, save_progress
from auditor.job.published import JOBS_FOLDER, published_runs
from auditor.job.runs import Failed
from auditor.job.site.calendar import trend_points
from auditor.job.site.publishing import prepare, publish_index
from auditor.job.stopping import Stop, stopping
from auditor.job.timing import LATE
from auditor.stopping import note
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.job.jobs_file import Jobs
    from auditor.job.runs import Ended, Runner
    from auditor.job.stopping import StopRequest
    from auditor.job.timing import Due

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Schedule:
    """The jobs of one process.

    Attributes:
        jobs: what is run.
        state: the state directory.
        run: makes one run.
        notifier: says what changed.
        clock: the time.
        statuses: how the jobs are, for the server.
    """

    jobs: Jobs
    state: Path
    run: Runner
    notifier: Notifier
    clock: Clock = field(default_factory=SystemClock)
    statuses: JobStatuses = field(default_factory=JobStatuses)
    _attempts: Attempts = field(init=False)
    _entries: list[Entry] = field(init=False)
    _busy_since: datetime | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Check all that can be checked before the first run.

        Raises:
            ConfigurationError: a cron expression or time zone is wrong, or a published folder cannot be written.
            SnapshotError: what a job remembers cannot be read.
        """
        self._attempts = Attempts(self.jobs, self.state, self.run, self.notifier, self.clock, self.statuses)
        self._entries = []
        for job in self.jobs.jobs:
            entry = entry_of(job, self.state, self.jobs.url_of(job), self.clock.now())
            self._entries.append(entry)
            self._show(entry)
        if self.jobs.site is not None:
            keep_apart(self.jobs.site, self.state)
            prepare(self.jobs.site)

    def _show(self, entry: Entry) -> None:
        """Show how a job is before its first run."""
        runs, progress = published_runs(entry.site.state), load_progress(entry.site.state)
        judged = next((run for run in runs if run.has_verdicts), None)
        problems = tuple(self.notifier.problems([target.name for target in entry.job.notify]))
        timeout = timedelta(seconds=entry.job.timeout_seconds)
        self.statuses.by_job[entry.job.name] = JobStatus(
            timeout, next(iter(runs), None), judged, progress=progress, problems=problems, trend=tuple(trend_points(runs))
        )

    def once(self) -> list[Ended]:
        """Run every job now, one after another; how each ended, also where it could not be published. Call it from the main thread.

        Raises:
            KeyboardInterrupt: stopped before the end; the run that was made is not published.
        """
        with stopping() as stop:
            try:
                ended: list[Ended] = []
                for entry in self._entries:
                    self.statuses.seen = self.clock.now()
                    try:
                        ended.append(self._attempts.attempt(entry, None, stop))
                    except (AuditorError, OSError) as raised:  # the other jobs are run all the same
                        error = setback(raised)
                        log.error("job %s: nothing was published: %s", entry.job.name, error.what, extra={"about": {"job": entry.job.name}})
                        ended.append(Failed(error))
                with stop.interruptible():
                    self.notifier.flush(self.clock.now())
            except Stop:
                if stop.number is not None:
                    note(stop.number)
                raise KeyboardInterrupt from None
            return ended

    def serve(self, *, at_start: bool = False) -> None:
        """Run every job at its times until SIGTERM or SIGINT comes, which break off a run where it stands. Call it from the main thread.

        Args:
            at_start: run every job now as well, not only by the clock.
        """
        with stopping() as stop, suppress(Stop):
            self._begin()
            for entry in self._entries if at_start else ():
                self._attempt_logged(entry, None, stop)
            while self._step(stop):
                pass
        log.info("stopped")

    def _begin(self) -> None:
        """Remember when a job was first scheduled, so that its first run can be missed, and show what has not run yet."""
        for entry in self._entries:
            if self.statuses.by_job[entry.job.name].progress.done is None:
                progress = replace(self.statuses.by_job[entry.job.name].progress, done=entry.done)
                self.statuses.update(entry.job.name, progress=progress)
                try:
                    save_progress(entry.site.state, progress)
                except AuditorError as error:
                    log.error("job %s: how far it is was not kept: %s", entry.job.name, error.what)
        self._attempts.write_overview()

    def folders(self) -> dict[str, Path]:
        """By the job's name, its folder in the state directory."""
        return {entry.job.name: entry.site.state for entry in self._entries}

    def roots(self) -> dict[str, Path]:
        """The folder of pages under each first part of an address: a single job is the whole site."""
        if self.jobs.site is None and len(self._entries) == 1:
            return {"": self._entries[0].site.folder}
        top = {} if self.jobs.site is None else {"": self.jobs.site}
        return top | {entry.job.name: entry.site.folder for entry in self._entries}

    def _step(self, stop: StopRequest) -> bool:
        """Make the run that is due, or wait a while; False where nothing is ever due again."""
        now = self.clock.now()
        self.statuses.seen = now
        found: list[tuple[Due, Entry]] = []
        for entry in self._entries:
            if entry.done > now + LATE:  # a clock that was far ahead would keep the job from running until then
                entry.done = now
            due = None if entry.timing is None else entry.timing.next_due(entry.done, now, self._busy_since)
            self.statuses.update(entry.job.name, next_due=None if due is None else due.begin)
            if due is not None:
                found.append((due, entry))
        if not found:
            return False
        due, entry = min(found, key=lambda one: one[0].begin)
        if due.begin <= now:
            self._attempt_logged(entry, due, stop)
            return True
        self._busy_since = None
        self._notify(now, stop)
        moments = [
            due.begin,
            now + timedelta(seconds=self.clock.look_seconds),
            *([self.notifier.next_due()] if self.notifier.next_due() else []),
        ]
        with stop.interruptible():
            self.clock.sleep(max(0.01, (min(one for one in moments if one is not None) - now).total_seconds()))
        return True

    def _attempt_logged(self, entry: Entry, due: Due | None, stop: StopRequest) -> None:
        """Make one run; one that cannot be published is logged and notified of, and the schedule goes on, also with a full disk."""
        began = self.clock.now()
        self._busy_since = self._busy_since or began
        try:
            self._attempts.attempt(entry, due, stop)
        except (AuditorError, OSError) as raised:
            error, about = setback(raised), {"about": {"job": entry.job.name}}
            log.error("job %s: nothing was published: %s", entry.job.name, error, extra=about)
            first = not self.statuses.by_job[entry.job.name].unpublished
            self.statuses.update(entry.job.name, running_since=None, unpublished=f"The last run was not published: {error.what}.")
            try:
                self._attempts.dealt_with(entry, due, failed=True)
            except (AuditorError, OSError) as raised_again:
                log.error("job %s: how far it is was not kept: %s", entry.job.name, setback(raised_again).what, extra=about)
            if first:
                notice = Notice("failure", f"{entry.job.name}: the audit was not published", error.what)
                self.notifier.add(notice, [target.name for target in entry.job.notify])
        now = self.clock.now()
        self.statuses.seen = self.statuses.free_since = now  # a long run, and what waited for it, are not late while people are notified
        self.statuses.update(entry.job.name, next_due=entry.next_due(self.clock.now()))
        self._notify(now, stop)

    def _notify(self, now: datetime, stop: StopRequest) -> None:
        """Say what waits, and let the pages show which targets do not take it. A signal ends it: what was not taken still waits."""
        moment = self.notifier.next_due()
        if moment is None or moment > now:
            return
        with stop.interruptible():
            self.notifier.flush(now)
        for entry in self._entries:
            problems = tuple(self.notifier.problems([target.name for target in entry.job.notify]))
            if problems != self.statuses.by_job[entry.job.name].problems:
                self.statuses.update(entry.job.name, problems=problems)
                try:
                    with only_publisher(entry.site):
                        publish_index(entry.site, None, now=now, next_due=entry.next_due(self.clock.now()), problems=problems)
                except (AuditorError, OSError) as error:
                    log.error("job %s: the index was not written: %s", entry.job.name, setback(error).what)


def schedule_of(jobs: Jobs, state: Path, run: Runner, clock: Clock | None = None) -> Schedule:
    """The schedule of `jobs`, which notifies by apprise.

    Raises:
        ConfigurationError, SnapshotError: as `Schedule`.
    """
    from auditor.job.notice_sending import send_notice

    targets = {target.name: target for job in jobs.jobs for target in job.notify}
    folder = state / JOBS_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return Schedule(jobs, state, run, Notifier(folder, targets, send_notice), clock or SystemClock())


def started_text(jobs: Jobs) -> str:
    """A line that says what was scheduled."""
    return f"scheduled: {count_of(len(jobs.jobs), 'job')}: {', '.join(job.name for job in jobs.jobs)}"
