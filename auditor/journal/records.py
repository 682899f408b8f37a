"""The lines of a journal: JSON objects, numbered from 0, each with its own checksum.

Values keep their JSON type (`32`, `"32"` and `true` are three values) and an absent setting is `null`. The checksum is needed because
a flipped digit in `before` is still valid JSON, and undo would write it to a host.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.model import Change, Receipt

VERSION = 1
SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Intent:
    """The announcement of one write; `(run, number)` identifies it in every journal."""

    run: str
    number: int  # of its line in the run's journal
    time: datetime  # aware, UTC
    change: Change
    identity: str | None = None  # who the endpoint said it is; None: it did not say, or an older auditor did not record it


def run_record(run: str, time: datetime, host: str, user: str, pid: int) -> dict[str, Any]:
    """Line 0: the run, and the host, user and process that write the journal."""
    return {"record": "run", "version": VERSION, "run": run, "time": time.isoformat(), "host": host, "user": user, "pid": pid}


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


def line_of(number: int, record: dict[str, Any]) -> bytes:
    """One line with its newline.

    Raises:
        ValueError: a value that JSON cannot represent, such as NaN.
    """
    body = json.dumps({"line": number, **record}, separators=(", ", ": "), allow_nan=False).encode("ascii")
    return body[:-1] + _seal(body) + b"\n"


def record_of(number: int, line: bytes) -> dict[str, Any]:
    """The record of one line without its newline.

    Raises:
        ValueError: it is not line `number` as it was written; the message says why.
    """
    body = line[: -len(_seal(b""))] + b"}"
    if line[-len(_seal(b"")) :] != _seal(body):
        raise ValueError("its checksum does not match")
    record = json.loads(body)
    if not isinstance(record, dict) or record.get("line") != number:
        raise ValueError("it has another line number: lines are missing, repeated or in another order")
    return record


def _seal(body: bytes) -> bytes:
    return b', "crc32": "%08x"}' % crc32(body)
