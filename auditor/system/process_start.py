"""When this process began: a person at the terminal has waited since then."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

_STARTED_FIELD = 19
"""The field `starttime` of /proc/N/stat, counted behind the name of the program, in ticks since the machine began. Source: proc(5)."""


def process_began() -> datetime:
    """When this process began, by the system; now where the system does not say so."""
    return datetime.now(UTC) - timedelta(seconds=_age_seconds())


def start_ticks(process: int | str) -> str | None:
    """When a process began, in ticks since the machine began; None where the system does not say so.

    Args:
        process: its number, or "self".
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        return stat.rpartition(")")[2].split()[_STARTED_FIELD]  # the name in parentheses may hold spaces
    except (OSError, IndexError):
        return None


def _age_seconds() -> float:
    ticks = start_ticks("self")
    try:
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - int(ticks or "") / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, AttributeError):  # not Linux
        return 0.0
