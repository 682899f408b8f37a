"""When ONTAP starts things is read as its command line means it, and never guessed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap.schedules import (
    EVERY_DAY,
    Scrub,
    Timetable,
    duration_seconds,
    efficiency_times,
    has_schedule,
    is_automatic,
    scrub_by_default,
    scrub_of,
    timetable,
)


def read(value: dict[str, Any]) -> tuple[Timetable, list[str]]:
    parse_errors = ParseErrors("GET cluster/schedules")
    found = timetable(Record(value, "schedule x", parse_errors))
    return found, [gap.why for gap in parse_errors.gaps("na")]


def cron(**parts: Any) -> dict[str, Any]:
    return {"type": "cron", "cron": parts}


@pytest.mark.parametrize(
    ("schedule", "interval", "starts"),
    [
        pytest.param(cron(minutes=[0], hours=[0]), 86400, (0,), id="midnight"),
        pytest.param(cron(minutes=[20], hours=[0], days=[1]), round(365.25 / 12 * 86400), (20,), id="monthly, as the vendor prints it"),
        pytest.param(cron(minutes=[30], hours=[19], weekdays=[1, 4]), 302400, (1170,), id="twice a week"),
        pytest.param(cron(minutes=[0], hours=list(range(0, 24, 2))), 7200, tuple(range(0, 1440, 120)), id="every second hour"),
        pytest.param(cron(minutes=[0, 30], hours=[], weekdays=[]), 1800, tuple(range(0, 1440, 30)), id="an empty list is all"),
        pytest.param(cron(minutes=["5"], hours=["1"]), 86400, (65,), id="numbers as strings"),
        pytest.param(cron(minutes=[0], hours=[0], months=[1, 7]), 86400 * 6, (0,), id="in two of twelve months"),
        pytest.param({"type": "interval", "interval": "PT7M30S"}, 450, None, id="an interval, as the vendor prints it"),
        pytest.param({"type": "interval", "interval": "P1DT2H3M4S"}, 93784, None, id="an interval of all units"),
    ],
)
def test_a_schedule_is_read(schedule: dict[str, Any], interval: int, starts: tuple[int, ...] | None) -> None:
    weekdays = schedule.get("cron", {}).get("weekdays")
    assert read(schedule) == (Timetable(interval, starts, tuple(weekdays or EVERY_DAY)), [])


@pytest.mark.parametrize(
    "schedule",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"type": "lunar"}, id="another type"),
        pytest.param({"type": "interval"}, id="no interval"),
        pytest.param({"type": "interval", "interval": "soon"}, id="an interval that is none"),
        pytest.param({"type": "interval", "interval": "PT0S"}, id="no time between"),
        pytest.param({"type": "cron"}, id="no cron"),
        pytest.param(cron(hours=[1]), id="no minute, which is required"),
        pytest.param(cron(minutes=[60]), id="a minute beyond the hour"),
        pytest.param(cron(minutes="0"), id="no list"),
        pytest.param(cron(minutes=[None]), id="null for a number"),
        pytest.param(cron(minutes=[0], days=[1], weekdays=[1]), id="days of the week and of the month"),
    ],
)
def test_a_schedule_that_is_not_understood_is_complained_about(schedule: dict[str, Any]) -> None:
    found, parse_errors = read(schedule)
    assert found == Timetable(None, None)
    assert len(parse_errors) == 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT8H35M42S", 30942),
        ("P2W", 1209600),
        ("PT15M", 900),
        ("PT1.5S", 1),
        ("PT0S", 0),
        ("P", None),
        ("8h", None),
        ("", None),
        ("PT", None),
    ],
)
def test_a_length_of_time_is_read(text: str, seconds: int | None) -> None:
    assert duration_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "minutes", "days"),
    [
        pytest.param("sun-sat@0", (0,), EVERY_DAY, id="every midnight, as the vendor prints it"),
        pytest.param("mon,wed@0,12", (0, 720), (1, 3), id="days and hours"),
        pytest.param("22-23@sat", (1320, 1380), (6,), id="hours first"),
        pytest.param("fri-mon,wed", (0,), (0, 1, 3, 5, 6), id="a range past Saturday; no hour is midnight"),
        pytest.param("3", (180,), EVERY_DAY, id="hours alone"),
        pytest.param("MON@5", (300,), (1,), id="capitals"),
    ],
)
def test_an_efficiency_schedule_is_read(text: str, minutes: tuple[int, ...], days: tuple[int, ...]) -> None:
    assert efficiency_times(text) == Timetable(None, minutes, days)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("noon", id="a word"),
        pytest.param("sun@24", id="no such hour"),
        pytest.param("5-3@sun", id="backwards"),
        pytest.param("sun@mon", id="days twice"),
        pytest.param("1@2", id="hours twice"),
        pytest.param("sun@1@2", id="three parts"),
        pytest.param("sun@", id="an empty part"),
    ],
)
def test_what_is_no_efficiency_schedule_is_not_read(text: str) -> None:
    assert efficiency_times(text) is None


@given(
    hours=st.sets(st.integers(0, 23), min_size=1),
    days=st.sets(st.sampled_from(["sun", "mon", "tue", "wed", "thu", "fri", "sat"]), min_size=1),
)
@settings(max_examples=30)
def test_hours_and_days_may_come_in_any_number_and_either_order(hours: set[int], days: set[str]) -> None:
    parts = (",".join(days), ",".join(map(str, hours)))
    times = efficiency_times("@".join(parts))
    assert times is not None
    assert times == efficiency_times("@".join(reversed(parts)))
    assert times.start_minutes == tuple(hour * 60 for hour in sorted(hours))


@pytest.mark.parametrize(
    ("text", "is_one"), [("-", False), ("", False), (None, False), ("none", False), ("sun-sat@0", True), ("auto", True)]
)
def test_no_schedule_is_kept_apart_from_a_schedule(text: str | None, is_one: bool) -> None:
    assert has_schedule(text) is is_one


def test_an_automatic_start_has_no_hour() -> None:
    assert (is_automatic("auto"), is_automatic("Auto@20"), is_automatic("sun@0")) == (True, True, False)


def without_runs(text: str) -> Scrub | None:
    """What a schedule is read as, but for its single runs."""
    found = scrub_of(text)
    return None if found is None else replace(found, runs=())


@pytest.mark.parametrize(
    ("text", "scrub"),
    [
        pytest.param("300m@sun@2", Scrub((120,), 300), id="the report's"),
        pytest.param("240m@tue@2,8h@sat@22", Scrub((120, 1320), 480), id="hours and minutes, the longest counts"),
        pytest.param("90@mon@0", Scrub((0,), 90), id="no unit is minutes"),
        pytest.param("sun@1", Scrub((60,), None), id="no duration: another option says it"),
        pytest.param("sun@1,8h@sat@1", Scrub((60,), None), id="one of two without duration"),
        pytest.param("at night", None, id="words"),
        pytest.param("1h@sol@2", None, id="no such day"),
        pytest.param("1h@sun@25", None, id="no such hour"),
        pytest.param("1h@sun@2,", None, id="an empty entry"),
    ],
)
def test_a_scrub_schedule_is_read(text: str, scrub: Scrub | None) -> None:
    assert without_runs(text) == scrub


SUNDAY = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day", "hours", "is_open"),
    [
        pytest.param("300m@sun@2", 0, 2, True, id="as it begins"),
        pytest.param("300m@sun@2", 0, 6.99, True, id="shortly before its end"),
        pytest.param("300m@sun@2", 0, 7, False, id="at its end"),
        pytest.param("300m@sun@2", 0, 1.99, False, id="before it"),
        pytest.param("300m@sun@2", 1, 3, False, id="on another day"),
        pytest.param("8h@sat@22", 0, 5, True, id="past midnight, and past the end of the week"),
        pytest.param("8h@sat@22", 0, 6, False, id="past that one's end"),
        pytest.param("1h@mon@1,1h@tue@1", 2, 1, True, id="the second of two"),
        pytest.param("sun@2", 0, 3, None, id="nobody knows how long"),
        pytest.param("sun@2", 1, 3, False, id="more than a day after one of no known length"),
    ],
)
def test_whether_a_scrub_may_run_goes_by_the_time_of_the_week(text: str, day: int, hours: float, is_open: bool | None) -> None:
    scrub = scrub_of(text)
    assert scrub is not None
    assert scrub.is_open(SUNDAY + timedelta(days=day, hours=hours)) is is_open


def test_whether_a_default_scrub_may_run_goes_by_the_disks() -> None:
    monday_3, sunday_8 = SUNDAY + timedelta(days=1, hours=3), SUNDAY + timedelta(hours=8)
    for all_flash, on_monday, on_sunday in ((False, True, True), (True, False, False), (None, None, None)):
        scrub = scrub_by_default(all_flash=all_flash)
        assert (scrub.is_open(monday_3), scrub.is_open(sunday_8)) == (on_monday, on_sunday)


def test_the_default_scrub_goes_by_the_disks() -> None:
    assert [scrub_by_default(all_flash=each).duration_minutes for each in (False, True, None)] == [720, 360, None]
    assert {scrub_by_default(all_flash=each).start_minutes for each in (False, True, None)} == {(60,)}


@pytest.mark.parametrize(
    ("part", "least", "most"), [("minutes", 0, 59), ("hours", 0, 23), ("weekdays", 0, 6), ("days", 1, 31), ("months", 1, 12)]
)
def test_each_part_of_a_cron_has_its_own_bounds_and_one_beyond_them_makes_it_unknown(part: str, least: int, most: int) -> None:
    sound = {"minutes": [5], "hours": [1]}
    for number in (least, most):
        found, gaps = read(cron(**{**sound, part: [number]}))
        assert (found.interval_seconds is not None, gaps) == (True, [])
    for odd in ([least - 1], [most + 1], [least, "x"], "x", 5):
        found, gaps = read(cron(**{**sound, part: odd}))
        assert (found, len(gaps)) == (Timetable(None, None), 1), odd


@pytest.mark.parametrize(
    ("times", "as_json", "days_json"),
    [
        (Timetable(None, None), None, None),
        (Timetable(3600, (60, 0, 60), (6, 0)), "[0, 60]", "[0, 6]"),
        (Timetable(None, ()), "[]", "[0, 1, 2, 3, 4, 5, 6]"),
    ],
)
def test_a_timetable_is_written_sorted_and_each_number_once(times: Timetable, as_json: str | None, days_json: str | None) -> None:
    assert (times.as_json, times.days_json) == (as_json, days_json)


@pytest.mark.parametrize(
    "text", ["mon@1@2", "@1", "mon@", "mon-x@1", "x-mon@1", "1-x", "x-1", "1-2-3", "0-24", "5-4", "mon@tue", "1@2", "mon,x", "1,x"]
)
def test_what_is_no_efficiency_schedule_is_unknown(text: str) -> None:
    assert efficiency_times(text) is None


def test_the_last_hour_of_a_day_counts() -> None:
    assert without_runs("30m@sat@23") == Scrub((23 * 60,), 30)
    assert scrub_of("30m@sat@24") is None
    assert without_runs("1m@sat@1") == Scrub((60,), 1)
