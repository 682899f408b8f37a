"""The jobs of a schedule, each with what the schedule keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.history.folders import RUNS_FOLDER
from auditor.job.progress import load_progress
from auditor.job.published import JOBS_FOLDER, job_folder, take_over_old_list
from auditor.job.site.publishing import Site, prepare
from auditor.job.timing import timing_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from auditor.job.jobs_file import Job
    from auditor.job.timing import Timing


@dataclass(slots=True)
class Entry:
    """One job of a schedule.

    Attributes:
        timing: when it runs; None: on request only.
        done: up to when all was dealt with.
    """

    job: Job
    site: Site
    timing: Timing | None
    done: datetime

    def next_due(self, now: datetime) -> datetime | None:
        """When its next run begins; None: never."""
        due = None if self.timing is None else self.timing.next_due(self.done, now)
        return None if due is None else due.begin


def entry_of(job: Job, state: Path, url: str | None, now: datetime) -> Entry:
    """The entry of a job, whose folders are made.

    Raises:
        ConfigurationError: its cron expression or time zone is wrong, or its published folder cannot be written.
        SnapshotError: what it remembers cannot be read.
    """
    timing = timing_of(job)
    keep_apart(job.publish, state)
    prepare(job.publish)
    folder = job_folder(state, job.name, job.publish)
    take_over_old_list(folder, job.publish)
    # What lies before the first start of a job was not missed.
    return Entry(job, Site(job.name, job.publish, folder, job.keep, job.timezone, url), timing, load_progress(folder).done or now)


def keep_apart(folder: Path, state: Path) -> None:
    """Refuse a published folder in which the state directory's own files would be served.

    Raises:
        ConfigurationError: it holds the state directory, or a folder of it is in it.
    """
    folder, state = folder.resolve(), state.resolve()
    own = [path for path in (state / RUNS_FOLDER, state / JOBS_FOLDER) if folder.is_relative_to(path)]
    if state.is_relative_to(folder) or own:
        raise ConfigurationError(
            f"--publish {folder}: it is mixed up with the state directory {state}",
            why="nothing was run: everybody who opens the site could read the runs and what the jobs remember.",
            do=f"publish to a folder of its own, for example {state / 'site'}.",
        )
