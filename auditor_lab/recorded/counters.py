"""Recorded counters that grow: ONTAP's counter tables, from which a reader computes rates by reading them twice.

The second of two readings comes at another time than it came in the recording, so what it answers is computed: every counter has grown
since the first reading as fast as it did in the recording. Source: docs/domain/facts.md#7-4.
"""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from auditor.recording.bundle import RecordedExchange

TABLES = "/cluster/counter/tables/"


class GrowingCounters:
    """The counter tables of one cluster.

    Args:
        clock: in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: dict[str, float] = {}
        self._lock = threading.Lock()

    def answer(self, path: str, recorded: Sequence[RecordedExchange]) -> bytes:
        """The table at `path` as it is by now."""
        now = self._clock()
        with self._lock:
            first_at = self._first.setdefault(path, now)
        first, last = recorded[0], recorded[-1]
        between = _moment(last) - _moment(first)
        if now <= first_at or between <= 0:
            return first.exchange.answer
        before, after = json.loads(first.exchange.answer), json.loads(last.exchange.answer)
        share = (now - first_at) / between
        rows = {row.get("id"): _by_name(row) for row in before.get("records", [])}
        for row in after.get("records", []):
            for name, counter in _by_name(row).items():
                earlier = rows.get(row.get("id"), {}).get(name, counter)
                for key in ("value", "values"):
                    if key in counter:
                        counter[key] = _grown(earlier.get(key), counter[key], share)
        return json.dumps(after).encode()


def _moment(one: RecordedExchange) -> float:
    return one.at_seconds - one.exchange.seconds / 2


def _by_name(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {counter["name"]: counter for counter in row.get("counters", []) if isinstance(counter, dict) and "name" in counter}


def _grown(before: Any, after: Any, share: float) -> Any:
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [_grown(one, other, share) for one, other in zip(before, after, strict=True)]
    if isinstance(before, int | float) and isinstance(after, int | float):
        return round(before + (after - before) * share)
    return after
