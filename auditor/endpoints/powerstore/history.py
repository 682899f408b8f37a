"""What a PowerStore keeps of the past: the metrics of volumes by interval.

Source: dell/gopowerstore, metrics_types.go: intervals Twenty_Sec, Five_Mins, One_Hour, One_Day; timestamp is the "end of sample period",
repeat_count the "number of times the metrics is repeated"; the OpenAPI definitions, performance_metrics_by_volume and
performance_metrics_by_volume_rollup: latency in microseconds, bandwidth in bytes a second. Samples of twenty seconds have total_iops and
total_bandwidth, those of the longer intervals avg_total_iops and avg_total_bandwidth; gopowerstore decodes both under one name.

Not verified against a real array: how long each interval is kept (taken to be a day, 30 days and two years), whether a sample is repeated
before its timestamp or after it (it is filled in where its neighbours leave room on one side alone), and that the timestamp is the end of
an interval: the definitions say so of the field, and "beginning with timestamp" of the record.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.background_jobs import moment
from auditor.endpoints.common.history import MOST_SUBJECTS, Sample, history_of, span_gap
from auditor.endpoints.common.records import ParseErrors, Record
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.powerstore.client import PowerStore
    from auditor.facts.schema import Batch
    from auditor.model import Span

_INTERVALS = (
    ("Five_Mins", 300, timedelta(days=1)),
    ("One_Hour", 3600, timedelta(days=30)),
    ("One_Day", 86_400, timedelta(days=730)),
)
_LATE = timedelta(minutes=10)  # the oldest sample is not lost because reading took a while


def load_history(array: PowerStore, endpoint: str, names: Mapping[str, str | None], span: Span, now: datetime) -> Iterator[Batch | Gap]:
    """Yield load_history of the span, of the volumes `names` by their ids.

    Raises:
        EndpointError: their metrics could not be read.
    """
    chosen = next(((name, seconds) for name, seconds, kept in _INTERVALS if now - span.begin <= kept + _LATE), None)
    if chosen is None:
        yield Gap(endpoint, f"metrics since {span.begin:%Y-%m-%d %H:%M} UTC", "a PowerStore keeps none for longer than two years")
        return
    interval, seconds = chosen
    yield from span_gap(endpoint, seconds, span)
    parse_errors = ParseErrors("POST metrics/generate, of the past")
    for volume_id, name in list(names.items())[:MOST_SUBJECTS]:
        answered = array.metrics("performance_metrics_by_volume", volume_id, interval)
        records = [Record(one, f"volume {name}", parse_errors) for one in answered if isinstance(one, dict)]
        yield from history_of(endpoint, "volume", volume_id, samples_of(records, seconds, now), span)
    if len(names) > MOST_SUBJECTS:
        yield Gap(endpoint, f"metrics of further volumes ({len(names) - MOST_SUBJECTS:,})", f"{MOST_SUBJECTS:,} are read")
    yield from parse_errors.gaps(endpoint)


def samples_of(records: Sequence[Record], seconds: int, now: datetime) -> list[Sample]:
    """The samples of one volume, with those that are repeated, as far as it is known when: where there is room for them on one side."""
    found = sorted((read for record in records if (read := _read(record, seconds)) is not None), key=lambda one: one[0].end)
    width = timedelta(seconds=seconds)
    samples: list[Sample] = []
    for at, (sample, repeated) in enumerate(found):
        samples.append(sample)
        before = round((sample.end - found[at - 1][0].end) / width) - 1 if at else 0
        after = round((found[at + 1][0].end - sample.end) / width) - 1 if at + 1 < len(found) else (now - sample.end) // width
        side = 1 if (after, before) == (repeated, 0) else -1 if (after, before) == (0, repeated) else 0
        if side:
            samples += [_moved(sample, side * width * step) for step in range(1, repeated + 1)]
    return samples


def _moved(sample: Sample, by: timedelta) -> Sample:
    return Sample(sample.end + by, sample.seconds, sample.latency_ms, sample.iops, sample.bytes_per_second)


def _read(record: Record, seconds: int) -> tuple[Sample, int] | None:
    """A sample, and how many more times it is repeated; None where it is of no moment."""
    end = moment(record.value.get("timestamp"))
    if end is None:
        record.parse_errors.add("timestamp", record.label, "is no moment")
        return None
    iops, latency_us = _mean(record, "total_iops"), record.real("avg_latency")
    latency_ms = None if latency_us is None or iops is None else latency_us / 1000 if iops else 0.0
    count = record.number("repeat_count") if record.value.get("repeat_count") is not None else 1
    return Sample(end, seconds, latency_ms, iops, _mean(record, "total_bandwidth")), max(1, count or 1) - 1


def _mean(record: Record, name: str) -> float | None:
    """A figure of an interval, under the name that longer ones have it by, or that of twenty seconds."""
    return record.real(name if f"avg_{name}" not in record.value else f"avg_{name}")
