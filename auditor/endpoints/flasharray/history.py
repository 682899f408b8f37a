"""What a FlashArray keeps of the past: the performance of the array and of volumes that hosts are connected to, by resolution.

Source: github.com/pure-shared/go-pure-client, flasharray/FA_2_43/docs, GET arrays/performance and volumes/performance: start_time, end_time
and resolution in milliseconds; resolutions of 30 s, 5 and 30 minutes, 2, 8 and 24 hours. For how long each is kept is taken from the
ranges that the vendor's PowerShell SDK names (MetricTimeRange: 24 hours, 7, 30 and 90 days, a year). Not verified against a real array:
which range goes with which resolution, and that `time` is the end of a sample.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.history import MOST_SUBJECTS, Sample, history_of, span_gap
from auditor.endpoints.common.records import ParseErrors, Record, records
from auditor.endpoints.flasharray import rows
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.flasharray.client import FlashArray
    from auditor.facts.schema import Batch
    from auditor.model import Span

_RESOLUTIONS = (
    (300, timedelta(days=1)),
    (1800, timedelta(days=7)),
    (7200, timedelta(days=30)),
    (28_800, timedelta(days=90)),
    (86_400, timedelta(days=365)),
)
_LATE = timedelta(minutes=10)  # the oldest sample is not lost because reading took a while
VOLUMES_AT_ONCE = 10
"""Whose samples are asked for in one list: some 3,000 samples of a day."""


def load_history(array: FlashArray, endpoint: str, span: Span, now: datetime) -> Iterator[Batch | Gap]:
    """Yield load_history of the span: the array as a whole, and volumes with a connection.

    Raises:
        EndpointError: the volumes could not be listed, or their samples not be read.
    """
    seconds = next((length for length, kept in _RESOLUTIONS if now - span.begin <= kept + _LATE), None)
    if seconds is None:
        yield Gap(endpoint, f"performance since {span.begin:%Y-%m-%d %H:%M} UTC", "a FlashArray keeps none for longer than a year")
        return
    yield from span_gap(endpoint, seconds, span)
    parse_errors = ParseErrors("GET performance of the past")
    asked = {
        "start_time": str(int(span.begin.timestamp()) * 1000),
        "end_time": str(int(min(span.end, now).timestamp()) * 1000),
        "resolution": str(seconds * 1000),
    }
    whole = [sample for one in _samples(array, "arrays/performance", asked, seconds, parse_errors).values() for sample in one]
    yield from history_of(endpoint, "array", endpoint, whole, span)
    volumes = _connected(array, parse_errors)
    for first in range(0, min(len(volumes), MOST_SUBJECTS), VOLUMES_AT_ONCE):
        ids = volumes[first : min(first + VOLUMES_AT_ONCE, MOST_SUBJECTS)]
        for volume, samples in _samples(array, "volumes/performance", {**asked, "ids": ",".join(ids)}, seconds, parse_errors).items():
            yield from history_of(endpoint, "volume", volume, samples, span)
    if len(volumes) > MOST_SUBJECTS:
        yield Gap(endpoint, f"performance of further volumes ({len(volumes) - MOST_SUBJECTS:,})", f"{MOST_SUBJECTS:,} are read")
    yield from parse_errors.gaps(endpoint)


def _connected(array: FlashArray, parse_errors: ParseErrors) -> list[str]:
    """The ids of volumes that hosts are connected to, in the array's order; one that does not say so is read."""
    pages = array.pages("volumes", destroyed="false")
    listed = (volume for page in pages for volume in records(page, "items", "volume", "id", parse_errors, labelled="name"))
    return [str(volume.value["id"]) for volume in listed if volume.value.get("connection_count") != 0]


def _samples(array: FlashArray, resource: str, asked: dict[str, str], seconds: int, parse_errors: ParseErrors) -> dict[str, list[Sample]]:
    """The samples of each object by its id."""
    found: dict[str, list[Sample]] = {}
    for page in array.pages(resource, **asked):
        for record in records(page, "items", "sample", "id", parse_errors, labelled="name"):
            sample = _sample(record, seconds, queue_is_in=rows.has_queue_time(array.purity))
            if sample is not None:
                found.setdefault(str(record.value["id"]), []).append(sample)
    return found


def _sample(record: Record, seconds: int, *, queue_is_in: bool | None) -> Sample | None:
    milliseconds = record.number("time")
    if milliseconds is None:
        return None
    try:
        end = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        record.parse_errors.add("time", record.label, "is no moment")
        return None
    row = rows.load_row(record, queue_is_in=queue_is_in)
    latency_us = row["latency_us"]
    return Sample(end, seconds, None if latency_us is None else latency_us / 1000, row["actual_iops"], row["bytes_per_second"])
