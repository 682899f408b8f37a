"""The day of one thing as a picture: a curve below the other, episodes and what ran beside them as bands, on one axis of time."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from auditor.report.wording import neutral, shortened, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.impact.day import Band, Curve, Day

_WIDTH, _LEFT, _RIGHT = 790, 200, 6
_ROOM = _WIDTH - _LEFT - _RIGHT
_CURVE, _BAND, _GAP, _AXIS = 34, 10, 8, 16  # heights
PARTS = 288
"""Points of a curve at most: about two pixels each, whatever the history has."""
_LEAST = 1.5  # width of a moment
_SPANS_SAID = 3
_NAME_LETTERS = 32  # of a band, as many as stand left of it


def day_drawing(day: Day, name: str) -> str:
    """The SVG element.

    Each curve goes from 0 to its highest value, which stands beside it; where nothing was read it has a hole. Its colours are those of
    reports/templates/pictures.css.

    Args:
        day: what is drawn.
        name: begins the ids of its title and description, of its own in the page.
    """
    parts = min(PARTS, max(1, round((day.end - day.begin).total_seconds() / day.seconds)))
    drawn, top = [], _AXIS
    for curve in day.curves:
        drawn.append(_curve(curve, day, parts, top))
        top += _CURVE + _GAP
    for number, band in enumerate(day.bands):
        drawn.append(_band(band, day, parts, top, "episodes" if number == 0 else "ran"))
        top += _BAND + _GAP
    title, words = escape(f"{neutral(day.name)}: a day on one axis"), escape(day_words(day))
    return (
        f'<svg class="day" viewBox="0 0 {_WIDTH} {top}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{title}</title><desc id="{name}-text">{words}</desc>'
        f"{_axis(day, top)}{''.join(drawn)}</svg>"
    )


def day_words(day: Day) -> str:
    """What the picture shows, as sentences."""
    parts = [f"{day.begin.astimezone(UTC):%Y-%m-%d %H:%M} to {_clock(day.end)} UTC"]
    for curve in day.curves:
        at, most = max(curve.points, key=lambda point: (point[1], -point[0].timestamp()))
        parts.append(f"{curve.name}: at most {value_text(round(most, 1))}, at {_clock(at)}")
    for band in day.bands:
        first = [f"{_clock(begin)} to {_clock(end)}" if end > begin else _clock(begin) for begin, end in band.spans[:_SPANS_SAID]]
        more = f" and {len(band.spans) - _SPANS_SAID:,} more" if len(band.spans) > _SPANS_SAID else ""
        parts.append(f"{neutral(band.name)}: {', '.join(first)}{more}")
    if day.more_bands:
        parts.append(f"{count_of(day.more_bands, 'more cause')} not drawn")
    return "; ".join(parts)


def _clock(at: datetime) -> str:
    return f"{at.astimezone(UTC):%H:%M}"


def _axis(day: Day, height: int) -> str:
    lines = []
    for quarter in range(5):
        x = _LEFT + _ROOM * quarter / 4
        anchor = ("start", "middle", "middle", "middle", "end")[quarter]
        lines.append(f'<path class="ground" d="M{x:g} {_AXIS - 3}V{height}"/>')
        lines.append(
            f'<text class="value" x="{x:g}" y="10" text-anchor="{anchor}">{_clock(day.begin + (day.end - day.begin) * quarter / 4)}</text>'
        )
    return "".join(lines)


def _curve(curve: Curve, day: Day, parts: int, top: int) -> str:
    most = max(value for _, value in curve.points) or 1.0
    ground, step = top + _CURVE, _ROOM / parts
    lines: list[list[str]] = [[]]
    for place, value in enumerate(curve.highest_in(day.begin, day.end, parts)):
        if value is None:
            lines.append([])
        else:
            lines[-1].append(f"{_LEFT + step * (place + 0.5):.1f},{ground - _CURVE * value / most:.1f}")
    # One point alone would be no line.
    drawn = "".join(f'<polyline points="{" ".join(line if len(line) > 1 else line * 2)}"/>' for line in lines if line)
    return (
        f'<text x="0" y="{top + 14}">{escape(curve.name)}</text><text class="value" x="0" y="{ground - 4}">'
        f'highest {value_text(round(most, 1))}</text><path class="ground" d="M{_LEFT} {ground}h{_ROOM}"/>{drawn}'
    )


def _band(band: Band, day: Day, parts: int, top: int, look: str) -> str:
    step, begun = _ROOM / parts, None
    boxes = []
    for place, ran in enumerate([*band.parts_of(day.begin, day.end, parts), False]):
        if ran and begun is None:
            begun = place
        elif not ran and begun is not None:
            width = max(_LEAST, step * (place - begun))
            boxes.append(f'<rect class="{look}" x="{_LEFT + step * begun:.1f}" y="{top}" width="{width:.1f}" height="{_BAND}"/>')
            begun = None
    return f'<text x="0" y="{top + 10}">{escape(neutral(shortened(band.name, _NAME_LETTERS)))}</text>{"".join(boxes)}'
