"""When the schedule makes a run: by cron, in a time zone, after what was missed, and never two at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from auditor.job.cron import cron_trigger
from auditor.job.jobs_shape import CatchUp
from tests.job.nights import BEGIN, JumpingClock, Runs, job, scheduled

SATURDAY = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)


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


def test_the_hour_is_of_the_timezone_requested() -> None:
    due = cron_trigger("0 2 * * *", "Asia/Tokyo").get_next_fire_time(None, SATURDAY)
    assert due.astimezone(UTC).strftime("%d %H:%M") == "21 17:00"


@pytest.mark.parametrize(
    ("cron", "timezone", "begin", "times"),
    [
        pytest.param("0 0 * * *", "Africa/Cairo", (4, 23), ["Fri 24 01:00", "Sat 25 00:00", "Sun 26 00:00"], id="midnight is left out"),
        pytest.param("0,30 0 * * *", "Africa/Cairo", (4, 23), ["Fri 24 01:00", "Fri 24 01:30", "Sat 25 00:00"], id="two times are"),
        pytest.param("0 0 * * *", "America/Santiago", (9, 5), ["Sun 06 01:00", "Mon 07 00:00", "Tue 08 00:00"], id="south of the equator"),
        pytest.param("30 2 * * *", "Europe/Vienna", (3, 28), ["Sun 29 03:30", "Mon 30 02:30", "Tue 31 02:30"], id="not midnight"),
        pytest.param("0 * * * *", "Africa/Cairo", (4, 23), ["Fri 24 01:00", "Fri 24 02:00", "Fri 24 03:00"], id="every hour"),
        pytest.param("30 2 * * *", "Europe/Vienna", (10, 24), ["Sun 25 02:30", "Sun 25 02:30", "Mon 26 02:30"], id="an hour comes twice"),
    ],
)
def test_a_time_that_the_clock_leaves_out_comes_later_and_no_day_is_lost(
    cron: str, timezone: str, begin: tuple[int, int], times: list[str]
) -> None:
    zone = ZoneInfo(timezone)
    moment, found = datetime(2026, *begin, 23, 59, tzinfo=zone), []
    for _ in times:
        moment = cron_trigger(cron, timezone).get_next_fire_time(None, moment + timedelta(microseconds=1)).astimezone(UTC)
        found.append(moment.astimezone(zone).strftime("%a %d %H:%M"))
    assert found == times


@pytest.mark.parametrize(
    ("catch_up", "begins"),
    [
        pytest.param(CatchUp.ONCE, [(10, 12), (11, 6)], id="made up for once"),
        pytest.param(CatchUp.SKIP, [(11, 6)], id="left out"),
    ],
)
def test_runs_that_were_missed_while_nothing_ran(tmp_path: Path, catch_up: CatchUp, begins: list[tuple[int, int]]) -> None:
    nightly = job(tmp_path, catch_up=catch_up)
    scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(days=1))), nightly).serve()
    later = BEGIN + timedelta(days=9, hours=12)
    runs = Runs(JumpingClock(later, later + timedelta(days=1)))
    schedule = scheduled(tmp_path, runs, nightly)
    schedule.serve()
    assert [(began.day, began.hour) for _, began, _ in runs.made] == begins
    assert schedule.statuses.by_job["nightly"].progress.missed == (8 if catch_up is CatchUp.ONCE else 9)


def test_the_first_run_of_a_job_can_be_missed_too(tmp_path: Path) -> None:
    scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(hours=1))), job(tmp_path, catch_up=CatchUp.ONCE)).serve()
    later = BEGIN + timedelta(days=9, hours=12)
    runs = Runs(JumpingClock(later, later + timedelta(hours=1)))
    scheduled(tmp_path, runs, job(tmp_path, catch_up=CatchUp.ONCE)).serve()
    assert [(began.day, began.hour) for _, began, _ in runs.made] == [(10, 12)]


def test_a_job_that_comes_due_while_another_runs_waits_for_its_turn(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=1)), lasts=timedelta(hours=5))
    schedule = scheduled(tmp_path, runs, job(tmp_path, "one"), job(tmp_path, "two"), job(tmp_path, "three", catch_up=CatchUp.SKIP))
    schedule.serve()
    assert [(name, began.hour) for name, began, _ in runs.made] == [("one", 6), ("two", 11), ("three", 16)]


def test_a_run_that_comes_due_while_the_same_job_runs_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(hours=6)), lasts=timedelta(minutes=90))
    schedule = scheduled(tmp_path, runs, job(tmp_path, cron="0 * * * *"))
    schedule.serve()
    assert [(began.hour, began.minute) for _, began, _ in runs.made] == [(1, 0), (3, 0), (5, 0)]
    assert "came due meanwhile is left out" in caplog.text
    assert schedule.statuses.by_job["nightly"].progress.missed == 3


def test_a_clock_that_was_years_ahead_does_not_keep_the_job_from_running(tmp_path: Path) -> None:
    ahead = BEGIN + timedelta(days=4000)
    scheduled(tmp_path, Runs(JumpingClock(ahead, ahead + timedelta(days=1))), job(tmp_path)).serve()
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=2)))
    scheduled(tmp_path, runs, job(tmp_path)).serve()
    assert [began.day for _, began, _ in runs.made] == [1, 2]


def test_jitter_delays_each_run_by_less_than_its_limit_and_the_pages_name_the_moment(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=5)))
    scheduled(tmp_path, runs, job(tmp_path, jitter_seconds=1800.0)).serve()
    delays = [(began - began.replace(hour=6, minute=0, second=0, microsecond=0)).total_seconds() for _, began, _ in runs.made]
    assert len(delays) == 5
    assert all(0 < delay < 1800 for delay in delays)
    assert len(set(delays)) > 1
