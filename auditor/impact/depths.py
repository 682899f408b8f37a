"""How many commands a device's queue takes at once, now and after a fix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.impact.interval import Interval
from auditor.impact.lines import Line
from auditor.impact.rows import Device
from auditor.model import Cure


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A fix: `value` is the depth that it sets; None where the fix has none, or where all outstanding commands are to fit."""

    cure: Cure
    value: float | None = None


def depth_now(device: Device) -> Interval | None:
    """The depth that applies now; None where it is not known."""
    if device.depth_in_effect is not None and device.depth_in_effect > 0:
        return Interval.exactly(device.depth_in_effect)
    return _settings(device, device.queue_depth, device.dsnro)


def depth_after(device: Device, now: Interval, what_if: WhatIf, lines: Sequence[Line]) -> Interval | None:
    """The depth after a fix, which was `now` before it; None where a setting that it depends on is not known."""
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
