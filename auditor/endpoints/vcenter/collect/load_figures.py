"""Computes means, longest runs and sums from samples of a counter, for one device, adapter or datastore of one host.

A latency counter is the mean over the commands of its sample, so means over samples weigh each by the commands it had: a sample with one
slow command must not count as much as one with ten thousand quick ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from statistics import median
from typing import Any

from auditor.endpoints.vcenter.performance import SAMPLE_SECONDS

BUSY = 50
"""Commands a second from which on a latency says something. Source: docs/rule-catalogue.md#e1."""

FEWEST = 5
"""Samples, without which nothing is said of how many there were in a row. Source: docs/rule-catalogue.md#e1."""

DEVICE_COUNTERS: Mapping[str, str] = {
    "commands": "disk.commandsAveraged.average",
    "total": "disk.totalLatency.average",
    "device": "disk.deviceLatency.average",
    "kernel": "disk.kernelLatency.average",
    "queue": "disk.queueLatency.average",
    "depth": "disk.maxQueueDepth.average",
    "aborted": "disk.commandsAborted.summation",
    "resets": "disk.busResets.summation",
}
ADAPTER_COUNTERS: Mapping[str, str] = {
    "depth": "storageAdapter.queueDepth.average",
    "queued": "storageAdapter.queued.average",
    "outstanding": "storageAdapter.outstandingIOs.average",
    "queue": "storageAdapter.queueLatency.average",
    "commands": "storageAdapter.commandsAveraged.average",
}
DATASTORE_COUNTERS: Mapping[str, str] = {
    "reads": "datastore.numberReadAveraged.average",
    "writes": "datastore.numberWriteAveraged.average",
    "read_ms": "datastore.totalReadLatency.average",
    "write_ms": "datastore.totalWriteLatency.average",
    "sioc": "datastore.siocActiveTimePercentage.average",
    "observed": "datastore.datastoreVMObservedLatency.latest",
    "normalized": "datastore.sizeNormalizedDatastoreLatency.average",
    "depth": "datastore.datastoreMaxQueueDepth.latest",
}
DISK_COUNTERS: Mapping[str, str] = {
    "reads": "virtualDisk.numberReadAveraged.average",
    "writes": "virtualDisk.numberWriteAveraged.average",
    "reads_under_way": "virtualDisk.readOIO.latest",
    "writes_under_way": "virtualDisk.writeOIO.latest",
    "read_ms": "virtualDisk.totalReadLatency.average",
    "write_ms": "virtualDisk.totalWriteLatency.average",
    "read_kb": "virtualDisk.read.average",
    "write_kb": "virtualDisk.write.average",
}
"""Source of the names: govmomi's capture of a vCenter (simulator/vpx/performance_manager.go); docs/domain/facts.md#9-1."""

Values = tuple["float | None", ...]
"""Samples, oldest first; None is a missing one. vCenter's are whole numbers, those of esxtop are not."""

Counters = Mapping[str, Values]
"""Samples by the short names above; a counter that is not there is missing, or has no sample at all."""


def device_figures(samples: Counters, times: tuple[datetime, ...]) -> Mapping[str, Any]:
    """The columns of table device_load."""
    return _device(tuple(samples.get(name, ()) for name in DEVICE_COUNTERS), times)


