"""What a pool's disks work for as text for a terminal: a bar for each function, all of one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.report.function_words import amount_text, knee_text
from auditor.report.terminal.console import hanging
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from auditor.impact.functions import Functions

_BAR = 24
_NAME = 18  # characters of the longest name
_SURE, _MAY, _NONE = "#", "+", "-"


def function_parts(functions: Functions) -> Iterator[RenderableType]:
    """The functions one below the other, and all of them together; `#` is surely for it, `+` may be."""
    from rich.text import Text

    about = f"Transfers a second of the disks of {functions.pool}, when they were read: {_SURE} surely for it, {_MAY} perhaps."
    yield hanging("  ", Text(neutral(about)))
    for one in functions.functions:
        drawn = _bar(one.low, one.high, functions.most)
        yield hanging(f"  {one.name:<{_NAME}}", Text.assemble((drawn, "cyan"), f" {amount_text(one, functions)}: {neutral(one.why)}"))
    drawn, knee = _bar(functions.total, functions.total, functions.most), knee_text(functions)
    yield hanging(f"  {'all':<{_NAME}}", Text.assemble((drawn, "cyan"), f" {functions.total:,.0f}{f'; {knee}' if knee else ''}"))


def _bar(low: float, high: float, most: float) -> str:
    """The least that is not nothing has a mark of its own."""
    end = max(round(_BAR * high / most), 1 if high else 0)
    sure = min(end, max(round(_BAR * low / most), 1 if low else 0))
    return f"{_SURE * sure}{_MAY * (end - sure)}{_NONE * (_BAR - end)}"
