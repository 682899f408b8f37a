"""How failures went from run to run, as a small drawing by severity with a sentence that says the same."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from auditor.model import Severity
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from auditor.model import TrendPoint

_WIDTH, _HEIGHT, _EDGE = 240, 40, 4


def sparkline(points: Sequence[TrendPoint]) -> str:
    """The SVG element: a line from no failure at all to the most there were, by time, and a dot at its end.

    Below the line stand the severities, the worst at the ground, where each run kept how many it had of each.

    Its colours are those of reports/templates/page.css. All of its text is ours.

    Args:
        points: at least two, oldest first.
    """
    places = " ".join(f"{x:g},{y:g}" for x, y in _places(points))
    x, y = _places(points)[-1]
    return (
        f'<svg class="sparkline" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{trend_sentence(points)}">{_areas(points)}'
        f'<path class="ground" d="M0 {_HEIGHT - _EDGE}h{_WIDTH}"/><polyline points="{places}"/><circle cx="{x:g}" cy="{y:g}" r="3"/></svg>'
    )


def _areas(points: Sequence[TrendPoint]) -> str:
    """A band for each severity; nothing where a run did not keep them: a band that ends would look like a fleet that got better."""
    if any(one.fail != sum(one.by_severity.values()) for one in points):
        return ""
    places, most = _places(points), max(1, *(one.fail for one in points))
    height, ground = _HEIGHT - 2 * _EDGE, _HEIGHT - _EDGE
    below = [0] * len(points)
    bands = []
    for severity in Severity:
        above = [low + one.by_severity.get(severity, 0) for low, one in zip(below, points, strict=True)]
        if above != below:
            edge = [f"{x:g},{ground - height * number / most:.4g}" for (x, _), number in zip(places, above, strict=True)]
            back = [f"{x:g},{ground - height * number / most:.4g}" for (x, _), number in zip(places, below, strict=True)]
            bands.append(f'<polygon class="{severity}" points="{" ".join([*edge, *reversed(back)])}"/>')
        below = above
    return "".join(bands)


def severities_sentence(points: Sequence[TrendPoint]) -> str:
    """Each severity at first and now: "high 12 to 3"; "" where a run did not keep them."""
    first, last = points[0].by_severity, points[-1].by_severity
    if not _areas(points):
        return ""
    return ", ".join(f"{one} {first.get(one, 0):,} to {last.get(one, 0):,}" for one in Severity if first.get(one) or last.get(one))


def trend_sentence(points: Sequence[TrendPoint]) -> str:
    """How many failures there were at first, at most and now."""
    first, last, most = points[0], points[-1], max(points, key=lambda one: one.fail)
    between = f", at most {most.fail:,} on {_day(most.started)}" if most.fail > max(first.fail, last.fail) else ""
    return f"{count_of(first.fail, 'failure')} on {_day(first.started)}{between}, {last.fail:,} now ({count_of(len(points), 'run')})"


def _places(points: Sequence[TrendPoint]) -> list[tuple[float, float]]:
    begin = points[0].started
    span = (points[-1].started - begin).total_seconds() or 1.0
    most = max(1, *(one.fail for one in points))
    room, height = _WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE
    return [
        (round(_EDGE + room * (one.started - begin).total_seconds() / span, 1), round(_HEIGHT - _EDGE - height * one.fail / most, 1))
        for one in points
    ]


def _day(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d}"
