"""What the model of a queue says, held to what was measured of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from auditor.impact.directions import Direction
from auditor.impact.interval import Interval
from auditor.impact.lines import Line
from auditor.impact.queue import Flow
from auditor.impact.rows import WHOLE_MS, around
from auditor.text.numbers import number_text

_COUNTED = 0.01  # share by which a rate may be wrong: commands are counted, but their rate is reported in whole commands a second
_WHOLE = 1.0  # how far the ends of a mean of whole numbers are apart at least
_AGREE = 2.0  # times that a measured latency may be off the model's


def contradiction(flows: Sequence[Flow], victims: Sequence[Line]) -> str | None:
    """Why the model is not to be believed here: what was measured is far from what it says."""
    for flow, line in zip(flows, victims, strict=True):
        measured = [disk.latency_ms for disk in line.disks if disk.latency_ms and disk.commands_per_second]
        if not measured:
            continue
        low, high = min(measured) - WHOLE_MS, max(measured) + WHOLE_MS
        if high * _AGREE < flow.latency_ms.low or low > flow.latency_ms.high * _AGREE:
            says = " to ".join(number_text(end, 4) for end in (flow.latency_ms.low, flow.latency_ms.high))
            took = number_text(max(measured), 4)
            return f"the model does not explain what was measured: {flow.name} takes {took} ms, and the model says {says} ms"
    return None


def other_rate(flow: Flow, line: Line) -> str | None:
    """Why the model is not to be believed of a disk that is alone: the rate that was counted is far from what the model says.

    Latencies of vCenter, in whole milliseconds, do not show it of a quick array.
    """
    passed = _rate(line)
    if passed is None or (passed.high * _AGREE >= flow.per_second.low and passed.low <= flow.per_second.high * _AGREE):
        return None
    says = " to ".join(number_text(end, 1) for end in (flow.per_second.low, flow.per_second.high))
    return (
        f"the model does not explain what was measured: {flow.name} does {(passed.low + passed.high) / 2:,.0f} commands a second, "
        f"and the model says {says}"
    )


def counted_flow(flow: Flow, line: Line) -> Flow:
    """The flow with the rate and the latency that were counted: what passes now is not for the model to say.

    The latency follows from the rate and from what is outstanding, by Little's law; what vCenter reports of it, in whole milliseconds,
    and the model narrow it where they agree.
    """
    passed = _rate(line)
    if passed is None:
        return flow
    sent = _of_whole(line.stream.outstanding)
    took = Interval(sent.low / passed.high * 1000, sent.high / passed.low * 1000 if passed.low else math.inf)
    for other in (_latency(line), flow.latency_ms):
        if other is not None and max(took.low, other.low) <= min(took.high, other.high):
            took = Interval(max(took.low, other.low), min(took.high, other.high))
    return replace(flow, per_second=passed, latency_ms=took)


def _latency(line: Line) -> Interval | None:
    """Milliseconds of a stream's commands as vCenter reports them; None where it does not of each, or the host splits some of them."""
    found = [disk.latency_ms for disk in line.disks if disk.latency_ms is not None and disk.pieces == 1]
    if len(found) < len(line.disks):
        return None
    return Interval(max(0.0, around(min(found)).low - WHOLE_MS), around(max(found)).high + WHOLE_MS)


def perhaps_as_now(after: Flow, now: Flow, model: Flow) -> Flow:
    """The flow after a fix; where the `model` of now is off by something that the fix may not change, it may also stay as it is."""
    if _agrees(model, now):
        return after
    latency = Interval.around(after.latency_ms.low, after.latency_ms.high, now.latency_ms.low, now.latency_ms.high)
    passed = Interval.around(after.per_second.low, after.per_second.high, now.per_second.low, now.per_second.high)
    return replace(after, latency_ms=latency, per_second=passed)


def _agrees(model: Flow, counted: Flow) -> bool:
    """Whether what the model says of a disk may be what was counted of it: its rate, and how long a command takes."""
    pairs = ((model.per_second, counted.per_second), (model.latency_ms, counted.latency_ms))
    return all(one.low <= other.high and other.low <= one.high for one, other in pairs)


def _rate(line: Line) -> Interval | None:
    """Commands a second of a stream as they were counted; None where they were not counted of each of its disks."""
    rates = [disk.rate for disk in line.disks]
    return _of_whole(around(sum(rates), _COUNTED)) if rates and all(rates) else None


def _of_whole(value: Interval) -> Interval:
    """A mean of whole numbers: of few commands it says little."""
    return Interval(max(0.0, min(value.low, value.high - _WHOLE)), max(value.high, value.low + _WHOLE))


def held_to(direction: Direction, after: Flow, now: Flow) -> Flow:
    """The flow after a fix by what is measured now: more depth makes nobody slower, and less makes nobody quicker.

    Source: docs/queue-model.md#array.
    """
    if direction is Direction.SAME:
        return now
    if direction is Direction.BETTER:
        latency = Interval(min(after.latency_ms.low, now.latency_ms.high), min(after.latency_ms.high, now.latency_ms.high))
        passed = Interval(max(after.per_second.low, now.per_second.low), max(after.per_second.high, now.per_second.low))
    elif direction is Direction.WORSE:
        latency = Interval(max(after.latency_ms.low, now.latency_ms.low), max(after.latency_ms.high, now.latency_ms.low))
        passed = Interval(min(after.per_second.low, now.per_second.high), min(after.per_second.high, now.per_second.high))
    else:
        return after
    return replace(after, latency_ms=latency, per_second=passed)
