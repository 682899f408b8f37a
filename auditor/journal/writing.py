"""Writes the journal of one run."""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.errors import JournalError
from auditor.journal.chain import newest_link
from auditor.journal.lease import lease
from auditor.journal.lock import sole_writer
from auditor.journal.records import BEGINNING, SUFFIX, Intent, digest_of, intent_record, line_of, receipt_record, run_record
from auditor.system.files import opened, sync_directory
from auditor.system.processes import account_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from auditor.model import Change, Receipt


def utc_now() -> datetime:
    """The time now, aware."""
    return datetime.now(UTC)


class Journal:
    """The journal of one run; `open_journal` creates it while it holds the lock of the directory.

    The file appears with the first record, so a run that changes nothing leaves no file.
    """

    def __init__(
        self, directory: Path, run: str, host: str, user: str, now: Callable[[], datetime], check: Callable[[], None] | None = None
    ) -> None:
        """`check` is called before each intent, and raises JournalError where this run may write no longer."""
        self.directory = directory
        self.run = run
        self._path = directory / f"{run}{SUFFIX}"
        self._host, self._user, self._now = host, user, now
        self._check = check or _nothing_to_check
        self._descriptor: int | None = None
        self._lines = 0
        self._before = BEGINNING
        self._broken = False

    def intend(self, change: Change, identity: str | None = None) -> Intent:
        """Announce one write to the endpoint that says it is `identity`; the intent is on disk when this returns.

        Only then may the write be sent.

        Raises:
            JournalError: the intent could not be recorded, or another machine writes, so the write must not be sent.
        """
        self._check()
        time = self._now()
        number = self._append(intent_record(change, time, identity))
        return Intent(self.run, number, time, change, identity)

    def receipt(self, intent: Intent, receipt: Receipt, *, settled: bool = True) -> None:
        """Record the result of `intent`, which may belong to an earlier run.

        `settled=False` leaves the intent open: the endpoint could not be read, or may still carry the write out, and the next run has
        to read the setting again.

        Raises:
            JournalError: the receipt could not be recorded; the intent stays open and the next run reads the setting again.
        """
        self._append(receipt_record(intent, receipt, self._now(), settled=settled))

    def close(self) -> None:
        """Close the file, if there is one; every record is on disk already."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._broken = True

    def _append(self, record: dict[str, Any]) -> int:
        if self._broken:
            raise self._unwritable("it was closed, or an earlier record did not reach the disk")
        # Reset at the end: an interrupt or an error before that may leave half a line, and nothing may follow half a line.
        self._broken = True
        try:
            if self._descriptor is None:
                self._create()
            number = self._write(record)
        except (OSError, ValueError) as error:
            raise self._unwritable(getattr(error, "strerror", None) or str(error)) from error
        self._broken = False
        return number

    def _create(self) -> None:
        previous = newest_link(self.directory)
        self._descriptor = opened(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
        sync_directory(self.directory)  # without this a power failure could lose the file name, and the intent with it
        self._write(run_record(self.run, self._now(), self._host, self._user, os.getpid(), previous))

    def _write(self, record: dict[str, Any]) -> int:
        if self._descriptor is None:
            raise AssertionError("_append creates the file before it writes")
        number = self._lines
        line = left = line_of(number, record, self._before)
        while left:
            left = left[os.write(self._descriptor, left) :]
        os.fsync(self._descriptor)
        self._before = digest_of(line)
        self._lines = number + 1
        return number

    def _unwritable(self, reason: str) -> JournalError:
        return JournalError(
            f"{self._path}: {reason}",
            why="a write that is not recorded first could be neither explained nor undone, so nothing more is changed.",
            do="free space or make the state directory writable, then run again: it reports the result of a change left open.",
        )


@contextmanager
def open_journal(directory: Path, run: str, now: Callable[[], datetime] = utc_now) -> Iterator[Journal]:
    """The journal of `run` in `directory`, which is created with mode 0700 if missing; no other run can write meanwhile.

    Raises:
        GuardError: another run writes in this state directory, on this machine or another one; the message names it.
        JournalError: the directory cannot be created or written.
    """
    _make(directory)
    host, user = socket.gethostname(), account_name()
    holder: dict[str, str | int] = {"run": run, "pid": os.getpid(), "host": host, "user": user, "since": now().isoformat()}
    with sole_writer(directory, holder), lease(directory, holder) as check:
        journal = Journal(directory, run, host, user, now, check)
        try:
            yield journal
        finally:
            journal.close()


def _make(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)  # an existing directory may have another mode
        sync_directory(directory.parent)
    except OSError as error:
        raise JournalError(
            f"{directory}: {error.strerror}",
            why="changes could not be recorded, so nothing may be changed.",
            do="make the state directory writable, or name another one with --state-dir.",
        ) from error


def _nothing_to_check() -> None:
    return
