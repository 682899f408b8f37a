"""What the queue of one device costs now, after a fix, and at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auditor.impact.depths import Cure, WhatIf, depth_after, depth_now
from auditor.impact.interval import Interval
from auditor.impact.lines import Line, limited, lines_of
from auditor.impact.measured import contradiction, counted_flow, no_worse, other_rate, perhaps_as_now
from auditor.impact.queue import Flow, Queue, Stream, solve
from auditor.impact.rows import Device, Disk, Input, rounded

_NAMED = 5  # disks that are named; the others are counted
_ANY_NUMBER = Interval.exactly(math.inf)


def device_impact(device: Device, disks: Sequence[Disk], what_if: WhatIf) -> dict[str, Any]:
    """The impact of a finding about one queue, as reports have it; `{"not_computed": reason}` where something is not known.

    Args:
        device: the queue.
        disks: all disks that send into it, or may.
        what_if: what the fix changes.
    """
    inputs: list[Input] = []
    depth = depth_now(device)
    if depth is None:
        return _not("the depth of the queue that applies now is not known")
    lines = lines_of(device, disks, inputs)
    if isinstance(lines, str):
        return _not(lines)
    if what_if.cure is Cure.NO_SIOC and not device.sioc_enabled:
        return _not("Storage I/O Control does not hold this queue back")
    if what_if.cure is Cure.HOST_LIMIT and not any(line.is_held for line in lines):
        return _not("the array holds no disk behind this queue back now")
    streams = [line.stream for line in lines]
    adapter = None if not device.adapter_queue_depth else Interval.exactly(device.adapter_queue_depth)
    victims = [line for line in lines if not line.is_held and line.disks] or [line for line in lines if line.disks] or lines
    # Service times were measured now, with whatever the array made of this load.
    now = _flows(solve(Queue(depth, adapter, _ANY_NUMBER), streams).flows, lines, victims)
    if (why := contradiction(now, victims)) is not None:
        return _not(why)
    served, model = Interval(max(1.0, _served(streams, depth)), math.inf), now
    if len(lines) == 1:
        if (why := other_rate(now[0], lines[0])) is not None:
            return _not(why)
        now = [counted_flow(model[0], lines[0])]
        served = Interval(max(1.0, min(served.low, now[0].per_second.low * streams[0].service_seconds.low)), math.inf)
    inputs += [
        Input("depth now", depth, "commands", "measured", "device_queue.depth_in_effect, queue_depth, dsnro"),
        Input("served side by side", served, "commands", "assumed", "docs/queue-model.md#array"),
    ]
    fixed = depth_after(device, depth, what_if, lines)
    if fixed is None:
        return _not("what the fix makes of the queue's depth is not known")
    if adapter is not None:
        inputs.append(Input("depth of the adapter", adapter, "commands", "measured", "device_queue.adapter_queue_depth"))
    inputs.append(Input("depth after", fixed, "commands", "assumed", "the fix of this finding"))
    limits = what_if.cure is Cure.HOST_LIMIT
    later = [limited(line) if limits else line.stream for line in lines]
    after = _flows(solve(Queue(fixed, adapter, served), later).flows, lines, victims)
    after = no_worse(after, now, (Queue(depth, adapter), streams), (Queue(fixed, adapter), later))
    after = [perhaps_as_now(*flows) for flows in zip(after, now, model, strict=True)]
    full = later if limits else [replace(line.stream, outstanding=line.most) for line in lines]
    worst = _flows(solve(Queue(fixed, adapter, served), full).flows, lines, victims)
    return _answer(device, lines, victims, (now, after, worst), inputs)


def _answer(
    device: Device, lines: Sequence[Line], victims: Sequence[Line], flows: tuple[list[Flow], list[Flow], list[Flow]], inputs: list[Input]
) -> dict[str, Any]:
    held = [line for line in lines if line.is_held and line not in victims]
    quantity = "latency_ms" if held or len(lines) > 1 else "iops"
    now, after, worst = (_hull(found, quantity) for found in flows)
    names = sorted(disk.name for line in victims for disk in line.disks)
    answer: dict[str, Any] = {
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
    if quantity == "iops":
        times = [_hull(found, "latency_ms") for found in flows]
        times[2] = Interval.around(times[1].low, times[1].high, times[2].low, times[2].high)
        answer["latency_ms"] = {name: rounded(value) for name, value in zip(("now", "after", "worst_after"), times, strict=True)}
    return answer


def _hull(flows: Sequence[Flow], quantity: str) -> Interval:
    found = [one.latency_ms if quantity == "latency_ms" else one.per_second for one in flows]
    return Interval(min(one.low for one in found), max(one.high for one in found))


def _flows(flows: Sequence[Flow], lines: Sequence[Line], victims: Sequence[Line]) -> list[Flow]:
    return [flow for flow, line in zip(flows, lines, strict=True) if line in victims]


def _served(streams: Sequence[Stream], depth: Interval) -> float:
    """Commands that the array serves side by side now, at least."""
    flows = solve(Queue(depth, parallel=_ANY_NUMBER), streams).flows
    return sum(flow.per_second.low * stream.service_seconds.low for flow, stream in zip(flows, streams, strict=True))


def _not(reason: str) -> dict[str, Any]:
    return {"not_computed": reason}
