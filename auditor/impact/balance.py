"""The balance of one device's queue with exact inputs: the wait at which as many commands leave each place as enter it.

docs/queue-model.md#balance has the equations and the proofs that each of them has one solution. Every function that is bisected here only
falls as the wait grows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

_PRECISION = 1e-9  # of a time that is searched for
_SHORTEST_SECONDS = 1e-6
_LONGEST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class Sender:
    """One sender with exact figures.

    Attributes:
        outstanding: commands that it has in the host's queue and in the array together, at any time.
        service_seconds: the array's time for one command, without the delay of a limit; above 0.
        limit_per_second: commands a second that the array allows; infinite where it has no limit.
    """

    outstanding: float
    service_seconds: float
    limit_per_second: float = math.inf


Law: TypeAlias = Callable[[Sender, float], float]
"""Commands a second of a sender whose commands wait that many seconds besides their own service and limit."""


def smooth(sender: Sender, waits: float) -> float:
    """The most that a sender can have: its limit delays a command only when it is reached. Source: docs/queue-model.md#limit."""
    return min(sender.outstanding / (sender.service_seconds + waits), sender.limit_per_second)


def crowded(sender: Sender, waits: float) -> float:
    """The least that a sender can have: each command finds all others of it, that are in the array, before its limit.

    With n of N commands in the array each takes S + n / R there, so X = n / (S + n / R), and N = n + waits * X. That is the quadratic
    equation waits X^2 - X (N + waits R + S R) + N R = 0. Source: docs/queue-model.md#limit.
    """
    count, limit = sender.outstanding, sender.limit_per_second
    if math.isinf(limit):
        return smooth(sender, waits)
    if not count:
        return 0.0
    middle = count + (waits + sender.service_seconds) * limit
    # The smaller root, in the form that does not subtract two figures of one size.
    return 2 * count * limit / (middle + math.sqrt(max(0.0, middle * middle - 4 * waits * count * limit)))


def wait_for_slots(senders: Sequence[Sender], depth: float, law: Law) -> float:
    """Seconds that a command waits for one of `depth` slots; 0 where all outstanding commands fit.

    The commands that do not fit are in the queue, so by Little's law the wait times the throughput is their number.
    """
    too_many = sum(one.outstanding for one in senders) - depth
    if too_many <= 0:
        return 0.0
    return _first(lambda waits: waits * throughput(senders, waits, law) >= too_many)


def wait_for_rate(senders: Sequence[Sender], ceiling_per_second: float, law: Law) -> float:
    """Seconds that a command has to wait, wherever, so that all together are not more than the array's ceiling."""
    if throughput(senders, 0.0, law) <= ceiling_per_second:
        return 0.0
    return _first(lambda waits: throughput(senders, waits, law) <= ceiling_per_second)


def wait_for_work(senders: Sequence[Sender], parallel: float, law: Law) -> float:
    """Seconds that a command has to wait, wherever, so that the array serves not more than `parallel` commands side by side."""

    def served(waits: float) -> float:
        return sum(law(one, waits) * one.service_seconds for one in senders)

    if served(0.0) <= parallel:
        return 0.0
    return _first(lambda waits: served(waits) <= parallel)


def wait_at_station(senders: Sequence[Sender], fewest: Sequence[Sender], depth: float, ceiling_per_second: float, law: Law) -> float:
    """Seconds that a command waits in the array for others, where all pass one station that does so many a second and work comes in bursts.

    The station's queue is that of random arrivals: the wait is 1 / (ceiling - throughput). `fewest` are the same senders with the fewest
    commands that they can have outstanding: what goes beyond the slots keeps commands from the station, so the slots are asked with these.
    Source: docs/queue-model.md#ceiling.
    """

    def has_passed(waits: float) -> bool:
        at_slots = wait_for_slots(slower(fewest, waits), depth, law)
        return waits * (ceiling_per_second - throughput(slower(senders, waits), at_slots, law)) >= 1

    return _first(has_passed)


def slower(senders: Sequence[Sender], seconds: float) -> list[Sender]:
    """The senders with an array that takes so much longer for each command."""
    return [replace(one, service_seconds=one.service_seconds + seconds) for one in senders]


def throughput(senders: Sequence[Sender], waits: float, law: Law) -> float:
    """Commands a second of all senders together."""
    return sum(law(one, waits) for one in senders)


def _first(holds: Callable[[float], bool]) -> float:
    """The shortest time for which a condition holds, that holds for every longer one; infinite where it holds for none."""
    high = _SHORTEST_SECONDS
    while not holds(high):
        high *= 4
        if high > _LONGEST_SECONDS:
            return math.inf
    low = 0.0
    while high - low > high * _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
