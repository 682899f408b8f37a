"""What the queue of one device costs now, after a fix, and at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.impact.depths import WhatIf, depth_after, depth_now
from auditor.impact.directions import Direction, direction_of, is_size_known
from auditor.impact.interval import Interval
from auditor.impact.lines import Line, limited, lines_of
from auditor.impact.measured import contradiction, counted_flow, held_to, other_rate, perhaps_as_now
from auditor.impact.queue import Flow, Queue, Stream, solve, with_fewer
from auditor.impact.rows import Device, Disk, Input, rounded
from auditor.model import Cure

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
    adapter = None if not device.adapter_queue_depth else Interval.exactly(device.adapter_queue_depth)
    victims = [line for line in lines if not line.is_held and line.disks] or lines
    # Service times were measured now, with whatever the array made of this load.
    model = _flows(Queue(depth, adapter, _ANY_NUMBER), [line.stream for line in lines], lines, victims)
    why = contradiction(model, victims) or (other_rate(model[0], lines[0]) if len(lines) == 1 else None)
    if why is not None:
        return _not(why)
    now = [counted_flow(*pair) for pair in zip(model, victims, strict=True)]
    fixed = depth_after(device, depth, what_if, lines)
    if fixed is None:
        return _not("what the fix makes of the queue's depth is not known")
    served = Interval(max(1.0, _served(lines, depth, now)), math.inf)
    inputs += [
        Input("depth now", depth, "commands", "measured", "device_queue.depth_in_effect, queue_depth, dsnro"),
        Input("served side by side", served, "commands", "assumed", "docs/queue-model.md#array"),
    ]
    if adapter is not None:
        inputs.append(Input("depth of the adapter", adapter, "commands", "measured", "device_queue.adapter_queue_depth"))
    inputs.append(Input("depth after", fixed, "commands", "assumed", "the fix of this finding"))
    queues = Queue(depth, adapter, served), Queue(fixed, adapter, served)
    return _fixed(device, lines, victims, (model, now), queues, is_limited=what_if.cure is Cure.HOST_LIMIT) | {
        "inputs": [one.as_json() for one in inputs]
    }


def _fixed(
    device: Device,
    lines: Sequence[Line],
    victims: Sequence[Line],
    known: tuple[Sequence[Flow], Sequence[Flow]],
    queues: tuple[Queue, Queue],
    *,
    is_limited: bool,
) -> dict[str, Any]:
    """The impact but its inputs.

    Args:
        device: the queue.
        lines: what sends into it.
        victims: those of them that wait for others.
        known: of the victims now, what the model says and what was counted.
        queues: before the fix and after it.
        is_limited: the fix is a limit on the host for what the array holds back now.
    """
    (model, now), (queue, later) = known, queues
    streams = [line.stream for line in lines]
    fixed = [limited(line) for line in lines] if is_limited else streams
    direction = direction_of((queue, streams), (later, fixed))
    if direction in (Direction.WORSE, Direction.EITHER):
        fixed = with_fewer(fixed, queue.slots, later.slots)
    after = [held_to(direction, *pair) for pair in zip(_flows(later, fixed, lines, victims), now, strict=True)]
    after = [perhaps_as_now(*flows) for flows in zip(after, now, model, strict=True)]
    most_now = [_at_most(stream, line) for stream, line in zip(streams, lines, strict=True)]
    most = [stream if is_limited and line.is_held else _at_most(stream, line) for stream, line in zip(fixed, lines, strict=True)]
    # What fits now need not fit when every guest sends all that it can.
    at_worst = direction_of((queue, most_now), (later, most)) if direction is Direction.SAME else direction
    worst_now = _flows(queue, most_now, lines, victims)
    worst = [held_to(at_worst, *pair) for pair in zip(_flows(later, most, lines, victims), worst_now, strict=True)]
    return _answer(device, lines, victims, _Flows(now, after, worst_now, worst), direction)


def _at_most(stream: Stream, line: Line) -> Stream:
    """The stream when the guests send all that their controllers let out."""
    return replace(stream, outstanding=line.most)


@dataclass(frozen=True, slots=True)
class _Flows:
    """The victims' flows: with the load of now, and with all that their guests can send; before the fix and after it."""

    now: Sequence[Flow]
    after: Sequence[Flow]
    worst_now: Sequence[Flow]
    worst_after: Sequence[Flow]

    def hulls(self, quantity: str) -> dict[str, Interval]:
        """From the least of any victim to the most."""
        now, after = _hull(self.now, quantity), _hull(self.after, quantity)
        worst_now, worst = _hull(self.worst_now, quantity), _hull(self.worst_after, quantity)
        return {
            "now": now,
            "after": after,
            "worst_now": Interval.around(worst_now.low, worst_now.high, now.low, now.high),
            "worst_after": Interval.around(worst.low, worst.high, after.low, after.high),
        }


def _answer(device: Device, lines: Sequence[Line], victims: Sequence[Line], flows: _Flows, direction: Direction) -> dict[str, Any]:
    others = [disk.name for line in lines if line not in victims for disk in line.disks]
    quantity = "latency_ms" if len(lines) > 1 else "iops"
    pairs = zip(flows.now, flows.after, strict=True)
    names = sorted(disk.name for line in victims for disk in line.disks)
    answer: dict[str, Any] = {
        "model": "queue",
        "queue": f"{device.host or device.host_id}/{device.device}",
        "victims": names[:_NAMED],
        "victims_count": len(names),
        "behind": sorted(others)[:_NAMED],
        "quantity": quantity,
        "direction": direction.value,
        "size_known": all(is_size_known(_figure(now, quantity), _figure(after, quantity)) for now, after in pairs),
        **{name: rounded(value) for name, value in flows.hulls(quantity).items()},
    }
    if quantity == "iops":
        answer["latency_ms"] = {name: rounded(value) for name, value in flows.hulls("latency_ms").items()}
    return answer


def _figure(flow: Flow, quantity: str) -> Interval:
    return flow.latency_ms if quantity == "latency_ms" else flow.per_second


def _hull(flows: Sequence[Flow], quantity: str) -> Interval:
    found = [_figure(one, quantity) for one in flows]
    return Interval(min(one.low for one in found), max(one.high for one in found))


def _flows(queue: Queue, streams: Sequence[Stream], lines: Sequence[Line], victims: Sequence[Line]) -> list[Flow]:
    """The flows of the victims."""
    return [flow for flow, line in zip(solve(queue, streams).flows, lines, strict=True) if line in victims]


def _served(lines: Sequence[Line], depth: Interval, now: Sequence[Flow]) -> float:
    """Commands that the array serves side by side now, at least."""
    flows = solve(Queue(depth, parallel=_ANY_NUMBER), [line.stream for line in lines]).flows
    served = sum(flow.per_second.low * line.stream.service_seconds.low for flow, line in zip(flows, lines, strict=True))
    return served if len(lines) > 1 else min(served, now[0].per_second.low * lines[0].stream.service_seconds.low)


def _not(reason: str) -> dict[str, Any]:
    return {"not_computed": reason}
