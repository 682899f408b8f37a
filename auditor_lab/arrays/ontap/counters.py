"""Counter tables: schemas, and rows whose values are sums since the cluster came up, as the Counter Manager answers them.

A client computes from two readings: a rate is the growth over the time between them, an average or a percentage the growth over that of its
denominator. Source: NetApp Harvest's RestPerf documentation and its metric list (names, types, units, denominators); the shape of a row is
that of its recorded answers. Not verified: the order of the labels of `ewma.*`, and the ids of rows of disk:constituent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.ontap.records import disk_uid, disks, is_flash, link, raid_groups

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster, Lun
    from auditor_lab.arrays.ontap.parts import AggregateDescription, NodeDescription

Values: TypeAlias = dict[str, Any]  # counter name to a number, or to a mapping of labels to numbers

EWMA = ("ewma.hourly", "ewma.daily", "ewma.weekly", "ewma.monthly")
SAMPLES = 1000  # optimal_point.samples
PROCESSORS = 16
OFF_BLOCK_START = tuple(map(str, range(8)))  # sectors from the start of a 4 KiB block


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of a counter: type (rate, average, percent, delta, raw), unit, and the counter to divide it by."""

    name: str
    type: str
    unit: str
    denominator: str = ""

    def record(self) -> dict[str, Any]:
        """The schema as a table lists it."""
        record: dict[str, Any] = {"name": self.name, "description": self.name.replace("_", " "), "type": self.type, "unit": self.unit}
        return record | ({"denominator": {"name": self.denominator}} if self.denominator else {})


@dataclass(frozen=True, slots=True)
class Table:
    """A counter table."""

    name: str
    description: str
    schemas: tuple[Schema, ...]
    objects: Callable[[Cluster], Sequence[Any]]
    row: Callable[[Cluster, Any], tuple[str, dict[str, str], Values]]


def table(_: Cluster, item: Table) -> dict[str, Any]:
    """A table with its schemas."""
    return {"name": item.name, "description": item.description, "counter_schemas": [each.record() for each in item.schemas]}


