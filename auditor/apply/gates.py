"""Health gates: compares the health of what a run writes to with how it was before its first write. Reads only.

What an endpoint reports is read by the health reader of its kind (`EndpointType.health`), many objects in one read. Connection, paths and
volumes that cannot be read stop a run: nobody would notice that they were lost. Alarms and load that cannot be read are "not known", and
the report says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.endpoints.common.health import ABORTS, ALARMS, CONNECTION, LATENCY, PATHS, VOLUMES, Health
from auditor.errors import EndpointError
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.apply.array_gates import ArrayWatch
    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change

_MUST_BE_KNOWN = (CONNECTION, PATHS, VOLUMES)
_MAY_BE_UNKNOWN = (ALARMS, ABORTS, LATENCY)

LATENCY_TIMES, LATENCY_MORE_MS = 2.0, 10.0
"""Latency is worse when it is twice what it was, 10 ms more, and beyond the highest sample of the hour before: load comes and goes.

Policy, unverified; 10 ms is the limit of diag/davg for flash."""

LEAST_ABORTS = 2
"""Samples with aborts or resets after which there are more than before: as in diag/aborts-resets, a single one happens at a failover."""

_Place = tuple[str, str]
"""(endpoint, id of the object)."""


class HealthWatch:
    """The health of what `changes` write to, as it was when this was made, and what got worse since.

    Args:
        changes: those that will be attempted.
        sessions: of the run; an endpoint without a session is blind, and its changes are refused when it is opened.
        arrays: watches the arrays that the changes reach; None: nobody does.
        last_good: the health before a gate failed, where nobody has said since that it is well.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        sessions: Sessions,
        arrays: ArrayWatch | None = None,
        last_good: Mapping[_Place, Health] = MappingProxyType({}),
    ) -> None:
        self._sessions, self._changes, self._arrays, self._last_good = sessions, tuple(changes), arrays, last_good
        self._clocks: dict[str, datetime | None] = {}
        self._unknown: dict[str, set[str]] = {}  # gate -> where it was not known
        self._unread: dict[str, str] = {}  # endpoint -> why nothing of it could be read
        self._before = self._with_last_good(self._read(changes, since_start=False))

    @property
    def before(self) -> Mapping[_Place, Health]:
        """The health that is compared with, by object."""
        return self._before

    @property
    def unknown(self) -> list[str]:
        """A sentence for each gate that was not known somewhere; none stops a run."""
        hosts = [
            f"Health gate {gate}: not known of {len(places)} object{'s' if len(places) > 1 else ''} that this run wrote to, "
            f"for example {min(places)}; what got worse there would not have stopped the run."
            for gate, places in sorted(self._unknown.items())
        ]
        return hosts + (self._arrays.unknown if self._arrays is not None else [])

    def blind_to(self, change: Change) -> str | None:
        """Why a change must not be made, as nobody would notice what it does to its host; None where that can be watched."""
        name = change.target.endpoint
        for place in _places(change):
            if place[0] in self._unread:
                return f"the health of {name} cannot be read, so nothing was written: {self._unread[place[0]]}"
            before = self._before.get(place)
            if before is None:
                return f"{name} does not report the health of {place[1]}, so nothing was written"
            for gate in _MUST_BE_KNOWN:
                if gate in before.unknown:
                    return f"the state of {gate} of {before.name} cannot be read, so nothing was written: {before.unknown[gate]}"
        return None

    def begin_again(self) -> None:
        """Compare with the health of now from here on: machines were moved between hosts, and their load with them."""
        self._before = self._with_last_good(self._read(self._changes, since_start=False))

    def _with_last_good(self, now: dict[_Place, Health]) -> dict[_Place, Health]:
        """`now`, with the better of each figure and that of the last good reading: later readings are compared with these."""
        for place, good in self._last_good.items():
            if place in now:
                figures = {name: min(value, good.figures.get(name, value)) for name, value in now[place].figures.items()}
                lost = {gate: here | good.good.get(gate, frozenset()) for gate, here in now[place].good.items()}
                come = {gate: here & good.bad.get(gate, here) for gate, here in now[place].bad.items()}
                now[place] = replace(now[place], figures=figures, good=lost, bad=come)
        return now

    def worse(self, changes: Sequence[Change]) -> list[str]:
        """What got worse since the run began, of all that `changes` wrote to, a sentence each; empty where nothing did."""
        now = self._read(changes, since_start=True)
        found = [f"the health of {name} cannot be read: {why}" for name, why in self._unread.items()]
        for place in dict.fromkeys(place for change in changes for place in _places(change)):
            before, after = self._before.get(place), now.get(place)
            if before is not None and after is not None:
                found += compared(before, after)
                moved = {LATENCY} if has_more_machines(before, after) else set[str]()
                for gate in moved.union(after.unknown).intersection(_MAY_BE_UNKNOWN):
                    self._unknown.setdefault(gate, set()).add(after.name)
            elif before is not None and place[0] not in self._unread:
                found.append(f"{before.name} is not reported any more")
        return found + (self._arrays.worse(changes) if self._arrays is not None else [])

    def _read(self, changes: Iterable[Change], *, since_start: bool) -> dict[_Place, Health]:
        by_endpoint: dict[str, list[Mapping[str, str]]] = {}
        for change in changes:
            if endpoint_type(self._sessions.endpoint(change.target.endpoint).kind).health:
                by_endpoint.setdefault(change.target.endpoint, []).append(dict(change.target.keys))
        self._unread = {}
        read: dict[_Place, Health] = {}
        for name, targets in by_endpoint.items():
            kind = endpoint_type(self._sessions.endpoint(name).kind)
            try:
                session = self._sessions.session(name)
                if not since_start:
                    self._clocks[name] = session.clock()
                health = kind.load(kind.health)(session, targets, self._clocks.get(name) if since_start else None)
            except EndpointError as error:
                self._unread[name] = error.what
                continue
            read |= {(name, one): state for one, state in health.items()}
        return read


