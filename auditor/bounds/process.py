"""A command in a process of its own, within limits of memory and time that hold whatever its libraries do.

`begin` forks before anything large is imported: the child goes on as the program, with the same arguments and streams, and the parent
waits for it. The child says when it must be done (`limited`). The parent ends it where it is not, says so, and answers its exit code.
Only on Linux; elsewhere, and where a program calls a command itself, the command runs without.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from auditor.bounds.limits import QUERY_LATE_SECONDS, QUERY_MIB, QUERY_MIB_A_THREAD
from auditor.system.signals import STOPS

TYPE_CHECKING = False  # as typing has it, which takes long to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import NoReturn

    from auditor.errors import ConfigurationError

_FORWARDED = STOPS
_POLL_SECONDS = 0.1
_MOST_BYTES = 65536
_SEPARATOR = b"\0"  # no path has it

_parent: list[int] = []
"""Where the child writes to its parent; empty in a process that nobody watches."""


def begin() -> None:
    """Go on in a child. The parent does not return from here: it ends with the child's exit code."""
    if sys.platform != "linux" or not hasattr(os, "fork"):
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would lose the child's exit code
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_FORWARDED, signal.SIGCHLD))
    messages, tell = os.pipe()
    alive, keep = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        os.close(alive)
        _wait(child, messages)
    os.close(messages)
    os.close(keep)
    _end_with_parent(alive)
    _parent.append(tell)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def limited(seconds: float | None, folder: str) -> AbstractContextManager[None]:
    """Hold the block to the memory of a query, and to that many seconds; None: no end.

    Args:
        seconds: from here on.
        folder: removed where the parent ends this process.

    Raises:
        ConfigurationError: the memory is used up.
    """
    from contextlib import contextmanager

    @contextmanager
    def block() -> Iterator[None]:
        if _parent:
            _limit_memory()
            _tell(b"begun", os.fsencode(folder), b"" if seconds is None else f"{seconds!r} {time.monotonic()!r}".encode())
        try:
            yield
        except MemoryError as error:
            raise too_large() from error
        finally:
            _tell(b"over", os.fsencode(folder), b"")

    return block()


def too_slow(seconds: float) -> ConfigurationError:
    """The error for a query that took longer than its `--timeout`."""
    from auditor.errors import ConfigurationError

    return ConfigurationError(
        f"the query was not answered in {seconds:g} seconds",
        why="it was stopped; rows shown before this are not all.",
        do="ask for less, or give it longer: --timeout SECONDS, 0 for no end.",
    )


def too_large(detail: str = "") -> ConfigurationError:
    """The error for a query that wants more memory than it may have.

    Args:
        detail: what DuckDB says of it; "" where nothing is known.
    """
    from auditor.errors import ConfigurationError

    return ConfigurationError(
        f"the query needs more memory than it may have{f': {detail}' if detail else ''}",
        why="it was stopped to leave memory for other programs; rows shown before this are not all.",
        do="ask for fewer rows, or for shorter texts and lists in each row.",
    )


def memory_mib() -> int:
    """How many MiB the process of a query may have."""
    return QUERY_MIB + QUERY_MIB_A_THREAD * (os.cpu_count() or 1)


def _limit_memory() -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = memory_mib() << 20
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _tell(*words: bytes) -> None:
    from contextlib import suppress

    if _parent:
        with suppress(OSError):  # a parent that is gone
            os.write(_parent[0], _SEPARATOR.join(words) + b"\n" + _SEPARATOR)


def _end_with_parent(alive: int) -> None:
    """Have the kernel send SIGTERM to this process when the other end of the pipe `alive` is closed: the parent was killed."""
    import fcntl

    fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(alive, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(alive, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)


def _wait(child: int, messages: int) -> NoReturn:
    """Wait for the child, hand on signals to it, end it when it is late, and end as it did."""
    os.set_blocking(messages, False)
    message: list[bytes] = []  # the words of the newest one
    late: float | None = None  # the --timeout that it was ended for
    while True:
        caught = signal.sigtimedwait((*_FORWARDED, signal.SIGCHLD), _POLL_SECONDS)
        # Of Ctrl-C the terminal tells the child as well: that one is the kernel's own.
        if caught is not None and caught.si_signo in _FORWARDED and caught.si_code <= 0:
            os.kill(child, caught.si_signo)
        done, status = os.waitpid(child, os.WNOHANG)
        message = _last_message(messages) or message
        if done:
            break
        if late is None and (late := _seconds_passed(message)) is not None:
            os.kill(child, signal.SIGKILL)
    _end_as_child(status, message, late)


def _last_message(pipe: int) -> list[bytes]:
    """The words of the newest message of the child; none where none came since."""
    try:
        text = os.read(pipe, _MOST_BYTES)
    except BlockingIOError:
        return []
    messages = [one for one in text.split(b"\n" + _SEPARATOR) if one]
    return messages[-1].split(_SEPARATOR) if messages else []


def _seconds_passed(message: list[bytes]) -> float | None:
    """The seconds that the child had, where they have passed; None where they have not, or there is no end."""
    if message[:1] != [b"begun"] or not message[2]:
        return None
    seconds, began = map(float, message[2].split())
    return seconds if time.monotonic() > began + seconds + QUERY_LATE_SECONDS else None


def _end_as_child(status: int, message: list[bytes], late: float | None) -> NoReturn:
    """End as the child did; where a signal ended it at a query, say so."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        os._exit(code)
    number = signal.Signals(-code)
    if number in _FORWARDED or not message:
        os._exit(128 + number)
    import shutil
    from contextlib import suppress

    shutil.rmtree(os.fsdecode(message[1]), ignore_errors=True)
    error = too_slow(late) if late is not None else _ended_by(number)
    with suppress(OSError):
        os.write(2, f"{error}\n".encode())
    os._exit(3)


def _ended_by(number: signal.Signals) -> ConfigurationError:
    from auditor.errors import ConfigurationError

    wanted = f"most often it wanted more memory than it may have ({memory_mib():,} MiB), or than there is"
    return ConfigurationError(
        f"the process of the query was ended by {number.name}",
        why=f"rows shown before this are not all; {wanted}.",
        do="ask for fewer rows, or for shorter texts and lists in each row.",
    )
