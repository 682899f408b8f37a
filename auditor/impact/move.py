"""What a Storage vMotion that the hosts copy costs those who share the pool that it reads or writes, where the array holds nobody back.

Two upper bounds: the array serves no more commands side by side than it was seen to, or its disks do what such disks do. The lower end
is what is there now. Source: docs/queue-model.md#move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditor.impact.directions import Direction, is_size_known
from auditor.impact.interval import Interval
from auditor.impact.queue import Queue, Stream, solve
from auditor.impact.rows import QUICKEST_MS, Input, around, rounded

READS_OF_A_COPY = 32
"""Commands that the software data mover has under way at most, for one disk that it copies. Source: docs/domain/facts.md#3-11."""
_SLOWEST_DISK_MS = 1000 / 120
"""A command of a disk of 10,000 rpm at the knee of its curve, at 120 to 150 a second. Source: docs/domain/facts.md#7-4."""
_RPM = 10_000
_NAMED = 5
LOAD_NOT_READ = "the load of the pool's volumes was not all read"
"""Why `copying` says nothing where a load is missing."""


@dataclass(frozen=True, slots=True)
class Load:
    """What one volume of a pool does, as its array reports it; None is not reported."""

    per_second: float | None
    latency_ms: float | None


@dataclass(frozen=True, slots=True)
class End:
    """The pool that a machine is copied away from, or to.

    Attributes:
        endpoint, name: the array and the pool.
        is_running: the copy has begun, so that what it does now is in the loads.
        reads: commands that the copy may have under way, at most.
        slots: places of the shallowest queue that the copy and machines of its host share; None: not known.
        loads: of every volume of the pool.
        rpm, disks, disk_iops: of the pool: its slowest disks, how many there are, transfers a second and disk; None: not known.
    """

    endpoint: str
    name: str
    is_running: bool
    reads: float
    slots: float | None
    loads: tuple[Load, ...]
    rpm: float | None = None
    disks: float | None = None
    disk_iops: float | None = None
    is_target: bool = False

    @property
    def command(self) -> str:
        """What the copy does there."""
        return "write" if self.is_target else "read"


@dataclass(frozen=True, slots=True)
class Copying:
    """Milliseconds that a command of another machine takes on the pool: now, and while the copy has all its commands under way."""

    now: Interval
    then: Interval
    inputs: tuple[Input, ...]


def copying(end: End) -> Copying | str:
    """What the copy does to the others on its pool; where that is not computed, why not."""
    if not end.loads or any(one.per_second is None or (one.per_second and not one.latency_ms) for one in end.loads):
        return LOAD_NOT_READ
    streams = [_stream(one.per_second, one.latency_ms) for one in end.loads if one.per_second and one.latency_ms]
    if not streams:
        return "no volume of the pool does anything, so nobody waits for the copy now"
    times = [one.service_seconds.times(1000) for one in streams]
    now = Interval(min(one.low for one in times), max(one.high for one in times))
    measured = f"array_volume.latency_us of the pool's volumes, with what the copy {end.command}s now"
    inputs = [
        Input("latency now", now, "ms", "measured", measured),
        Input(f"{end.command}s of the copy", Interval(1.0, end.reads), "commands under way", "assumed", "docs/domain/facts.md#3-11"),
    ]
    busiest = _as_seen(end, streams, inputs)
    by_disks = _by_disks(end, now, sum(one.outstanding.high for one in streams), inputs)
    return Copying(now, Interval(now.low, max(now.high, min(busiest, by_disks))), tuple(inputs))


def move_impact(source: End, disks: Sequence[str], count: int) -> dict[str, Any]:
    """The impact of a finding about a move, as reports have it; `worst_now` is what is predicted while it copies as fast as it can.

    Args:
        source: the pool, its load, and the copy.
        disks: names of the virtual disks of other machines on it that work, the first ones.
        count: how many they are.
    """
    found = copying(source)
    if isinstance(found, str):
        why = "while the machine is copied the others on its pool get slower and none gets quicker: the direction is known, the size is not"
        return {"not_computed": f"{why}, because {found}" if found == LOAD_NOT_READ else found}
    now, then = found.now, found.then
    after = Interval(min(now.low, QUICKEST_MS), now.high) if source.is_running else now
    return {
        "model": "move",
        "queue": f"{source.endpoint}/{source.name}",
        "victims": list(disks)[:_NAMED],
        "victims_count": count,
        "behind": [],
        "quantity": "latency_ms",
        "direction": Direction.BETTER.value,
        "size_known": is_size_known(now, then),
        "now": rounded(now),
        "after": rounded(after),
        "worst_now": rounded(then),
        "worst_after": rounded(after),
        "inputs": [one.as_json() for one in found.inputs],
    }


def _stream(per_second: float, latency_ms: float) -> Stream:
    """What a volume does, by Little's law; all of its latency is taken for service, as nobody knows which part is a wait."""
    seconds = around(latency_ms / 1000)
    return Stream("", seconds.times(per_second), seconds)


def _as_seen(source: End, streams: Sequence[Stream], inputs: list[Input]) -> float:
    """The most milliseconds of any volume when the array serves no more commands side by side than it was seen to."""
    served = max(1.0, sum(one.outstanding.low for one in streams))
    # A command of the copy is one after the other, so no slower than the slowest command of now.
    slowest = max(one.service_seconds.high for one in streams)
    copy = Stream("copy", Interval(1.0, source.reads), Interval(min(QUICKEST_MS / 1000, slowest), slowest))
    inputs += [
        Input("served side by side", Interval(served, math.inf), "commands", "measured", "array_volume.actual_iops, latency_us"),
        Input(f"a {source.command} of the copy takes", copy.service_seconds.times(1000), "ms", "assumed", "docs/queue-model.md#move"),
    ]
    depth = Interval(source.slots, math.inf) if source.slots else Interval.exactly(math.inf)
    flows = solve(Queue(depth, parallel=Interval(served, math.inf)), [*streams, copy]).flows
    return max(one.latency_ms.high for one in flows[:-1])


def _by_disks(source: End, now: Interval, under_way: float, inputs: list[Input]) -> float:
    """The most milliseconds when commands lie anywhere on disks that spin as S3's; without bound where these are not known.

    A command that comes to a disk finds there the copy's mean share, and what others do keeps the disk from it for part of the time.
    """
    if source.rpm != _RPM or not source.disks or source.disk_iops is None:
        return math.inf
    idle = 1 - source.disk_iops * _SLOWEST_DISK_MS / 1000
    # Now the disks alone have to explain what is measured; where they do not, something else is slow.
    if not 0 < now.high * idle <= _SLOWEST_DISK_MS:
        return math.inf
    disk = Interval(0.0, _SLOWEST_DISK_MS)
    inputs += [
        Input("disks of the pool", Interval.exactly(source.disks), "disks", "measured", "array_pool.disks"),
        Input("transfers of a disk now", around(source.disk_iops, 0.01), "transfers/s", "measured", "array_pool.disk_iops"),
        Input("a disk takes for one", disk, "ms", "assumed", f"docs/domain/facts.md#7-4, disks of {_RPM:,} rpm"),
    ]
    in_array = _SLOWEST_DISK_MS * (1 + source.reads / source.disks) / idle
    # Commands that find no place in the host's queue wait until those before them are answered.
    return in_array * max(1.0, (source.reads + under_way) / source.slots) if source.slots else in_array
