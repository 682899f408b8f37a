"""What rich renders, onto a terminal or into a file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_PLAIN_WIDTH = 120
_LEAST_WIDTH = 40


def write_parts(parts: Callable[[int], Iterable[RenderableType]], out: TextIO) -> None:
    """Write `parts`, made for a width in characters, as wide as the terminal and in colour where that is wanted.

    A file, a pipe or ``NO_COLOR`` gets plain text without control characters; ``COLUMNS`` sets the width there.
    """
    page = io.StringIO()
    console = _console(page, out)
    for part in parts(console.width):
        console.print(part, overflow="fold")
    encoding = getattr(out, "encoding", None) or "utf-8"
    # A terminal that cannot write a letter gets its escape, instead of us an error.
    text = page.getvalue().encode(encoding, "backslashreplace").decode(encoding)
    out.writelines(f"{line.rstrip()}\n" for line in text.split("\n")[:-1])


def _console(page: TextIO, out: TextIO) -> Console:
    from rich.console import Console

    terminal = out.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in {"dumb", "unknown"}
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdigit() and int(columns) else _PLAIN_WIDTH
    if terminal and not columns.isdigit():
        width = os.get_terminal_size(out.fileno()).columns or 80
    return Console(
        file=page,
        width=max(_LEAST_WIDTH, width),
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
