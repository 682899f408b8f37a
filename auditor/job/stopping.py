"""SIGTERM and SIGINT for the schedule: a run is broken off where it stands, pages being written are finished first."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Stop(BaseException):
    """SIGTERM or SIGINT came; not an Exception, so that no job takes it for a failure of its own."""


class StopRequest:
    """Remembers that a signal came, and raises `Stop` where the work may be broken off."""

    def __init__(self) -> None:
        self.requested = False
        self.number: int | None = None  # of the first signal
        self._interruptible = False

    def request(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        self.number = self.number or number
        first, self.requested = not self.requested, True
        if first and self._interruptible:
            self._interruptible = False
            raise Stop

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Here a signal breaks off what runs; elsewhere it only waits to be noticed here."""
        try:
            self._interruptible = True
            if self.requested:
                raise Stop
            yield
        finally:
            self._interruptible = False


@contextmanager
def stopping() -> Iterator[StopRequest]:
    """Until the block ends, signals are handled by the request that it gets; call it from the main thread."""
    stop = StopRequest()
    before = {number: signal.signal(number, stop.request) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
