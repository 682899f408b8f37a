"""The signals that end a program from outside, as far as this system has them."""

from __future__ import annotations

import os
import signal

STOPS: tuple[signal.Signals, ...] = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if (number := getattr(signal, name, None)) is not None
)
"""Ctrl-C, `kill`, the terminal that closes; on Windows Ctrl-Break, which stands for the window that closes as well."""


def wakeup_pipe() -> tuple[int, int]:
    """The ends of a pipe, to read from and for `signal.set_wakeup_fd`, which may never wait; Windows asks that of sockets alone."""
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):
        os.set_blocking(writer, False)
    return reader, writer
