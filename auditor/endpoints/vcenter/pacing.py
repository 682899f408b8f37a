"""How many requests a vCenter is sent at once: what is allowed, fewer while it says or shows that this is too much.

Halved when it says so (503, 429), a quarter less when most answers take several times as long as the quickest of their kind, one more
after every flight of good answers: what TCP does for a network (RFC 5681), done for a vCenter. Each host is asked the same few
questions, so the quickest answer to one of them shows what it costs when nothing is in its way.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SLOW_FACTOR = 4.0
SLOW_SECONDS = 0.25
"""An answer is slow that takes so many times as long as the quickest of its kind, and so much longer. The second keeps what our own
machine adds, when it is busy, from being taken for the vCenter's trouble."""

_FEWEST_JUDGED = 4  # answers before the pace is changed: one slow host must not speak for its vCenter
_NORMAL_DRIFTS = 1.25  # after slowing down; where that did not help, slow has become the normal case, and the pace must come back


@dataclass(slots=True)
class Turn:
    """One request's leave to be in flight, and what came of it.

    Attributes:
        seconds: from the request to the first byte of its answer, or until it was given up; None where that says nothing.
        refused: the vCenter said that it is too busy.
        pause_seconds: how long it wants to be left alone, if it was.
    """

    seconds: float | None = None
    refused: bool = False
    pause_seconds: float = 0.0


class Pace:
    """The pace of one vCenter; may be used from many threads.

    Args:
        most: requests in flight that are allowed; the pace starts there.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = most
        self._in_flight = 0
        self._flight = 0  # counts the times the pace was slowed: what was asked before that says nothing about the pace since
        self._judged = self._slow = 0
        self._refusals = 0  # since the last good answer
        self._not_before = 0.0
        self._quickest: dict[str, float] = {}
        self._changed = threading.Condition()

    @property
    def allowed(self) -> int:
        """Requests that may be in flight now, 1 or more."""
        return self._allowed

    @contextmanager
    def turn(self, kind: str = "") -> Iterator[Turn]:
        """Wait until one more request may be sent, and learn from the turn how it went.

        `kind` names requests that cost the same; those without one are too unlike to be compared.
        """
        with self._changed:
            while (wait := self._wait_seconds()) != 0.0:
                self._changed.wait(wait)
            self._in_flight += 1
            flight = self._flight
        turn = Turn()
        try:
            yield turn
        finally:
            with self._changed:
                self._in_flight -= 1
                self._learn(turn, kind, judges=flight == self._flight)
                self._changed.notify()

    def _wait_seconds(self) -> float | None:
        """0 when a request may be sent; None until another one is back."""
        if self._not_before and (left := self._not_before - time.monotonic()) > 0:
            return left
        return 0.0 if self._in_flight < self._allowed else None

    def _learn(self, turn: Turn, kind: str, *, judges: bool) -> None:
        if turn.refused:
            self._refusals += 1
            if self._refusals >= self._allowed:  # nobody gets through: leave it alone, not each request for itself
                self._not_before = max(self._not_before, time.monotonic() + turn.pause_seconds)
            if judges:
                self._slow_down(self._allowed // 2)
            return
        self._refusals = 0
        slow = turn.seconds is not None and self._is_slow(kind, turn.seconds)
        if not judges:
            return
        self._judged += 1
        self._slow += slow
        if self._judged < max(self._allowed, _FEWEST_JUDGED):
            return
        if 2 * self._slow > self._judged:
            self._quickest = {name: seconds * _NORMAL_DRIFTS for name, seconds in self._quickest.items()}
            self._slow_down(self._allowed * 3 // 4)
            return
        self._judged = self._slow = 0
        if self._allowed < self._most:
            self._allowed += 1
            self._changed.notify()

    def _is_slow(self, kind: str, seconds: float) -> bool:
        if not kind:
            return False
        quickest = self._quickest[kind] = min(seconds, self._quickest.get(kind, seconds))
        return seconds > SLOW_FACTOR * quickest and seconds > quickest + SLOW_SECONDS

    def _slow_down(self, allowed: int) -> None:
        self._allowed = max(1, allowed)
        self._flight += 1
        self._judged = self._slow = 0
