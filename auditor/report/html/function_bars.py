"""What a pool's disks work for as a picture: a bar for each function, all of one scale, pale where it is not sure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from auditor.report.function_words import amount_text, knee_text
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from auditor.impact.functions import Functions

_WIDTH, _ROW, _BAR, _LEAST = 360, 34, 9, 1.5


def function_bars(functions: Functions, name: str) -> str:
    """The SVG element.

    Its colours are those of reports/templates/pictures.css.

    Args:
        functions: what is drawn.
        name: begins the ids of its title and description, of its own in the page.
    """
    rows = [(one.name, amount_text(one, functions), one.low, one.high) for one in functions.functions]
    rows.append(("all", f"{functions.total:,.0f}", functions.total, functions.total))
    title = f"What the disks of {neutral(functions.pool)} worked for when they were read: transfers a second"
    words = "; ".join([*(f"{function}: {text}" for function, text, _, _ in rows), *filter(None, [knee_text(functions)])])
    drawn = "".join(_row(row, number * _ROW, functions.most) for number, row in enumerate(rows))
    height = _ROW * len(rows) + (0 if functions.knee is None else _ROW // 2)
    return (
        f'<svg class="bars functions" viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-text">{escape(words)}</desc>'
        f"{drawn}{_knee(functions, _ROW * (len(rows) - 1))}</svg>"
    )


def _row(row: tuple[str, str, float, float], top: int, most: float) -> str:
    name, text, low, high = row
    ground = top + 15
    sure, may = _WIDTH * low / most, _WIDTH * (high - low) / most
    boxes = "".join(
        f'<rect class="{look}" x="{left:.1f}" y="{ground}" width="{max(_LEAST, width):.1f}" height="{_BAR}"/>'
        for look, left, width in (("sure", 0.0, sure), ("sure may", sure, may))
        if width > 0
    )
    return (
        f'<text x="0" y="{top + 11}">{escape(name)}</text>'
        f'<text class="value" x="{_WIDTH}" y="{top + 11}" text-anchor="end">{escape(text)}</text>'
        f'<path class="ground" d="M0 {ground + _BAR}h{_WIDTH}"/>{boxes}'
    )


def _knee(functions: Functions, top: int) -> str:
    """Where the data disks slow down, on the bar of all functions, and in words below it."""
    if functions.knee is None:
        return ""
    low, high = (_WIDTH * value / functions.most for value in functions.knee)
    return (
        f'<rect class="knee" x="{low:.1f}" y="{top + 13}" width="{max(_LEAST, high - low):.1f}" height="{_BAR + 4}"/>'
        f'<text class="value" x="0" y="{top + _ROW + 8}">{escape(knee_text(functions))}</text>'
    )
