"""One writer at a time among machines that share a state directory: a file that its holder keeps renewing.

The operating system's lock (auditor/journal/lock.py) ends with the process that holds it, but many shared folders do not carry it to other
machines. So a writer also makes a lease: the file `lease-N`, numbered after the highest there is, made exclusively, which network file
systems do atomically. Of several that try, one makes it. The lease with the highest number is the one that counts; its holder renews
its time, and marks it as released in the end. Another machine makes the next one only where the last was released, or was not renewed for
LEASE_SECONDS. Nobody changes a lease of another holder, and the highest one is never removed, so no moment can give two holders: a writer
that finds a higher number makes no further record, and without a record nothing is written. Times are compared as the file system keeps
them, so clocks that differ do no harm.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import json_of
from auditor.errors import GuardError, JournalError
from auditor.system.files import opened, remove
from auditor.system.processes import this_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

LEASE = "lease"
LEASE_SECONDS, RENEW_SECONDS = 90.0, 10.0
"""After how long without a renewal another machine takes a lease over, and how often it is renewed."""

_LONGEST_BYTES = 4096
_NAME = re.compile(rf"{LEASE}-\d{{1,9}}")
_RELEASED = b"released"


@contextmanager
def lease(
    directory: Path, holder: Mapping[str, str | int], machine: str | None = None, seconds: float = LEASE_SECONDS
) -> Iterator[Callable[[], None]]:
    """Hold the lease of an existing `directory` for the block; yields what raises JournalError once another machine has taken it over.

    The operating system's lock has to be held: among processes of one machine it is what counts.

    Raises:
        GuardError: another machine holds the lease; the message names it.
        JournalError: the lease cannot be made.
    """
    mine = machine or this_machine()
    text = json.dumps({**holder, "machine": mine, "token": secrets.token_hex(8)}).encode()
    try:
        path = _take(directory, text, mine, seconds)
    except OSError as error:
        raise _unmakeable(directory / LEASE, error) from error
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(path, text, ended, seconds), name="lease", daemon=True)
    renewing.start()
    try:
        yield lambda: _check(path, text)
    finally:
        ended.set()
        renewing.join()
        with contextlib.suppress(OSError):
            _write_over(path, text, _RELEASED)


def _take(directory: Path, text: bytes, machine: str, seconds: float) -> Path:
    """Make the next lease, where the last one was released, is of a dead process of this machine, or is renewed no more."""
    while True:
        numbers = _numbers(directory)
        last = max(numbers, default=0)
        if last and not _is_free(_path(directory, last), machine, seconds):
            continue
        path = _path(directory, last + 1)
        try:
            descriptor = opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            continue
        try:
            os.write(descriptor, text)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if max(_numbers(directory), default=0) != last + 1:  # others went on meanwhile, and removed the lease that this was to follow
            remove(path)
            continue
        for number in numbers:  # in their order, so that no gap is above a lease that is still there
            remove(_path(directory, number))
        return path


def _numbers(directory: Path) -> list[int]:
    """The numbers of the leases there are, the lowest first."""
    return sorted(_number(one) for one in directory.iterdir() if _NAME.fullmatch(one.name))


def _number(lease: Path) -> int:
    return int(lease.name[len(LEASE) + 1 :])


def _path(directory: Path, number: int) -> Path:
    return directory / f"{LEASE}-{number}"


def _is_free(path: Path, machine: str, seconds: float) -> bool:
    """Whether nobody holds the lease; False as well where it was removed meanwhile.

    Raises:
        GuardError: its holder is not gone, or may not be.
    """
    try:
        held, age = _start_of(path), _now(path.parent) - path.stat().st_mtime
    except FileNotFoundError:
        return False
    holder = _holder(held)
    if held.startswith(_RELEASED) or holder.get("machine") == machine or age >= seconds:
        return True
    raise _held(path, holder, seconds - age)


def _start_of(path: Path) -> bytes:
    """What a lease says; no more of the file, as somebody else may have made it."""
    with path.open("rb") as held:
        return held.read(_LONGEST_BYTES)


def _now(directory: Path) -> float:
    """The time of the file system that holds `directory`, in its own seconds."""
    probe = directory / f".time-{secrets.token_hex(4)}"
    try:
        probe.write_bytes(b"t")
        return probe.stat().st_mtime
    finally:
        probe.unlink(missing_ok=True)


def _renew(path: Path, text: bytes, ended: threading.Event, seconds: float) -> None:
    while not ended.wait(min(RENEW_SECONDS, seconds / 9)):
        with contextlib.suppress(OSError):
            _write_over(path, text, text)  # the server's clock sets the time, where os.utime would set this machine's


def _write_over(path: Path, expected: bytes, new: bytes) -> None:
    """Write to the start of the lease, where it is the one expected; never makes one anew, as another machine may have removed it."""
    with path.open("r+b") as held:
        if held.read(_LONGEST_BYTES) == expected:
            held.seek(0)
            held.write(new)


def _check(path: Path, text: bytes) -> None:
    following = _path(path.parent, _number(path) + 1)
    try:
        found = _start_of(following if following.exists() else path)
    except OSError:
        found = b""
    if found != text:
        raise JournalError(
            f"{path} is no longer held by this run: {_who(_holder(found))} holds the directory",
            why="it was not renewed for too long, so another machine may be writing to the fleet; nothing more is written.",
            do="wait until that run ends, then `auditor resume` or `auditor undo` this one.",
        )


def _holder(text: bytes) -> dict[str, Any]:
    try:
        loaded = json_of(text)
    except ValueError:  # half written, or damaged
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _who(holder: Mapping[str, Any]) -> str:
    try:
        return f"run {holder['run']}, process {holder['pid']} of {holder['user']} on {holder['host']}, since {holder['since']},"
    except KeyError:
        return "nobody who has a name"


def _held(path: Path, holder: Mapping[str, Any], seconds: float) -> GuardError:
    return GuardError(
        f"{path.parent} is in use on another machine: {_who(holder)} holds {path.name}",
        why="two runs that write at once could overwrite each other's settings; nothing was written.",
        do=f"wait until it ends; if that machine died, its hold ends {max(1, round(seconds))} s from now.",
    )


def _unmakeable(path: Path, error: OSError) -> JournalError:
    return JournalError(
        f"{path}: {error.strerror or error}",
        why="without it another machine could write the same setting at once, so nothing may be changed.",
        do="make the state directory writable, or name another one with --state-dir.",
    )
