"""When a job is due: by its cron expression, later by its jitter; and what becomes of a time that was missed. No clock: see `schedule`."""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.job.cron import cron_trigger
from auditor.job.jobs_shape import CatchUp

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

    from auditor.job.jobs_file import Job

LATE = timedelta(hours=1)
"""A run that is later than this was missed; a shorter delay, for example a machine that slept, is made up for in any case."""
_LEAST = timedelta(microseconds=1)
_MOST_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Due:
    """One run to make.

    Attributes:
        planned: the time of the cron expression, aware, UTC; of a run that was missed, the last one that was.
        begin: when it begins, which is later by the jitter.
        is_catch_up: it makes up for runs that were missed.
    """

    planned: datetime
    begin: datetime
    is_catch_up: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """When one job is due."""

    trigger: BaseTrigger
    jitter: timedelta
    catch_up: CatchUp
    seed: str  # of the jitter: the same job on another machine begins at another moment

    def after(self, moment: datetime) -> datetime | None:
        """The first planned time after `moment`; None where none ever comes."""
        found: datetime | None = self.trigger.get_next_fire_time(None, moment + _LEAST)
        return None if found is None else found.astimezone(UTC)

    def next_due(self, done: datetime, now: datetime, busy_since: datetime | None = None) -> Due | None:
        """The run that is due next.

        Args:
            done: the moment up to which all was dealt with.
            now: the moment.
            busy_since: when the run of another job began that has just ended. What came due meanwhile waited, and was not missed.
        """
        planned = self.after(done)
        if planned is None:
            return None
        begin = planned + self._delay(planned)
        if begin + LATE >= now or (busy_since is not None and begin >= busy_since):
            return Due(planned, begin)
        last = self._last_before(planned, now)
        if self.catch_up is CatchUp.ONCE or last + LATE >= now:
            return Due(last, now, is_catch_up=True)
        later = self.after(now)
        return None if later is None else Due(later, later + self._delay(later))

    def missed(self, done: datetime, due: Due) -> int:
        """How many planned times lie between `done` and the run `due`, at most 1000: nothing ran for them."""
        count, planned = 0, self.after(done)
        while planned is not None and planned < due.planned and count < _MOST_COUNTED:
            count, planned = count + 1, self.after(planned)
        return count

    def _last_before(self, planned: datetime, now: datetime) -> datetime:
        """The last planned time from `planned` to `now`, found from near `now`: there may be years between them."""
        for back in (timedelta(hours=2), timedelta(days=2), timedelta(days=40), timedelta(days=400)):
            begin = max(planned, now - back)
            found = self.after(begin - _LEAST)
            if found is not None and found <= now:
                planned = found
                break
        while (later := self.after(planned)) is not None and later <= now:
            planned = later
        return planned

    def _delay(self, planned: datetime) -> timedelta:
        """The jitter of one run: the same whenever it is computed, so that "the next run is due" stays true."""
        digest = hashlib.sha256(f"{self.seed}\0{planned.isoformat()}".encode()).digest()
        return self.jitter * (int.from_bytes(digest[:4]) / 2**32)


def timing_of(job: Job) -> Timing | None:
    """When `job` is due; None where it runs once, now.

    Raises:
        ConfigurationError: its cron expression or time zone is wrong.
    """
    if job.cron is None:
        return None
    trigger = cron_trigger(job.cron, job.timezone)
    return Timing(trigger, timedelta(seconds=job.jitter_seconds), job.catch_up, f"{socket.gethostname()}\0{job.name}")
