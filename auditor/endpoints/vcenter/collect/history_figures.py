"""Computes rows of load_history from roll-ups and old samples of counters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from auditor.endpoints.vcenter.performance import SAMPLE_SECONDS

ROLLED_SECONDS = 300
"""How long the intervals are that real-time samples are rolled up to: as long as a vCenter's own shortest ones usually are."""

_FEWEST = ROLLED_SECONDS // SAMPLE_SECONDS - 1  # samples of such an interval; one may be missing

Values = Sequence["float | None"]
Series = Mapping[str, Values]
"""The values of a subject's counters by their short names, oldest first; None is a missing one."""
Figures = Mapping[str, Sequence["float | None"]]
"""Columns of load_history by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """What is counted of one kind of subject.

    Attributes:
        counters: the names of vCenter's counters by short ones.
        is_whole: the counters are those of the entity as a whole, and not of its instances.
        plural: what people call several of them.
    """

    subject_kind: str
    counters: Mapping[str, str]
    is_whole: bool
    plural: str


DATASTORES = Kind(
    "datastore",
    {
        "reads": "datastore.numberReadAveraged.average",
        "writes": "datastore.numberWriteAveraged.average",
        "read_ms": "datastore.totalReadLatency.average",
        "write_ms": "datastore.totalWriteLatency.average",
        "read_kib": "datastore.read.average",
        "write_kib": "datastore.write.average",
        "sioc": "datastore.siocActiveTimePercentage.average",
        "normalized": "datastore.sizeNormalizedDatastoreLatency.average",
    },
    is_whole=False,
    plural="datastores",
)
DEVICES = Kind(
    "device",
    {
        "commands": "disk.commandsAveraged.average",
        "total": "disk.totalLatency.average",
        "read_kib": "disk.read.average",
        "write_kib": "disk.write.average",
    },
    is_whole=False,
    plural="devices",
)
ADAPTERS = Kind(
    "adapter",
    {
        "reads": "storageAdapter.numberReadAveraged.average",
        "writes": "storageAdapter.numberWriteAveraged.average",
        "read_ms": "storageAdapter.totalReadLatency.average",
        "write_ms": "storageAdapter.totalWriteLatency.average",
        "read_kib": "storageAdapter.read.average",
        "write_kib": "storageAdapter.write.average",
        "outstanding": "storageAdapter.outstandingIOs.average",
    },
    is_whole=False,
    plural="adapters",
)
HOSTS = Kind("host", {"highest": "disk.maxTotalLatency.latest", "kib": "disk.usage.average"}, is_whole=True, plural="hosts as a whole")
OF_HOSTS = (DATASTORES, DEVICES, ADAPTERS, HOSTS)
"""What is asked of hosts."""

OF_ALL_HOSTS = Kind(
    "datastore",
    {name: DATASTORES.counters[name] for name in ("reads", "writes", "read_kib", "write_kib")},
    is_whole=True,
    plural="datastores of all hosts together",
)
"""What is asked of datastores: they have no latency of their own."""

DISKS = Kind(
    "disk",
    {
        "reads": "virtualDisk.numberReadAveraged.average",
        "writes": "virtualDisk.numberWriteAveraged.average",
        "read_ms": "virtualDisk.totalReadLatency.average",
        "write_ms": "virtualDisk.totalWriteLatency.average",
        "read_kib": "virtualDisk.read.average",
        "write_kib": "virtualDisk.write.average",
        "reads_under_way": "virtualDisk.readOIO.latest",
        "writes_under_way": "virtualDisk.writeOIO.latest",
    },
    is_whole=False,
    plural="virtual disks",
)
"""What is asked of machines."""

KINDS = (*OF_HOSTS, OF_ALL_HOSTS, DISKS)

_HUNDREDTHS = 100  # percentages are in hundredths. Source: vSphere API reference, PerformanceManagerUnit.percent
_KIB = 1024


def is_idle(parts: Iterable[Figures]) -> bool:
    """Whether nothing was sent to a subject, as far as its figures show."""
    names = ("latency_ms", "latency_max_ms", "iops", "bytes_per_second", "outstanding")
    return not any(any(part[name]) for part in parts for name in names)


def rows_of(figures: Figures, ends: Sequence[datetime], seconds: int) -> dict[str, list[Any]]:
    """Columns of load_history for one subject: one row for each interval with a known value."""
    kept = [at for at, row in enumerate(zip(*figures.values(), strict=True)) if any(value is not None for value in row)]
    width = timedelta(seconds=seconds)
    rows: dict[str, list[Any]] = {"begin_at": [ends[at] - width for at in kept], "seconds": [seconds] * len(kept)}
    for name, values in figures.items():
        rows[name] = list(values) if len(kept) == len(values) else [values[at] for at in kept]
    return rows


def figures_of(series: Series, count: int) -> dict[str, list[float | None]]:
    """The columns of load_history that are measured, by name, each of `count` values."""
    missing: Values = (None,) * count

    def of(name: str) -> Values:
        return series.get(name, missing)

    reads, writes = of("reads"), of("writes")
    split = zip(reads, writes, of("read_ms"), of("write_ms"), strict=True)
    return {
        "latency_ms": list(of("total")) if "total" in series else [_weighted(*each) for each in split],
        "latency_max_ms": list(of("highest")),
        "iops": list(of("commands")) if "commands" in series else [_sum(*each) for each in zip(reads, writes, strict=True)],
        "bytes_per_second": _bytes(of("kib")) if "kib" in series else _bytes([*map(_sum, of("read_kib"), of("write_kib"))]),
        "outstanding": list(of("outstanding"))
        if "outstanding" in series
        else [_sum(*each) for each in zip(of("reads_under_way"), of("writes_under_way"), strict=True)],
        "sioc_active_percent": [None if one is None else one / _HUNDREDTHS for one in of("sioc")],
        "normalized_latency_us": list(of("normalized")),
    }


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _bytes(kib: Values) -> list[float | None]:
    return [None if one is None else one * _KIB for one in kib]


def _weighted(reads: float | None, writes: float | None, read_ms: float | None, write_ms: float | None) -> float | None:
    """The mean latency of reads and writes by their number; 0 where none passed; None where any of it is not known that counts."""
    if reads is None or writes is None:
        return None
    if reads + writes == 0:
        return 0.0
    if (read_ms is None and reads) or (write_ms is None and writes):
        return None
    return (reads * (read_ms or 0.0) + writes * (write_ms or 0.0)) / (reads + writes)


def rolled_up(
    series: Series, times: Sequence[datetime], begin: datetime, end: datetime
) -> tuple[dict[str, list[float | None]], list[datetime]]:
    """As `figures_of`, by interval of ROLLED_SECONDS, from samples of 20 seconds, and the ends of the intervals.

    Only whole intervals between `begin` and `end`, in which at most one sample is missing. Latency is the mean over samples by their
    commands where these are known, as in device_load.
    """
    figures = figures_of(series, len(times))
    latency = figures.pop("latency_ms")
    most = figures.pop("latency_max_ms")
    highest = most if "highest" in series else latency
    by_end: dict[int, list[int]] = {}
    for at, time in enumerate(times):
        by_end.setdefault(-(-int(time.timestamp()) // ROLLED_SECONDS) * ROLLED_SECONDS, []).append(at)
    first, last = begin.timestamp() + ROLLED_SECONDS, end.timestamp()
    ends = [stamp for stamp, places in sorted(by_end.items()) if first <= stamp <= last and len(places) >= _FEWEST]
    columns: dict[str, list[float | None]] = {
        "latency_ms": [_mean_by(latency, figures["iops"], by_end[stamp]) for stamp in ends],
        "latency_max_ms": [max((v for at in by_end[stamp] if (v := highest[at]) is not None), default=None) for stamp in ends],
    }
    for name, values in figures.items():
        columns[name] = [_mean([values[at] for at in by_end[stamp]]) for stamp in ends]
    return columns, [datetime.fromtimestamp(stamp, begin.tzinfo) for stamp in ends]


def _mean(values: Values) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


def _mean_by(latency: Values, commands: Values, places: Sequence[int]) -> float | None:
    """The mean of the latencies at `places` by commands; 0 where none passed; the plain mean where their number is not known."""
    pairs = [(latency[at], commands[at]) for at in places if latency[at] is not None]
    if not pairs:
        return None
    if any(count is None for _, count in pairs):
        return _mean([one for one, _ in pairs])
    passed = sum(count or 0.0 for _, count in pairs)
    return sum((one or 0.0) * (count or 0.0) for one, count in pairs) / passed if passed else 0.0
