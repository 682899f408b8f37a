"""Rows and columns for a terminal, where what must not be lost wraps and what may be is cut in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.report.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

_GAP = 2
_LEAST = 6


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how the column gives way when the terminal is narrow."""

    title: str
    floor: int  # characters it keeps while another column can still give
    shorten: bool = False  # cut in the middle; otherwise it wraps and nothing is lost
    whole: bool = False  # the last to wrap, and then at a dot: a name that is broken anywhere cannot be found again


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, already harmless, with its rich style."""

    text: str
    style: str = ""


def aligned(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> Table:
    """Lay `rows` out in at most `width` characters; columns without any text are left out."""
    from rich.table import Table
    from rich.text import Text

    used = [place for place in range(len(columns)) if any(row[place].text for row in rows)]
    kept = [columns[place] for place in used]
    natural = [_natural(columns[place], [row[place] for row in rows]) for place in used]
    widths = _fitted(natural, kept, width - _GAP * (len(kept) - 1))
    table = Table(box=None, show_edge=False, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim", collapse_padding=True)
    for column, column_width in zip(kept, widths, strict=True):
        table.add_column(column.title, width=column_width, no_wrap=False, overflow="fold")
    for row in rows:
        cells = [row[place] for place in used]
        table.add_row(
            *(Text(_given_way(cell.text, column, room), style=cell.style) for cell, column, room in zip(cells, kept, widths, strict=True))
        )
    return table


def fits(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> bool:
    """Whether `rows` can be laid out in `width` characters with nothing cut or wrapped."""
    natural = [
        _natural(column, [row[place] for row in rows]) for place, column in enumerate(columns) if any(row[place].text for row in rows)
    ]
    return sum(natural) + _GAP * (len(natural) - 1) <= width


def _natural(column: Column, cells: Sequence[Cell]) -> int:
    from rich.cells import cell_len

    return max(cell_len(column.title), *(cell_len(cell.text) for cell in cells))


def _given_way(text: str, column: Column, room: int) -> str:
    """What is shown of a cell in so much room."""
    if column.shorten:
        return shortened(text, room)
    return _at_dots(text, room) if column.whole else text


def _at_dots(text: str, room: int) -> str:
    """A name in lines of at most `room` characters, as long as its parts between dots allow."""
    lines = [""]
    for part in text.replace(".", ".\n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _fitted(natural: Sequence[int], columns: Sequence[Column], room: int) -> list[int]:
    """Take from the columns that are cut first, then from those that wrap, then from names, then from all, down to what can be read."""
    widths = list(natural)
    order = sorted(range(len(widths)), key=lambda place: (columns[place].whole, not columns[place].shorten, -natural[place]))
    for floors in ([column.floor for column in columns], [_LEAST] * len(columns)):
        for place in order:
            excess = sum(widths) - room
            if excess <= 0:
                return widths
            widths[place] = max(min(widths[place], floors[place]), widths[place] - excess)
    return widths
