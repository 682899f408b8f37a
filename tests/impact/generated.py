"""Situations at random, the rows that vCenter and the array would report of them, a fix for each, and what the model says of it."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auditor.impact.depths import WhatIf
from auditor.impact.device import device_impact
from auditor.model import Cure
from tests.impact import samples
from tests.impact.situations import Disk, Simulation, Situation

if TYPE_CHECKING:
    from auditor.impact.rows import Device

FIXES = ("deeper", "both", "shallower", "no Storage I/O Control", "limit on the host")
_COMMANDS = 500
_COUNTED = 12  # answers of the slowest disk, with fewer its mean says little
_AT_LIMIT = 0.95  # share of its limit from which the array reports that a disk is at it
_HOST_SHARE = 0.95  # of the array's limit, that a limit on the host lets out


@dataclass(frozen=True)
class Fixed:
    """A situation, the same with the fix made, and the fix; the queue of host 0 is the one that is judged."""

    fix: str
    before: Situation
    after: Situation
    what_if: WhatIf


def random_situation(source: random.Random) -> Situation:
    """One to three hosts with one to four disks each; some of host 0 have a limit on the array."""
    hosts = source.choice([1, 1, 2, 3])
    service, way = 10 ** source.uniform(-3.7, -2.3), source.uniform(0.0001, 0.0002)
    disks = []
    for host in range(hosts):
        for _ in range(source.randint(1, 4)):
            programs, guest_depth = source.choice([1, 2, 4, 8, 16, 32, 64, 128]), source.choice([32, 64, 64, 254])
            limit = min(programs, guest_depth) / service * 10 ** source.uniform(-1.5, 0) if source.random() < 0.3 else None
            disks.append(Disk(host, programs, guest_depth, limit))
    adapters = tuple(source.choice([64, 256, 1024]) for _ in range(hosts))
    depths = tuple(source.choice([8, 16, 32, 32, 64]) for _ in range(hosts))
    return Situation(depths, adapters, tuple(disks), source.choice([8, 32, 128, 1024]), service, way)


def fixed(source: random.Random, fix: str) -> Fixed:
    """A random situation with the fix made in it."""
    before = random_situation(source)
    own = [disk for disk in before.disks if disk.host == 0]
    if fix == "limit on the host":
        limited = [replace(disk, host_limit=disk.limit * _HOST_SHARE) if disk.host == 0 and disk.limit else disk for disk in before.disks]
        return Fixed(fix, before, replace(before, disks=tuple(limited)), WhatIf(Cure.HOST_LIMIT))
    depth = before.depths[0]
    if fix == "shallower":
        shallow, depth = depth, source.choice([128, 256])
        before = _with_depth(before, depth)
        return Fixed(fix, before, _with_depth(before, shallow), WhatIf(Cure.BOTH, shallow))
    deep = source.choice([value for value in (16, 32, 64, 128, 256) if value > depth])
    if fix == "both":
        return Fixed(fix, before, _with_depth(before, deep), WhatIf(Cure.BOTH, deep))
    if fix == "no Storage I/O Control":
        return Fixed(fix, _with_depth(before, source.choice([4, 6, 8])), _with_depth(before, deep), WhatIf(Cure.NO_SIOC, deep))
    cure = Cure.DSNRO if len(own) > 1 else Cure.QUEUE_DEPTH
    return Fixed(fix, before, _with_depth(before, deep), WhatIf(cure, deep))


def _with_depth(situation: Situation, depth: int) -> Situation:
    return replace(situation, depths=(depth, *situation.depths[1:]))


def reported(one: Fixed, run: Simulation, *, array_is_read: bool) -> tuple[Device, list[Any]]:
    """The rows of views device_queue and disk_stream of host 0. Latencies of vCenter are whole milliseconds."""
    depth, adapter = one.before.depths[0], one.before.adapters[0]
    own = [place for place, disk in enumerate(one.before.disks) if disk.host == 0]
    disks = []
    for place in own:
        disk, rate, latency = one.before.disks[place], run.per_second(place), run.latency_ms(place)
        disks.append(
            samples.disk(
                str(place),
                depth_at_least=disk.guest_depth,
                depth_at_most=disk.guest_depth,
                commands_per_second=rate,
                outstanding=rate * latency / 1000,
                latency_ms=float(int(latency)),
                io_bytes=4096,
                limit_per_second=disk.limit,
                is_at_limit=disk.limit is not None and rate >= _AT_LIMIT * disk.limit,
                array_latency_ms=run.array_ms(place) - one.before.way_seconds * 1000 if array_is_read else None,
            )
        )
    rates = [row.commands_per_second or 0.0 for row in disks]
    total = sum(rates)
    in_array = sum(rate * run.array_ms(place) for rate, place in zip(rates, own, strict=True)) / total
    in_all = sum(rate * run.latency_ms(place) for rate, place in zip(rates, own, strict=True)) / total
    sent = sum(row.outstanding or 0.0 for row in disks)
    deepest = one.what_if.value if one.what_if.value and one.what_if.value > depth else depth
    is_sioc = one.what_if.cure is Cure.NO_SIOC
    device = samples.device(
        queue_depth=deepest if one.what_if.cure in (Cure.DSNRO, Cure.NO_SIOC) else depth,
        dsnro=deepest if one.what_if.cure is not Cure.DSNRO else depth,
        depth_in_effect=depth,
        sioc_enabled=is_sioc,
        worlds=len(own),
        worlds_at_least=len(own),
        commands_per_second=total,
        davg_ms=float(int(in_array)),
        kavg_ms=float(int(in_all - in_array)),
        active=min(sent, depth),
        queued=max(0.0, sent - depth),
        queue_basis="disks",
        adapter_queue_depth=adapter,
    )
    return device, disks


@dataclass(frozen=True)
class Judged:
    """What the model says of a fix, and what the simulation counts of the victims before and after it, in the impact's quantity."""

    fixed: Fixed
    impact: dict[str, Any]
    now: tuple[float, ...]
    after: tuple[float, ...]
    error: float  # share by which the simulation itself may be off

    def holds(self, name: str, counted: tuple[float, ...]) -> bool:
        """Whether an interval of the impact has what was counted of every victim."""
        low, high = self.impact[name]
        return all(low / (1 + self.error) <= one <= (one if high is None else high * (1 + self.error)) for one in counted)

    @property
    def goes_its_way(self) -> bool:
        """Whether every victim moves as the impact's direction says."""
        is_rate, direction = self.impact["quantity"] == "iops", self.impact["direction"]
        most, least = 1 + 2 * self.error, 1 - 2 * self.error
        times = [(now / after if is_rate else after / now) for now, after in zip(self.now, self.after, strict=True)]
        no_slower, no_quicker = all(one <= most for one in times), all(one >= least for one in times)
        return {"better": no_slower, "worse": no_quicker, "same": no_slower and no_quicker, "either": True}[direction]

    @property
    def width(self) -> float:
        """How many times the upper end after the fix is the lower one."""
        low, high = self.impact["after"]
        return math.inf if high is None or not low else high / low


