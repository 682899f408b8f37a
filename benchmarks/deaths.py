"""Points at which a process kills itself: around lines of its journal, around writes, and while it waits for a host."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.steps import polling
from auditor.journal import writing as journal_writing

if TYPE_CHECKING:
    from collections.abc import Callable

_FORK = get_context("fork")
"""What talks to the fleet starts as a copy of this process, which has no threads, with everything imported."""

_left = 0
"""Points until this process kills itself; 0: it does not."""


def died(work: Callable[[], Any], point: int) -> bool:
    """Do work in a process that kills itself at that point; whether it came so far.

    Raises:
        RuntimeError: it ended by an error of its own.
    """

    def dying() -> None:
        global _left  # noqa: PLW0603  one process, one death
        _left = point
        _put_points()
        work()

    child = _FORK.Process(target=dying)
    child.start()
    child.join()
    if child.exitcode not in {0, -signal.SIGKILL}:
        raise RuntimeError(f"a process ended with {child.exitcode}; its traceback is above")
    return child.exitcode == -signal.SIGKILL


def counted(work: Callable[[], Any]) -> int:
    """How many points the work has, all of which it survives."""
    global _left  # noqa: PLW0603
    _left = most = 10**9
    _put_points()
    work()
    return most - _left


def _put_points() -> None:
    for module, name, by in ((journal_writing, "os", _Os()), (polling, "time", _Time())):
        setattr(module, name, by)


def apart(work: Callable[[], Any]) -> Any:
    """What work answers, in a process of its own, so that no thread of a session stays in this one.

    Raises:
        RuntimeError: it ended without an answer.
    """
    here, there = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=lambda: there.send(work()))
    child.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        raise RuntimeError("a process ended without an answer; its traceback is above") from None
    finally:
        child.join()


def reached() -> bool:
    """Count one point; whether it is the one to die at."""
    global _left  # noqa: PLW0603
    if _left == 0:
        return False
    _left -= 1
    return _left == 0


def die_if_reached() -> None:
    """Kill this process if this is the point."""
    if reached():
        die()


def die() -> None:
    """Kill this process: nothing is tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


class _Os:
    """The operating system as the journal knows it, with three deaths at each line: before it, in its middle, after it is on disk."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def write(self, descriptor: int, line: bytes) -> int:
        die_if_reached()
        if reached():
            os.write(descriptor, line[: len(line) // 2])
            die()
        return os.write(descriptor, line)

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        die_if_reached()


class _Time:
    """The clock of whoever waits for a task or a host, with a death in each pause."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def sleep(self, seconds: float) -> None:
        die_if_reached()
        time.sleep(seconds)
