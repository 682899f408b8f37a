"""What the queue of one device costs now, after a fix, and at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from auditor.impact.interval import Interval
from auditor.impact.queue import Flow, Queue, Stream, solve
from auditor.impact.rows import DEEPEST_GUEST, Device, Disk, Input, around, outstanding, rounded, service_ms

_NAMED = 5  # disks that are named; the others are counted
_ALONE = 8  # disks that are streams of their own; the lighter ones are one stream together
_KERNEL = "the host itself"
_NOTICED = 1.0  # commands that the kernel has to send for it to be a stream; also what a count is uncertain by
_ANY_NUMBER = Interval.exactly(math.inf)
_AGREE = 2.0  # times that a measured latency may be off the model's


class Cure(StrEnum):
    """What a fix changes."""

    DSNRO = "dsnro"
    QUEUE_DEPTH = "queue_depth"
    BOTH = "both"  # both depths to the same value
    NO_SIOC = "no_sioc"
    HOST_LIMIT = "host_limit"  # limits on the host: what is over them waits in each disk's own queue


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A fix: `value` is the depth that it sets; None where the fix has none, or where all outstanding commands are to fit."""

    cure: Cure
    value: float | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """A stream with the disks that it stands for."""

    stream: Stream
    disks: tuple[Disk, ...]  # empty: the kernel
    most: Interval  # commands that it has outstanding when every guest sends all that its controller lets out

    @property
    def is_held(self) -> bool:
        return any(disk.is_held for disk in self.disks)


def device_impact(device: Device, disks: Sequence[Disk], what_if: WhatIf) -> dict[str, Any]:
    """The impact of a finding about one queue, as reports have it; `{"not_computed": reason}` where something is not known.

    Args:
        device: the queue.
        disks: all disks that send into it, or may.
        what_if: what the fix changes.
    """
    inputs: list[Input] = []
    depth = _depth_now(device)
    if depth is None:
        return _not("the depth of the queue that applies now is not known")
    lines = _lines(device, disks, inputs)
    if isinstance(lines, str):
        return _not(lines)
    if what_if.cure is Cure.NO_SIOC and not device.sioc_enabled:
        return _not("Storage I/O Control does not hold this queue back")
    if what_if.cure is Cure.HOST_LIMIT and not any(line.is_held for line in lines):
        return _not("the array holds no disk behind this queue back now")
    streams = [line.stream for line in lines]
    adapter = None if not device.adapter_queue_depth else Interval.exactly(device.adapter_queue_depth)
    served = Interval(max(1.0, _served(streams, depth)), math.inf)
    inputs += [
        Input("depth now", depth, "commands", "measured", "device_queue.depth_in_effect, queue_depth, dsnro"),
        Input("served side by side", served, "commands", "assumed", "docs/queue-model.md#array"),
    ]
    victims = [line for line in lines if not line.is_held and line.disks] or [line for line in lines if line.disks] or lines
    # Service times were measured now, with whatever the array made of this load.
    now = _flows(solve(Queue(depth, adapter, _ANY_NUMBER), streams).flows, lines, victims)
    if (why := _contradiction(now, victims)) is not None:
        return _not(why)
    fixed = _depth_after(device, depth, what_if, lines)
    if fixed is None:
        return _not("what the fix makes of the queue's depth is not known")
    if adapter is not None:
        inputs.append(Input("depth of the adapter", adapter, "commands", "measured", "device_queue.adapter_queue_depth"))
    inputs.append(Input("depth after", fixed, "commands", "assumed", "the fix of this finding"))
    mended = [_limited(line) if what_if.cure is Cure.HOST_LIMIT else line.stream for line in lines]
    after = _flows(solve(Queue(fixed, adapter, served), mended).flows, lines, victims)
    if fixed.low >= depth.high:
        after = [_not_worse(one, before) for one, before in zip(after, now, strict=True)]
    full = [replace(line.stream, outstanding=line.most) for line in lines]
    worst_streams = mended if what_if.cure is Cure.HOST_LIMIT else full
    worst = _flows(solve(Queue(fixed, adapter, served), worst_streams).flows, lines, victims)
    return _answer(device, lines, victims, (now, after, worst), inputs)


def _answer(
    device: Device, lines: Sequence[_Line], victims: Sequence[_Line], flows: tuple[list[Flow], list[Flow], list[Flow]], inputs: list[Input]
) -> dict[str, Any]:
    held = [line for line in lines if line.is_held and line not in victims]
    quantity = "latency_ms" if held or len(lines) > 1 else "iops"
    now, after, worst = (_hull(found, quantity) for found in flows)
    names = sorted(disk.name for line in victims for disk in line.disks)
    return {
        "model": "queue",
        "queue": f"{device.host or device.host_id}/{device.device}",
        "victims": names[:_NAMED],
        "victims_count": len(names),
        "behind": sorted(disk.name for line in held for disk in line.disks)[:_NAMED],
        "quantity": quantity,
        "now": rounded(now),
        "after": rounded(after),
        "worst_after": rounded(Interval.around(worst.low, worst.high, after.low, after.high)),
        "inputs": [one.as_json() for one in inputs],
    }


