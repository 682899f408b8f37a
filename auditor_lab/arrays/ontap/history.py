"""The metrics that the lab's cluster keeps of the past: of LUNs, volumes, aggregates and the cluster.

Source: REST reference, GET /storage/volumes/{uuid}/metrics: interval and the duration of samples; netapp-ontap 9.19.1, VolumeMetrics. Not
verified: that a timestamp is the end of its sample.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap.query import invalid
from auditor_lab.days import mean_of

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster
    from auditor_lab.days import Day

INTERVALS = {
    "1h": (15, 3600, "PT15S"),
    "1d": (300, 86_400, "PT5M"),
    "1w": (1800, 604_800, "PT30M"),
    "1m": (7200, 2_592_000, "PT2H"),
    "1y": (86_400, 31_536_000, "P1D"),
}
"""By name: the seconds of a sample, for how long they are kept, and the duration as it is answered."""
IO_BYTES = 8192


def metrics(cluster: Cluster, day: Day, path: str, item: Any, query: dict[str, str], now: float) -> list[dict[str, Any]]:
    """The records of one object, newest first, as ONTAP answers them; `item` is the object at `path`, None for the cluster."""
    seconds, kept, duration = INTERVALS.get(query.get("interval", "1h"), (0, 0, ""))
    if not seconds:
        raise invalid(query["interval"], "interval")
    iops, latency_us = _steady(cluster, path, item)
    names = _names(path, item)
    spells = {field: day.spells(names, field) for field in ("iops", "latency_ms", "bytes")}
    records = []
    last = int(now) // seconds * seconds
    for end in range(last, int(now) - kept, -seconds):
        rate = mean_of(iops, spells["iops"], end, seconds)
        throughput = mean_of(rate * IO_BYTES, spells["bytes"], end, seconds)
        latency = mean_of(latency_us / 1000, spells["latency_ms"], end, seconds) * 1000
        records.append(
            {
                "timestamp": f"{datetime.fromtimestamp(end, UTC):%Y-%m-%dT%H:%M:%SZ}",
                "duration": duration,
                "status": "ok",
                "iops": _split(rate),
                "latency": dict.fromkeys(("read", "write", "other", "total"), int(latency) if rate else 0),
                "throughput": _split(throughput),
            }
        )
    return records


def _split(total: float) -> dict[str, int]:
    read = int(total / 2)
    return {"read": read, "write": int(total) - read, "other": 0, "total": int(total)}


def _names(path: str, item: Any) -> list[str]:
    """The names under which a scenario's day may have an object."""
    if path == "cluster":
        return []
    return [item.path if path == "storage/luns" else item.about.name if path == "storage/volumes" else item.name]


def _steady(cluster: Cluster, path: str, item: Any) -> tuple[float, float]:
    """Commands a second and microseconds, now."""
    if path == "storage/luns":
        return item.about.read_iops + item.about.write_iops, item.about.latency_us + cluster.excess_us(item.volume.about.aggregate)
    if path == "storage/volumes":
        return item.about.iops, item.about.latency_us + cluster.excess_us(item.about.aggregate)
    if path == "storage/aggregates":
        return cluster.load(item).total, item.latency_us + cluster.excess_us(item.name)
    every = [(cluster.load(one).total, one.latency_us + cluster.excess_us(one.name)) for one in cluster.description.aggregates]
    passed = sum(iops for iops, _ in every)
    return passed, sum(iops * us for iops, us in every) / passed if passed else 0.0
