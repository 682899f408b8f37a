"""The day of one thing for a terminal: curves and bands on one axis, within the width."""

from datetime import UTC, datetime, timedelta

import pytest

from auditor.impact.day import Band, Curve, Day
from auditor.report.terminal.day_text import day_parts

BEGIN = datetime(2026, 11, 25, tzinfo=UTC)
END = BEGIN + timedelta(hours=24)


def at(hours: float) -> datetime:
    """The time so many hours after the day began."""
    return BEGIN + timedelta(hours=hours)


def written(day: Day, width: int) -> list[str]:
    """The lines."""
    return [part.plain for part in day_parts(day, width)]  # type: ignore[union-attr]


def of_hours(**values: float) -> tuple[tuple[datetime, float], ...]:
    """Intervals of an hour: the value of each by hN."""
    return tuple((at(int(name[1:])), value) for name, value in values.items())


def test_curves_bands_and_axis_stand_below_each_other() -> None:
    curve = Curve("host, ms", of_hours(h0=1.0, h1=4.0, h2=8.0, h23=5.0))
    bands = (Band("episodes", ((at(2), at(4)),)), Band("replication, schedule hourly", ((at(22), at(22)), (at(23), at(24)))))
    lines = written(Day("prod-01", BEGIN, END, 3600, (curve,), bands, 2), 2 + 15 + 1 + 24 + 1 + 8)
    assert lines == [
        "  prod-01, 2026-11-25 00:00 to 2026-11-26 00:00 UTC",
        "                  00:00     12:00 18:00    highest",  # what would touch its neighbour is left out
        "  host, ms        ▂▅█" + " " * 20 + "▆ 8",
        "  episodes        ··██" + "·" * 20 + " 1x",
        "  replication, schedule hourly",
        "                  " + "·" * 22 + "██ 2x",
        '  +2 more causes: auditor query "SELECT * FROM episode_cause"',
    ]


@pytest.mark.parametrize("width", [51, 80, 120, 200])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    values = tuple((at(n / 12), 123456.789) for n in range(288))
    day = Day("d", BEGIN, END, 300, (Curve("SIOC active, %", values),), (Band("b" * 80, ((BEGIN, END),)),))
    assert max(map(len, written(day, width))) <= width


def test_a_part_shows_the_highest_value_in_it_and_nothing_where_nothing_was_read() -> None:
    values = tuple((at(n / 12), 100.0 if n == 13 else 1.0) for n in range(288) if not 24 <= n < 36)
    [found] = [Curve("x", values).highest_in(BEGIN, END, 24)]
    assert found == [1.0, 100.0, None] + [1.0] * 21


def test_a_band_covers_the_parts_that_its_spans_touch() -> None:
    spans = ((at(1.5), at(2.0)), (at(5.0), at(5.0)), (at(-3.0), at(0.5)), (at(23.9), at(30.0)))
    found = Band("x", spans).parts_of(BEGIN, END, 24)
    assert [place for place, ran in enumerate(found) if ran] == [0, 1, 5, 23]
