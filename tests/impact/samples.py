"""Rows of the views disk_stream and device_queue, as those of the incidents."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from auditor.impact.rows import Device, Disk

_DEVICE: dict[str, Any] = {
    **{one.name: None for one in fields(Device)},
    "endpoint": "vc",
    "host_id": "host-1",
    "host": "esx-1",
    "device": "naa.1",
    "queue_depth": 256,
    "dsnro": 32,
    "depth_in_effect": 32,
}
_DISK: dict[str, Any] = {
    **{one.name: None for one in fields(Disk)},
    "endpoint": "vc",
    "host_id": "host-1",
    "device": "naa.1",
    "name": "vm-1 disk",
    "vm_id": "vm-1",
    "disk": "disk",
    "depth_at_least": 64,
    "depth_at_most": 64,
}


def device(**cells: Any) -> Device:
    return Device(**{**_DEVICE, **cells})


def disk(name: str, **cells: Any) -> Disk:
    return Disk(**{**_DISK, "name": name, "vm_id": name, **cells})


# S0: fio, 40 commands of 512 KiB in four pieces each, held at 25.6 a second; a neighbour of 1 ms that takes 312.
S0_QUEUE = device(
    worlds=2, worlds_at_least=2, commands_per_second=107, davg_ms=306, kavg_ms=311, active=32.7, queued=33.4, queue_basis="littles-law"
)
NOISY = disk(
    "noisy",
    commands_per_second=25.6,
    outstanding=40,
    latency_ms=1520,
    io_bytes=524288,
    largest_io_bytes=131072,
    limit_per_second=26.3,
    is_at_limit=True,
    array_latency_ms=1520,
)
NEIGHBOUR = disk("neighbour", commands_per_second=3, outstanding=1, latency_ms=313, io_bytes=4096, array_latency_ms=0.9, is_at_limit=False)

# S2: 91.6 commands of one disk, 32 slots, 64,600 a second.
S2_QUEUE = device(
    queue_depth=32,
    worlds=1,
    worlds_at_least=1,
    commands_per_second=64600,
    davg_ms=0.1,
    kavg_ms=1,
    active=32,
    queued=59.6,
    queue_basis="disks",
)
DATABASE = disk(
    "database", commands_per_second=64600, outstanding=91.6, latency_ms=1, io_bytes=4096, array_latency_ms=0.43, is_at_limit=False
)

# S1: Storage I/O Control leaves 4 slots; 8 commands of the host's own migration are in the way.
S1_QUEUE = device(
    queue_depth=255,
    depth_in_effect=4,
    sioc_enabled=True,
    worlds=1,
    worlds_at_least=1,
    commands_per_second=52.8,
    davg_ms=77,
    kavg_ms=81,
    active=4.07,
    queued=4.27,
    queue_basis="littles-law",
)
APP = disk("app", commands_per_second=2, outstanding=0, latency_ms=82.8, io_bytes=5120, largest_io_bytes=131072)
