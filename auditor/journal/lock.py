"""One writer at a time: a lock of the operating system, which ends with the process that holds it."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor.bounds.files import json_of
from auditor.errors import GuardError, JournalError
from auditor.system.files import opened
from auditor.system.locks import lock_taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NAME = "lock"
_LONGEST_HOLDER_BYTES = 4096


@contextmanager
def sole_writer(directory: Path, holder: Mapping[str, str | int]) -> Iterator[None]:
    """Hold the lock of an existing `directory` for the block; the error of a second process names `holder`.

    The lock file stays behind, and a file alone locks nothing: the kernel releases the lock when its process ends, however it ends.

    Raises:
        GuardError: another run holds it.
        JournalError: the lock file cannot be made.
    """
    try:
        descriptor = opened(directory / _NAME, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise JournalError(
            f"{directory / _NAME}: {error.strerror}",
            why="without the lock two runs could write the same setting at once, so nothing may be changed.",
            do="make the state directory writable, or name another one with --state-dir.",
        ) from error
    try:
        if not lock_taken(descriptor):
            raise _held(directory, os.read(descriptor, _LONGEST_HOLDER_BYTES))
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(dict(holder)).encode())
        yield
    finally:
        os.close(descriptor)


def _held(directory: Path, holder_json: bytes) -> GuardError:
    try:
        holder = json_of(holder_json)
        who = f"run {holder['run']}, process {holder['pid']} of {holder['user']} on {holder['host']}, since {holder['since']}"
    except (ValueError, KeyError, TypeError):  # it has the lock, and has not written its name yet
        who = "another run that has only just begun"
    return GuardError(
        f"{directory} is in use by {who}",
        why="two runs that write at once could overwrite each other's settings; nothing was written.",
        do="wait until it ends, or stop it; a run that died does not hold this lock.",
    )
