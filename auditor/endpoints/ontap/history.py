"""What an ONTAP cluster keeps of the past: metrics of LUNs, volumes, aggregates and the cluster, by one request each.

Source: REST reference, GET /storage/luns/{uuid}/metrics, /storage/volumes/{uuid}/metrics, /storage/aggregates/{uuid}/metrics (9.7) and
/cluster/metrics (9.6): interval 1h, 1d, 1w, 1m or 1y, with samples of 15 seconds, 5 minutes (4 in older releases), 30 minutes, 2 hours or
a day; latency in microseconds, throughput in bytes a second. netapp-ontap 9.19.1, VolumeMetrics: duration, status. Not verified against a
real cluster: that a sample's timestamp is the end of its interval, and how long each is kept (taken to be what the interval's name says).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.common.background_jobs import moment
from auditor.endpoints.common.history import MOST_SUBJECTS, Sample, history_of, span_gap
from auditor.endpoints.common.records import ParseErrors
from auditor.errors import CredentialsError, EndpointError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.schema import Batch
    from auditor.model import Span

_INTERVALS = (
    ("1d", 300, timedelta(days=1)),
    ("1w", 1800, timedelta(days=7)),
    ("1m", 7200, timedelta(days=30)),
    ("1y", 86_400, timedelta(days=365)),
)
_LATE = timedelta(minutes=10)  # the oldest interval is not lost because reading took a while
_SECONDS = {"PT15S": 15, "PT4M": 240, "PT5M": 300, "PT30M": 1800, "PT2H": 7200, "P1D": 86400}
_WHOLE = frozenset({"ok", "backfilled_data"})
"""A sample that was taken late is whole; others are of a part of the nodes, or no number at all."""
_FIELDS = "timestamp,duration,status,iops.total,latency.total,throughput.total"
_COUNTED = "statistics.iops_raw.total"


def load_history(lists: Lists, span: Span, now: datetime) -> Iterator[Batch | Gap]:
    """Yield load_history of the span: LUNs and exported volumes, aggregates, and the cluster as a whole.

    Raises:
        EndpointError: the lists of these could not be read.
    """
    chosen = next(((name, seconds) for name, seconds, kept in _INTERVALS if now - span.begin <= kept + _LATE), None)
    if chosen is None:
        yield Gap(lists.endpoint, f"metrics since {span.begin:%Y-%m-%d %H:%M} UTC", "ONTAP keeps none for longer than a year")
        return
    interval, seconds = chosen
    yield from span_gap(lists.endpoint, seconds, span)
    parse_errors = ParseErrors("GET metrics")
    counted = _subjects(lists, parse_errors)
    for kind, subject, path in counted[:MOST_SUBJECTS]:
        yield from _of_subject(lists, kind, subject, path, interval, span, parse_errors)
    if len(counted) > MOST_SUBJECTS:
        why = f"{MOST_SUBJECTS:,} are read, those with the most commands since their counters began"
        yield Gap(lists.endpoint, f"metrics of further volumes ({len(counted) - MOST_SUBJECTS:,})", why)
    for aggregate in list(lists.records("storage/aggregates", "aggregate", parse_errors, fields="uuid,name")):
        uuid = str(aggregate.identifier("uuid"))
        yield from _of_subject(lists, "pool", uuid, f"storage/aggregates/{uuid}/metrics", interval, span, parse_errors)
    yield from _of_subject(lists, "array", lists.endpoint, "cluster/metrics", interval, span, parse_errors)
    yield from parse_errors.gaps(lists.endpoint)


def _subjects(lists: Lists, parse_errors: ParseErrors) -> list[tuple[str, str, str]]:
    """Kind, id and path of every LUN and exported volume that ever had a command, those with the most first."""
    found: list[tuple[int, str, str]] = []
    for path, params in (("storage/luns", {"class": "!protocol_endpoint"}), ("storage/volumes", {"nas.path": "!null"})):
        for record in lists.records(path, path.rpartition("/")[2], parse_errors, fields=f"uuid,name,{_COUNTED}", **params):
            uuid = str(record.identifier("uuid"))
            statistics = record.value.get("statistics")
            raw = statistics.get("iops_raw") if isinstance(statistics, dict) else None
            total = raw.get("total") if isinstance(raw, dict) else None
            if total != 0:  # one that does not say how many it had is read
                found.append((-total if type(total) is int else 0, uuid, f"{path}/{uuid}/metrics"))
    return [("volume", uuid, path) for _, uuid, path in sorted(found)]


def _of_subject(
    lists: Lists, kind: str, subject: str, path: str, interval: str, span: Span, parse_errors: ParseErrors
) -> Iterator[Batch | Gap]:
    """The rows of one subject. One that went away meanwhile, or cannot be asked, is a gap."""
    try:
        listed = list(lists.records(path, f"{kind} {subject} at", parse_errors, key="timestamp", interval=interval, fields=_FIELDS))
    except CredentialsError:
        raise
    except EndpointError as error:
        yield Gap(lists.endpoint, f"GET {path}", error.what)
        return
    samples = (sample for record in listed if (sample := _sample(record)) is not None)
    yield from history_of(lists.endpoint, kind, subject, samples, span)


def _sample(record: Record) -> Sample | None:
    """One sample; None for one that is not whole, which is a parse error."""
    status, duration = record.text("status"), record.text("duration")
    if status not in _WHOLE:
        record.parse_errors.add("status", record.label, f"is {str(status)[:40]!r}: its values are not whole")
        return None
    seconds = _SECONDS.get(str(duration))
    end = moment(record.value["timestamp"])
    if seconds is None or end is None:
        record.parse_errors.add("timestamp and duration", record.label, "are not a time and a length that are known")
        return None
    totals = {}
    for name in ("iops", "latency", "throughput"):
        part = record.inner(name)
        totals[name] = part.real("total") if part is not None else None
    iops, latency_us = totals["iops"], totals["latency"]
    latency_ms = None if latency_us is None or iops is None else latency_us / 1000 if iops else 0.0
    return Sample(end, seconds, latency_ms, iops, totals["throughput"])
