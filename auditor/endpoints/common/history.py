"""What an array kept of the past, as rows of load_history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.topics import batch
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor.facts.schema import Batch
    from auditor.model import Span

MOST_SUBJECTS = 1000
"""Volumes of one array whose history is read, those with the most commands first. Policy: one request each, some minutes."""


_CERTAIN = 2  # a span of so many intervals holds a whole one, wherever they begin


def span_gap(endpoint: str, seconds: int, span: Span) -> Iterator[Gap]:
    """A gap where the intervals that are kept of a span are so long that it may hold none; nothing where it does."""
    if (span.end - span.begin).total_seconds() < _CERTAIN * seconds:
        what = f"intervals since {span.begin:%Y-%m-%d %H:%M} UTC"
        yield Gap(
            endpoint,
            what,
            f"those that are kept are {seconds / 3600:g} hours long: a span below {_CERTAIN * seconds / 3600:g} hours may hold none",
        )


@dataclass(frozen=True, slots=True)
class Sample:
    """An interval of one subject: when it ended, aware, how long it was, and its means; None is not reported.

    No command takes no time: a latency of 0 beside commands, or beside a rate that is not known, is none (`measured_ms`).
    """

    end: datetime
    seconds: int
    latency_ms: float | None
    iops: float | None
    bytes_per_second: float | None


def measured_ms(latency_ms: float | None, iops: float | None) -> float | None:
    """A latency as it was measured; None for a 0 that no idle time explains."""
    return latency_ms if latency_ms or iops == 0 else None


def history_of(endpoint: str, kind: str, subject: str, samples: Iterable[Sample], span: Span) -> Iterator[Batch]:
    """The rows of a subject whose intervals lie in the span, oldest first; nothing where nothing was sent in it.

    Of two samples of one interval the later one in the answer counts.
    """
    by_begin: dict[datetime, Sample] = {}
    for one in samples:
        if span.begin < one.end <= span.end:  # first, as before the first day there is none
            begin_at = one.end - timedelta(seconds=one.seconds)
            if span.begin <= begin_at:
                by_begin[begin_at] = one
    if not any(one.iops or one.latency_ms or one.bytes_per_second for one in by_begin.values()):
        return
    yield batch(
        "load_history",
        endpoint,
        [
            {
                "subject_kind": kind,
                "subject": subject,
                "host_id": "",
                "begin_at": begin_at,
                "seconds": one.seconds,
                "latency_ms": measured_ms(one.latency_ms, one.iops),
                "iops": one.iops,
                "bytes_per_second": one.bytes_per_second,
            }
            for begin_at, one in sorted(by_begin.items())
        ],
    )