@lru_cache(maxsize=1024)  # most devices are idle, and the same numbers come to the same
def _device(values: tuple[Values, ...], times: tuple[datetime, ...]) -> Mapping[str, Any]:
    by_counter = dict(zip(DEVICE_COUNTERS, values, strict=True))
    commands, kernel = by_counter["commands"], by_counter["kernel"]
    passed = [bool(count) for count in commands]
    busy = [count is not None and count >= BUSY for count in commands]
    samples = _known(commands)
    judged = len(samples) >= FEWEST and len(_known(kernel)) >= FEWEST
    troubled = _both(by_counter["aborted"], by_counter["resets"])
    return {
        "samples": len(samples),
        **_window(times),
        "commands_per_second": _mean(commands),
        "busy_samples": sum(busy) if samples else None,
        "gavg_ms": _weighted(by_counter["total"], commands),
        "davg_ms": _weighted(by_counter["device"], commands),
        "kavg_ms": _weighted(kernel, commands),
        "qavg_ms": _weighted(by_counter["queue"], commands),
        "davg_median_ms": median(slow) if (slow := _where(by_counter["device"], passed)) else None,
        "kavg_max_ms": max(_where(kernel, busy), default=None),
        "kavg_run_over_1ms": _longest_run(kernel, busy, times, 1) if judged else None,
        "kavg_run_over_2ms": _longest_run(kernel, busy, times, 2) if judged else None,
        "max_queue_depth": _newest(by_counter["depth"]),
        "commands_aborted": _sum(by_counter["aborted"]),
        "bus_resets": _sum(by_counter["resets"]),
        "troubled_samples": None if troubled is None else sum(1 for one, other in troubled if one or other),
    }


def fills(device: Mapping[str, Any]) -> bool:
    """Whether a queue may be filling, by a device's columns of device_load: commands wait in the kernel, or half of its places are taken.

    Commands under way are the rate times the latency (Little's law). What is not reported may be anything, so it fills.
    """
    rate, took, depth, waited = (device[name] for name in ("commands_per_second", "gavg_ms", "max_queue_depth", "kavg_max_ms"))
    if rate == 0 or None in (rate, took, depth):
        return bool(rate != 0)
    return bool((waited or 0) >= 1 or rate * took / 1000 >= depth / 2)


def adapter_figures(samples: Counters, times: tuple[datetime, ...]) -> Mapping[str, Any]:
    """The columns of table adapter_load."""
    values = {name: samples.get(name, ()) for name in ADAPTER_COUNTERS}
    return {
        "samples": len(_known(values["depth"])),
        "sampled_at": times[-1] if times else None,
        "queue_depth": _newest(values["depth"]),
        "queued": _mean(values["queued"]),
        "queued_max": max(_known(values["queued"]), default=None),
        "outstanding": _mean(values["outstanding"]),
        "outstanding_max": max(_known(values["outstanding"]), default=None),
        "queue_ms": _weighted(values["queue"], values["commands"]),
        "commands_per_second": _mean(values["commands"]),
    }


def datastore_figures(samples: Counters, times: tuple[datetime, ...]) -> Mapping[str, Any]:
    """The columns of table datastore_load.

    Storage I/O Control's own counters show 0 where it does not measure, which is no latency and no depth, so 0 is left out of them. Source:
    public collectors' notes of estates where SIOC was off; not verified. Of its activity 0 is an answer.

    Percentages are reported in hundredths. Source: vSphere API reference, PerformanceManagerUnit.percent; not verified for this counter.
    """
    values = {name: samples.get(name, ()) for name in DATASTORE_COUNTERS}
    both = _both(values["reads"], values["writes"])
    active = _mean(values["sioc"])
    latencies, weights = (*values["read_ms"], *values["write_ms"]), (*values["reads"], *values["writes"])
    return {
        "samples": 0 if both is None else len(both),
        "sampled_at": times[-1] if times else None,
        "iops": _mean_sum(both),
        "latency_ms": _weighted(latencies, weights) if len(latencies) == len(weights) == 2 * len(times) else None,
        "sioc_active_percent": None if active is None else active / 100,
        "observed_latency_us": _mean(_above_zero(values["observed"])),
        "normalized_latency_us": _mean(_above_zero(values["normalized"])),
        "max_queue_depth": _newest(values["depth"]) or None,
    }


