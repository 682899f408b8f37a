"""The day of one thing as text for a terminal: a sparkline for each curve and a band for each cause, on one axis of time."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from auditor.report.wording import neutral, shortened, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from auditor.impact.day import Band, Curve, Day

_MARKS = "▁▂▃▄▅▆▇█"
_UNREAD, _NOTHING = " ", "·"
_NAME, _MOST = 15, 8  # characters of a name, and of the highest value
_LEAST = 24
_OTHERS = 'auditor query "SELECT * FROM episode_cause"'


def day_parts(day: Day, width: int) -> Iterator[RenderableType]:
    """The axis, the curves, each from 0 to its highest value, and the bands; nothing is wider than `width`.

    A part of the axis shows the highest value in it, and is blank where nothing was read.
    """
    from rich.text import Text

    parts = max(_LEAST, min(96, width - 2 - _NAME - 1 - 1 - _MOST))
    yield Text(f"  {neutral(day.name)}, {day.begin.astimezone(UTC):%Y-%m-%d %H:%M} to {day.end.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
    yield Text(f"  {'':{_NAME}} {_axis(day, parts)} highest", style="dim")
    for curve in day.curves:
        yield Text.assemble(f"  {curve.name:{_NAME}} ", (_sparkline(curve, day, parts), "cyan"), f" {_highest(curve)}")
    for band in day.bands:
        name = neutral(band.name)
        if len(name) > _NAME:  # schedules differ at the ends of their names
            yield Text(f"  {shortened(name, width - 2)}")
            name = ""
        yield Text.assemble(f"  {name:{_NAME}} ", (_band(band, day, parts), "yellow"), f" {len(band.spans):,}x")
    if day.more_bands:
        yield Text(f"  +{count_of(day.more_bands, 'more cause')}: {_OTHERS}")


def _axis(day: Day, parts: int) -> str:
    """The clock times of the begin, the quarters and the end, UTC, each where it belongs."""
    line = ""
    for quarter in range(5):
        label = f"{(day.begin + (day.end - day.begin) * quarter / 4).astimezone(UTC):%H:%M}"
        at = min(parts - len(label), round(parts * quarter / 4) - (len(label) // 2 if quarter else 0))
        if at == 0 or at > len(line):  # one that would touch the label before it is left out
            line = f"{line:{at}}{label}"
    return f"{line:{parts}}"


def _sparkline(curve: Curve, day: Day, parts: int) -> str:
    most = max(value for _, value in curve.points) or 1.0
    values = curve.highest_in(day.begin, day.end, parts)
    return "".join(_UNREAD if value is None else _MARKS[min(7, int(value / most * 8))] for value in values)


def _highest(curve: Curve) -> str:
    return value_text(round(max(value for _, value in curve.points), 1))[:_MOST]


def _band(band: Band, day: Day, parts: int) -> str:
    return "".join("█" if ran else _NOTHING for ran in band.parts_of(day.begin, day.end, parts))
