"""The lines of a journal: JSON objects, numbered from 0, each sealed with a digest of itself and of the line before.

Values keep their JSON type (`32`, `"32"` and `true` are three values) and an absent setting is `null`. The seal is needed because a
flipped digit in `before` is still valid JSON, and undo would write it to a host. As it covers the line before, nobody can change or take
away a line without sealing all later ones anew. The first line holds the digest of the journal before it (auditor/journal/chain.py).

Version 1 sealed each line with a CRC-32 of its own; it is still read.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from zlib import crc32

from auditor.bounds.files import json_of

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.model import Change, Receipt

VERSION, UNCHAINED = 2, 1
SUFFIX = ".jsonl"
BEGINNING = "0" * 64
"""Stands for the line before the first one."""
_UNCHAINED_SEAL = re.compile(rb', "crc32": "[0-9a-f]{8}"\}$')


@dataclass(frozen=True, slots=True)
class Link:
    """The end of the journal that was the newest when another one was begun."""

    run: str
    sha256: str  # the digest of its last whole line; of a journal of version 1: of all its whole lines


@dataclass(frozen=True, slots=True)
class Intent:
    """The announcement of one write; `(run, number)` identifies it in every journal."""

    run: str
    number: int  # of its line in the run's journal
    time: datetime  # aware, UTC
    change: Change
    identity: str | None = None  # who the endpoint said it is; None: it did not say, or an older auditor did not record it


def run_record(run: str, time: datetime, host: str, user: str, pid: int, previous: Link | None) -> dict[str, Any]:
    """Line 0: the run, the host, user and process that write the journal, and the end of the journal before it."""
    who = {"host": host, "user": user, "pid": pid}
    link = None if previous is None else asdict(previous)
    return {"record": "run", "version": VERSION, "run": run, "time": time.isoformat(), **who, "previous": link}


def intent_record(change: Change, time: datetime, identity: str | None) -> dict[str, Any]:
    """The line that announces one write."""
    return {"record": "intent", "time": time.isoformat(), "change": asdict(change), "identity": identity}


def receipt_record(intent: Intent, receipt: Receipt, time: datetime, *, settled: bool) -> dict[str, Any]:
    """The line with the result of the write that `intent` announced; the change itself is not repeated."""
    return {
        "record": "receipt",
        "of": [intent.run, intent.number],
        "time": time.isoformat(),
        "outcome": receipt.outcome,
        "found": receipt.found,
        "why": receipt.why,
        "pending": receipt.pending,
        "settled": settled,
    }


def line_of(number: int, record: dict[str, Any], before: str = BEGINNING) -> bytes:
    """One line with its newline; `before` is the digest of the line before it.

    Raises:
        ValueError: a value that JSON cannot represent, such as NaN.
    """
    body = json.dumps({"line": number, **record}, separators=(", ", ": "), allow_nan=False).encode("ascii")
    return body[:-1] + _seal(body, before) + b"\n"


def digest_of(line: bytes) -> str:
    """The digest that a sealed line ends with, 64 hexadecimal digits; the line has or has not its newline."""
    return line.rstrip(b"\n")[-66:-2].decode("ascii")


def is_chained(line: bytes) -> bool:
    """Whether a first line is sealed by digest; False where an older auditor sealed it with a CRC-32."""
    return _UNCHAINED_SEAL.search(line) is None


def record_of(number: int, line: bytes, before: str | None = BEGINNING) -> dict[str, Any]:
    """The record of one line without its newline; `before` is the digest of the line before it, None in a journal of version 1.

    Raises:
        ValueError: it is not line `number` as it was written; the message says why.
    """
    length = len(_seal(b"", before))
    body = line[:-length] + b"}"
    if line[-length:] != _seal(body, before):
        raise ValueError("its checksum does not match")
    record = json_of(body)
    if not isinstance(record, dict) or record.get("line") != number:
        raise ValueError("it has another line number: lines are missing, repeated or in another order")
    return record


def _seal(body: bytes, before: str | None) -> bytes:
    if before is None:
        return b', "crc32": "%08x"}' % crc32(body)
    return b', "sha256": "%b"}' % sha256(before.encode("ascii") + body).hexdigest().encode("ascii")
