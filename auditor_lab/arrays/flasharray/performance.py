"""Performance objects of the array, its volumes, volume groups, pods and hosts.

Source: the recorded answers of the exporter's test data. Samples of the past: history.py.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray.parts import LoadDescription
from auditor_lab.arrays.flasharray.records import LAB_TIME_MS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.arrays.flasharray.array import FlashArray, Host, Volume, VolumeGroup
    from auditor_lab.arrays.flasharray.parts import PodDescription

_MIRRORED = (  # of stretched pods; constant in the lab
    "mirrored_write_bytes_per_sec",
    "mirrored_writes_per_sec",
    "usec_per_mirrored_write_op",
    "san_usec_per_mirrored_write_op",
    "queue_usec_per_mirrored_write_op",
    "qos_rate_limit_usec_per_mirrored_write_op",
    "service_usec_per_mirrored_write_op",
    "bytes_per_mirrored_write",
)
_OTHER = {"usec_per_other_op": 0, "others_per_sec": 0}


def of_array(state: FlashArray, _: object) -> dict[str, Any]:
    """The performance of all volumes together; `queue_depth` was null on the recorded array."""
    load = combined(volume.load for volume in state.volumes.values())
    own = {"queue_depth": None, "local_queue_usec_per_op": 0, "name": state.description.name, "id": state.description.reported_id}
    return {**_OTHER, **_measured(load), **own}


def of_volume(_: FlashArray, item: Volume) -> dict[str, Any]:
    """The performance of one volume."""
    return {**_measured(item.load), "name": item.name, "id": item.id}


def of_volume_group(state: FlashArray, item: VolumeGroup) -> dict[str, Any]:
    """The performance of all volumes of a group."""
    load = combined(volume.load for volume in state.inside.get(item.name, ()))
    return {**_measured(load), "context": {"name": state.description.name, "id": None}, "name": item.name, "id": item.id}


def of_pod(state: FlashArray, item: PodDescription) -> dict[str, Any]:
    """The performance of all volumes of a pod."""
    load = combined(volume.load for volume in state.volumes.values() if volume.pod == item.name)
    return {**_OTHER, **_measured(load), "name": item.name, "id": state.description.derived_id("pod", item.name)}


def of_host(_: FlashArray, item: Host) -> dict[str, Any]:
    """The performance of one host over all its volumes; hosts have no id."""
    return {**_measured(item.described.load), "name": item.described.name}


def combined(loads: Iterable[LoadDescription]) -> LoadDescription:
    """Several loads as one: rates are summed, sizes and latencies are means weighted by operations."""
    held = tuple(loads)
    weights = {"read": [load.reads_per_sec for load in held], "write": [load.writes_per_sec for load in held]}
    values = {"reads_per_sec": sum(weights["read"]), "writes_per_sec": sum(weights["write"])}
    for field in dataclasses.fields(LoadDescription):
        if field.name not in values:
            weight = weights["read" if "read" in field.name else "write"]
            values[field.name] = _mean([getattr(load, field.name) for load in held], weight)
    return LoadDescription(**values)


def _measured(load: LoadDescription) -> dict[str, Any]:
    reads, writes = load.reads_per_sec, load.writes_per_sec
    return {
        **dict.fromkeys(_MIRRORED, 0),
        "time": LAB_TIME_MS,
        **dataclasses.asdict(load),
        "read_bytes_per_sec": reads * load.bytes_per_read,
        "write_bytes_per_sec": writes * load.bytes_per_write,
        "service_usec_per_read_op": load.usec_per_read_op,  # equal in every recorded object
        "service_usec_per_write_op": load.usec_per_write_op,
        "bytes_per_op": _mean([load.bytes_per_read, load.bytes_per_write], [reads, writes]),
        "service_usec_per_read_op_cache_reduction": None,
    }


def _mean(values: list[int], weights: list[int]) -> int:
    total = sum(weights)
    return 0 if total == 0 else sum(value * weight for value, weight in zip(values, weights, strict=True)) // total
