"""What a cause costs now and after its fix, as two bars of one scale, each with its interval.

What is not known is never drawn: a bar whose size nobody knows is an empty dashed box, and one without an upper end ends open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from auditor.report.impacts import NOT_COMPUTED, after_text, may_not_help, span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WIDTH, _LEFT, _BAR, _ROW, _LEAST = 360, 44, 14, 38, 2.0
_UNITS = {
    "latency_ms": ("ms", "each command takes"),
    "iops": ("IOPS", "commands a second"),
    "transfers_per_disk": ("a disk", "transfers a second"),
}
"""The unit of a quantity in a label, and what it is."""


@dataclass(frozen=True, slots=True)
class _Bar:
    """One line of the drawing: `ends` is None where only words are known."""

    name: str
    ends: tuple[float, float | None] | None
    text: str


def interval_bars(impact: Mapping[str, Any], name: str) -> str:
    """The SVG element; "" where nothing is computed.

    Its colours are those of reports/templates/pictures.css; its text is numbers and words of ours.

    Args:
        impact: of a finding, docs/queue-model.md#report.
        name: begins the ids of its title and description, of its own in the page.
    """
    bars = _bars(impact)
    if not bars:
        return ""
    unit, what = _UNITS[impact["quantity"]]
    most = max(end for bar in bars if bar.ends for end in bar.ends if end is not None) or 1.0
    height = _ROW * len(bars) + 2
    words = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    drawn = "".join(_drawn(bar, number * _ROW, most) for number, bar in enumerate(bars))
    return (
        f'<svg class="bars" viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">Now and after the fix: {what}, {unit}</title><desc id="{name}-text">{escape(words)}</desc>{drawn}</svg>'
    )


def small_bars(impact: Mapping[str, Any]) -> str:
    """The same without words, for a line of text that says it."""
    bars = [bar for bar in _bars(impact) if bar.ends is not None]
    if len(bars) < 2:
        return ""
    most = max(end for bar in bars if bar.ends for end in bar.ends if end is not None) or 1.0
    rows = "".join(
        f'<rect class="{bar.name}" y="{number * 8}" width="{max(_LEAST, 72 * (bar.ends[1] or bar.ends[0]) / most):.1f}" height="6"/>'
        for number, bar in enumerate(bars)
        if bar.ends is not None
    )
    return f'<svg class="small-bars" viewBox="0 0 72 14" aria-hidden="true">{rows}</svg>'


def _bars(impact: Mapping[str, Any]) -> list[_Bar]:
    if not impact or NOT_COMPUTED in impact or impact["quantity"] not in _UNITS:
        return []
    unit = _UNITS[impact["quantity"]][0]
    now = _Bar("now", _ends(impact["now"]), f"{span(impact['now'])} {unit}")
    if impact.get("direction") == "same":
        return [now, _Bar("after", _ends(impact["now"]), after_text(impact))]
    if impact["model"] == "move" or not impact.get("size_known", True):
        return [now, _Bar("after", None, after_text(impact).removeprefix("after the fix "))]
    doubt = ", the fix may not help" if may_not_help(impact) else ""
    return [now, _Bar("after", _ends(impact["after"]), f"{span(impact['after'])} {unit}{doubt}")]


def _ends(ends: Sequence[float | None]) -> tuple[float, float | None]:
    low, high = ends
    return low or 0.0, high


def _drawn(bar: _Bar, top: int, most: float) -> str:
    room = _WIDTH - _LEFT - 12
    line, under = top + 11, top + _BAR + 14
    label = f'<text x="0" y="{line}">{bar.name}</text><text class="value" x="{_LEFT}" y="{under}">{escape(bar.text)}</text>'
    if bar.ends is None:
        return f'{label}<rect class="unread" x="{_LEFT}" y="{top}" width="{room}" height="{_BAR}"/>'
    low, high = bar.ends
    sure = max(_LEAST, room * low / most)
    box = f'<rect class="{bar.name}" x="{_LEFT}" y="{top}" width="{sure:.1f}" height="{_BAR}"/>'
    if high is None:
        return f'{label}{box}<path class="open" d="M{_LEFT + sure:.1f} {top}l8 {_BAR // 2}l-8 {_BAR // 2}"/>'
    more = room * high / most - sure
    return (
        label
        + box
        + (f'<rect class="{bar.name} may" x="{_LEFT + sure:.1f}" y="{top}" width="{more:.1f}" height="{_BAR}"/>' if more > 0 else "")
    )
