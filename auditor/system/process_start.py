"""When this process began, which is since when somebody at a terminal waits."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

_STARTED_FIELD = 19
"""The field `starttime` of /proc/self/stat, counted behind the name of the program, in ticks since the machine began. Source: proc(5)."""


def process_began() -> datetime:
    """When this process began, by the system; now where the system does not say so."""
    return datetime.now(UTC) - timedelta(seconds=_age_seconds())


def _age_seconds() -> float:
    try:
        stat = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
        ticks = int(stat.rpartition(")")[2].split()[_STARTED_FIELD])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return 0.0
