"""How long a move takes: how much is copied, how fast, and what bounds that."""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.impact.interval import Interval
from auditor.impact.move import READS_OF_A_COPY
from auditor.moves.ends import COPY_COMMAND_BYTES, Move, Store, Task

DEFAULT_RATE = Interval(1.5e12 / 6600, 1.5 * (1 << 40) / 6600)
"""Bytes a second where nothing was measured: S1's 1.5 TB in 1 h 50 min, the TB read either way. Policy; unverified for other arrays.

Source: docs/domain/incidents.md#s1."""
_WHOLE_MS = 1.0  # latencies of vCenter are in whole milliseconds
_QUICKEST_MS = 0.1


@dataclass(frozen=True, slots=True)
class Bound:
    """What keeps a copy from being quicker: bytes a second at most, why, and where that comes from."""

    bytes_per_second: float
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a move takes.

    Attributes:
        size: bytes that are copied; an end is infinite where a disk's size, or what snapshots hold, was not read.
        rate: bytes a second; None where the array copies, since no source says how fast.
        seconds: None as `rate`.
        basis: "measured" or "assumed".
        why: where the rate comes from, in words, and `source` of it.
        bounds: what holds the rate down, the tightest first.
        left: seconds until a move that runs is done; None where none runs, or its progress is not reported.
    """

    size: Interval
    rate: Interval | None
    seconds: Interval | None
    basis: str
    why: str
    source: str
    bounds: tuple[Bound, ...]
    left: Interval | None = None


def size_of(move: Move) -> Interval:
    """Bytes that the move copies. A thin disk is at most as large as its guest sees it, and what snapshots hold comes on top."""
    low = high = 0.0
    for disk in move.moved:
        if disk.size_bytes is None or disk.is_delta is not False:
            high = math.inf
        low += disk.size_bytes or 0 if disk.is_thin is False else 0
        high += disk.size_bytes or 0
    if not move.machine.disks_read:
        high = math.inf
    return Interval(low, high)


def estimate(move: Move, *, is_offloaded: bool | None, others: tuple[tuple[float, str], ...] = ()) -> Estimate:
    """How long the move takes.

    Args:
        move: the move.
        is_offloaded: whether the array copies.
        others: rates that moves to the same target were measured at, with whose they are.
    """
    size = size_of(move)
    if is_offloaded:
        return Estimate(size, None, None, "assumed", "the array copies, and no source says how fast", "docs/domain/facts.md#3-10", ())
    bounds = tuple(sorted(_bounds(move), key=lambda one: one.bytes_per_second))
    task = move.running
    own = None if task is None else measured_rate(task, size)
    measured = [own] if own is not None else [rate for rate, _ in others]
    if measured:
        rate = Interval.around(*measured)
        whose = "its own rate until now" if own is not None else "the rate of the move of " + ", ".join(name for _, name in others)
        basis, why, source = "measured", whose, "running_task.progress_percent, started_at"
    else:
        most = min((one.bytes_per_second for one in bounds), default=math.inf)
        rate = DEFAULT_RATE.at_most(Interval.exactly(most))
        if move.target.bytes_per_second is not None and rate.high == move.target.ceiling:
            # What others do under the same cap is not left for the copy.
            spare = max(0.0, rate.high - move.target.bytes_per_second)
            rate = Interval(min(rate.low, spare), rate.high)
        basis, why, source = "assumed", "the rate that incident S1's move reached", "docs/domain/incidents.md#s1"
        if most < DEFAULT_RATE.low:
            why, source = bounds[0].text, bounds[0].source
    seconds = _seconds(size, rate)
    return Estimate(size, rate, seconds, basis, why, source, bounds, None if task is None else _left(task, seconds))


def measured_rate(task: Task, size: Interval) -> float | None:
    """Bytes a second that a running move has made, between two readings of its progress, else since it began; None where nothing shows it.

    The size is the upper end: vCenter's progress is of the whole disk (unverified for thin ones).
    """
    if task.progress_percent is None or task.read_at is None or math.isinf(size.high):
        return None
    done, since = task.earlier or (0, task.started_at)
    if since is None or (task.read_at - since).total_seconds() <= 0:
        return None
    rate = size.high * (task.progress_percent - done) / 100 / (task.read_at - since).total_seconds()
    return rate if rate > 0 else None  # progress goes back where vCenter tries a step again


def _left(task: Task, seconds: Interval) -> Interval | None:
    if task.progress_percent is None:
        return None
    return Interval.exactly(0.0) if task.progress_percent >= 100 else seconds.times(1 - task.progress_percent / 100)


def _seconds(size: Interval, rate: Interval) -> Interval:
    return Interval(size.low / rate.high if rate.high else math.inf, size.high / rate.low if rate.low else math.inf)


def _bounds(move: Move) -> list[Bound]:
    ends = [*(("source", one) for one in move.sources), ("target", move.target)]
    found = [
        Bound(store.ceiling, f"the array's QoS on the {role} {store.name}", "docs/domain/arrays.md")
        for role, store in ends
        if store.ceiling is not None
    ]
    waits = [_quickest_ms(store) for store in (*move.sources, move.target)]
    if move.sources and None not in waits and move.running is None:
        source, target = max(one or 0.0 for one in waits[:-1]), waits[-1] or 0.0
        rate = READS_OF_A_COPY * COPY_COMMAND_BYTES / ((source + target) / 1000)
        found.append(Bound(rate, "32 commands of 64 KiB at today's latency of both ends", "docs/domain/facts.md#3-11"))
    return found


def _quickest_ms(store: Store) -> float | None:
    return None if store.latency_ms is None else max(_QUICKEST_MS, store.latency_ms - _WHOLE_MS)
