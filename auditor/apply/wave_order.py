"""Cuts changes into waves that grow: one host of the fleet, one of each cluster, then shares of each cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from auditor.model import SETTING_KEYS, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection

    from auditor.model import Change, Receipt

SHARES = (0.1, 0.3)
"""Of the hosts of each cluster that a plan touches, cumulative; what is left is the last wave. Policy (docs/decisions/0028-waves.md)."""

Kind: TypeAlias = tuple[str, ...]
"""A remediator and the setting that it writes: what is tried on one host before others get it."""

_Cluster: TypeAlias = tuple[str, str | None]
"""(endpoint, cluster); objects that are in no cluster make a group for each endpoint."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Changes that are made one after another, and checked together before the next wave begins."""

    name: str  # in words, for example "the first host of each cluster"
    changes: tuple[Change, ...]
    tries: bool  # some kind of change is made here for the first time in the fleet, or in a cluster


@dataclass(slots=True)
class _Unit:
    """What a wave has whole or not at all: a host, or an object that is on no host."""

    name: str
    cluster: _Cluster
    is_host: bool
    changes: list[Change]
    kinds: set[Kind]


def kind_of(change: Change) -> Kind:
    """The remediator of a change and the setting that it writes, without the place."""
    return (change.remediator, *(value for key, value in change.target.keys if key in SETTING_KEYS))


def unit_of(change: Change) -> str:
    """The host that the write goes to, or the object itself; unique within an endpoint."""
    return dict(change.target.keys).get("host_id") or change.resource.host or f"{change.resource.kind} {change.resource.id}"


