"""ONTAP's counter tables: sums since the cluster came up, from which rates, means and percentages are computed.

A rate is the growth over the time between two readings, a mean or a percentage the growth over that of its base counter. Source:
docs/domain/facts.md#7-4 and #7-5; NetApp Harvest's RestPerf documentation and templates (names, types, bases). Not verified against a real
system: how rows name their LUN and their aggregate.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors, Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists

DISKS = "cluster/counter/tables/disk:constituent/rows"
HEADROOM = "cluster/counter/tables/headroom_aggregate/rows"
LUNS = "cluster/counter/tables/lun/rows"
DISK_COUNTERS = ("disk_busy_percent", "base_for_disk_busy", "total_transfer_count", "user_read_count", "user_write_count")
CONSISTENCY_READS = "cp_read_count"
"""Reads of consistency points. Source: NetApp Harvest, conf/restperf/9.12.0/disk.yaml, and its metric list (disk_cp_reads)."""
HEADROOM_COUNTERS = ("current_ops", "current_latency", "optimal_point.ops", "optimal_point.samples")
LUN_COUNTERS = ("read_align_histogram", "write_align_histogram")
_LUN_ROW = re.compile(r"(/vol/.+?)(?::([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}))?$")
_ALIGNED = "0"  # the label of what starts on a block


@dataclass(frozen=True, slots=True)
class CounterRow:
    """One row: its properties, counters that are one number, and those that are a number for each label."""

    row_id: str
    properties: Mapping[str, str]
    values: Mapping[str, float]
    arrays: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Sample:
    """Both tables that aggregates' load is computed from, read at about one moment.

    Attributes:
        at: seconds, when the disks' rows were read.
        headroom_at: likewise for headroom_aggregate.
        uncertainty: seconds by which either may be wrong: half of the request that took longer.
    """

    at: float
    disks: Mapping[str, CounterRow]
    headroom_at: float
    headroom: Mapping[str, CounterRow]
    uncertainty: float


def read(lists: Lists, path: str, names: str, parse_errors: ParseErrors) -> dict[str, CounterRow]:
    """The rows of a counter table by their id, with the counters of these names, separated by "|".

    Raises:
        EndpointError: the table could not be read whole.
    """
    params = {"fields": "id,properties,counters,aggregation", "counters.name": names}
    return {row.row_id: row for row in map(counter_row, lists.records(path, "row", parse_errors, key="id", **params))}


def counter_row(record: Record) -> CounterRow:
    """A row of a counter table; a counter without a value that makes sense is reported as a parse error and left out.

    A row that was not put together from all nodes, as while one is down, has no counters here: their sums would jump.

    Source: ONTAP REST reference, counter_row: aggregation.complete, as old as the tables (9.11); github.com/NetApp/harvest pull request
    2783.
    """
    properties = {str(name): str(value) for name, value in _pairs(record, "properties", "value")}
    values: dict[str, float] = {}
    arrays: dict[str, Mapping[str, float]] = {}
    aggregation = record.value.get("aggregation")
    if isinstance(aggregation, dict) and aggregation.get("complete") is False:
        record.parse_errors.add("aggregation.complete", record.label, "is false: its counters are those of a part of the nodes")
        return CounterRow(str(record.value.get("id")), properties, values, arrays)
    for counter in _objects(record, "counters"):
        name = str(counter.get("name"))
        if "values" in counter:
            labelled = _labelled(counter)
            if labelled is not None:
                arrays[name] = labelled
        elif (number := _number(counter.get("value"))) is not None:
            values[name] = number
        if name not in arrays and name not in values:
            record.parse_errors.add(f"counter {name}", record.label, "has no number")
    return CounterRow(str(record.value.get("id")), properties, values, arrays)


def _objects(record: Record, name: str) -> Iterator[dict[str, Any]]:
    value = record.value.get(name)
    if not isinstance(value, list):
        record.parse_errors.add(name, record.label, "is not a list")
        return
    yield from (each for each in value if isinstance(each, dict))


def _pairs(record: Record, name: str, value: str) -> Iterator[tuple[Any, Any]]:
    return ((each.get("name"), each.get(value)) for each in _objects(record, name))


def _labelled(counter: Mapping[str, Any]) -> dict[str, float] | None:
    values, labels = counter.get("values"), counter.get("labels")
    if not isinstance(values, list) or not isinstance(labels, list) or len(values) != len(labels):
        return None
    numbers = [_number(each) for each in values]
    return None if None in numbers else {str(label): number for label, number in zip(labels, numbers, strict=True) if number is not None}


def _number(value: Any) -> float | None:
    """A finite number from 0, also one sent as a string."""
    try:
        number = math.nan if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def misaligned_ratio(row: CounterRow) -> float | None:
    """The share of a LUN's reads and writes that started beside a 4 KiB block, since its counters began; None when there were none.

    A boot LUN of ESXi reads misaligned, which is harmless (docs/domain/facts.md#7-5); judging that is not ours.
    """
    bins = [row.arrays[name] for name in LUN_COUNTERS if name in row.arrays]
    total = sum(sum(each.values()) for each in bins)
    return 1 - sum(each.get(_ALIGNED, 0.0) for each in bins) / total if total else None


def names_of_lun(row: CounterRow) -> list[str]:
    """What a row of the LUNs' table names its LUN by: its id in lower case, and svm:path. Empty where it names none.

    Properties go before the row's own id, "/vol/v/lun:uuid".
    """
    own = _LUN_ROW.search(row.row_id)
    uuid = row.properties.get("lun.uuid") or (own[2] if own else None)
    path = row.properties.get("name") or (own[1] if own else None)
    svm = row.properties.get("svm.name")
    return [*([uuid.lower()] if uuid else []), *([f"{svm}:{path}"] if svm and path else [])]


def aggregate_of(row: CounterRow) -> str:
    """The name of the aggregate that a disk's row belongs to, "" for a spare: its RAID group is /aggregate/plex/group."""
    parts = row.properties.get("raid_group", "").strip("/").split("/")
    return parts[0] if len(parts) == 3 else ""


def disk_name(row: CounterRow) -> str:
    """The name of the disk that a row is about, or is about a part of."""
    return row.properties.get("physical_disk_name") or row.row_id


def is_data(row: CounterRow) -> bool:
    """Whether a disk holds data, and not only parity."""
    return row.properties.get("raid.type") == "data"


def data_disks(rows: Iterable[CounterRow]) -> dict[str, int]:
    """How many disks hold data, by the name of their aggregate; parts of one disk count once."""
    by_pool: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if aggregate_of(row) and is_data(row):
            by_pool[aggregate_of(row)].add(disk_name(row))
    return {name: len(disks) for name, disks in by_pool.items()}


@dataclass(slots=True)
class _Disks:
    """What the disks of one aggregate did between two samples."""

    busy: list[float] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    data: set[str] = field(default_factory=set)
    transfers: float = 0.0
    of_whole_disks: float | None = 0.0  # with what their other parts do for other aggregates; None: not all of it is known
    user: float = 0.0
    consistency: float | None = 0.0  # None: not reported of every disk


def pool_load_rows(
    first: Sample,
    last: Sample,
    pools: Mapping[str, str],
    parse_errors: ParseErrors,
    spinning: Mapping[str, Collection[str] | None] = MappingProxyType({}),
) -> list[Row]:
    """Rows of array_pool_load; `pools` is the id of every aggregate by its name. One without counters is a parse error.

    `spinning` are the names of spinning disks by the name of a Flash Pool, which is judged by these alone; None where they are not known.

    `disk_iops` is all transfers of an aggregate over its data disks, as the lesson counts them (docs/domain/facts.md#7-4): parity disks
    work, but a RAID group's knee is reported for each data disk. A disk that is cut into parts works for several aggregates, the root
    aggregates of nodes among them, and counts with all that its parts do (docs/domain/facts.md#7-9).
    """
    disks = _worked(first, last, parse_errors, spinning)
    headroom = {_pool_of(row, pools): name for name, row in sorted(last.headroom.items(), reverse=True)}  # HDD before SSD
    rows = []
    for name, pool_id in pools.items():
        seconds = last.at - first.at
        disk_load = disks.get(name)
        if disk_load is None or seconds <= 0:
            parse_errors.add("its disks", f"aggregate {name}", "were not reported by both readings of the counters")
            disk_load = None
        busy = max(disk_load.busy, default=None) if disk_load else None
        rows.append(
            {
                "pool_id": pool_id,
                "busy_percent": busy,
                "disk_iops": disk_load.of_whole_disks / seconds / len(disk_load.data)
                if disk_load is not None and disk_load.of_whole_disks is not None and disk_load.data
                else None,
                "transfers_per_second": disk_load.transfers / seconds if disk_load else None,
                "user_transfers_per_second": disk_load.user / seconds if disk_load else None,
                "consistency_reads_per_second": disk_load.consistency / seconds
                if disk_load is not None and disk_load.consistency is not None
                else None,
                **_headroom(first, last, headroom.get(pool_id), name, parse_errors),
            }
        )
    return rows


def _worked(first: Sample, last: Sample, parse_errors: ParseErrors, spinning: Mapping[str, Collection[str] | None]) -> dict[str, _Disks]:
    """What the disks of each aggregate did, by its name; one with a disk that was not understood is left out, since its sums would lie."""
    by_pool: dict[str, _Disks] = defaultdict(_Disks)
    spoilt: set[str] = set()
    done = _transfers_of_disks(first, last)
    for row_id, row in last.disks.items():
        name, before = aggregate_of(row), first.disks.get(row_id)
        if not name or (name in spinning and disk_name(row) not in (spinning[name] or ())):
            continue
        growth = {counter: _growth(before, row, counter) for counter in DISK_COUNTERS}
        if any(each is None for each in growth.values()) or not growth["base_for_disk_busy"]:
            parse_errors.add("its counters", f"disk {row_id}", "are missing, all 0, did not go on, or went backwards, between two readings")
            spoilt.add(name)
            continue
        disks = by_pool[name]
        disks.names.add(disk_name(row))
        disks.transfers += growth["total_transfer_count"] or 0.0
        disks.user += (growth["user_read_count"] or 0.0) + (growth["user_write_count"] or 0.0)
        consistency = _growth(before, row, CONSISTENCY_READS)
        disks.consistency = None if consistency is None or disks.consistency is None else disks.consistency + consistency
        if is_data(row):
            disks.data.add(disk_name(row))
            disks.busy.append(min(100.0, 100.0 * (growth["disk_busy_percent"] or 0.0) / (growth["base_for_disk_busy"] or 1.0)))
    for disks in by_pool.values():
        whole = [done[name] for name in disks.names]
        disks.of_whole_disks = None if None in whole else sum(each or 0.0 for each in whole)
    return {name: disks for name, disks in by_pool.items() if name not in spoilt}


def _transfers_of_disks(first: Sample, last: Sample) -> dict[str, float | None]:
    """What each disk did for all aggregates together, by its name; None where a part that an aggregate has was not understood.

    A part that is a spare does nothing for anybody.
    """
    done: dict[str, float | None] = {}
    for row_id, row in last.disks.items():
        if aggregate_of(row):
            before, own = done.get(disk_name(row), 0.0), _growth(first.disks.get(row_id), row, "total_transfer_count")
            done[disk_name(row)] = None if before is None or own is None else before + own
    return done


def _growth(before: CounterRow | None, after: CounterRow, counter: str) -> float | None:
    """What a counter grew by; None where it is missing in a reading, went backwards, or the first reading was not filled.

    ONTAP now and then reports a row of counters that are all 0, and the next reading has all that they ever counted: they would have grown
    by billions. Source: github.com/NetApp/harvest, issues 1245 and 1037.
    """
    if before is None or counter not in before.values or counter not in after.values:
        return None
    if not any(before.values.values()) and any(after.values.values()):
        return None
    grown = after.values[counter] - before.values[counter]
    return grown if grown >= 0 else None


def _pool_of(row: CounterRow, pools: Mapping[str, str]) -> str:
    """The id of the aggregate that a row of headroom_aggregate is about: its name is DISK_HDD_<aggregate>_<uuid>."""
    name = row.properties.get("name", "")
    uuid = name.rpartition("_")[2].lower()
    if uuid in pools.values():
        return uuid
    return next((pool_id for pool, pool_id in pools.items() if f"_{pool}_" in f"{name}_"), "")


def _headroom(first: Sample, last: Sample, row_id: str | None, name: str, parse_errors: ParseErrors) -> Row:
    nothing: Row = {"current_ops": None, "optimal_ops": None, "current_latency_us": None}
    seconds = last.headroom_at - first.headroom_at
    after, before = last.headroom.get(row_id or ""), first.headroom.get(row_id or "")
    operations = _growth(before, after, "current_ops") if after else None
    latency = _growth(before, after, "current_latency") if after else None
    if after is None or operations is None or latency is None or seconds <= 0:
        parse_errors.add("its headroom", f"aggregate {name}", "was not reported by both readings of the counters")
        return nothing
    return {
        "current_ops": operations / seconds,
        "optimal_ops": _optimal(before, after),
        "current_latency_us": latency / operations if operations else None,
    }


def _optimal(before: CounterRow | None, after: CounterRow) -> float | None:
    """The mean of the samples in between; where there was none in between, of all."""
    grown, samples = _growth(before, after, "optimal_point.ops"), _growth(before, after, "optimal_point.samples")
    if grown is not None and samples:
        return grown / samples
    samples = after.values.get("optimal_point.samples")
    return after.values["optimal_point.ops"] / samples if samples and "optimal_point.ops" in after.values else None
