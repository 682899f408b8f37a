"""Applies a plan cluster by cluster; in each cluster one host, the canary, comes first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.apply.guards import BlastRadius, check_blast_radius, check_names, check_values, select_changes
from auditor.apply.identities import doubt
from auditor.apply.making import make
from auditor.apply.order import hold_up, stages
from auditor.endpoints.settings import remediator_for
from auditor.errors import EndpointError, GuardError
from auditor.model import Change, FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.journal import Journal
    from auditor.model import Plan

Confirm = Callable[[Sequence[Change]], bool]  # called with the changes that will be attempted; False stops the run
Progress = Callable[[Change, int, int], None]  # called before each change: the change, its number from 1, how many there are
_NO_LIMIT = BlastRadius()
MADE_WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})
_NONE_EARLIER: Mapping[int, Receipt] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Wave:
    """The changes of one cluster: those of its canary host, then those of the others."""

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
    well: Collection[Outcome] = MADE_WELL,
    trust_names: bool = False,
    earlier: Mapping[int, Receipt] = _NONE_EARLIER,
) -> Iterator[Receipt]:
    """Make the changes of `plan` whose class is in `allow`; yield a receipt for each change, also for those not attempted.

    All guards run before the first write. In each cluster the changes of one host come first, and those of the other hosts follow
    only when every outcome was in `well`. A change that was written but does not read back as wanted stops the run. A change that is
    not attempted gets the outcome PROPOSED and the reason. Contradictions and changes to make by hand are never attempted.
    A value stored for the next boot is APPLIED with `pending`: it is not in effect yet.

    A change that waits for others of the plan comes after them, and is not attempted where one of them did not end well or is not in force;
    `earlier` holds, by number, the receipts of changes of this plan that an earlier run made.

    An endpoint that is not the one of `plan.identities`, or does not say who it is, gets no write: its changes are REFUSED. With
    `trust_names` the name in fleet.yaml is enough where the plan has no identity.

    Raises:
        ConfigurationError: the plan names an endpoint or a remediator that does not exist.
        GuardError: too many resources, or not confirmed; nothing was written.
        JournalError: while iterating: nothing more is written.
    """
    attempted, skipped = select_changes(plan, allow)
    check_values(attempted)
    check_names(attempted, sessions, remediators)
    check_blast_radius(attempted, limits)
    if attempted and not confirm(attempted):
        raise GuardError(
            f"{len(attempted)} changes were not confirmed",
            why="nothing was written.",
            do="answer yes, or give --yes where there is no terminal.",
        )

    def attempt(change: Change) -> Receipt:
        name = change.target.endpoint
        try:
            session = sessions.session(name)
            other = doubt(name, plan.identities.get(name), sessions, "nothing was written", trust_name=trust_names)
        except EndpointError as error:
            return Receipt(change, Outcome.REFUSED, None, f"no session, so nothing was written: {error.what}")
        if other is not None:
            return Receipt(change, Outcome.REFUSED, None, other)
        return make(change, remediators(change.remediator), session, journal, session.known_identity)

    return _attempt_all(attempted, skipped, attempt, progress or _no_progress, well, dict(earlier))


def _attempt_all(
    attempted: Sequence[Change],
    skipped: Sequence[Receipt],
    attempt: Callable[[Change], Receipt],
    progress: Progress,
    well: Collection[Outcome],
    ended: dict[int, Receipt],
) -> Iterator[Receipt]:
    ended |= {receipt.change.number: receipt for receipt in skipped}
    yield from skipped
    number = 0
    run_stopped = ""  # why no further change of this run is attempted
    for wave in (wave for stage in stages(attempted) for wave in waves(stage)):
        canary_failed = ""  # why the rest of this cluster is not attempted
        for changes in (wave.canary, wave.rest):
            cluster_stopped = canary_failed
            for change in changes:
                held_up = run_stopped or cluster_stopped or hold_up(change, ended, well)
                if held_up:
                    ended[change.number] = Receipt(change, Outcome.PROPOSED, change.before, held_up)
                    yield ended[change.number]
                    continue
                number += 1
                progress(change, number, len(attempted))
                ended[change.number] = receipt = attempt(change)
                if receipt.outcome is Outcome.UNVERIFIED:
                    run_stopped = f"not attempted: {_named(change)} was written and not read back as wanted"
                if receipt.outcome not in well and not canary_failed:
                    canary_failed = f"not attempted: the canary {wave.canary_name} ended {receipt.outcome} on {_named(change)}"
                yield receipt


def waves(changes: Sequence[Change]) -> list[Wave]:
    """`changes` grouped by cluster, in the order in which the clusters appear; the changes of a host stay in their order.

    The canary is the first host that appears. In a group without hosts, such as an array, it is the first object.
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
    """The unit that a canary consists of: the host that the write goes to, or the object itself."""
    return dict(change.target.keys).get("host_id") or change.resource.host or f"{change.resource.kind} {change.resource.id}"


def _named(change: Change) -> str:
    return f"{change.remediator} on {change.resource.name}"


def _no_progress(_change: Change, _number: int, _of: int) -> None:
    return