def judged(source: random.Random, fix: str) -> Judged | None:
    """One situation with its fix; None where the product has no figure for it, or nothing waits."""
    one = fixed(source, fix)
    own = [disk for disk in one.before.disks if disk.host == 0]
    if all(disk.limit for disk in own) or (fix == "limit on the host" and not any(disk.limit for disk in own)):
        return None  # for each its own limit is all there is, or there is no limit
    if sum(disk.sent for disk in own) < one.before.depths[0] / 2:
        return None  # nothing waits
    run = Simulation(one.before, source, _COMMANDS)
    if _fewest(run) < _COUNTED:
        return None
    device, disks = reported(one, run, array_is_read=source.random() < 0.5)
    is_held = any(row.is_at_limit and row.outstanding for row in disks)
    if not (is_held or (device.queued or 0) >= 0.5 or (device.active or 0) >= 0.5 * (device.depth_in_effect or 0)):
        return None
    impact = device_impact(device, disks, one.what_if)
    if "not_computed" in impact:
        return None
    later = Simulation(one.after, source, _COMMANDS)
    if _fewest(later) < _COUNTED:
        return None
    places = [int(name) for name in impact["victims"]]
    now, after = (
        tuple(each.latency_ms(place) if impact["quantity"] == "latency_ms" else each.per_second(place) for place in places)
        for each in (run, later)
    )
    return Judged(one, impact, now, after, 0.04 + 1 / min(_fewest(run), _fewest(later)))


def _fewest(run: Simulation) -> int:
    """Answers of the slowest disk of host 0."""
    return min(one.answers for one, disk in zip(run.counted, run.situation.disks, strict=True) if disk.host == 0)


def some(count: int, source: random.Random) -> list[Judged]:
    """So many situations, in turns for each of the fixes."""
    found: list[Judged] = []
    for fix in itertools.cycle(FIXES):
        while (one := judged(source, fix)) is None:
            pass
        found.append(one)
        if len(found) == count:
            return found
    raise AssertionError("unreachable")
