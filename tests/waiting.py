"""Time in tests: a clock that passes when a test says so, and waiting for an event instead of for seconds."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import HealthCheck

PATIENCE_SECONDS = 300.0
"""How long any wait goes on before the test fails. Only a failing test reaches it, so it is far beyond what a slow, busy machine needs."""

SHORT_SECONDS = 1.0
"""The time-out of an endpoint that falls silent: short, as the test waits for it, and long enough for an answer on a slow, busy machine."""

FULL_SECONDS = 30.0
"""The time-out of an endpoint that answers; that of fleet.yaml where none is given."""

SLOW_ANSWERS = frozenset({"latency", "slow"})
"""The faults of the lab that make a time-out run out; with any other an endpoint has its full time."""

NEVER_SECONDS = 3600.0
"""The latency of an answer that nobody is to wait for. The lab's servers leave off waiting when they are stopped."""

SPEED_CHECKS = (HealthCheck.too_slow, HealthCheck.data_too_large)
"""Hypothesis' checks of speed, which no property test is held to. The list of a test's own settings takes the place of the profile's, so a
test that suppresses another check names these too."""

_T = TypeVar("_T")


def timeout_with(fault: str) -> float:
    """Seconds to wait for an endpoint that has a fault of this kind."""
    return SHORT_SECONDS if fault in SLOW_ANSWERS else FULL_SECONDS


def until(read: Callable[[], _T], what: str) -> _T:
    """The first true value that `read` returns; it is called again every 20 ms.

    Raises:
        AssertionError: `what` did not happen in PATIENCE_SECONDS.
    """
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not (value := read()):
        assert time.monotonic() < give_up, f"did not happen: {what}"
        time.sleep(0.02)
    return value


def completed(command: Sequence[str], *, check: bool, **options: Any) -> subprocess.CompletedProcess[str]:
    """What a command printed, as text, once it has ended; `options` are those of subprocess.run."""
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=check, **options)


@dataclass
class Clock:
    """A clock that stands still until the test moves it; takes the place of the module `time` in a module of the lab.

    Attributes:
        now: seconds.
    """

    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        """That of this machine: dates of the lab do not pass with its clock."""
        return time.time()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Pass `seconds` at once."""
        self.now += seconds
