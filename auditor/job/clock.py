"""The time of the compliance job, and waiting for it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The time, and waiting for it.

    Attributes:
        look_seconds: the longest sleep at once.
    """

    look_seconds: float

    def now(self) -> datetime:
        """The moment, aware."""

    def sleep(self, seconds: float) -> None:
        """Wait; a signal ends it."""


class SystemClock:
    """The machine's clock. It is looked at often, so that it is noticed when the machine slept, or its clock was set."""

    look_seconds = 20.0

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait; a signal handler that raises ends it."""
        time.sleep(seconds)