def _hull(flows: Sequence[Flow], quantity: str) -> Interval:
    found = [one.latency_ms if quantity == "latency_ms" else one.per_second for one in flows]
    return Interval(min(one.low for one in found), max(one.high for one in found))


def _flows(flows: Sequence[Flow], lines: Sequence[_Line], victims: Sequence[_Line]) -> list[Flow]:
    return [flow for flow, line in zip(flows, lines, strict=True) if line in victims]


def _not_worse(after: Flow, now: Flow) -> Flow:
    """More depth gives at least what is there now: docs/queue-model.md#array."""
    latency = Interval(min(after.latency_ms.low, now.latency_ms.high), min(after.latency_ms.high, now.latency_ms.high))
    passed = Interval(max(after.per_second.low, now.per_second.low), max(after.per_second.high, now.per_second.low))
    return replace(after, latency_ms=latency, per_second=passed)


def _contradiction(flows: Sequence[Flow], victims: Sequence[_Line]) -> str | None:
    """Why the model is not to be believed here: what was measured is far from what it says."""
    for flow, line in zip(flows, victims, strict=True):
        measured = [disk.latency_ms for disk in line.disks if disk.latency_ms and disk.commands_per_second]
        if not measured:
            continue
        low, high = min(measured) - 1, max(measured) + 1  # whole milliseconds
        if high * _AGREE < flow.latency_ms.low or low > flow.latency_ms.high * _AGREE:
            says = " to ".join(f"{end:.4g}" for end in (flow.latency_ms.low, flow.latency_ms.high))
            return f"the model does not explain what was measured: {flow.name} takes {max(measured):.4g} ms, and the model says {says} ms"
    return None


def _depth_now(device: Device) -> Interval | None:
    if device.depth_in_effect is not None and device.depth_in_effect > 0:
        return Interval.exactly(device.depth_in_effect)
    return _settings(device, device.queue_depth, device.dsnro)


def _settings(device: Device, queue_depth: float | None, dsnro: float | None) -> Interval | None:
    """The depth by two settings: DSNRO counts with several worlds. Source: docs/domain/facts.md#1-6."""
    if queue_depth is None or queue_depth <= 0:
        return None
    if device.worlds is not None and device.worlds <= 1:
        return Interval.exactly(queue_depth)
    if dsnro is None or dsnro <= 0:
        return None
    shared = min(queue_depth, dsnro)
    return Interval.exactly(shared) if (device.worlds_at_least or 0) > 1 else Interval(shared, queue_depth)


def _depth_after(device: Device, now: Interval, what_if: WhatIf, lines: Sequence[_Line]) -> Interval | None:
    value = what_if.value
    if what_if.cure is Cure.HOST_LIMIT:
        return now
    if what_if.cure is Cure.NO_SIOC:
        return _settings(device, device.queue_depth, device.dsnro)
    if value is None:
        wanted = sum(line.stream.outstanding.high for line in lines)
        value = min(256.0, 2.0 ** math.ceil(math.log2(max(1.0, wanted))))
    if what_if.cure is Cure.BOTH:
        return Interval.exactly(value)
    if device.sioc_enabled:
        return now  # it sets the depth itself: docs/domain/facts.md#1-9
    if what_if.cure is Cure.DSNRO:
        return _settings(device, device.queue_depth, value)
    return _settings(device, value, device.dsnro)


def _served(streams: Sequence[Stream], depth: Interval) -> float:
    """Commands that the array serves side by side now, at least."""
    flows = solve(Queue(depth, parallel=_ANY_NUMBER), streams).flows
    return sum(flow.per_second.low * stream.service_seconds.low for flow, stream in zip(flows, streams, strict=True))


def _limited(line: _Line) -> Stream:
    """The stream when a limit on the host lets out no more than the array takes: it has in the queue what the array works on."""
    limit = line.stream.limit_per_second
    if limit is None or not line.is_held:
        return line.stream
    few = Interval(limit.low * line.stream.service_seconds.low, limit.high * line.stream.service_seconds.high + 1)
    return replace(line.stream, outstanding=few.at_most(line.stream.outstanding))


def _lines(device: Device, disks: Sequence[Disk], inputs: list[Input]) -> list[_Line] | str:
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
    lines += _kernel(device, sending, lines, held)
    return [*lines[:_ALONE], *_merged(lines[_ALONE:])]


