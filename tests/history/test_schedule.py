"""The compliance job: by the clock, one at a time, stopped cleanly, and a bad night is published as one."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

from auditor.errors import ConfigurationError, EndpointUnreachableError
from auditor.history import schedule as scheduling
from auditor.history.cron import cron_trigger
from auditor.history.runs import new_run_id
from auditor.history.schedule import run_schedule
from auditor.model import Finding, Report
from auditor.report.publishing import published_runs
from tests.report import samples
from tests.waiting import PATIENCE_SECONDS, until

SATURDAY = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)


def audit(findings: Callable[[], Report] = samples.bad_night) -> Report:
    """A report of a run that began now."""
    report = findings()
    now = datetime.now(UTC)
    return replace(report, run=replace(report.run, id=new_run_id(now), started=now, finished=now))


@pytest.mark.parametrize(
    ("cron", "times"),
    [
        pytest.param("0 2 * * *", ["Sun 22 02:00", "Mon 23 02:00"], id="nightly"),
        pytest.param("30 6 * * 1-5", ["Mon 23 06:30", "Tue 24 06:30"], id="on weekdays"),
        pytest.param("0 2 * * 0", ["Sun 22 02:00", "Sun 29 02:00"], id="0 is Sunday, as in crontab(5)"),
        pytest.param("0 2 * * 7", ["Sun 22 02:00", "Sun 29 02:00"], id="and so is 7"),
        pytest.param("0 2 * * 5-7", ["Sun 22 02:00", "Fri 27 02:00"], id="Friday to Sunday"),
        pytest.param("0 2 * * sat-sun", ["Sun 22 02:00", "Sat 28 02:00"], id="by name"),
        pytest.param("0 2 1 * mon", ["Mon 23 02:00", "Mon 30 02:00", "Tue 01 02:00"], id="either day is enough when both are given"),
        pytest.param("*/20 * * * *", ["Sat 21 07:00", "Sat 21 07:20"], id="every twenty minutes"),
    ],
)
def test_cron_means_what_crontab_says(cron: str, times: list[str]) -> None:
    trigger = cron_trigger(cron)
    found: list[str] = []
    last, now = None, SATURDAY
    for _ in times:
        last = trigger.get_next_fire_time(last, now)
        now = last + timedelta(seconds=1)
        found.append(last.strftime("%a %d %H:%M"))
    assert found == times


def test_the_hour_is_of_the_timezone_asked_for() -> None:
    due = cron_trigger("0 2 * * *", "Asia/Tokyo").get_next_fire_time(None, SATURDAY)
    assert due.astimezone(UTC).strftime("%d %H:%M") == "21 17:00"


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        pytest.param("61 * * * *", 'minute "61"', id="minute"),
        pytest.param("* 25 * * *", 'hour "25"', id="hour"),
        pytest.param("* * 0 * *", 'day of month "0"', id="day of month"),
        pytest.param("* * * foo *", 'month "foo"', id="month"),
        pytest.param("* * * * 8", 'day of week "8"', id="day of week"),
        pytest.param("* * * * fri-mon", "range runs backwards", id="backwards"),
        pytest.param("0 2 * *", "4 fields instead of five", id="four fields"),
        pytest.param("0 2 30 2 *", "no such day ever comes", id="30 February"),
    ],
)
def test_a_wrong_schedule_is_refused_with_its_field(tmp_path: Path, cron: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        run_schedule(cron, audit, tmp_path)
    assert said in refused.value.what


def test_an_unknown_timezone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='"Berlin" is not known'):
        run_schedule("0 2 * * *", audit, tmp_path, timezone="Berlin")


def test_a_folder_that_cannot_be_written_is_refused_before_the_night(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="--publish"):
        run_schedule("0 2 * * *", audit, tmp_path / "file")


def test_once_publishes_and_ends(tmp_path: Path) -> None:
    run_schedule(None, audit, tmp_path / "made")
    assert (tmp_path / "made" / "latest.html").exists()
    assert "Latest: drift" in (tmp_path / "made" / "index.html").read_text()
    assert "The next run is due" not in (tmp_path / "made" / "index.html").read_text()


def test_once_broken_off_publishes_nothing_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_schedule(None, Nights(), tmp_path)
    assert published_runs(tmp_path) == []


def test_a_job_that_fails_once_is_published_and_told(tmp_path: Path) -> None:
    run_schedule(None, audit, tmp_path)

    def job() -> Report:
        raise EndpointUnreachableError("no endpoint answered", why="nothing was read.", do="look at the network")

    with pytest.raises(EndpointUnreachableError, match="no endpoint answered"):
        run_schedule(None, job, tmp_path)
    latest = (tmp_path / "latest.html").read_text()
    assert "No verdict: the audit failed" in latest
    assert "look at the network" in latest


def test_a_bug_in_the_job_is_published_without_its_text_and_logged_with_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def job() -> Report:
        raise KeyError("hunter2")

    with pytest.raises(KeyError):
        run_schedule(None, job, tmp_path)
    latest = (tmp_path / "latest.html").read_text()
    assert "unexpected KeyError" in latest
    assert "hunter2" not in latest
    assert "Traceback" in caplog.text


def test_a_report_that_breaks_off_while_it_is_written_is_a_failed_run(tmp_path: Path) -> None:
    run_schedule(None, audit, tmp_path)

    def findings() -> Iterator[Finding]:
        yield samples.pe_finding()
        raise RuntimeError("the file of findings has gone")

    with pytest.raises(RuntimeError, match="has gone"):
        run_schedule(None, lambda: replace(audit(), findings=findings), tmp_path)
    assert "No verdict: the audit failed" in (tmp_path / "latest.html").read_text()
    assert not list(tmp_path.glob(".*.tmp"))


class Nights:
    """A job that does something else each time, and ends the schedule by SIGTERM in its last night."""

    def __init__(self, *nights: Callable[[], Report]) -> None:
        self.nights = list(nights)
        self.began: list[float] = []
        self.ended: list[float] = []

    def __call__(self) -> Report:
        self.began.append(time.monotonic())
        if not self.nights:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(PATIENCE_SECONDS)
            pytest.fail("SIGTERM did not break off the job")
        try:
            return self.nights.pop(0)()
        finally:
            self.ended.append(time.monotonic())


@pytest.fixture
def every_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "cron_trigger", lambda cron, timezone: IntervalTrigger(seconds=0.1, timezone=UTC))


@pytest.mark.usefixtures("every_tenth_of_a_second")
def test_the_schedule_goes_on_after_a_bad_night(tmp_path: Path) -> None:
    def bad() -> Report:
        raise EndpointUnreachableError("no endpoint answered", why="", do="")

    run_schedule("* * * * *", Nights(audit, bad, audit), tmp_path)
    assert [run.error for run in published_runs(tmp_path)] == [None, "no endpoint answered", None]
    assert "The next run is due" in (tmp_path / "index.html").read_text()


class Due(threading.Event):
    """An event that counts how often it was set."""

    times = 0

    def set(self) -> None:
        type(self).times += 1
        super().set()


@pytest.mark.usefixtures("every_tenth_of_a_second")
def test_a_run_longer_than_the_interval_is_never_overlapped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "threading", SimpleNamespace(Event=Due))

    def long() -> Report:
        before = Due.times
        until(lambda: Due.times > before, "another run that comes due")
        return audit()

    job = Nights(long, long)
    run_schedule("* * * * *", job, tmp_path)
    assert all(began > ended for began, ended in zip(job.began[1:], job.ended, strict=True))
    assert "came due meanwhile is left out" in caplog.text


def test_a_run_at_start_does_not_wait_for_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "cron_trigger", lambda cron, timezone: DateTrigger(datetime(2999, 1, 1, tzinfo=UTC)))
    job = Nights()
    run_schedule("* * * * *", job, tmp_path, at_start=True)
    assert len(job.began) == 1
    assert published_runs(tmp_path) == [], "a run that was broken off is not published"


def test_another_process_publishing_there_is_waited_out(tmp_path: Path) -> None:
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("4711")
        lock.flush()
        with pytest.raises(ConfigurationError, match=r"another audit \(process 4711\) is publishing"):
            run_schedule(None, audit, tmp_path)
    run_schedule(None, audit, tmp_path)
    assert len(published_runs(tmp_path)) == 1


@pytest.mark.usefixtures("every_tenth_of_a_second")
def test_the_schedule_leaves_out_a_run_while_another_process_is_at_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    lock = (tmp_path / ".lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)

    def release() -> None:
        until(lambda: "nothing was published" in caplog.text, "a run that is left out")
        lock.close()

    releasing = threading.Thread(target=release)
    releasing.start()
    run_schedule("* * * * *", Nights(audit), tmp_path)
    releasing.join()
    assert "nothing was published: error: another audit" in caplog.text
    assert len(published_runs(tmp_path)) == 1


def test_signal_handlers_are_put_back(tmp_path: Path) -> None:
    before = (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))
    run_schedule(None, audit, tmp_path)
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


SCHEDULE = """
import sys, time
from pathlib import Path
from auditor.history.schedule import run_schedule
from tests.history.test_schedule import audit

def job():
    try:
        print("began", flush=True)
        if sys.argv[2] == "stuck":
            time.sleep(3600)
        return audit()
    finally:
        print("sessions closed", flush=True)

run_schedule("0 2 * * *", job, Path(sys.argv[1]), at_start=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("phase", ["stuck", "waiting"], ids=["while a job runs", "while it waits for the clock"])
def test_a_signal_ends_the_process_soon_and_leaves_nothing_torn(tmp_path: Path, number: signal.Signals, phase: str) -> None:
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", SCHEDULE, str(tmp_path), phase]
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "began\n"
            if phase == "waiting":
                until((tmp_path / "index.html").exists, "the page of the run")
            process.send_signal(number)
            assert process.wait(PATIENCE_SECONDS) == 0
            assert process.stdout.read() == "sessions closed\n"
        finally:
            process.kill()
    assert not list(tmp_path.glob(".*.tmp"))
    assert (tmp_path / "index.html").exists() is (phase == "waiting")
    for page in tmp_path.glob("*.html"):
        assert page.read_text().rstrip().endswith("</html>")
