"""Which way a fix moves what commands take, and whether it is known by how much."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from auditor.impact.interval import Interval
from auditor.impact.queue import Queue, Stream

_TIMES = 2.0
"""Ends of an interval further apart than that say little of a size: policy."""


class Direction(StrEnum):
    """What a fix does to the victims."""

    BETTER = "better"  # nobody gets slower
    WORSE = "worse"  # nobody gets quicker
    SAME = "same"
    EITHER = "either"  # it depends on what is not known


def direction_of(before: tuple[Queue, Sequence[Stream]], fixed: tuple[Queue, Sequence[Stream]]) -> Direction:
    """Which way a fix moves, from the queue and the streams before it to those after it. Source: docs/queue-model.md#array."""
    slots, after = before[0].slots, fixed[0].slots
    is_less_sent = fixed[1] != before[1]
    if not is_less_sent and (after == slots or _all_fit(min(slots.low, after.low), before[1])):
        return Direction.SAME
    if after.low >= slots.high:
        return Direction.BETTER
    return Direction.WORSE if after.high <= slots.low and not is_less_sent else Direction.EITHER


def _all_fit(slots: float, streams: Sequence[Stream]) -> bool:
    return sum(one.sent.high for one in streams) <= slots


def is_size_known(now: Interval, after: Interval) -> bool:
    """Whether the interval after a fix says how much it gives: its ends are close, or all of it is far from what is there now."""
    return after.high <= after.low * _TIMES or after.high * _TIMES <= now.low or after.low >= now.high * _TIMES
