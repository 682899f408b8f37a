"""Rows of the views that the model reads, and the queue and streams that they make.

Every figure that goes into the model leaves an Input behind: what it is, and whether it was measured or assumed, with its source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditor.impact.interval import Interval

SAN_ROUND_TRIP_MS = 0.2
"""What a command takes between host and array at most, besides the array's own time. Source: docs/domain/facts.md#9-3 (about 0.1)."""
DEEPEST_GUEST = 254
"""Commands that a disk sends at most where its guest is not known. Source: docs/domain/facts.md#8-2."""
WHOLE_MS = 1.0  # latencies of vCenter are in whole milliseconds
_MEASURED = 0.05  # share by which a mean of samples may be wrong; policy
_LONG_MS = 5.0  # a latency against which a whole millisecond is little
QUICKEST_MS = 0.1  # no command is quicker: a round trip to the array. Source: docs/domain/facts.md#9-3
_LIGHT = 1.0  # commands outstanding below which the counter, which is whole, says little


def pieces_of(io_bytes: float | None, largest_io_bytes: float | None) -> int:
    """Commands that the host makes of one of the guest; 1 where either size is not known."""
    return max(1, round(io_bytes / largest_io_bytes)) if io_bytes and largest_io_bytes else 1


@dataclass(frozen=True, slots=True)
class Input:
    """One figure that went into the model.

    Attributes:
        basis: "measured" or "assumed".
        source: the view and column, or the document.
    """

    name: str
    value: Interval
    unit: str
    basis: str
    source: str

    def as_json(self) -> dict[str, Any]:
        """The input as reports have it; an end without bound is null."""
        return {"name": self.name, "value": rounded(self.value), "unit": self.unit, "basis": self.basis, "source": self.source}


@dataclass(frozen=True, slots=True)
class Disk:
    """One row of the view disk_stream; every figure is None where it was not read."""

    endpoint: str
    host_id: str
    device: str
    name: str  # the machine and its disk
    vm_id: str
    disk: str
    datastore_id: str | None
    array_name: str | None
    volume_id: str | None
    depth_at_least: float | None
    depth_at_most: float | None
    commands_per_second: float | None
    outstanding: float | None
    latency_ms: float | None
    io_bytes: float | None
    largest_io_bytes: float | None
    limit_per_second: float | None
    is_at_limit: bool | None
    array_latency_ms: float | None

    @property
    def pieces(self) -> int:
        """Commands that the host makes of one of the guest."""
        return pieces_of(self.io_bytes, self.largest_io_bytes)

    @property
    def rate(self) -> float:
        """Commands that the host makes of those of the guest, a second; 0 where none were counted."""
        return (self.commands_per_second or 0.0) * self.pieces

    @property
    def sends(self) -> bool:
        """Whether it is known to send commands now."""
        return bool(self.commands_per_second or self.outstanding)

    @property
    def is_held(self) -> bool:
        """Whether the array holds its commands back now."""
        return self.is_at_limit is True and self.sends


@dataclass(frozen=True, slots=True)
class Device:
    """One row of the view device_queue; every figure is None where it was not read."""

    endpoint: str
    host_id: str
    host: str | None
    device: str
    driver: str | None
    is_protocol_endpoint: bool | None
    queue_depth: float | None
    dsnro: float | None
    depth_in_effect: float | None
    sioc_enabled: bool | None
    worlds: float | None
    worlds_at_least: float | None
    commands_per_second: float | None
    davg_ms: float | None
    kavg_ms: float | None
    active: float | None
    queued: float | None
    queue_basis: str | None
    adapter_queue_depth: float | None

    @property
    def key(self) -> tuple[str, str, str]:
        """The names that identify the queue."""
        return self.endpoint, self.host_id, self.device


def rounded(value: Interval) -> list[float | None]:
    """An interval with four digits, for people and JSON."""
    return [None if end == float("inf") else float(f"{end:.4g}") for end in (value.low, value.high)]


def around(value: float, share: float = _MEASURED) -> Interval:
    """A measured mean, with what it may be wrong by."""
    return Interval(value * (1 - share), value * (1 + share))


def service_ms(disk: Disk | None, device: Device, *, held: bool, is_shared: bool) -> tuple[Interval, Input] | None:
    """The array's time for a command of a disk without any limit, in milliseconds; None where nothing shows it.

    Args:
        disk: None for what the host's kernel sends itself.
        device: the queue.
        held: a disk behind the queue is at its limit, so that the device's own figures have that delay in them.
        is_shared: others send into the queue as well, so that the device's own figures are not the disk's.
    """
    if not held and device.queue_basis == "disks" and device.active and device.commands_per_second:
        value = around(min(device.active, device.adapter_queue_depth or device.active) / device.commands_per_second * 1000)
        return value, Input("service time", value, "ms", "measured", "device_queue.active / commands_per_second (Little's law)")
    if disk is not None and disk.array_latency_ms and not disk.is_held:
        value = Interval(disk.array_latency_ms, disk.array_latency_ms + SAN_ROUND_TRIP_MS)
        return value, Input("service time", value, "ms", "measured", "disk_stream.array_latency_ms, and docs/domain/facts.md#9-3")
    latency = disk.latency_ms if disk is not None and not disk.is_held else None
    if is_shared and latency is not None and latency >= _LONG_MS and device.kavg_ms is not None:
        own, unsure = max(0.0, latency - device.kavg_ms), WHOLE_MS + latency * _MEASURED / 2
        value = Interval(max(QUICKEST_MS, own - unsure), max(QUICKEST_MS, own + unsure))
        return value, Input("service time", value, "ms", "measured", "disk_stream.latency_ms - device_queue.kavg_ms, in whole ms")
    if not held and device.davg_ms is not None and device.davg_ms >= WHOLE_MS:
        value = Interval(max(device.davg_ms - WHOLE_MS, device.davg_ms / 2), device.davg_ms + WHOLE_MS)
        return value, Input("service time", value, "ms", "measured", "device_queue.davg_ms, in whole ms")
    return None


def outstanding(disk: Disk, service: Interval) -> Interval:
    """Commands of a disk that the host has, in its queue or with the array, as the guest counts them."""
    rate, counted = disk.commands_per_second or 0.0, disk.outstanding or 0.0
    if counted >= _LIGHT:
        return around(counted)
    # The counter is whole: below 1 the rate and the latency say more. Little's law.
    longest = max(service.high, (disk.latency_ms or 0.0) + WHOLE_MS)
    return Interval(min(rate * service.low / 1000, max(counted, _LIGHT)), max(counted, rate * longest / 1000))
