"""Applies a plan: cluster by cluster, one host of each first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.apply.guards import BlastRadius, check_blast_radius, check_reachable_by_name, check_values, sort_out
from auditor.apply.making import make
from auditor.endpoints.settings import remediator_for
from auditor.errors import EndpointError, GuardError
from auditor.model import Change, FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import Plan

Confirm = Callable[[Sequence[Change]], bool]  # shown what will be attempted; False means no
Progress = Callable[[Change, int, int], None]  # before a change: it, its number from 1, of how many
_NO_LIMIT = BlastRadius()
_WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})


@dataclass(frozen=True, slots=True)
class Wave:
    """The changes of one cluster: those of its canary, then the others."""

    canary_name: str
    canary: tuple[Change, ...]
    rest: tuple[Change, ...]


def apply(
    plan: Plan,
    sessions: Sessions,
    journal: Journal,
    *,
    allow: Collection[FixClass],
    confirm: Confirm,
    limits: BlastRadius = _NO_LIMIT,
    progress: Progress | None = None,
    remediators: Callable[[str], AnyRemediator] = remediator_for,
    well: Collection[Outcome] = _WELL,
) -> Iterator[Receipt]:
    """Make the changes of `plan` whose class is in `allow`, a receipt each, and one for each change left out.

    The guards are asked at once, before the first receipt. Then cluster by cluster: the changes of one host first, and the
    other hosts only when all of them ended in `well`; a change that was written and not read back as wanted stops the run. What is
    not attempted keeps the outcome PROPOSED with the reason. Contradictions and what has to be done by hand are never attempted.
    A value stored for the next boot is APPLIED with `pending`, which is not yet a success.

    Raises:
        ConfigurationError: the plan names an endpoint or a remediator that is not there.
        GuardError: too many resources, or not confirmed; nothing was written.
        JournalError: while iterating: nothing more is written.
    """
    attempted, aside = sort_out(plan, allow)
    check_values(attempted)
    check_reachable_by_name(attempted, sessions, remediators)
    check_blast_radius(attempted, limits)
    if attempted and not confirm(attempted):
        raise GuardError(
            f"{len(attempted)} changes were not confirmed",
            why="nothing was written.",
            do="answer yes, or give --yes where there is no terminal.",
        )

    def attempt(change: Change) -> Receipt:
        try:
            session = sessions.session(change.target.endpoint)
        except EndpointError as error:
            return Receipt(change, Outcome.REFUSED, None, f"no session, so nothing was written: {error.what}")
        return make(change, remediators(change.remediator), session, journal)

    return _walk(attempted, aside, attempt, progress or _silent, well)


def _walk(
    attempted: Sequence[Change],
    aside: Sequence[Receipt],
    attempt: Callable[[Change], Receipt],
    progress: Progress,
    well: Collection[Outcome],
) -> Iterator[Receipt]:
    yield from aside
    number = 0
    stopped = ""  # why nothing more of this run is attempted
    for wave in waves(attempted):
        held = ""  # why the rest of this cluster is not attempted
        for changes in (wave.canary, wave.rest):
            keep_back = stopped or held
            for change in changes:
                if stopped or keep_back:
                    yield Receipt(change, Outcome.PROPOSED, change.before, stopped or keep_back)
                    continue
                number += 1
                progress(change, number, len(attempted))
                receipt = attempt(change)
                if receipt.outcome is Outcome.UNVERIFIED:
                    stopped = f"not attempted: {_named(change)} was written and not read back as wanted"
                if receipt.outcome not in well:
                    held = held or f"not attempted: the canary {wave.canary_name} ended {receipt.outcome} on {_named(change)}"
                yield receipt


def waves(changes: Sequence[Change]) -> list[Wave]:
    """`changes` by cluster, in the order the clusters appear; within one, the order of each host's changes is kept.

    The canary is the first host that appears. Where a group has no hosts, as with an array, it is the first object.
    """
    clusters: dict[tuple[str, str | None], dict[str, list[Change]]] = {}
    for change in changes:
        units = clusters.setdefault((change.target.endpoint, change.resource.cluster), {})
        units.setdefault(_unit(change), []).append(change)
    made = []
    for units in clusters.values():
        canary = next((unit for unit, own in units.items() if own[0].resource.host), next(iter(units)))
        first = units.pop(canary)
        name = first[0].resource.host or first[0].resource.name
        made.append(Wave(name, tuple(first), tuple(change for own in units.values() for change in own)))
    return made


def _unit(change: Change) -> str:
    """What is tried first as one: the host the write goes to, or the object itself."""
    return dict(change.target.keys).get("host_id") or change.resource.host or f"{change.resource.kind} {change.resource.id}"


def _named(change: Change) -> str:
    return f"{change.remediator} on {change.resource.name}"


def _silent(_change: Change, _number: int, _of: int) -> None:
    return