class WaveOrder:
    """Gives one wave after another, and learns from the receipts of each what was tried well.

    A kind of change is made on one host of the fleet first, then on one host of each cluster, then on growing shares of the clusters.
    All changes of a host are in one wave, in the order of the plan. A kind that was refused where it was tried in a cluster is held back
    in the rest of this cluster; where it was applied nowhere yet, another cluster tries it.

    Args:
        shares: of the hosts of each cluster in a stage, cumulative; the rest follows.
        one_by_one: each wave is one host, or one object: the first one that is written is the last.
    """

    def __init__(self, shares: Sequence[float] = SHARES, *, one_by_one: bool = False) -> None:
        self._all_shares = (*shares, 1.0)
        self._one_by_one = one_by_one
        self._tried: set[Kind] = set()  # applied somewhere
        self._tried_in: set[tuple[_Cluster, Kind]] = set()
        self.begin([])

    def begin(self, stage: Sequence[Change]) -> None:
        """Go on with the changes of another stage; what was tried in an earlier one stays tried."""
        self._units = _units(stage)
        self._shares = list(self._all_shares)
        self._sizes: dict[_Cluster, int] = {}
        for unit in self._units:
            self._sizes[unit.cluster] = self._sizes.get(unit.cluster, 0) + 1

    @property
    def left(self) -> tuple[Change, ...]:
        """The changes that were in no wave yet, and are not held back."""
        return tuple(change for unit in self._units for change in unit.changes)

    def next(self) -> Wave | None:
        """The next wave; None when every change was in one, or is held back."""
        wave = self._first_of_fleet() or self._first_of_clusters()
        while wave is None and self._units:
            wave = self._share()
        return wave

    def learn(self, receipts: Iterable[Receipt], good_outcomes: Collection[Outcome], *, tries: bool) -> list[tuple[Change, str]]:
        """Take in the receipts of the last wave; the changes that are held back because of them, each with the reason.

        Only a change that was written shows that its kind may go on: one that was as wanted before shows nothing. Outside a wave that
        tries something a refusal holds nothing back.
        """
        by_kind: dict[tuple[_Cluster, Kind], list[Receipt]] = {}
        for receipt in receipts:
            by_kind.setdefault((_cluster(receipt.change), kind_of(receipt.change)), []).append(receipt)
        held: list[tuple[Change, str]] = []
        for (cluster, kind), same in by_kind.items():
            # What is left to a person as somebody put it back says nothing about the others.
            bad = next(
                (receipt for receipt in same if receipt.outcome not in good_outcomes and receipt.outcome is not Outcome.BY_HAND), None
            )
            if bad is not None and tries and (cluster, kind) not in self._tried_in:
                name = bad.change.resource.host or bad.change.resource.name
                why = f"not attempted: the canary {name} ended {bad.outcome} on {named(bad.change)}"
                held += [(change, why) for change in self._take_out(cluster, kind)]
            elif any(receipt.outcome is Outcome.APPLIED for receipt in same):
                self._tried.add(kind)
                self._tried_in.add((cluster, kind))
        return held

    def _first_of_fleet(self) -> Wave | None:
        chosen = _one_each(self._units, lambda kind, _cluster: kind in self._tried)
        return self._wave(chosen, f"the first of the fleet ({_names(chosen)})", tries=True)

    def _first_of_clusters(self) -> Wave | None:
        chosen = [
            unit
            for cluster in dict.fromkeys(unit.cluster for unit in self._units)
            for unit in _one_each(
                [unit for unit in self._units if unit.cluster == cluster], lambda kind, cluster: (cluster, kind) in self._tried_in
            )
        ]
        return self._wave(chosen, f"the first of each cluster ({_names(chosen)})", tries=True)

    def _share(self) -> Wave | None:
        """The next share of each cluster, as far as it is more than was done by now."""
        share = self._shares[0] if len(self._shares) == 1 else self._shares.pop(0)
        chosen: list[_Unit] = []
        for cluster, size in self._sizes.items():
            left = [unit for unit in self._units if unit.cluster == cluster]
            chosen += left[: max(0, ceil(share * size) - (size - len(left)))]
        name = "all that is left" if share == 1.0 else f"{share:.0%} of each cluster"
        return self._wave(chosen, name, tries=False)

    def _wave(self, chosen: Sequence[_Unit], name: str, *, tries: bool) -> Wave | None:
        if not chosen:
            return None
        ids = {id(unit) for unit in (chosen[:1] if self._one_by_one else chosen)}
        in_order = [unit for unit in self._units if id(unit) in ids]
        self._units = [unit for unit in self._units if id(unit) not in ids]
        return Wave(name, tuple(change for unit in in_order for change in unit.changes), tries)

    def _take_out(self, cluster: _Cluster, kind: Kind) -> list[Change]:
        taken = []
        for unit in self._units:
            if unit.cluster == cluster and kind in unit.kinds:
                unit.kinds.discard(kind)
                taken += [change for change in unit.changes if kind_of(change) == kind]
                unit.changes = [change for change in unit.changes if kind_of(change) != kind]
        self._units = [unit for unit in self._units if unit.changes]
        return taken


def named(change: Change) -> str:
    """A change in few words."""
    return f"{change.remediator} on {change.resource.name}"


def _one_each(units: Sequence[_Unit], was_tried: Callable[[Kind, _Cluster], bool]) -> list[_Unit]:
    """Units such that no kind that was not tried yet is on two of them; first the one with the most such kinds, a host where it can be."""
    untried = [(unit, {kind for kind in unit.kinds if not was_tried(kind, unit.cluster)}) for unit in units]
    chosen: list[_Unit] = []
    taken: set[Kind] = set()
    for unit, kinds in sorted(untried, key=lambda one: (-len(one[1]), not one[0].is_host)):
        if kinds and not kinds & taken:
            chosen.append(unit)
            taken |= kinds
    return chosen


def _units(changes: Sequence[Change]) -> list[_Unit]:
    units: dict[tuple[_Cluster, str], _Unit] = {}
    for change in changes:
        cluster, host = _cluster(change), change.resource.host
        name = host or change.resource.name
        unit = units.setdefault((cluster, unit_of(change)), _Unit(name, cluster, host is not None, [], set()))
        unit.changes.append(change)
        unit.kinds.add(kind_of(change))
    return list(units.values())


def _cluster(change: Change) -> _Cluster:
    return change.target.endpoint, change.resource.cluster


def _names(units: Sequence[_Unit]) -> str:
    names = [unit.name for unit in units]
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:3])} and {len(names) - 3} more"
