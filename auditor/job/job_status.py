"""The status of each job: the schedule writes it, and the server reads it in another thread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from auditor.job.progress import Progress
from auditor.report.json.values import utc_text

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.job.published import PublishedRun
    from auditor.model import TrendPoint

GRACE = timedelta(minutes=5)
"""A job is overdue, and a run is hung, when it is later than it may be by this much."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How one job is.

    Attributes:
        timeout: how long a run may last.
        last: its newest published run; None: there is none.
        last_judged: its newest run that reached verdicts.
        next_due: when the next run begins; None: never.
        running_since: None: it is not running.
        progress: how its runs ended so far.
        problems: sentences about notices that are not delivered.
        trend: what its runs found, oldest first.
        unpublished: why the last run could not be published; "" where it was.
    """

    timeout: timedelta
    last: PublishedRun | None = None
    last_judged: PublishedRun | None = None
    next_due: datetime | None = None
    running_since: datetime | None = None
    progress: Progress = Progress()  # noqa: RUF009  frozen, so one for all is fine
    problems: tuple[str, ...] = ()
    trend: tuple[TrendPoint, ...] = ()
    unpublished: str = ""

    def is_hung(self, now: datetime) -> bool:
        """Its run lasts longer than it may, and was not stopped."""
        return self.running_since is not None and now > self.running_since + self.timeout + GRACE


@dataclass(slots=True)
class JobStatuses:
    """The status of all jobs. Each is one value that is replaced as a whole, so that no reader sees half of one.

    Attributes:
        by_job: by the job's name.
        seen: when the schedule last looked at the clock; None: it has not begun.
        free_since: when the last run ended: what came due before waited for it until then; None: none was made.
    """

    by_job: dict[str, JobStatus] = field(default_factory=dict)
    seen: datetime | None = None
    free_since: datetime | None = None

    def update(self, job: str, **values: Any) -> None:
        """Replace some values of a status."""
        self.by_job[job] = replace(self.by_job[job], **values)

    def is_running(self) -> bool:
        """Whether any job is running."""
        return any(status.running_since is not None for status in self.by_job.values())

    def is_overdue(self, job: str, now: datetime) -> bool:
        """The job is due, and neither it nor another one that it waits for is running."""
        due = self.by_job[job].next_due
        return due is not None and now > max(due, self.free_since or due) + GRACE and not self.is_running()

    def is_well(self, now: datetime) -> bool:
        """The schedule runs, nothing hangs, nothing is overdue."""
        stands_still = self.seen is None or (now > self.seen + GRACE and not self.is_running())
        hung = any(status.is_hung(now) for status in list(self.by_job.values()))
        return not stands_still and not hung and not any(self.is_overdue(job, now) for job in list(self.by_job))

    def record(self, now: datetime) -> dict[str, Any]:
        """How all jobs are, as JSON."""
        return {"status": "ok" if self.is_well(now) else "overdue or hung", "jobs": {job: self._one(job, now) for job in self.by_job}}

    def _one(self, job: str, now: datetime) -> dict[str, Any]:
        status = self.by_job[job]
        last, judged = status.last, status.last_judged
        return {
            "state": "hung"
            if status.is_hung(now)
            else "overdue"
            if self.is_overdue(job, now)
            else "running"
            if status.running_since
            else "waiting",
            "last_run": None
            if last is None
            else {"id": last.id, "state": last.state, "finished": utc_text(last.finished), "error": last.error},
            "last_verdicts": None if judged is None else utc_text(judged.finished),
            "age_seconds": None if judged is None else round((now - judged.finished).total_seconds()),
            "next_due": None if status.next_due is None else utc_text(status.next_due),
            "missed": status.progress.missed,
            "problems": [*status.problems, *([status.unpublished] if status.unpublished else [])],
        }
