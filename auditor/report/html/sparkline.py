"""How failures went from run to run, as a small drawing with a sentence that says the same."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from auditor.report.wording import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from auditor.model import TrendPoint

_WIDTH, _HEIGHT, _EDGE = 240, 40, 4


def sparkline(points: Sequence[TrendPoint]) -> str:
    """The SVG element: a line from no failure at all to the most there were, by time, and a dot at its end.

    Its colours are those of reports/templates/page.css. All of its text is ours.

    Args:
        points: at least two, oldest first.
    """
    places = " ".join(f"{x:g},{y:g}" for x, y in _places(points))
    x, y = _places(points)[-1]
    return (
        f'<svg class="sparkline" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{trend_sentence(points)}">'
        f'<path class="ground" d="M0 {_HEIGHT - _EDGE}h{_WIDTH}"/><polyline points="{places}"/><circle cx="{x:g}" cy="{y:g}" r="3"/></svg>'
    )


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