def disk_figures(samples: Counters, times: tuple[datetime, ...]) -> Mapping[str, Any]:
    """The columns of table vm_disk_load.

    readOIO and writeOIO are the mean of a sample's interval, whatever the roll-up is called. A kilobyte is of 1,024 bytes. Source:
    govmomi's capture, their summaries and units; that a "KBps" counts 1,024 is common use, unverified.
    """
    values = {name: samples.get(name, ()) for name in DISK_COUNTERS}
    commands, under_way = _both(values["reads"], values["writes"]), _both(values["reads_under_way"], values["writes_under_way"])
    both_ways = len(values["reads"]) == len(values["read_ms"]) == len(values["writes"]) == len(values["write_ms"]) == len(times)
    return {
        "samples": 0 if commands is None else len(commands),
        **_window(times),
        "commands_per_second": _mean_sum(commands),
        "outstanding": _mean_sum(under_way),
        "latency_ms": _weighted((*values["read_ms"], *values["write_ms"]), (*values["reads"], *values["writes"])) if both_ways else None,
        "io_bytes": _mean_size(values),
    }


def _window(times: tuple[datetime, ...]) -> Mapping[str, datetime | None]:
    """From when to when the samples count: a sample is of the 20 seconds before its time."""
    if not times:
        return {"window_begin": None, "sampled_at": None}
    return {"window_begin": times[0] - timedelta(seconds=SAMPLE_SECONDS), "sampled_at": times[-1]}


def _mean_size(values: Counters) -> float | None:
    """Bytes of a command, the mean over the samples that have all four counters; None where there is none, or nothing passed."""
    parts = (values["reads"], values["writes"], values["read_kb"], values["write_kb"])
    known = [tuple(each for each in sample if each is not None) for sample in zip(*parts, strict=False) if None not in sample]
    passed = sum(sum(sample[:2]) for sample in known)
    return sum(sum(sample[2:]) for sample in known) * 1024 / passed if passed else None


def _mean_sum(pairs: list[tuple[float, float]] | None) -> float | None:
    return None if pairs is None else sum(one + other for one, other in pairs) / len(pairs)


def _known(values: Values) -> list[float]:
    return [value for value in values if value is not None]


def _above_zero(values: Values) -> Values:
    return tuple(value for value in values if value)


def _newest(values: Values) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _mean(values: Values) -> float | None:
    known = _known(values)
    return sum(known) / len(known) if known else None


def _sum(values: Values) -> float | None:
    known = _known(values)
    return sum(known) if known else None


def _both(values: Values, others: Values) -> list[tuple[float, float]] | None:
    """The samples that both counters have; None where there is none."""
    pairs = zip(values, others, strict=False)
    return [(one, other) for one, other in pairs if one is not None and other is not None] or None


def _weighted(values: Values, weights: Values) -> float | None:
    """The mean over commands; 0 where none passed, None where nothing is reported."""
    pairs = _both(values, weights)
    if pairs is None:
        return None
    passed = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / passed if passed else 0.0


def _where(values: Values, wanted: Sequence[bool]) -> list[float]:
    return [value for value, wants in zip(values, wanted, strict=False) if wants and value is not None]


def _longest_run(values: Values, busy: Sequence[bool], times: Sequence[datetime], above: int) -> int | None:
    """The most busy samples in a row with more than `above`; None where busy ones that are missing leave open whether there are FEWEST."""
    least = _in_a_row([counts and value is not None and value > above for value, counts in zip(values, busy, strict=True)], times)
    most = _in_a_row([counts and (value is None or value > above) for value, counts in zip(values, busy, strict=True)], times)
    return None if least < FEWEST <= most else least


def _in_a_row(counts: Sequence[bool], times: Sequence[datetime]) -> int:
    longest = run = 0
    before: datetime | None = None
    for one, time in zip(counts, times, strict=True):
        follows = before is not None and time - before <= _APART
        run = (run + 1 if follows else 1) if one else 0
        longest, before = max(longest, run), time
    return longest


_APART = timedelta(seconds=1.5 * SAMPLE_SECONDS)  # samples are stamped to the second, not to the tick