def _known_service(device: Device, sending: Sequence[Disk], disk: Disk, held: bool) -> tuple[Interval, Input] | None:
    """The service time of a disk; of one at its limit, which the array does not tell, that of a neighbour."""
    for one in (disk, *(other for other in sending if not other.is_held)):
        if (found := service_ms(one, device, held=held, is_shared=len(sending) > 1 or _is_of_kernel(device, sending))) is not None:
            return found
    if not disk.is_held or disk.array_latency_ms is None:
        return None
    # Whatever it is: it is part of the delay of the limit, which is long against it.
    value = Interval(min(0.1, disk.array_latency_ms), max(0.1, disk.array_latency_ms))
    return value, Input("service time", value, "ms", "assumed", "docs/queue-model.md#limit: not longer than with the limit's delay")


def _others(sending: Sequence[Disk], disk: Disk) -> float:
    """Commands that the other disks have outstanding."""
    return sum(one.outstanding or 0.0 for one in sending if one is not disk)


def _line(device: Device, disk: Disk, service: Interval, others: float) -> _Line | str:
    pieces = disk.pieces
    sent = outstanding(disk, service)
    if pieces > 1:
        sent = _split(device, disk, sent, others)
    limit = None
    if disk.is_held:
        rate = (disk.commands_per_second or 0.0) * pieces
        if not rate:
            return f"how fast the array takes the commands of {disk.name} is not known"
        limit = around(rate)
    elif disk.limit_per_second:
        limit = around(disk.limit_per_second * pieces)
        if (disk.commands_per_second or 0.0) * pieces > limit.high:
            limit = None  # a burst: it does more than its limit now
    deepest = disk.depth_at_most if disk.depth_at_most is not None else DEEPEST_GUEST
    most = Interval(max(sent.low, disk.depth_at_least or sent.low), max(sent.high, deepest * pieces))
    return _Line(Stream(disk.name, sent, service.times(0.001), limit), (disk,), most)


def _split(device: Device, disk: Disk, sent: Interval, others: float) -> Interval:
    """Commands of a disk whose commands the host splits: as the device counts them, else one piece of each command to all pieces."""
    every = Interval(sent.low, sent.high * disk.pieces)
    if device.active is None or device.queued is None or device.queue_basis == "disks":
        return every
    counted = device.active + device.queued - others
    near = around(counted) if counted > 0 else every
    low, high = max(every.low, near.low), min(every.high, near.high)
    return Interval(low, high) if low <= high else every


def _kernel(device: Device, sending: Sequence[Disk], lines: Sequence[_Line], held: bool) -> list[_Line]:
    """What the device counts beyond the disks: the host's own commands, as a Storage vMotion's."""
    if device.active is None or device.queued is None or device.queue_basis == "disks" or any(disk.pieces > 1 for disk in sending):
        return []
    rest = device.active + device.queued - sum(line.stream.outstanding.high for line in lines)
    found = service_ms(None, device, held=held, is_shared=True)
    if rest < _NOTICED or found is None:
        return []
    value = around(rest)
    return [_Line(Stream(_KERNEL, value, found[0].times(0.001)), (), value)]


def _is_of_kernel(device: Device, sending: Sequence[Disk]) -> bool:
    """Whether most of what the device counts is not of the disks."""
    counted = sum(disk.commands_per_second or 0.0 for disk in sending)
    return (device.commands_per_second or 0.0) > 2 * counted


def _merged(lines: Sequence[_Line]) -> list[_Line]:
    """Light disks as one stream: their commands together, each served as quickly as the quickest and as slowly as the slowest of them."""
    if not lines:
        return []
    streams = [line.stream for line in lines]
    sent = Interval(sum(one.outstanding.low for one in streams), sum(one.outstanding.high for one in streams))
    most = Interval(sum(one.most.low for one in lines), sum(one.most.high for one in lines))
    service = Interval(min(one.service_seconds.low for one in streams), max(one.service_seconds.high for one in streams))
    limits = [one.limit_per_second for one in streams]
    known = [one for one in limits if one is not None]
    limit = Interval(sum(one.low for one in known), sum(one.high for one in known)) if len(known) == len(limits) else None
    disks = tuple(disk for line in lines for disk in line.disks)
    return [_Line(Stream(f"{len(disks)} lighter disks", sent, service, limit), disks, most)]


def _inputs(disk: Disk, line: _Line, service: Input) -> list[Input]:
    basis = "device_queue.active + queued" if disk.pieces > 1 else "disk_stream.outstanding, commands_per_second"
    found = [replace(service, name=f"service time of {disk.name}")]
    found.append(Input(f"outstanding of {disk.name}", line.stream.outstanding, "commands", "measured", basis))
    if line.stream.limit_per_second is not None:
        source = "disk_stream.commands_per_second at its limit" if disk.is_held else "disk_stream.limit_per_second"
        found.append(Input(f"limit of {disk.name}", line.stream.limit_per_second, "commands/s", "measured", source))
    return found


def _not(reason: str) -> dict[str, Any]:
    return {"not_computed": reason}