class _NoHealth(HealthWatch):
    """Watches nothing."""

    def __init__(self) -> None:
        self._unknown, self._unread, self._arrays, self._before = {}, {}, None, {}

    def begin_again(self) -> None:
        return

    def blind_to(self, change: Change) -> str | None:  # noqa: ARG002  as its base
        return None

    def worse(self, changes: Sequence[Change]) -> list[str]:  # noqa: ARG002  as its base
        return []


class _Foretelling(_NoHealth):
    """Knows how an object is now, and nothing of what a write does to it."""

    def __init__(self, now: HealthWatch) -> None:
        super().__init__()
        self._now = now

    def blind_to(self, change: Change) -> str | None:
        return self._now.blind_to(change)


def foretelling(now: HealthWatch) -> HealthWatch:
    """A watch that refuses what `now` refuses, and finds nothing worse."""
    return _Foretelling(now)


def no_health() -> HealthWatch:
    """A watch that reads nothing and finds nothing."""
    return _NoHealth()


def compared(before: Health, after: Health) -> list[str]:
    """What is worse in the second of two healths of one object, a sentence each."""
    found = [f"the state of {gate} of {after.name} cannot be read: {why}" for gate, why in after.unknown.items() if gate in _MUST_BE_KNOWN]
    for gate, good in before.good.items():
        lost = sorted(good - after.good.get(gate, frozenset())) if gate not in after.unknown else []
        if lost:
            found.append(f"{after.name} lost {lost[0]}{f' and {len(lost) - 1} more' if len(lost) > 1 else ''} ({gate})")
    for gate, bad in after.bad.items():
        found += [f"{after.name} has a new {one}" for one in sorted(bad - before.bad.get(gate, frozenset())) if gate in before.bad]
    was, now = before.figures.get(LATENCY), after.figures.get(LATENCY)
    usual = before.figures.get(f"{LATENCY} highest", 0.0)
    if has_more_machines(before, after):
        was = None
    if was is not None and now is not None and now > max(LATENCY_TIMES * was, was + LATENCY_MORE_MS, usual):
        found.append(f"latency of {after.name} rose from {was:.0f} ms to {now:.0f} ms")
    was, now = before.figures.get(ABORTS), after.figures.get(ABORTS)
    samples = after.figures.get(f"{ABORTS} samples", 0)
    if was is not None and now is not None and now > was and samples >= LEAST_ABORTS:
        found.append(f"{after.name} has aborts or resets in {now:.0%} of its samples, and had in {was:.0%}")
    return found


def has_more_machines(before: Health, after: Health) -> bool:
    """Whether machines came to a host, or may have: their load is in its latency, so it says nothing about what was written."""
    return before.machines is not None and (after.machines is None or not after.machines <= before.machines)


def _places(change: Change) -> list[_Place]:
    keys = dict(change.target.keys)
    return [(change.target.endpoint, keys[name]) for name in ("host_id", "datastore_id") if name in keys]
