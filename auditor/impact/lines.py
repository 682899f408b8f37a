"""The streams that send into the queue of one device: a disk each, the lighter ones together, and the host's kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.impact.interval import Interval
from auditor.impact.queue import Stream
from auditor.impact.rows import DEEPEST_GUEST, Device, Disk, Input, around, outstanding, service_ms

_ALONE = 8  # disks that are streams of their own; the lighter ones are one stream together
_KERNEL = "the host itself"
_NOTICED = 1.0  # commands that the kernel has to send for it to be a stream; also what a count is uncertain by


@dataclass(frozen=True, slots=True)
class Line:
    """A stream with the disks that it stands for."""

    stream: Stream
    disks: tuple[Disk, ...]  # empty: the kernel
    most: Interval  # commands that it has outstanding when every guest sends all that its controller lets out

    @property
    def is_held(self) -> bool:
        """Whether the array holds one of its disks back by a limit."""
        return any(disk.is_held for disk in self.disks)


def lines_of(device: Device, disks: Sequence[Disk], inputs: list[Input]) -> list[Line] | str:
    """The streams of a queue; or why there are none."""
    sending = [disk for disk in disks if disk.sends]
    if any(disk.commands_per_second is None for disk in sending):
        return "how many commands a disk behind the queue sends is not known"
    if not sending:
        return "no disk that sends into the queue is known"
    held = any(disk.is_held for disk in sending)
    if held and len(sending) == 1:
        return "the one disk that sends into the queue waits for its own limit on the array, and no other waits behind it"
    lines = []
    for disk in sorted(sending, key=lambda one: -(one.outstanding or 0.0)):
        found = _known_service(device, sending, disk, held)
        if found is None:
            return f"how long the array takes for a command of {disk.name} is not known"
        line = _line(device, disk, found[0], _others(sending, disk))
        if isinstance(line, str):
            return line
        lines.append(line)
        if len(lines) <= 2:
            inputs += _inputs(disk, line, found[1])
    lighter = lines[_ALONE:]
    held_back, others = ([line for line in lighter if line.is_held is kind] for kind in (True, False))
    return [*lines[:_ALONE], *_merged(held_back), *_merged(others), *_kernel(device, sending, lines, held)]


def _known_service(device: Device, sending: Sequence[Disk], disk: Disk, held: bool) -> tuple[Interval, Input] | None:
    """The service time of a disk; of one at its limit, which the array does not report, that of a neighbour."""
    for one in (disk, *sending):
        if (found := service_ms(one, device, held=held, is_shared=len(sending) > 1 or _is_of_kernel(device, sending))) is not None:
            return found
    if not disk.is_held or not disk.array_latency_ms:
        return None
    # Whatever it is: it is part of the delay of the limit, which is long against it.
    value = Interval(min(0.1, disk.array_latency_ms), max(0.1, disk.array_latency_ms))
    return value, Input("service time", value, "ms", "assumed", "docs/queue-model.md#limit: not longer than with the limit's delay")


def _others(sending: Sequence[Disk], disk: Disk) -> float:
    """Commands that the other disks have outstanding."""
    return sum(one.outstanding or 0.0 for one in sending if one is not disk)


def _line(device: Device, disk: Disk, service: Interval, others: float) -> Line | str:
    pieces = disk.pieces
    sent = outstanding(disk, service)
    if pieces > 1:
        sent = _split(device, disk, sent, others)
    limit = None
    if disk.is_held:
        if not disk.rate:
            return f"how fast the array takes the commands of {disk.name} is not known"
        limit = around(disk.rate)
    elif disk.limit_per_second:
        limit = around(disk.limit_per_second * pieces)
        if disk.rate > limit.high:
            limit = None  # a burst: it does more than its limit now
    deepest = disk.depth_at_most if disk.depth_at_most is not None else DEEPEST_GUEST
    most = Interval(max(sent.low, disk.depth_at_least or sent.low), max(sent.high, deepest * pieces))
    return Line(Stream(disk.name, sent, service.times(0.001), limit), (disk,), most)


def _split(device: Device, disk: Disk, sent: Interval, others: float) -> Interval:
    """Commands of a disk whose commands the host splits: as the device counts them, else one piece of each command to all pieces."""
    every = Interval(sent.low, sent.high * disk.pieces)
    if device.active is None or device.queued is None or device.queue_basis == "disks":
        return every
    counted = device.active + device.queued - others
    near = around(counted) if counted > 0 else every
    low, high = max(every.low, near.low), min(every.high, near.high)
    return Interval(low, high) if low <= high else every


def _kernel(device: Device, sending: Sequence[Disk], lines: Sequence[Line], held: bool) -> list[Line]:
    """What the device counts beyond the disks: the host's own commands, as a Storage vMotion's."""
    if device.active is None or device.queued is None or device.queue_basis == "disks" or any(disk.pieces > 1 for disk in sending):
        return []
    rest = device.active + device.queued - sum(line.stream.outstanding.high for line in lines)
    found = service_ms(None, device, held=held, is_shared=True)
    if rest < _NOTICED or found is None:
        return []
    value = around(rest)
    return [Line(Stream(_KERNEL, value, found[0].times(0.001)), (), value)]


def _is_of_kernel(device: Device, sending: Sequence[Disk]) -> bool:
    """Whether most of what the device counts is not of the disks."""
    counted = sum(disk.commands_per_second or 0.0 for disk in sending)
    return (device.commands_per_second or 0.0) > 2 * counted


def _merged(lines: Sequence[Line]) -> list[Line]:
    """Light disks as one stream: the sum of their commands, with the shortest and the longest of their service times."""
    if len(lines) < 2:
        return [*lines]
    streams = [line.stream for line in lines]
    sent = Interval(sum(one.outstanding.low for one in streams), sum(one.outstanding.high for one in streams))
    most = Interval(sum(one.most.low for one in lines), sum(one.most.high for one in lines))
    service = Interval(min(one.service_seconds.low for one in streams), max(one.service_seconds.high for one in streams))
    limits = [one.limit_per_second for one in streams]
    known = [one for one in limits if one is not None]
    limit = Interval(sum(one.low for one in known), sum(one.high for one in known)) if len(known) == len(limits) else None
    disks = tuple(disk for line in lines for disk in line.disks)
    return [Line(Stream(f"{len(disks)} lighter disks", sent, service, limit), disks, most)]


def _inputs(disk: Disk, line: Line, service: Input) -> list[Input]:
    basis = "device_queue.active + queued" if disk.pieces > 1 else "disk_stream.outstanding, commands_per_second"
    found = [replace(service, name=f"service time of {disk.name}")]
    found.append(Input(f"outstanding of {disk.name}", line.stream.outstanding, "commands", "measured", basis))
    if line.stream.limit_per_second is not None:
        source = "disk_stream.commands_per_second at its limit" if disk.is_held else "disk_stream.limit_per_second"
        found.append(Input(f"limit of {disk.name}", line.stream.limit_per_second, "commands/s", "measured", source))
    return found


def limited(line: Line) -> Stream:
    """The stream when a limit on the host lets out no more than the array takes: it has in the queue what the array works on."""
    limit = line.stream.limit_per_second
    if limit is None or not line.is_held:
        return line.stream
    few = Interval(limit.low * line.stream.service_seconds.low, limit.high * line.stream.service_seconds.high + 1)
    return replace(line.stream, outstanding=few.at_most(line.stream.outstanding))
