"""How long commands wait in the queue of one device of one host, and how many pass, as intervals.

A closed model of finite slots: each sender has a bounded number of commands outstanding, the device's queue lets as many of them to the
array as it is deep, first come first served, and a command keeps its slot for as long as the array keeps the command. A sender that the
array holds to a limit so fills the slots, and the others wait. docs/queue-model.md has the formulas, what they rest on, and where they do
not hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.impact.balance import (
    Law,
    Sender,
    crowded,
    slower,
    smooth,
    wait_at_station,
    wait_for_rate,
    wait_for_slots,
    wait_for_work,
)
from auditor.impact.interval import Interval

__all__ = ["ANY_PARALLEL", "Flow", "Interval", "Queue", "Solution", "Stream", "solve", "with_fewer"]

ANY_PARALLEL = Interval(1.0, math.inf)
"""What is known of an array about which nothing is known: it serves a command at a time, or any number (docs/queue-model.md#array)."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The commands of one sender, a virtual disk as a rule.

    Attributes:
        name: what reports call it.
        outstanding: commands that it wants to have in flight at any time: those of its programs, or what was measured below the guest.
        service_seconds: the array's time for one command, without the delay of a limit; above 0.
        limit_per_second: commands a second that the array allows it, at their size; None where nothing limits it.
        guest_depth: commands that its controller lets out of the guest; the others wait in the guest. None: all of them are let out.
    """

    name: str
    outstanding: Interval
    service_seconds: Interval
    limit_per_second: Interval | None = None
    guest_depth: Interval | None = None

    @property
    def sent(self) -> Interval:
        """Commands that leave the guest and are in the host's queue or in the array, at any time."""
        return self.outstanding if self.guest_depth is None else self.outstanding.at_most(self.guest_depth)


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue of a device on a host, and what the array behind it can do.

    Attributes:
        depth: commands that the host has with the array at most: the device's depth, or DSNRO while several worlds compete, or both as ends
            where it is not known which of them applies.
        adapter_slots: slots that the adapter leaves to this device; None: more than `depth`.
        parallel: how many commands the array serves side by side before one waits for another. The lower end is what it was seen to do.
        ceiling_per_second: commands a second that the array can do at all; None: not known, so `parallel` alone bounds it.
    """

    depth: Interval
    adapter_slots: Interval | None = None
    parallel: Interval = ANY_PARALLEL
    ceiling_per_second: Interval | None = None

    @property
    def slots(self) -> Interval:
        """Commands that this host can have with the array through this device."""
        return self.depth if self.adapter_slots is None else self.depth.at_most(self.adapter_slots)


@dataclass(frozen=True, slots=True)
class Flow:
    """What becomes of the commands of one stream; times in milliseconds.

    Attributes:
        guest_wait_ms: in the guest, before the controller takes the command.
        wait_ms: in the host's queue, for a slot.
        latency_ms: from the program's request to its answer: all waits, the array's service, and the delay of a limit.
        per_second: commands that are answered in a second.
    """

    name: str
    guest_wait_ms: Interval
    wait_ms: Interval
    latency_ms: Interval
    per_second: Interval


@dataclass(frozen=True, slots=True)
class Solution:
    """The balance of a queue: one flow for each stream, in the order of the streams."""

    per_second: Interval
    flows: tuple[Flow, ...]

    def flow(self, name: str) -> Flow:
        """The flow of the first stream of that name.

        Raises:
            KeyError: no stream has it.
        """
        for one in self.flows:
            if one.name == name:
                return one
        raise KeyError(name)


def solve(queue: Queue, streams: Sequence[Stream]) -> Solution:
    """The balance of `queue` with `streams`, from the best end of every input to the worst.

    Raises:
        ValueError: a service time, the depth or what the array can do is 0, so that nothing would ever be answered.
    """
    bounds = [queue.slots, queue.parallel, *(one.service_seconds for one in streams)]
    bounds += [one for one in (queue.ceiling_per_second, *(stream.limit_per_second for stream in streams)) if one is not None]
    if any(one.low <= 0 for one in bounds):
        raise ValueError("a queue without slots, or an array without service, answers nothing")
    best, worst = _Corner(queue, streams, is_best=True), _Corner(queue, streams, is_best=False)
    flows = tuple(_flow(queue, streams, place, best, worst) for place in range(len(streams)))
    return Solution(Interval(sum(one.per_second.low for one in flows), sum(one.per_second.high for one in flows)), flows)


class _Corner:
    """All inputs at the end that makes every command quicker, or at the one that makes it slower (docs/queue-model.md#directions)."""

    def __init__(self, queue: Queue, streams: Sequence[Stream], *, is_best: bool, more: int | None = None) -> None:
        """`more` is the place of the stream whose outstanding commands are taken from the other end: what it gains, others lose."""
        self._law: Law = smooth if is_best else crowded
        self._senders = [_sender(one, is_best=is_best, is_swapped=place == more) for place, one in enumerate(streams)]
        depth = _end(queue.slots, is_high=is_best)
        # A sender that its limit hinders less leaves more slots to others, and takes more of the array: each bound is asked at its own end.
        # So is a sender whose own throughput is sought: the other law of its limit may not turn its load against it.
        loading = [_limited(_sender(one, is_best=is_best, is_swapped=False), one, is_high=not is_best) for one in streams]
        load = crowded if is_best else smooth
        parallel = _end(queue.parallel, is_high=is_best)
        self._array_wait = 0.0 if math.isinf(parallel) else wait_for_work(loading, parallel, load)
        self._ceiling = math.inf
        if queue.ceiling_per_second is not None:
            self._ceiling = _end(queue.ceiling_per_second, is_high=is_best)
            # Quicker service, or more slots, bring more commands to the ceiling, and so make others wait longer there.
            busy = [replace(one, service_seconds=_end(s.service_seconds, is_high=is_best)) for one, s in zip(loading, streams, strict=True)]
            if is_best:
                self._array_wait = max(self._array_wait, wait_for_rate(busy, self._ceiling, load) - 1 / self._ceiling)
            else:
                fewest = [replace(one, outstanding=stream.sent.low) for one, stream in zip(busy, streams, strict=True)]
                most = _end(queue.slots, is_high=True)
                self._senders = slower(self._senders, wait_at_station(busy, fewest, most, self._ceiling, load))
        self.slot_wait = wait_for_slots(self._senders, _counted(loading, depth, is_best=is_best), self._law)
        self._wait = max(self.slot_wait, self._array_wait)
        self._depth = depth

    def per_second(self, place: int) -> float:
        """Commands a second of the stream at `place`."""
        one = self._senders[place]
        return min(self._law(one, self._wait), self._ceiling, self._depth / one.service_seconds)

    def latency(self, place: int) -> float:
        """Seconds from the host's queue to the answer, of the stream at `place`; by Little's law where its limit delays it."""
        one = self._senders[place]
        passed = self.per_second(place)
        return one.outstanding / passed if passed else one.service_seconds + self._wait


def with_fewer(streams: Sequence[Stream], now: Interval, slots: Interval) -> list[Stream]:
    """The streams when the array has at most `slots` commands of them at once, where it had up to `now`.

    The service times were measured with more commands in the array, and part of them may be a wait for each other there: with a share of
    them left, a command takes at least that share of its time and at most all of it. Where a limit keeps slots, nobody knows how many
    commands of others are left, but for the one that is served. Source: docs/queue-model.md#fewer.
    """
    in_array = min(now.high, sum(one.sent.high for one in streams))
    left = 1.0 if any(one.limit_per_second is not None for one in streams) else max(1.0, slots.low)
    share = min(1.0, left / max(1.0, in_array))
    return [replace(one, service_seconds=Interval(one.service_seconds.low * share, one.service_seconds.high)) for one in streams]


def _flow(queue: Queue, streams: Sequence[Stream], place: int, best: _Corner, worst: _Corner) -> Flow:
    stream = streams[place]
    is_one = stream.sent.low == stream.sent.high
    most = best if is_one else _Corner(queue, streams, is_best=True, more=place)
    least = worst if is_one else _Corner(queue, streams, is_best=False, more=place)
    passed = Interval.around(least.per_second(place), most.per_second(place))
    held, deep = Interval(0.0, 0.0), stream.guest_depth
    if deep is not None:
        held = Interval(max(0.0, stream.outstanding.low - deep.high), max(0.0, stream.outstanding.high - deep.low))
    guest = Interval(held.low / passed.high if held.low else 0.0, held.high / passed.low if held.high else 0.0)
    host = Interval.around(best.latency(place), worst.latency(place))
    return Flow(
        name=stream.name,
        guest_wait_ms=guest.times(1000),
        wait_ms=Interval.around(best.slot_wait, worst.slot_wait).times(1000),
        latency_ms=(guest + host).times(1000),
        per_second=passed,
    )


def _counted(senders: Sequence[Sender], depth: float, *, is_best: bool) -> float:
    """The depth, one slot more or less: the balance counts commands as a fluid (docs/queue-model.md#fluid)."""
    if is_best:
        return depth + 1
    return max(depth - 1, depth / 2) if sum(one.outstanding for one in senders) > depth else depth


def _sender(stream: Stream, *, is_best: bool, is_swapped: bool) -> Sender:
    return Sender(
        outstanding=_end(stream.sent, is_high=is_best is is_swapped),
        service_seconds=_end(stream.service_seconds, is_high=not is_best),
        limit_per_second=math.inf if stream.limit_per_second is None else _end(stream.limit_per_second, is_high=is_best),
    )


def _limited(sender: Sender, stream: Stream, *, is_high: bool) -> Sender:
    return sender if stream.limit_per_second is None else replace(sender, limit_per_second=_end(stream.limit_per_second, is_high=is_high))


def _end(interval: Interval, *, is_high: bool) -> float:
    return interval.high if is_high else interval.low
