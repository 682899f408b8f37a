"""The signals that end a program from outside, as far as this system has them."""

from __future__ import annotations

import signal

STOPS: tuple[signal.Signals, ...] = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if (number := getattr(signal, name, None)) is not None
)
"""Ctrl-C, `kill`, the terminal that closes; on Windows Ctrl-Break, which stands for the window that closes as well."""
