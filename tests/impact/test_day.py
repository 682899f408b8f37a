"""The day of a thing: its curves by side, its episodes and what ran beside them, typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.facts.catalog import view_columns
from auditor.impact.day import VIEWS, Band, Curve, Day, day_of

BEGIN = datetime(2026, 11, 25, tzinfo=UTC)
THING = {"endpoint": "vc", "subject_kind": "datastore", "subject": "ds-1"}


def at(hours: float) -> datetime:
    return BEGIN + timedelta(hours=hours)


def row_of(view: str, **known: object) -> dict[str, Any]:
    assert not known.keys() - view_columns()[view].keys()
    return {**dict.fromkeys(view_columns()[view]), **THING, "resource_name": "prod-01", **known}


def interval(side: str, hour: float, **known: object) -> dict[str, Any]:
    return row_of("episode_interval", side=side, begin_at=at(hour), **{"seconds": 3600, **known})


def cause(name: str, begin: float, end: float, **known: object) -> dict[str, Any]:
    return row_of("episode_cause", cause_name=name, begin_at=at(begin), end_at=at(end), **{"cause": "replication", **known})


def day(**rows: Sequence[Mapping[str, Any]]) -> Day | None:
    """The day of THING, from these rows and those of things that differ in one of its columns."""
    others = {name: [{**row, column: "other"} for column in THING for row in several] for name, several in rows.items()}

    def ask(view: str, wanted: Mapping[str, object]) -> list[Mapping[str, Any]]:
        assert view in VIEWS
        return [row for row in [*others.get(view, ()), *rows.get(view, ())] if all(row[name] == value for name, value in wanted.items())]

    return day_of(ask, *THING.values())


def known_day(**rows: Sequence[Mapping[str, Any]]) -> Day:
    found = day(**{"episode_interval": [interval("host", 0), interval("host", 23)], **rows})
    assert found is not None
    return found


def test_a_thing_without_intervals_has_no_day() -> None:
    assert day(episode=[row_of("episode", begin_at=at(1), end_at=at(2))], episode_cause=[cause("backup", 1, 2)]) is None


def test_a_job_of_another_day_has_no_band() -> None:
    runs = [cause("dedup", -500, -499), cause("scrub", 24.5, 25), cause("backup", -1, 0.5), cause("copy", 0.5, 3), cause("copy", -9, -8)]
    bands = {band.name: band.spans for band in known_day(episode_cause=runs).bands}
    assert bands == {"episodes": (), "backup": ((at(-1), at(0.5)),), "copy": ((at(0.5), at(3)),)}


def test_each_curve_is_of_its_side_and_column_in_order_of_time() -> None:
    found = known_day(
        episode_interval=[
            interval("host", 2, latency_max_ms=8.0, iops=90.0, sioc_active_percent=40.0),
            interval("host", 1, latency_max_ms=4.0, iops=30.0, sioc_active_percent=0.0),
            interval("array", 2, latency_max_ms=5.0, iops=80.0, sioc_active_percent=7.0),
            interval("array", 1, latency_max_ms=3.0, iops=20.0),
        ]
    )
    assert found.curves == (
        Curve("host, ms", ((at(1), 4.0), (at(2), 8.0))),
        Curve("array, ms", ((at(1), 3.0), (at(2), 5.0))),
        Curve("host, IOPS", ((at(1), 30.0), (at(2), 90.0))),
        Curve("array, IOPS", ((at(1), 20.0), (at(2), 80.0))),
        Curve("SIOC active, %", ((at(1), 0.0), (at(2), 40.0))),
    )


def test_an_interval_that_was_not_read_has_no_point_and_a_curve_that_is_0_all_day_is_left_out() -> None:
    rows = [interval("host", hour, latency_max_ms=value, iops=0.0) for hour, value in ((0, 0.0), (1, None), (2, 6.0))]
    assert known_day(episode_interval=rows).curves == (Curve("host, ms", ((at(0), 0.0), (at(2), 6.0))),)


def test_the_axis_goes_from_the_first_begin_to_the_last_end_of_both_sides() -> None:
    found = known_day(episode_interval=[interval("host", 3), interval("host", 4, seconds=300), interval("array", 2), interval("array", 5)])
    assert (found.name, found.begin, found.end, found.seconds) == ("prod-01", at(2), at(6), 3600)
    found = known_day(episode_interval=[interval("host", 3), interval("host", 4, seconds=7200), interval("array", 5, seconds=300)])
    assert (found.begin, found.end, found.seconds) == (at(3), at(6), 7200), "the one that ends last need not begin last"


def test_episodes_stand_first_and_each_cause_is_a_band_of_its_own() -> None:
    found = known_day(
        episode=[row_of("episode", begin_at=at(5), end_at=at(6)), row_of("episode", begin_at=at(1), end_at=at(2))],
        episode_cause=[cause("replication", 7, 8), cause("backup", 3, 4), cause("replication", 2, 3)],
    )
    assert found.bands == (
        Band("episodes", ((at(5), at(6)), (at(1), at(2)))),
        Band("backup", ((at(3), at(4)),)),
        Band("replication", ((at(2), at(3)), (at(7), at(8)))),
    )
    assert found.more_bands == 0


def test_a_restart_is_the_moment_at_which_its_time_ends() -> None:
    found = known_day(episode_cause=[cause("restart of esx-1", 3, 4, cause="restart")])
    assert found.bands[1] == Band("restart of esx-1", ((at(4), at(4)),))


@pytest.mark.parametrize(("causes", "shown", "more"), [(5, 5, 0), (6, 6, 0), (7, 6, 1), (9, 6, 3)])
def test_six_causes_are_shown_beside_the_episodes_and_the_others_counted(causes: int, shown: int, more: int) -> None:
    found = known_day(episode_cause=[cause(f"job {number}", 1, 2) for number in range(causes)])
    assert [band.name for band in found.bands] == ["episodes", *(f"job {number}" for number in range(shown))]
    assert found.more_bands == more


def test_a_part_shows_its_highest_value_and_0_is_read_while_nothing_is_not() -> None:
    points = ((at(-1), 9.0), (at(0), 3.0), (at(0.5), 5.0), (at(0.9), 4.0), (at(2), 0.0), (at(4), 9.0))
    assert Curve("x", points).highest_in(at(0), at(4), 4) == [5.0, None, 0.0, None]


def test_what_begins_with_a_part_is_in_that_part() -> None:
    # 1 / 49 * 49 is less than 1 by floats.
    points = tuple((at(hour), float(hour)) for hour in range(49))
    assert Curve("x", points).highest_in(at(0), at(49), 49) == [float(hour) for hour in range(49)]


@pytest.mark.parametrize(
    ("span", "parts"),
    [
        pytest.param((1, 2), [1], id="a whole part: its end is no part of the next"),
        pytest.param((1.5, 2.5), [1, 2], id="the halves of two parts"),
        pytest.param((2, 2), [2], id="a moment"),
        pytest.param((1, 2 + 1 / 3_600_000_000), [1, 2], id="a microsecond of the next part"),
        pytest.param((-2, 0.5), [0], id="it began before"),
        pytest.param((3.5, 9), [3], id="it ends after"),
        pytest.param((-3, 9), [0, 1, 2, 3], id="all of it"),
        pytest.param((-3, -1), [], id="before all of it"),
        pytest.param((-2, 0), [], id="it ends where the time begins"),
        pytest.param((4, 5), [], id="after all of it"),
    ],
)
def test_a_band_runs_in_the_parts_that_a_span_touches(span: tuple[float, float], parts: list[int]) -> None:
    found = Band("x", ((at(span[0]), at(span[1])),)).parts_of(at(0), at(4), 4)
    assert found == [place in parts for place in range(4)]
