"""Calls code of plugins with a time limit, and leaves it behind when it takes longer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class TookTooLongError(Exception):
    """A call was not over in its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"was not over within {seconds:g} s")


def within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns; it runs in a thread of its own.

    Where its time is up, the thread is asked to end: a loop in Python does so at once, what sleeps does when it wakes. Code of another
    language that never gives the interpreter back cannot be left behind.

    Raises:
        TookTooLongError: it is not over in that time.
        BaseException: what `call` raises.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001  it is raised where the call was asked for
            errors.append(error)

    worker = threading.Thread(target=run, daemon=True, name="auditor-timed")
    worker.start()
    worker.join(seconds)
    if errors:
        raise errors[0]
    if results:
        return results[0]
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(SystemExit))
    raise TookTooLongError(seconds)
