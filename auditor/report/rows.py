"""Tables for a terminal: columns that may not lose text wrap, the others are cut in the middle."""

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
    """A heading, and how the column shrinks when the terminal is narrow."""

    title: str
    floor: int  # characters; it shrinks below this only when every column is at its floor
    shorten: bool = False  # cut in the middle; otherwise it wraps and no text is lost
    whole: bool = False  # a name, so that a reader can search for it: the last to wrap


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, already made safe by `neutral`, with its rich style."""

    text: str
    style: str = ""


def aligned(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> Table:
    """A table of `rows` at most `width` characters wide; columns without any text are left out."""
    from rich.table import Table
    from rich.text import Text

    used = [place for place in range(len(columns)) if any(row[place].text for row in rows)]
    shown = [columns[place] for place in used]
    natural = [_natural(columns[place], [row[place] for row in rows]) for place in used]
    widths = _fitted(natural, shown, width - _GAP * (len(shown) - 1))
    table = Table(box=None, show_edge=False, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim", collapse_padding=True)
    for column, column_width in zip(shown, widths, strict=True):
        table.add_column(column.title, width=column_width, no_wrap=False, overflow="fold")
    for row in rows:
        cells = [row[place] for place in used]
        table.add_row(
            *(
                Text(shortened(cell.text, room) if column.shorten else cell.text, style=cell.style)
                for cell, column, room in zip(cells, shown, widths, strict=True)
            )
        )
    return table


def fits(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> bool:
    """Whether `rows` fit into `width` characters with no text cut or wrapped."""
    natural = [
        _natural(column, [row[place] for row in rows]) for place, column in enumerate(columns) if any(row[place].text for row in rows)
    ]
    return sum(natural) + _GAP * (len(natural) - 1) <= width


def fits_shrunk(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> bool:
    """Whether `rows` fit into `width` characters with names whole and no other column below its floor."""
    used = [(column, [row[place] for row in rows]) for place, column in enumerate(columns) if any(row[place].text for row in rows)]
    natural = [(column, _natural(column, cells)) for column, cells in used]
    widths = [one if column.whole else min(one, column.floor) for column, one in natural]
    return sum(widths) + _GAP * (len(widths) - 1) <= width


def _natural(column: Column, cells: Sequence[Cell]) -> int:
    from rich.cells import cell_len

    return max(cell_len(column.title), *(cell_len(cell.text) for cell in cells))


def _fitted(natural: Sequence[int], columns: Sequence[Column], room: int) -> list[int]:
    """Column widths with the sum `room`: columns that are cut shrink first, then those that wrap, then names."""
    widths = list(natural)
    order = sorted(range(len(widths)), key=lambda place: (columns[place].whole, not columns[place].shorten, -natural[place]))
    for floors in ([column.floor for column in columns], [_LEAST] * len(columns)):
        for place in order:
            excess = sum(widths) - room
            if excess <= 0:
                return widths
            widths[place] = max(min(widths[place], floors[place]), widths[place] - excess)
    return widths
