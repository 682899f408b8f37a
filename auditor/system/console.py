"""What a terminal, a pipe or a file takes as text."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from auditor.system import on_windows


def is_console(raw: object) -> bool:
    """Whether bytes go to a console of Windows, which takes UTF-8 and is no file. Source: PEP 528."""
    kind = getattr(io, "_WindowsConsoleIO", None)
    return kind is not None and isinstance(raw, kind)


def encoding_of(stream: TextIO) -> str:
    """The encoding to write to a stream of the process in.

    On Windows a pipe or file would get the code page of the machine, in which what calls itself UTF-8, as HTML and XML do, is not. There it
    is UTF-8, without a mark at its beginning, but where PYTHONIOENCODING asks for another.
    """
    if on_windows() and not stream.isatty() and not os.environ.get("PYTHONIOENCODING"):
        return "utf-8"
    return stream.encoding


def somebody_is_there() -> bool:
    """Whether a person can be asked: they see standard error, and standard input is what they type."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
