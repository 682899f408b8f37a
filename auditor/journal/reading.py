"""Reads journals: the intents, and the receipt of each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.bounds.files import read_open
from auditor.bounds.limits import JOURNAL_BYTES
from auditor.errors import JournalError
from auditor.journal.records import BEGINNING, SUFFIX, UNCHAINED, VERSION, Intent, Link, digest_of, is_chained, record_of
from auditor.model import Change, Outcome, Scalar
from auditor.system.files import opened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReceiptRecord:
    """A receipt line of a journal; fields are called as in the file. It names its intent instead of repeating the change."""

    of: tuple[str, int]
    time: datetime
    outcome: Outcome
    found: Scalar
    why: str
    pending: str | None
    settled: bool


@dataclass(frozen=True, slots=True)
class JournalFile:
    """The content of one journal file.

    Attributes:
        started: None when the process died before it had written its first line; likewise `host` and `user`.
        torn: a sentence about an unfinished last line; None when every line is complete.
        chained: False for a journal of version 1, whose lines are sealed one by one.
        previous: the end of the journal before it; None where there was none, or it is not chained.
        digests: of every whole line, in order; of a journal of version 1 one digest of all whole lines.
    """

    path: Path
    run: str
    started: datetime | None
    host: str | None
    user: str | None
    intents: tuple[Intent, ...]
    receipts: tuple[ReceiptRecord, ...]
    torn: str | None
    chained: bool
    previous: Link | None
    digests: tuple[str, ...]


def read_journal(path: Path) -> JournalFile:
    """The content of one journal file.

    The last line may be unfinished, when the process was killed or the power failed while it was being written. This is reported, and
    nothing is lost: the write of an unfinished intent was never sent, and an unfinished receipt leaves its intent open.

    Raises:
        JournalError: the file is damaged in another way.
    """
    try:
        descriptor = opened(path, os.O_RDONLY, links=False)  # a link was put there by somebody else
        with os.fdopen(descriptor, "rb") as file:
            content = read_open(file, path, JOURNAL_BYTES)
    except OSError as error:
        raise _damaged(path, error.strerror or "it cannot be read") from error
    *lines, rest = content.split(b"\n")
    torn = f"{path.name}: the last line is unfinished; the run ended while it was being written" if rest or not lines else None
    run = path.name.removesuffix(SUFFIX)
    chained = not lines or is_chained(lines[0])
    before = BEGINNING if chained else None
    opening, previous = _UNOPENED, None
    intents: dict[int, Intent] = {}
    receipts: list[ReceiptRecord] = []
    for number, line in enumerate(lines):
        try:
            record = record_of(number, line, before)
            before = digest_of(line) if chained else None
            if number == 0:
                opening, previous = _opening(record, run, chained=chained), _previous(record)
            elif record["record"] == "intent":
                intents[number] = _intent(record, run, number)
            else:
                receipts.append(_receipt_record(record, run, intents))
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(path, f"line {number + 1}: {error}") from error
    digests = tuple(map(digest_of, lines)) if chained else (sha256(content[: len(content) - len(rest)]).hexdigest(),)
    return JournalFile(path, run, *opening, tuple(intents.values()), tuple(receipts), torn, chained, previous, digests)


_Opened = tuple[datetime | None, str | None, str | None]
_UNOPENED: _Opened = (None, None, None)


def _opening(record: dict[str, Any], run: str, *, chained: bool) -> _Opened:
    if record["version"] != (VERSION if chained else UNCHAINED):
        raise ValueError(f"it has version {record['version']!r}, and this auditor reads versions {UNCHAINED} and {VERSION}")
    if record["record"] != "run" or record["run"] != run:
        raise ValueError(f"it does not begin the journal of run {run}")
    return datetime.fromisoformat(record["time"]), str(record["host"]), str(record["user"])


def _previous(record: dict[str, Any]) -> Link | None:
    link = record.get("previous")
    return None if link is None else _convert(link, Link)


def _intent(record: dict[str, Any], run: str, number: int) -> Intent:
    identity = record.get("identity")  # an older auditor did not record it
    if not isinstance(identity, str | None):
        raise TypeError("its identity is no text")
    return Intent(run, number, datetime.fromisoformat(record["time"]), _convert(record["change"], Change), identity)


def _receipt_record(record: dict[str, Any], run: str, intents: Mapping[int, Intent]) -> ReceiptRecord:
    if record["record"] != "receipt":
        raise ValueError("it is neither an intent nor a receipt")
    receipt = _convert(record, ReceiptRecord)
    if receipt.of[0] == run and receipt.of[1] not in intents:
        raise ValueError(f"it is the receipt of line {receipt.of[1] + 1}, which is no intent")
    return receipt


def _convert(value: Any, kind: type[T]) -> T:
    import msgspec  # its ValidationError is a ValueError

    return msgspec.convert(value, kind)


def _damaged(path: Path, reason: str) -> JournalError:
    return JournalError(
        f"{path}: {reason}",
        why="the record of what was changed on the fleet can no longer be trusted; nothing was written.",
        do="restore the file from a backup; or, after checking the fleet by hand, move the folder of journals away.",
    )
