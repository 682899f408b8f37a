"""A discrete-event simulation of hosts before one array, command by command. It imports nothing of the product.

Each disk has so many programs; each of them sends a command, waits for its answer, and sends the next. A command waits, in this order: in
its guest for a place of the controller; on the host for the disk's limit there; in the host's queue, first come first served, for one of
the slots, which the device's depth and the adapter's bound; on the array for the disk's limit there, which lets commands in at least
1 / limit apart; for one of the servers that all hosts share. Then it is served, and is on its way for a time that is always the same. The
slot is held until the answer.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import simpy

if TYPE_CHECKING:
    from collections.abc import Callable

_WARM_SHARE = 0.3  # of the commands, before anything is counted
_ENOUGH = 20  # answers of the slowest disk
_PATIENCE = 6  # times the commands, for the slowest disk to have enough


@dataclass(frozen=True)
class Disk:
    """One virtual disk; limits in commands a second."""

    host: int
    programs: int
    guest_depth: int
    limit: float | None = None
    host_limit: float | None = None

    @property
    def sent(self) -> int:
        """Commands that leave the guest at any time."""
        return min(self.programs, self.guest_depth)


@dataclass(frozen=True)
class Situation:
    """Hosts, each with one queue and the disks behind it, and the array that all share.

    Attributes:
        depths: of the queue of each host.
        adapters: slots of the adapter of each host.
        servers: commands that the array serves side by side.
        service_seconds: of a server for a command, evenly between half of that and half more.
        way_seconds: of each command besides.
    """

    depths: tuple[int, ...]
    adapters: tuple[int, ...]
    disks: tuple[Disk, ...]
    servers: int
    service_seconds: float
    way_seconds: float


@dataclass
class Counted:
    """What was counted of one disk, of commands that were answered."""

    answers: int = 0
    latency_seconds: float = 0.0  # from the guest's controller to the answer
    array_seconds: float = 0.0  # from the slot to the answer


class Simulation:
    """One run; `counted` and `seconds` are of the time after it warmed up."""

    def __init__(self, situation: Situation, source: random.Random, commands: int) -> None:
        self.situation, self._source, self._commands = situation, source, commands
        self._clock = simpy.Environment()
        self._slots = [min(pair) for pair in zip(situation.depths, situation.adapters, strict=True)]
        self._places = [disk.guest_depth for disk in situation.disks]
        self._in_guest = [0 for _ in situation.disks]
        self._line: list[deque[tuple[int, float]]] = [deque() for _ in situation.depths]
        self._let_out, self._let_in = ([0.0] * len(situation.disks) for _ in range(2))
        self._servers, self._before_servers = situation.servers, deque[tuple[int, float, float]]()
        self._answers = 0
        self._warm_at: float | None = None
        self._over = self._clock.event()
        self.counted = [Counted() for _ in situation.disks]
        for place, disk in enumerate(situation.disks):
            for _ in range(disk.programs):
                self._in(source.random() * (situation.service_seconds + situation.way_seconds), partial(self._send, place))
        self._clock.run(self._over)
        if self._warm_at is None:
            self.counted = [Counted() for _ in situation.disks]  # it took too long: nothing was counted
        self.seconds: float = self._clock.now - (self._warm_at or 0.0)

    def latency_ms(self, place: int) -> float:
        """Mean of a disk's commands, as its host counts them."""
        return self.counted[place].latency_seconds / self.counted[place].answers * 1000

    def array_ms(self, place: int) -> float:
        """Mean of a disk's commands, as its array and the way to it."""
        return self.counted[place].array_seconds / self.counted[place].answers * 1000

    def per_second(self, place: int) -> float:
        """Commands of a disk that are answered."""
        return self.counted[place].answers / self.seconds

    def _in(self, seconds: float, act: Callable[[], None]) -> None:
        self._clock.timeout(seconds).callbacks.append(lambda _: act())

    def _send(self, place: int) -> None:
        if not self._places[place]:
            self._in_guest[place] += 1
            return
        self._places[place] -= 1
        limit, now = self.situation.disks[place].host_limit, self._clock.now
        if limit is None:
            self._queue(place, now)
            return
        begins = max(self._let_out[place], now)
        self._let_out[place] = begins + 1 / limit
        self._in(begins - now, partial(self._queue, place, now))

    def _queue(self, place: int, since: float) -> None:
        host = self.situation.disks[place].host
        self._line[host].append((place, since))
        self._fill(host)

    def _fill(self, host: int) -> None:
        while self._slots[host] and self._line[host]:
            place, since = self._line[host].popleft()
            self._slots[host] -= 1
            limit, now = self.situation.disks[place].limit, self._clock.now
            if limit is None:
                self._serve(place, since, now)
                continue
            begins = max(self._let_in[place], now)
            self._let_in[place] = begins + 1 / limit
            self._in(begins - now, partial(self._serve, place, since, now))

    def _serve(self, place: int, since: float, taken: float) -> None:
        if not self._servers:
            self._before_servers.append((place, since, taken))
            return
        self._servers -= 1
        self._in(self.situation.service_seconds * self._source.uniform(0.5, 1.5), partial(self._served, place, since, taken))

    def _served(self, place: int, since: float, taken: float) -> None:
        self._servers += 1
        if self._before_servers:
            self._serve(*self._before_servers.popleft())
        self._in(self.situation.way_seconds, partial(self._answer, place, since, taken))

    def _answer(self, place: int, since: float, taken: float) -> None:
        host, one = self.situation.disks[place].host, self.counted[place]
        self._slots[host] += 1
        self._places[place] += 1
        self._answers += 1
        if self._warm_at is not None:
            one.answers += 1
            one.latency_seconds += self._clock.now - since
            one.array_seconds += self._clock.now - taken
        else:
            one.answers += 1
            if self._answers >= self._commands * _WARM_SHARE and self._have_all_waited():
                self._warm_at = self._clock.now
                self.counted = [Counted() for _ in self.situation.disks]
        if self._in_guest[place]:
            self._in_guest[place] -= 1
            self._send(place)
        self._send(place)
        self._fill(host)
        is_enough = self._answers >= self._commands and self._warm_at is not None and min(each.answers for each in self.counted) >= _ENOUGH
        if (is_enough or self._answers >= _PATIENCE * self._commands) and not self._over.triggered:
            self._over.succeed()

    def _have_all_waited(self) -> bool:
        """Whether the first command of each program was answered: they came at once, and waited for fewer than the later ones do."""
        return all(one.answers >= 2 * disk.sent for one, disk in zip(self.counted, self.situation.disks, strict=True))
