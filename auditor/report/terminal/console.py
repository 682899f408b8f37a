"""Writes what rich renders to a terminal or a file."""

from __future__ import annotations

import io
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from auditor.text.signs import PLAIN

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.text import Text

ROWS_A_LIST = 20
"""Lines shown of a list, such as gaps or receipts; the others are counted."""
_PLAIN_WIDTH = 100
_LEAST_WIDTH = 40


def write_parts(parts: Callable[[int], Iterable[RenderableType]], out: TextIO) -> None:
    """Write `parts` as they come, as wide as the terminal, with colour where the terminal allows it.

    A file, a pipe or ``NO_COLOR`` gets plain text without control characters; ``COLUMNS`` sets the width there.

    Args:
        parts: gives what to write for a width in characters.
        out: where to write.
    """
    page = io.StringIO()
    console = _console(page, out)
    encoding = getattr(out, "encoding", None) or "utf-8"
    for part in parts(console.width):
        page.seek(0)
        page.truncate()
        console.print(part, overflow="fold", crop=False)
        text = page.getvalue().encode(encoding, PLAIN).decode(encoding)  # here, so that no line's end is cut within an escape
        out.writelines(f"{line.rstrip()}\n" for line in text.split("\n")[:-1])


def line_count(parts: Iterable[RenderableType], width: int) -> int:
    """How many lines of `width` characters `parts` take."""
    from rich.console import Console

    page = io.StringIO()
    console = Console(file=page, width=width, color_system=None, markup=False, emoji=False, highlight=False, legacy_windows=False)
    for part in parts:
        console.print(part, overflow="fold", crop=False)
    return sum(max(1, -(-len(line) // width)) for line in page.getvalue().splitlines())


def clipped(text: str, width: int, lines: int) -> str:
    """`text` on at most `lines` lines of `width` characters; what is left out is whole words, so that no name is cut."""
    return textwrap.fill(text, width, max_lines=lines, placeholder=" …", break_on_hyphens=False)


def hanging(mark: str, text: Text, style: str = "") -> RenderableType:
    """`text` behind `mark`, wrapped lines indented to where it begins."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=len(mark), style=style)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text)
    return grid


def command_line(mark: str, label: str, command: str) -> RenderableType:
    """A command behind what it is for; one that is too long for the line has lines of its own, which no line end divides: it is pasted."""
    from rich.console import Group
    from rich.text import Text

    narrow = Group(hanging(mark, Text(label)), pasted(f"{' ' * len(mark)} {command}"))
    return _Fitting(hanging(mark, Text(f"{label} {command}")), narrow, len(f"{mark} {label} {command}"))


def pasted(command: str) -> RenderableType:
    """A line with a command, which no line end divides."""
    from rich.console import Group
    from rich.text import Text

    # A text that is printed by itself is joined with its neighbours first, and forgets that it is not to be wrapped.
    return Group(Text(command, no_wrap=True, overflow="ignore"))


@dataclass(frozen=True, slots=True)
class _Fitting:
    """What is written where there is room for it, and what is written where there is not."""

    roomy: RenderableType
    narrow: RenderableType
    needed: int  # characters of a line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self.roomy if options.max_width >= self.needed else self.narrow


def width_of(out: TextIO) -> int:
    """How many characters a line of `out` has: of a terminal as many as it shows, unless ``COLUMNS`` says another number."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdigit() and int(columns) else _PLAIN_WIDTH
    if out.isatty() and not columns.isdigit():
        width = os.get_terminal_size(out.fileno()).columns or 80
    return max(_LEAST_WIDTH, width)


def _console(page: TextIO, out: TextIO) -> Console:
    from rich.console import Console

    terminal = out.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in {"dumb", "unknown"}
    return Console(
        file=page,
        width=width_of(out),
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
