"""Time limit of one answer, and size limit of its head; the same for every client.

A time-out between two reads bounds nothing: a peer that sends one byte of a header every few seconds, or `100 Continue` again and again, is
never silent for that long.
"""

from __future__ import annotations

import http.client
import io
import time
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import MOST_HEAD_BYTES, WHOLE_ANSWER_TIMEOUTS, UnusableAnswerError

if TYPE_CHECKING:
    import socket


class SlowAnswerError(TimeoutError):
    """An answer began, and did not come whole in its time; the text says in which."""


class AnswerTime:
    """What is left of the time of one answer: `timeout_seconds` for its head, WHOLE_ANSWER_TIMEOUTS times that for all of it.

    Both are counted from when the request was sent. The next byte may take `timeout_seconds` at most.
    """

    def __init__(self, timeout_seconds: float) -> None:
        self._timeout_seconds = timeout_seconds
        self.sent()

    def sent(self) -> None:
        """The request was sent just now: the time of its answer begins."""
        self._sent = time.monotonic()
        self._due = self._sent + self._timeout_seconds
        self._in_head = True
        self._head_bytes = 0

    def head_came(self) -> None:
        """The head of the answer is there: the rest may take longer, and has limits of its own."""
        self._in_head = False
        self._due = self._sent + WHOLE_ANSWER_TIMEOUTS * self._timeout_seconds

    def left(self) -> float:
        """Seconds that the next read may take.

        Raises:
            SlowAnswerError: the answer began in time and did not come whole in time.
            TimeoutError: its head did not come in time.
        """
        left = self._due - time.monotonic()
        if left > 0:
            return min(left, self._timeout_seconds)
        if self._in_head:
            raise TimeoutError(f"no answer within {self._timeout_seconds:g} s")
        raise SlowAnswerError(f"the answer had not come whole after {WHOLE_ANSWER_TIMEOUTS * self._timeout_seconds:g} s")

    def arrived(self, count: int) -> None:
        """Count `count` bytes that were read.

        Raises:
            UnusableAnswerError: the head is longer than any is, with all `100 Continue` before it.
        """
        if self._in_head:
            self._head_bytes += count
            if self._head_bytes > MOST_HEAD_BYTES:
                raise UnusableAnswerError(f"its head holds more than {MOST_HEAD_BYTES >> 10} KiB")


class TimedResponse(http.client.HTTPResponse):
    """An answer that is read from a connection of http.client in its time.

    Reading raises what `AnswerTime.left` and `AnswerTime.arrived` do.
    """

    def __init__(self, sock: socket.socket, *args: Any, timeout_seconds: float, **options: Any) -> None:
        self._time = AnswerTime(timeout_seconds)
        super().__init__(_Connection(sock, self._time), *args, **options)  # type: ignore[arg-type]  # makefile is all it uses

    def begin(self) -> None:
        """Read the head."""
        super().begin()
        self._time.head_came()


class _Connection:
    """What HTTPResponse needs of a socket."""

    def __init__(self, sock: socket.socket, time_left: AnswerTime) -> None:
        self._sock, self._time = sock, time_left

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Arriving(self._sock, self._time))


class _Arriving(io.RawIOBase):
    """The bytes that arrive on a connection: it stays open until this is closed, even if closed before: http.client wants that."""

    def __init__(self, sock: socket.socket, time_left: AnswerTime) -> None:
        self._sock, self._time = sock, time_left
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._time.left())
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError:
            self._time.left()  # where the whole time is over, it says so
            raise
        self._time.arrived(count or 0)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
