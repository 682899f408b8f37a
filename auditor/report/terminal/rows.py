"""Tables for a terminal: columns that may not lose text wrap, the others are cut in the middle."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.report.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

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


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines that are laid out already: rich writes them as they are. Its own tables take five times as long, for the same characters."""

    lines: Sequence[Sequence[Cell]]  # each line as its pieces

    def __rich_console__(self, console: Console, _options: ConsoleOptions) -> Iterator[Segment]:
        """What rich asks of whatever it prints."""
        from rich.segment import Segment

        for line in self.lines:
            for piece in line:
                yield Segment(piece.text, console.get_style(piece.style) if piece.style else None)
            yield Segment.line()


def aligned(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int, indent: str = "") -> Laid:
    """A table of `rows` at most `width` characters wide, behind `indent`; columns without any text are left out."""
    used = [place for place in range(len(columns)) if any(row[place].text for row in rows)]
    shown = [columns[place] for place in used]
    natural = [_natural(columns[place], [row[place] for row in rows]) for place in used]
    widths = _fitted(natural, shown, width - _GAP * (len(shown) - 1))
    headings = [Cell(column.title, "dim") for column in shown]
    lines = list(_row_lines(headings, widths, indent))
    for row in rows:
        cells = [
            Cell(shortened(row[place].text, room), row[place].style) if column.shorten else row[place]
            for place, column, room in zip(used, shown, widths, strict=True)
        ]
        lines += _row_lines(cells, widths, indent)
    return Laid(lines)


def _row_lines(cells: Sequence[Cell], widths: Sequence[int], indent: str) -> Iterator[list[Cell]]:
    """The lines of one row: as many as the cell that wraps most has."""
    from rich.cells import cell_len

    wrapped_cells = [wrapped(cell.text, width) for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, wrapped_cells))):
        line = [Cell(indent)] if indent else []
        for cell, texts, width in zip(cells, wrapped_cells, widths, strict=True):
            text = texts[number] if number < len(texts) else ""
            line += [Cell(text, cell.style), Cell(" " * (width - cell_len(text) + _GAP))]
        yield line[:-1]  # nothing stands behind the last column


def indented(text: str, width: int, indent: str, style: str = "") -> Iterator[list[Cell]]:
    """`text` as lines of at most `width` characters, each behind `indent`."""
    for line in wrapped(text, width - len(indent)):
        yield [Cell(indent), Cell(line, style)]


def wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` characters, at least one; a word that no line has room for is broken."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return [text]
    if text.isascii():
        return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    from rich.console import Console
    from rich.text import Text

    lines = Text(text).wrap(Console(width=width, color_system=None), width, overflow="fold")
    return [line.plain.rstrip() for line in lines]


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
