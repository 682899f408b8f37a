"""Standard output and standard error that outlive their readers.

In ``auditor audit | head`` the reader leaves in the middle of a report. The exit code is a verdict all the same: a command that ended there
could only guess it. So it goes on, what nobody reads goes nowhere, and it ends with the code that is its own.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined]  # of 3.12; typeshed has it


class Outlet(io.FileIO):
    """A file descriptor that is written to for as long as somebody reads it.

    Attributes:
        has_reader: false once a write has found that the reader of the pipe has gone.
    """

    has_reader = True

    def write(self, data: Buffer, /) -> int:
        """Write what the descriptor takes now; all of it, nowhere, when nobody reads it any more."""
        try:
            return super().write(data)
        except BrokenPipeError:
            self.has_reader = False
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def outliving(stream: TextIO | None) -> TextIO | None:
    """A stream like `stream`, on the same descriptor, that no leaving reader can break; itself where it is not a plain file or pipe."""
    raw = _raw(stream)
    if not isinstance(stream, io.TextIOWrapper) or type(raw) is not io.FileIO:
        return stream
    stream.flush()
    outlet = Outlet(raw.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        outlet if stream.buffer is raw else io.BufferedWriter(outlet),  # the first is PYTHONUNBUFFERED, as Python itself does it
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def is_read() -> bool:
    """Whether anybody reads standard output, as far as the last write showed; for what would take long and is of use to nobody else."""
    raw = _raw(sys.stdout)
    return raw.has_reader if isinstance(raw, Outlet) else True


def _raw(stream: TextIO | None) -> object:
    """What a stream writes to in the end; None where that is not told."""
    buffer = getattr(stream, "buffer", None)
    return getattr(buffer, "raw", buffer)
