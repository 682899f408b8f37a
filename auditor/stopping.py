"""How a signal ends a command: the write in hand is finished, runs are closed, and nothing else is waited for.

Ctrl-C, SIGTERM and SIGHUP raise `Stopped` where the main thread is. What has to be closed says so by `closing`, and a write that must not
be broken off by `finishing`. Threads that wait for endpoints are left behind: `pool` does not wait for them, and the process ends without
them. A thread watches over that: what does not come back within `GRACE_SECONDS` is closed by it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from auditor.system import signals

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

GRACE_SECONDS = 0.7
"""How long the main thread may take to come back. With the time that closing takes a command ends within a second."""
_POLL_SECONDS = 0.02
_AGAIN = b"\nfinishing the write in hand, then stopping; the same signal once more breaks it off\n"


class Stopped(KeyboardInterrupt):
    """A signal came."""


STOPS = (KeyboardInterrupt, SystemExit)
"""What ends a program from outside its own logic: our signals, and the handlers of somebody else's program."""


@dataclass(slots=True)
class _Closing:
    """Something to close, once, by whichever thread comes first; what it answers is shown."""

    close: Callable[[], str]
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    def run(self) -> None:
        with self.lock:
            if not self.is_closed:
                self.is_closed = True
                if text := self.close():
                    _state.texts.append(text)


@dataclass(slots=True)
class _State:
    """Of this process: a signal is of the process as well."""

    number: int | None = None  # of the first signal
    finishing: int = 0  # how many blocks of `finishing` the main thread is in
    open: list[_Closing] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


_state = _State()


def signal_name() -> str | None:
    """The name of the signal that stops this process, for example SIGTERM; None while none came."""
    return None if _state.number is None else signal.Signals(_state.number).name


def note(number: int) -> None:
    """Note the signal that stops this process, for its exit code, where somebody else's handler has taken it."""
    if _state.number is None:
        _state.number = number


def exit_code() -> int:
    """What a shell reports of a program that the signal has ended: 128 and its number; 130, of Ctrl-C, where none came."""
    return 128 + (_state.number or signal.SIGINT)


def last_words() -> list[str]:
    """What stopped the command, and what was and was not done, in lines; what was closed is said once."""
    what = "interrupted" if signal_name() in (None, "SIGINT") else f"stopped by {signal_name()}"
    texts, _state.texts[:] = list(_state.texts), []
    return [f"{what}: {text}" for text in texts or ["what was written is in the journal, nothing more is written."]]


def install() -> None:
    """Have signals handled so; for the main thread of a program of its own. A signal that is ignored, as nohup has it, stays so."""
    reader, writer = signals.wakeup_pipe()
    for number in signals.STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    sys.unraisablehook = _without_stops
    threading.Thread(target=_watch, args=(reader,), name="signals", daemon=True).start()


def _without_stops(lost: sys.UnraisableHookArgs) -> None:
    """Say nothing where Python drops our signal in a callback, as importlib's; the thread that watches ends the command then."""
    if not isinstance(lost.exc_value, Stopped):
        sys.__unraisablehook__(lost)


@contextmanager
def closing(close: Callable[[], str]) -> Iterator[None]:
    """Where the block is stopped, `close` is called once, and what it answers is shown. What it raises would hide why."""
    entry = _Closing(close)
    _state.open.append(entry)
    try:
        yield
    except Exception:  # raised again; DuckDB makes an error of its own of a signal
        if _state.number is not None:
            entry.run()
        raise
    except STOPS:
        entry.run()
        raise
    finally:
        _state.open.remove(entry)


@contextmanager
def finishing() -> Iterator[None]:
    """A signal does not break the block off; it ends the command behind it. The same signal once more does break it off."""
    _state.finishing += 1
    try:
        yield
    finally:
        _state.finishing -= 1
    if _state.number is not None and not _state.finishing:
        raise Stopped


@contextmanager
def pool(threads: int, name: str) -> Iterator[ThreadPoolExecutor]:
    """Threads that are waited for at the end of the block, but where it is stopped: who waits for an endpoint may wait for long."""
    from concurrent.futures import ThreadPoolExecutor

    executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
    wait = True
    try:
        yield executor
    except STOPS:
        wait = False
        raise
    finally:
        executor.shutdown(wait=wait, cancel_futures=not wait)


def end(code: int) -> NoReturn:
    """End the process now, whatever its threads wait for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # nobody may read it any more
            stream.flush()
    os._exit(code)


def _handle(number: int, _frame: FrameType | None) -> None:
    again = _state.number == number
    if _state.number is None:
        _state.number = number
    if _state.finishing and not again:
        with suppress(OSError):  # a terminal that hung up, or `tee` that the same Ctrl-C ended, must not break the write off
            os.write(2, _AGAIN)
        return
    raise Stopped


def _watch(reader: int) -> None:
    """Close from here what the main thread does not come back to close."""
    while True:
        numbers = os.read(reader, 64)
        if not any(signal.getsignal(number) is _handle for number in numbers):
            continue  # a process that handles it ends itself
        until = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < until:
            if _state.finishing:
                until = time.monotonic() + GRACE_SECONDS
            time.sleep(_POLL_SECONDS)
        if _state.number is None:  # the main thread has not even come to its handler
            _state.number = next(iter(numbers))
        for entry in reversed(list(_state.open)):
            with suppress(Exception):  # each of them is to be closed
                entry.run()
        words = "\n".join(["", *last_words(), ""])
        with suppress(OSError):
            os.write(2, "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in words).encode("utf-8", "replace"))
        os._exit(exit_code())
