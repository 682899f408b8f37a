"""One writer at a time among machines that share a state directory: a file that its holder keeps renewing.

The operating system's lock (auditor/journal/lock.py) ends with the process that holds it, but many shared folders do not carry it to other
machines. So a writer also makes the file LEASE, exclusively, which network file systems do atomically, and renews its time. Another
machine takes a lease over once it was not renewed for LEASE_SECONDS; a writer that lost its lease makes no further record, and without a
record nothing is written. Times are compared as the file system keeps them, so clocks that differ do no harm.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import GuardError, JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LEASE = "lease"
LEASE_SECONDS, RENEW_SECONDS = 90.0, 10.0
"""After how long without a renewal another machine takes a lease over, and how often it is renewed."""

_LONGEST_BYTES = 4096
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@cache
def this_machine() -> str:
    """What tells this machine, since it booted, from every other one; also from one of the same name."""
    with contextlib.suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return f"{os.uname().nodename} {os.uname().machine}"


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
    text = json.dumps({**holder, "machine": machine or this_machine(), "token": secrets.token_hex(8)}).encode()
    path = directory / LEASE
    try:
        _take(path, text, machine or this_machine(), seconds)
    except OSError as error:
        raise _unmakeable(path, error) from error
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(path, text, ended, seconds), name="lease", daemon=True)
    renewing.start()
    try:
        yield lambda: _check(path, text)
    finally:
        ended.set()
        renewing.join()
        with contextlib.suppress(OSError):
            if path.read_bytes() == text:
                path.unlink()


def _take(path: Path, text: bytes, machine: str, seconds: float) -> None:
    """Make the lease; take it over from a dead process of this machine, or from another machine that renews it no more."""
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            _remove_lapsed(path, machine, seconds)
            continue
        try:
            os.write(descriptor, text)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return


def _remove_lapsed(path: Path, machine: str, seconds: float) -> None:
    """Remove the lease where its holder is gone.

    Raises:
        GuardError: its holder is not gone, or may not be.
    """
    try:
        held, age = path.read_bytes()[:_LONGEST_BYTES], _now(path.parent) - path.stat().st_mtime
    except FileNotFoundError:
        return
    holder = _holder(held)
    if holder.get("machine") != machine and age < seconds:
        raise _held(path, holder, seconds - age)
    # Renamed first: of two machines that find it lapsed only one can do that.
    taken = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(FileNotFoundError):
        path.rename(taken)
        if taken.read_bytes()[:_LONGEST_BYTES] != held:  # another machine took it over meanwhile: this is its new lease
            with contextlib.suppress(FileExistsError):
                os.link(taken, path)
        taken.unlink()


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
        with contextlib.suppress(OSError), path.open("r+b") as held:  # never created anew: it may have been taken over
            if held.read(_LONGEST_BYTES) == text:
                held.seek(0)
                held.write(text)  # the server's clock sets the time, where os.utime would set this machine's


def _check(path: Path, text: bytes) -> None:
    try:
        found = path.read_bytes()
    except OSError:
        found = b""
    if found != text:
        raise JournalError(
            f"{path} is no longer held by this run: {_who(_holder(found))} holds it",
            why="it was not renewed for too long, so another machine may be writing to the fleet; nothing more is written.",
            do="wait until that run ends, then `auditor resume` or `auditor undo` this one.",
        )


def _holder(text: bytes) -> dict[str, Any]:
    try:
        loaded = json.loads(text)
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
