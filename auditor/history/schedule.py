"""The compliance job: audits on a schedule, one run at a time, and publishes each report, or the error of a run that failed."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.errors import AuditorError, ConfigurationError
from auditor.history.cron import TIMEZONE, cron_trigger
from auditor.history.runs import new_run_id
from auditor.report.files import sweep
from auditor.report.publishing import PublishedRun, publish_failure, publish_report, published_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from apscheduler.triggers.base import BaseTrigger

    from auditor.model import Report

log = logging.getLogger(__name__)
RUNS_KEPT = 30
_LOCK_FILE = ".lock"
_LATE_SECONDS = 3600
"""A run missed by less, for example while the machine slept, is made up for once."""


class _Stop(BaseException):
    """SIGTERM or SIGINT came; not an Exception, so that no job takes it for a failure of its own."""


def run_schedule(
    cron: str | None,
    job: Callable[[], Report],
    publish: Path,
    *,
    timezone: str = TIMEZONE,
    keep: int = RUNS_KEPT,
    at_start: bool = False,
) -> None:
    """Run `job` at the times of `cron`, or once now, and publish each run into the folder `publish`.

    Runs never overlap: not with themselves, and not with another process that publishes to the same folder. SIGTERM and SIGINT end it: a
    running job is aborted where it stands (its sessions are closed as the stack unwinds), pages being written are finished first.
    Call it from the main thread.

    Args:
        cron: minute, hour, day of month, month, day of week, as crontab(5) has them; None runs once.
        job: collects, judges and returns the report. What it raises is published as a failed run, and the schedule goes on.
        publish: the folder; made if missing.
        timezone: of `cron`, by its IANA name.
        keep: how many runs stay published.
        at_start: run now as well, not only by the clock.

    Raises:
        ConfigurationError: `cron`, `timezone` or `keep` is wrong, `publish` cannot be written, or (run once) another process is at it.
        AuditorError: (run once) what the job raised, after its failure was published.
        KeyboardInterrupt: (run once) stopped before the end; nothing was published.
    """
    if keep < 1:
        raise ConfigurationError(f"--keep {keep}: at least one run is kept", why="nothing was run.", do="--keep 30")
    trigger = cron_trigger(cron, timezone) if cron is not None else None
    _prepare(publish)
    with _stopping() as stop:
        if trigger is None:
            _once(job, publish, keep, stop)
        else:
            _serve(trigger, job, publish, keep, stop, at_start=at_start)


def _prepare(publish: Path) -> None:
    try:
        publish.mkdir(parents=True, exist_ok=True)
        reason = None if os.access(publish, os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason is not None:
        raise ConfigurationError(
            f"--publish {publish}: {reason}",
            why="nothing was run: nobody would have seen the result.",
            do="name a folder this account may write to.",
        )
    published_runs(publish)  # refused now rather than at two in the morning


class _StopRequest:
    """Remembers that a signal came, and raises `_Stop` where the work may be broken off."""

    def __init__(self) -> None:
        self.requested = False
        self._interruptible = False

    def request(self, _number: int, _frame: FrameType | None) -> None:
        first, self.requested = not self.requested, True
        if first and self._interruptible:
            self._interruptible = False
            raise _Stop

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Here a signal breaks off what runs; elsewhere it only waits to be noticed here."""
        try:
            self._interruptible = True
            if self.requested:
                raise _Stop
            yield
        finally:
            self._interruptible = False


@contextmanager
def _stopping() -> Iterator[_StopRequest]:
    stop = _StopRequest()
    before = {number: signal.signal(number, stop.request) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _once(job: Callable[[], Report], publish: Path, keep: int, stop: _StopRequest) -> None:
    try:
        error = _attempt(job, publish, keep, None, stop)
    except _Stop:
        raise KeyboardInterrupt from None
    if error is not None:
        raise error


def _serve(trigger: BaseTrigger, job: Callable[[], Report], publish: Path, keep: int, stop: _StopRequest, *, at_start: bool) -> None:
    """The scheduler runs in a thread and only sets `due`; runs are made here, where a signal can break them off."""
    from apscheduler.schedulers.background import BackgroundScheduler

    due = threading.Event()
    if at_start:
        due.set()
    clock = BackgroundScheduler(timezone=UTC)
    clock.add_job(due.set, trigger, id="audit", max_instances=1, coalesce=True, misfire_grace_time=_LATE_SECONDS)
    clock.start()
    with suppress(_Stop):
        while True:
            with stop.interruptible():
                due.wait()
            due.clear()
            planned = clock.get_job("audit")
            try:
                _attempt(job, publish, keep, planned.next_run_time if planned else None, stop)
            except AuditorError as error:
                log.error("nothing was published: %s", error)
            if due.is_set():
                due.clear()
                log.warning("a run that came due meanwhile is left out: runs do not overlap, and the next is made at its time")
    clock.shutdown()
    log.info("stopped")


def _attempt(job: Callable[[], Report], publish: Path, keep: int, next_due: datetime | None, stop: _StopRequest) -> Exception | None:
    """Make one run and publish it; what the job raised is published and returned."""
    with _alone(publish):
        sweep(publish)
        started = datetime.now(UTC)
        try:
            with stop.interruptible():
                report = job()
            run = publish_report(publish, report, keep=keep, next_due=next_due)
        except AuditorError as error:
            log.error("the run failed: %s", error)
            lines = [("what", error.what), ("why", error.why), ("do", error.do)]
            _publish_failed(publish, started, error.what, lines, keep, next_due)
            return error
        except Exception as error:  # a bug in one night's run must not end the compliance job; the page shows it
            log.exception("the run failed")
            what = f"unexpected {type(error).__name__}"
            lines = [("what", what), ("do", "the log of the scheduled job has the traceback; report it")]
            _publish_failed(publish, started, what, lines, keep, next_due)
            return error
        log.info("run %s: %s failures, %s unknown, published in %s", run.id, run.fail, run.unknown, publish)
        return None


def _publish_failed(
    publish: Path, started: datetime, what: str, lines: list[tuple[str, str]], keep: int, next_due: datetime | None
) -> None:
    run = PublishedRun(new_run_id(started), started, datetime.now(UTC), error=what)
    publish_failure(publish, run, lines, keep=keep, next_due=next_due)


@contextmanager
def _alone(publish: Path) -> Iterator[None]:
    """Hold the folder's lock; the system releases it even when this process is killed.

    filelock is not used: its lock file does not name the process that holds it, as our error does.

    Raises:
        ConfigurationError: another process holds it.
    """
    import fcntl

    with (publish / _LOCK_FILE).open("a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read(20).strip() or "unknown"
            raise ConfigurationError(
                f"another audit (process {holder}) is publishing to {publish}",
                why="nothing was run: two runs at once would ask the fleet twice and publish over each other.",
                do="wait for it, or publish to another folder.",
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
