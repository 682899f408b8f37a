"""When a fleet may be written to: weekdays, hours that pass midnight, time zones and the change of clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.fleet.windows import DAYS, MaintenanceWindow, is_open, minutes_of, next_opening

BERLIN = "Europe/Berlin"
NIGHT = MaintenanceWindow((DAYS.index("sat"),), minutes_of("22:00"), minutes_of("06:00"), BERLIN)
DAY = MaintenanceWindow(tuple(range(7)), minutes_of("09:00"), minutes_of("24:00"), "UTC")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("window", "moment", "expected"),
    [
        pytest.param(NIGHT, "2026-11-21T21:59:59+01:00", False, id="a second before"),
        pytest.param(NIGHT, "2026-11-21T22:00:00+01:00", True, id="it begins"),
        pytest.param(NIGHT, "2026-11-21T21:00:00+00:00", True, id="the same moment by another clock"),
        pytest.param(NIGHT, "2026-11-22T05:59:59+01:00", True, id="after midnight of Sunday it is still Saturday's"),
        pytest.param(NIGHT, "2026-11-22T06:00:00+01:00", False, id="it ends"),
        pytest.param(NIGHT, "2026-11-22T22:30:00+01:00", False, id="Sunday evening"),
        pytest.param(NIGHT, "2026-11-21T03:00:00+01:00", False, id="the morning before it"),
        pytest.param(DAY, "2026-11-22T23:59:59+00:00", True, id="until midnight"),
        pytest.param(DAY, "2026-11-23T00:00:00+00:00", False, id="not after it"),
        # Clocks were put back at 03:00 on Sunday, 25 October 2026: the window is an hour longer, and ends by the new time.
        pytest.param(NIGHT, "2026-10-25T05:59:00+01:00", True, id="the night with 25 hours, before its end"),
        pytest.param(NIGHT, "2026-10-25T06:00:00+02:00", True, id="the night with 25 hours, six by the old time"),
        # Clocks are put forward at 02:00 on Sunday, 28 March 2027.
        pytest.param(NIGHT, "2027-03-28T05:59:00+02:00", True, id="the night with 23 hours"),
        pytest.param(NIGHT, "2027-03-28T06:00:00+02:00", False, id="the night with 23 hours, its end"),
    ],
)
def test_a_window_is_open_from_its_beginning_until_just_before_its_end(window: MaintenanceWindow, moment: str, expected: bool) -> None:
    assert is_open([window], at(moment), "vc", None) is expected


def test_without_windows_it_is_always_open_and_with_some_only_for_what_they_cover() -> None:
    now = at("2026-11-21T23:00:00+01:00")
    of_gold = MaintenanceWindow(NIGHT.days, NIGHT.begins, NIGHT.ends, BERLIN, endpoint="vc-*", cluster="gold*")
    assert is_open([], now, "vc-1", None)
    assert is_open([of_gold], now, "vc-1", "gold-1")
    assert not is_open([of_gold], now, "vc-1", "silver")
    assert not is_open([of_gold], now, "array", "gold-1")
    assert not is_open([of_gold], now, "vc-1", None), "what is in no cluster is in none of these"
    assert is_open([of_gold, NIGHT], now, "array", None)


def test_the_next_window_is_given_by_the_clocks_of_its_place() -> None:
    sunday = at("2026-11-22T12:00:00+00:00")
    assert next_opening([NIGHT], sunday, "vc", None) == "the next one begins on Saturday, 2026-11-28 at 22:00 Europe/Berlin"
    assert next_opening([NIGHT, DAY], sunday, "vc", None) == "the next one begins on Monday, 2026-11-23 at 09:00 UTC"
    of_gold = MaintenanceWindow(NIGHT.days, NIGHT.begins, NIGHT.ends, BERLIN, cluster="gold")
    assert next_opening([of_gold], sunday, "vc", "silver") == "no window of fleet.yaml is for it"


@given(
    days=st.sets(st.integers(0, 6), min_size=1),
    begins=st.integers(0, 1439),
    length=st.integers(1, 1439),
    minute=st.integers(0, 3 * 7 * 1440),
)
def test_by_a_clock_without_summer_time_a_window_is_open_exactly_in_its_hours(
    days: set[int], begins: int, length: int, minute: int
) -> None:
    window = MaintenanceWindow(tuple(days), begins, (begins + length) % 1440, "UTC")
    monday = datetime(2026, 11, 2, tzinfo=UTC)
    moment = monday + timedelta(minutes=minute)
    since_begin = ((minute - day * 1440 - begins) % (7 * 1440) for day in days)
    assert is_open([window], moment, "vc", None) == any(passed < length for passed in since_begin)
