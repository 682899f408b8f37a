"""A discrete-event simulation of one device's queue, command by command, that shares nothing with the model that is held against it.

Commands wait in one line, first come first served, and take a slot. A command of a limited disk is let in by its own clock, so that two are
at least 1 / limit apart; then the array works on it, for a time that is always the same or is drawn from an exponential distribution; then
it passes the station that all share, where the array has one. The slot is held until the answer, and a new command follows at once.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import simpy

from auditor.impact.queue import Flow, Interval, Queue, Stream, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WARM_SHARE = 0.3  # of the commands, before anything is counted
_ENOUGH = 40  # answers of the slowest disk
_PATIENCE = 12  # times the commands, for the slowest disk to have enough


@dataclass(frozen=True)
class Disk:
    """One sender of the simulation; `limit` in commands a second."""

    outstanding: int
    service_seconds: float
    limit: float | None
    is_regular: bool  # always the same time, instead of an exponential one


@dataclass(frozen=True)
class System:
    """A queue and its senders; `ceiling` is what the shared station does in a second."""

    depth: int
    disks: tuple[Disk, ...]
    ceiling: float | None


@dataclass
class Measured:
    """What was counted of one disk."""

    answers: int = 0
    waited_seconds: float = 0.0  # from the queue to the answer
    drawn: int = 0
    drawn_seconds: float = 0.0  # of service, as drawn: a short run does not have the mean of the distribution


def random_system(source: random.Random) -> System:
    """A system of one to five disks. The depth is at least 4, the least that Storage I/O Control leaves of a queue."""
    disks = []
    for _ in range(source.randint(1, 5)):
        outstanding, service = source.choice([1, 1, 2, 4, 8, 16, 32, 64]), 10 ** source.uniform(-3, -2)
        limit = outstanding / service * 10 ** source.uniform(-1, 0.5) if source.random() < 0.5 else None
        disks.append(Disk(outstanding, service, limit, source.random() < 0.5))
    wanted = sum(disk.outstanding / disk.service_seconds for disk in disks)
    ceiling = wanted * 10 ** source.uniform(-1.5, 0.5) if source.random() < 0.3 else None
    return System(source.choice([4, 8, 16, 32, 64]), tuple(disks), ceiling)


class Simulation:
    """One run; `measured` and `seconds` are of the time after it warmed up."""

    def __init__(self, system: System, source: random.Random, commands: int) -> None:
        self._system, self._source, self._commands = system, source, commands
        self._clock = simpy.Environment()
        self._free = system.depth
        self._line: deque[tuple[int, float]] = deque()
        self._let_in = [0.0] * len(system.disks)  # when the last command of each disk was let in, plus 1 / limit
        self._station = 0.0  # when it is free
        self._answers = 0
        self._warm_at: float | None = None
        self._over = self._clock.event()
        self.measured = [Measured() for _ in system.disks]
        for place, disk in enumerate(system.disks):
            for _ in range(disk.outstanding):
                self._in(source.random() * disk.service_seconds, partial(self._send, place))
        self._clock.run(self._over)
        self.seconds = self._clock.now - (self._warm_at or 0.0)

    def _in(self, seconds: float, act: Callable[[], None]) -> None:
        self._clock.timeout(seconds).callbacks.append(lambda _: act())

    def _send(self, place: int) -> None:
        self._line.append((place, self._clock.now))
        self._fill()

    def _fill(self) -> None:
        while self._free and self._line:
            place, since = self._line.popleft()
            self._free -= 1
            disk, begins = self._system.disks[place], self._clock.now
            if disk.limit is not None:
                begins = max(self._let_in[place], begins)
                self._let_in[place] = begins + 1 / disk.limit
            service = disk.service_seconds if disk.is_regular else self._source.expovariate(1 / disk.service_seconds)
            self.measured[place].drawn += 1
            self.measured[place].drawn_seconds += service
            self._in(begins + service - self._clock.now, partial(self._pass_station, place, since))

    def _pass_station(self, place: int, since: float) -> None:
        if self._system.ceiling is None:
            self._answer(place, since)
            return
        self._station = max(self._station, self._clock.now) + 1 / self._system.ceiling
        self._in(self._station - self._clock.now, lambda: self._answer(place, since))

    def _answer(self, place: int, since: float) -> None:
        self._free += 1
        self._answers += 1
        if self._warm_at is not None:
            self.measured[place].answers += 1
            self.measured[place].waited_seconds += self._clock.now - since
        elif self._answers >= self._commands * _WARM_SHARE:
            self._warm_at = self._clock.now
            self.measured = [Measured() for _ in self._system.disks]
        self._send(place)
        fewest = min(one.answers for one in self.measured)
        is_over = self._answers >= self._commands and (fewest >= _ENOUGH or self._answers >= _PATIENCE * self._commands)
        if is_over and not self._over.triggered:
            self._over.succeed()


def holds(system: System, source: random.Random, commands: int, tolerance: float = 0.03) -> bool:
    """Whether the model's intervals hold what a simulation of `system` measures, for every disk; `tolerance` is for its own error."""
    run = Simulation(system, source, commands)
    passing = 0.0 if system.ceiling is None else 1 / system.ceiling
    streams = [
        Stream(
            str(place),
            Interval.exactly(disk.outstanding),
            Interval.exactly(one.drawn_seconds / max(1, one.drawn) + passing),
            None if disk.limit is None else Interval.exactly(disk.limit),
        )
        for place, (disk, one) in enumerate(zip(system.disks, run.measured, strict=True))
    ]
    ceiling = None if system.ceiling is None else Interval.exactly(system.ceiling)
    queue = Queue(Interval.exactly(system.depth), parallel=Interval.exactly(math.inf), ceiling_per_second=ceiling)
    flows = solve(queue, streams).flows
    for one, flow in zip(run.measured, flows, strict=True):
        latency_ms, per_second = one.waited_seconds / max(1, one.answers) * 1000, one.answers / run.seconds
        error = tolerance + 1 / max(1, one.answers)  # where counting begins and ends is one answer more or less
        if not (_near(flow.latency_ms, latency_ms, error) and _near(flow.per_second, per_second, error)):
            return False
    return True


def exactly_known(system: System) -> tuple[Flow, ...]:
    """The model's flows where every input is known exactly."""
    streams = [
        Stream(
            str(place),
            Interval.exactly(disk.outstanding),
            Interval.exactly(disk.service_seconds),
            None if disk.limit is None else Interval.exactly(disk.limit),
        )
        for place, disk in enumerate(system.disks)
    ]
    ceiling = None if system.ceiling is None else Interval.exactly(system.ceiling)
    queue = Queue(Interval.exactly(system.depth), parallel=Interval.exactly(math.inf), ceiling_per_second=ceiling)
    return solve(queue, streams).flows


def held_of(systems: Sequence[System], source: random.Random, commands: int) -> float:
    """The share of the systems where every disk is within its intervals."""
    return sum(holds(one, source, commands) for one in systems) / len(systems)


def _near(interval: Interval, value: float, tolerance: float) -> bool:
    return interval.low / (1 + tolerance) <= value <= interval.high * (1 + tolerance)
