"""One move checked: the verdict, the reasons in order, the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from auditor.impact.move import Copying, copying
from auditor.moves.both_ends import of_array, of_copy, of_vsphere
from auditor.moves.hindrances import NOTHING, in_its_way, mapped, nothing_to_copy, of_running
from auditor.moves.offload import offload_of
from auditor.moves.reasons import Sort, in_order
from auditor.moves.time import estimate
from auditor.moves.unread import of_unread

if TYPE_CHECKING:
    from auditor.impact.interval import Interval
    from auditor.moves.ends import Move, Store
    from auditor.moves.offload import Offload
    from auditor.moves.reasons import Reason
    from auditor.moves.time import Estimate


class MoveVerdict(StrEnum):
    """What a check says."""

    CLEAR = "clear"
    AGAINST = "against"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class EndLoad:
    """How long commands of others take on a datastore at one end.

    Attributes:
        name: of the datastore.
        end: source or target.
        now_ms: as its host or its array reports it.
        copying: now and while it is copied, by the queue model; None: the array copies, so that the hosts' queues carry nothing.
        not_computed: why the model says nothing; "" where it does.
        neighbours, neighbour_count: running machines there, the first ones; None: not all were read.
    """

    name: str
    end: str
    now_ms: float | None
    copying: Copying | None
    not_computed: str
    neighbours: tuple[str, ...]
    neighbour_count: int | None


@dataclass(frozen=True, slots=True)
class MoveCheck:
    """A move, and all that is said of it; the reasons stand in the order of their weight. Without `loads` there is nothing to copy."""

    move: Move
    offload: Offload
    took: Estimate
    loads: tuple[EndLoad, ...]
    reasons: tuple[Reason, ...]

    @property
    def verdict(self) -> MoveVerdict:
        """A known reason settles it, whatever was not read."""
        sorts = {one.sort for one in self.reasons}
        return MoveVerdict.AGAINST if Sort.AGAINST in sorts else MoveVerdict.UNKNOWN if Sort.UNREAD in sorts else MoveVerdict.CLEAR

    def of(self, sort: Sort) -> tuple[Reason, ...]:
        """The reasons of one sort."""
        return tuple(one for one in self.reasons if one.sort is sort)


def check_move(
    move: Move, *, others: tuple[tuple[float, str], ...] = (), promised: Interval = NOTHING, clashes: Sequence[Reason] = ()
) -> MoveCheck:
    """The check of one move.

    Args:
        move: with all that is known of both ends.
        others: rates that running moves to the same target were measured at, bytes a second, with the machine's name.
        promised: bytes that earlier moves of a plan put on the target.
        clashes: what a plan says of it.
    """
    offload = offload_of(move)
    took = estimate(move, is_offloaded=offload.is_certain, others=others)
    if move.machine.disks_read and not move.moved:
        return MoveCheck(move, offload, took, (), in_order([*nothing_to_copy(move), *mapped(move.machine)]))
    reasons = [
        *of_running(move),
        *in_its_way(move, took.size, promised),
        *of_vsphere(move),
        *of_array(move, is_offloaded=offload.is_certain),
        *of_copy(offload, took),
        *clashes,
        *of_unread(move, offload, took),
    ]
    ends = [*((one, "source") for one in move.sources), (move.target, "target")]
    loads = tuple(_load(store, end, is_offloaded=offload.is_certain) for store, end in ends)
    return MoveCheck(move, offload, took, loads, in_order(reasons))


def _load(store: Store, end: str, *, is_offloaded: bool | None) -> EndLoad:
    found: Copying | None = None
    why = "the array copies, and nothing counts what that costs it"
    if not is_offloaded:
        answer = "the load of its array was not read" if store.pool is None else copying(store.pool)
        found, why = (None, answer) if isinstance(answer, str) else (answer, "")
    return EndLoad(store.name, end, store.latency_ms, found, why, store.neighbours, store.neighbour_count)
