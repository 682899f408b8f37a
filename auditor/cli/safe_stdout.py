"""Standard output and standard error that stay usable when their reader has gone.

In ``auditor audit | head`` the reader leaves in the middle of a report. A command that ended there would not know its exit code, which is a
verdict. So it goes on, its further output is dropped, and it ends with its own code. Output that a full disk does not take is dropped as
well, and reported as an error when the command ends.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from auditor.system.console import encoding_of, is_console
from auditor.text.signs import PLAIN
from auditor.text.steering import without_steering

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined]  # of 3.12; typeshed has it


class _Text(io.TextIOWrapper):
    r"""Text in which nothing steers a terminal, whatever a name of the fleet holds.

    The escape of such a character is that of JSON (``\u009b``), and in JSON it can only be within a text: what is read from it is the same.
    """

    def write(self, text: str, /) -> int:
        super().write(without_steering(text))
        return len(text)


class Outlet(io.FileIO):
    """A file descriptor that is written to for as long as somebody reads it.

    Attributes:
        has_reader: false once a write has found that the reader of the pipe has gone, or that nothing more is taken.
        failure: why nothing more is taken, where it is not that the reader has gone.
    """

    has_reader = True
    failure: OSError | None = None

    def write(self, data: Buffer, /) -> int:
        """Write what the descriptor takes now; all of it, nowhere, when nobody reads it any more or it takes nothing more."""
        try:
            return super().write(data)
        except OSError as error:
            self.has_reader = False
            self.failure = None if isinstance(error, BrokenPipeError) else error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def safe_stream(stream: TextIO | None) -> TextIO:
    """A stream like `stream`, on the same descriptor, that no leaving reader can break; itself where it is not a plain file or pipe.

    None, which is Python's for a descriptor that was closed before it began, becomes one into nowhere.
    """
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8")
    raw = _raw(stream)
    if not isinstance(stream, io.TextIOWrapper) or not (type(raw) is io.FileIO or is_console(raw)):
        return stream
    stream.flush()
    outlet = Outlet(raw.fileno(), "w", closefd=False) if type(raw) is io.FileIO else None
    return _Text(
        stream.buffer if outlet is None else outlet if stream.buffer is raw else io.BufferedWriter(outlet),  # raw: PYTHONUNBUFFERED
        encoding=encoding_of(stream),
        errors=PLAIN if stream.errors in ("strict", "backslashreplace") else stream.errors,
        newline="\n",  # the same bytes on every system: a report in CSV has ends of its own
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def stdout_failure() -> OSError | None:
    """Why standard output did not take all that was written to it; None where it did, or where its reader left by himself."""
    sys.stdout.flush()
    raw = _raw(sys.stdout)
    return raw.failure if isinstance(raw, Outlet) else None


def is_read() -> bool:
    """Whether anybody reads standard output, as far as the last write showed; for what would take long and is of use to nobody else."""
    raw = _raw(sys.stdout)
    return raw.has_reader if isinstance(raw, Outlet) else True


def _raw(stream: TextIO | None) -> object:
    """What a stream writes to in the end; None where that is not known."""
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)