def row(cluster: Cluster, table: Table, what: Any) -> dict[str, Any]:
    """A row of a table."""
    row_id, properties, values = table.row(cluster, what)
    counters: list[dict[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            counters.append({"name": name, "values": [int(each) for each in value.values()], "labels": list(value)})
        else:
            counters.append({"name": name, "value": int(value)})
    return {
        "counter_table": {"name": table.name, "_links": link(f"cluster/counter/tables/{table.name}")},
        "id": row_id,
        "properties": [{"name": name, "value": value} for name, value in properties.items()],
        "counters": counters,
        "aggregation": {"count": 1, "complete": True},
    }


def _disk(cluster: Cluster, item: tuple[AggregateDescription, int, str]) -> tuple[str, dict[str, str], Values]:
    about, place, name = item
    meter, count = cluster.meters[about.name], max(about.disk_count, 1)
    group, part = raid_groups(about)[place]
    uid = disk_uid(cluster, name)
    total, client = meter.total / count, meter.client / count
    busy = meter.busy_seconds
    if place >= about.disk_count:  # a disk of the cache: its transfers are the clients'
        total = client = about.cache_iops * meter.seconds / about.cache_disks
        busy = meter.seconds  # flash that reads as busy all the time
    client_us = client * about.latency_us + about.client_iops / count * meter.excess_us_seconds
    properties = {
        "node.name": about.node,
        "name": name,
        "physical_disk_name": name,
        "physical_disk_id": uid,
        "raid_group": f"/{about.name}/plex0/{group}",
        "raid.type": part,
        "speed": "0" if is_flash(about, place) else str(about.rpm),
    }
    values: Values = {
        "base_for_disk_busy": meter.seconds * 1e6,
        "disk_busy_percent": busy * 1e6,
        "total_transfer_count": total,
        "cp_read_count": about.consistency_iops * meter.seconds / count if place < about.disk_count else 0,
        "user_read_count": client / 2,
        "user_write_count": client / 2,
        "user_read_block_count": client,
        "user_write_block_count": client,
        "user_read_latency": client_us,
        "user_write_latency": client_us,
        "total_data": total * 8192,
        "capacity": about.disk_bytes >> 20,
    }
    return f"{about.node}:{name}:{uid}", properties, values


def _headroom(cluster: Cluster, about: AggregateDescription) -> tuple[str, dict[str, str], Values]:
    meter, load = cluster.meters[about.name], cluster.load(about)
    media = "SSD" if about.rpm is None else "HDD"
    name = f"DISK_{media}_{about.name}_{cluster.uuid('aggregate', about.name)}"
    optimal_percent = min(about.optimal_ops / about.iops_at_full_busy, 1.0) * 100
    moving = {"ops": load.total, "latency": about.latency_us + cluster.excess_us(about.name), "utilization": load.busy * 100}
    values: Values = {
        "current_ops": meter.total,
        "current_latency": meter.operation_us,
        "current_utilization": meter.busy_seconds * 1e6,
        "current_utilization_denominator": meter.seconds * 1e6,
        "optimal_point.samples": SAMPLES,
        "optimal_point.ops": about.optimal_ops * SAMPLES,
        "optimal_point.latency": about.latency_us * SAMPLES,
        "optimal_point.utilization": optimal_percent * SAMPLES,
        "optimal_point.confidence_factor": 4 * SAMPLES,
        **dict.fromkeys(EWMA, moving),
    }
    return f"{about.node}:{name}", {"node.name": about.node, "name": name}, values


def _lun(cluster: Cluster, item: Lun) -> tuple[str, dict[str, str], Values]:
    about, up = item.about, cluster.uptime
    reads, writes = int(about.read_iops * up), int(about.write_iops * up)
    excess = cluster.meters[item.volume.about.aggregate].excess_us_seconds

    def histogram(operations: int) -> dict[str, int]:
        # A guest whose partition starts at sector 63 is 7 sectors off, the usual misalignment of older guests.
        off = int(operations * about.misaligned)
        return dict.fromkeys(OFF_BLOCK_START, 0) | {"0": operations - off, "7": off}

    none = "average_xcopy_latency xcopy_requests caw_requests writesame_requests unmap_requests queue_full enospc remote_ops remote_bytes"
    values: Values = {
        "read_ops": reads,
        "write_ops": writes,
        "read_ops_sent": reads,
        "write_ops_sent": writes,
        "read_data": reads * 8192,
        "write_data": writes * 8192,
        "average_read_latency": reads * about.latency_us + about.read_iops * excess,
        "average_write_latency": writes * about.latency_us + about.write_iops * excess,
        "read_align_histogram": histogram(reads),
        "write_align_histogram": histogram(writes),
        "read_partial_blocks": reads * about.partial,
        "write_partial_blocks": writes * about.partial,
        **dict.fromkeys(none.split(), 0),
    }
    return f"{item.path}:{item.uuid}", {"svm.name": item.volume.about.svm, "lun.uuid": item.uuid, "name": item.path}, values


def _system(cluster: Cluster, item: NodeDescription) -> tuple[str, dict[str, str], Values]:
    # Of all processors together, in microseconds; shares are those of the description, and what they leave is idle.
    whole = cluster.uptime * 1e6 * PROCESSORS
    busy = {domain: whole * share for domain, share in item.cpu.items()}
    values: Values = {
        "cpu_elapsed_time": cluster.uptime * 1e6,
        "num_processors": PROCESSORS,
        "domain_busy": {"idle": whole - sum(busy.values()), **busy},
    }
    return f"{item.name}:{cluster.uuid('node', item.name)}", {"node.name": item.name, "system_model": item.model}, values


def _schemas(text: str) -> tuple[Schema, ...]:
    """Schemas from one line each: name type unit denominator."""
    return tuple(Schema(*line.split()) for line in text.strip().splitlines())


_DISK = _schemas("""
    base_for_disk_busy delta none
    disk_busy_percent percent percent base_for_disk_busy
    total_transfer_count rate per_sec
    cp_read_count rate per_sec
    user_read_count rate per_sec
    user_write_count rate per_sec
    user_read_block_count rate per_sec
    user_write_block_count rate per_sec
    user_read_latency average microsec user_read_block_count
    user_write_latency average microsec user_write_block_count
    total_data rate b_per_sec
    capacity raw mb
""")
_HEADROOM = _schemas("""
    current_ops rate per_sec
    current_latency average microsec current_ops
    current_utilization percent percent current_utilization_denominator
    current_utilization_denominator delta none
    optimal_point.samples raw none
    optimal_point.ops average per_sec optimal_point.samples
    optimal_point.latency average microsec optimal_point.samples
    optimal_point.utilization average none optimal_point.samples
    optimal_point.confidence_factor average none optimal_point.samples
    ewma.hourly raw none
    ewma.daily raw none
    ewma.weekly raw none
    ewma.monthly raw none
""")
_LUN = _schemas("""
    read_ops rate per_sec
    write_ops rate per_sec
    read_ops_sent delta none
    write_ops_sent delta none
    read_data rate b_per_sec
    write_data rate b_per_sec
    average_read_latency average microsec read_ops
    average_write_latency average microsec write_ops
    average_xcopy_latency average microsec xcopy_requests
    read_align_histogram percent percent read_ops_sent
    write_align_histogram percent percent write_ops_sent
    read_partial_blocks percent percent read_ops
    write_partial_blocks percent percent write_ops
    xcopy_requests rate none
    caw_requests rate none
    writesame_requests rate none
    unmap_requests rate none
    queue_full rate per_sec
    enospc delta none
    remote_ops rate per_sec
    remote_bytes rate b_per_sec
""")

_SYSTEM = _schemas("""
    cpu_elapsed_time delta microsec
    num_processors raw none
    domain_busy percent percent cpu_elapsed_time
""")

TABLES = {
    each.name: each
    for each in (
        Table("disk:constituent", "Work of single disks.", _DISK, disks, _disk),
        Table(
            "headroom_aggregate",
            "How far an aggregate is from its optimal point.",
            _HEADROOM,
            lambda c: c.description.aggregates,
            _headroom,
        ),
        Table("lun", "Work of single LUNs.", _LUN, lambda c: c.luns, _lun),
        Table("system:node", "Work of nodes.", _SYSTEM, lambda c: c.description.nodes, _system),
    )
}
