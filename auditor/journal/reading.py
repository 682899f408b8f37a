"""Reads journals back: what was announced, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.errors import JournalError
from auditor.journal.records import SUFFIX, VERSION, Intent, record_of
from auditor.model import Change, Outcome, Receipt, Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told:
    """A receipt as a journal holds it: it names its intent instead of repeating the change."""

    of: tuple[str, int]
    time: datetime
    outcome: Outcome
    found: Scalar
    why: str
    pending: str | None
    settled: bool


@dataclass(frozen=True, slots=True)
class Recorded:
    """One journal file."""

    path: Path
    run: str
    started: datetime | None  # None when the process died before its first line was whole
    host: str | None  # likewise
    user: str | None  # likewise
    intents: tuple[Intent, ...]
    receipts: tuple[Told, ...]
    torn: str | None  # what is wrong with an unfinished last line; None when every line is whole


@dataclass(frozen=True, slots=True)
class Entry:
    """One announced write and the last word on it."""

    intent: Intent
    receipt: Receipt | None  # None when the run ended between the intent and the receipt
    settled: bool  # False when what became of it has still to be found out


@dataclass(frozen=True, slots=True)
class History:
    """Every journal of a directory, oldest run first."""

    entries: tuple[Entry, ...]
    torn: tuple[str, ...]  # a sentence for each unfinished last line

    def of_run(self, run: str) -> tuple[Entry, ...]:
        """The writes one run announced, in their order."""
        return tuple(entry for entry in self.entries if entry.intent.run == run)


def open_intents(directory: Path) -> list[Intent]:
    """Writes that were announced and whose end no journal of `directory` tells, oldest first.

    Raises:
        JournalError: a journal is damaged.
    """
    return [entry.intent for entry in history(directory).entries if not entry.settled]


def history(directory: Path) -> History:
    """All journals of `directory`; one that does not exist holds none.

    Raises:
        JournalError: a journal is damaged, other than by a last line that a crash left unfinished.
    """
    journals = [read_journal(path) for path in sorted(directory.glob(f"*{SUFFIX}"))]
    journals.sort(key=lambda journal: (journal.started is not None, journal.started, journal.run))
    told: dict[tuple[str, int], Told] = {}
    for receipt in (receipt for journal in journals for receipt in journal.receipts):
        earlier = told.get(receipt.of)
        if earlier is None or not earlier.settled:
            told[receipt.of] = receipt
    entries = [_entry(intent, told.get((intent.run, intent.number))) for journal in journals for intent in journal.intents]
    return History(tuple(entries), tuple(journal.torn for journal in journals if journal.torn))


def read_journal(path: Path) -> Recorded:
    """One journal file.

    The last line may be unfinished, when the process was killed or the power failed while it was being written. That is
    reported and no loss: the write an unfinished intent announces was never sent, and an unfinished receipt leaves its
    intent open.

    Raises:
        JournalError: any other damage.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _damaged(path, error.strerror or "it cannot be read") from error
    *lines, rest = content.split(b"\n")
    torn = f"{path.name}: the last line is unfinished; the run ended while it was being written" if rest or not lines else None
    run = path.name.removesuffix(SUFFIX)
    opened: tuple[datetime | None, str | None, str | None] = (None, None, None)
    intents: dict[int, Intent] = {}
    receipts: list[Told] = []
    for number, line in enumerate(lines):
        try:
            record = record_of(number, line)
            if number == 0:
                opened = _opened(record, run)
            elif record["record"] == "intent":
                intents[number] = Intent(run, number, datetime.fromisoformat(record["time"]), _convert(record["change"], Change))
            else:
                receipts.append(_told(record, run, intents))
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged(path, f"line {number + 1}: {error}") from error
    return Recorded(path, run, *opened, tuple(intents.values()), tuple(receipts), torn)


def _opened(record: dict[str, Any], run: str) -> tuple[datetime, str, str]:
    if record["version"] != VERSION:
        raise ValueError(f"it has version {record['version']!r}, and this auditor reads version {VERSION}")
    if record["record"] != "run" or record["run"] != run:
        raise ValueError(f"it does not begin the journal of run {run}")
    return datetime.fromisoformat(record["time"]), str(record["host"]), str(record["user"])


def _told(record: dict[str, Any], run: str, intents: Mapping[int, Intent]) -> Told:
    if record["record"] != "receipt":
        raise ValueError("it is neither an intent nor a receipt")
    told = _convert(record, Told)
    if told.of[0] == run and told.of[1] not in intents:
        raise ValueError(f"it is the receipt of line {told.of[1] + 1}, which is no intent")
    return told


def _entry(intent: Intent, told: Told | None) -> Entry:
    if told is None:
        return Entry(intent, None, settled=False)
    return Entry(intent, Receipt(intent.change, told.outcome, told.found, told.why, told.pending), told.settled)


def _convert(value: Any, kind: type[T]) -> T:
    import msgspec  # its ValidationError is a ValueError

    return msgspec.convert(value, kind)


def _damaged(path: Path, reason: str) -> JournalError:
    return JournalError(
        f"{path}: {reason}",
        why="what was changed on the fleet, and what it was before, can no longer be trusted; nothing was written.",
        do="restore the file from a backup; or, after checking the fleet by hand, move it out of the state directory.",
    )
