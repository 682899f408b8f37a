"""What fleet.yaml keeps from being written: outside maintenance windows, and resources that are protected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.apply.protection import TaggedObject, tags_of, without_protected
from auditor.endpoints.vcenter.privileges import vcenter_fixes
from auditor.errors import EndpointError, GuardError
from auditor.fleet.windows import is_open, next_opening
from auditor.model import EndpointKind, Outcome, Receipt
from auditor.model.endpoint_kinds import is_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.endpoints.common.sessions import Sessions
    from auditor.fleet.loading import Fleet
    from auditor.fleet.windows import MaintenanceWindow
    from auditor.model import Change, Protection, Target

__all__ = [
    "UNRESTRICTED",
    "Restrictions",
    "TaggedObject",
    "check_windows",
    "restrictions_of",
    "tags_of",
    "without_owned",
    "without_protected",
]


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What fleet.yaml says of writing.

    Attributes:
        windows: when it may be written; empty: always.
        protected: what is never written.
        now: the time, aware.
        notice: called with sentences that the reader of the report has to know.
        put_back: why a change is left to a person where its setting is as before: something put it back after an earlier run.
        vcenters: names of those of the fleet; None: not known.
    """

    windows: tuple[MaintenanceWindow, ...] = ()
    protected: tuple[Protection, ...] = ()
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    notice: Callable[[str], None] = lambda _sentence: None
    put_back: Mapping[tuple[str, Target], str] = field(default_factory=dict)
    vcenters: frozenset[str] | None = None

    def closed(self, change: Change) -> str | None:
        """Why `change` may not be made at this moment; None where a maintenance window is open for it."""
        at = self.now()
        for endpoint, cluster in _felt_at(change):
            if not is_open(self.windows, at, endpoint, cluster):
                place = f"cluster {cluster} of {endpoint}" if cluster else endpoint
                return f"not attempted: no maintenance window is open for {place}; {next_opening(self.windows, at, endpoint, cluster)}"
        of_all = [one for one in self.windows if one.is_of_all]
        if self.windows and _is_felt_somewhere(change) and not (of_all and is_open(of_all, at, change.target.endpoint, None)):
            return "not attempted: which hosts stand on it is not known, and no maintenance window of the whole fleet is open"
        return None


def _felt_at(change: Change) -> list[tuple[str, str | None]]:
    """(endpoint, cluster) of every place that has to be open: where a change is made, and where hosts stand on what it writes."""
    own = (change.target.endpoint, change.resource.cluster)
    reached = set() if change.reach is None else {(endpoint, cluster) for endpoint, cluster, _ in change.reach.hosts or ()}
    # Of a datastore, the windows of the clusters that use it: it is in none itself.
    is_covered = own[1] is None and any(endpoint == own[0] for endpoint, _ in reached)
    return sorted(reached if is_covered else reached | {own}, key=str)


def _is_felt_somewhere(change: Change) -> bool:
    """Whether hosts may stand on what a change writes that nobody knows of."""
    return change.resource.host is None if change.reach is None else change.reach.hosts is None


UNRESTRICTED = Restrictions()


def restrictions_of(fleet: Fleet, notice: Callable[[str], None]) -> Restrictions:
    """What fleet.yaml says of writing; `notice` is called with what the reader has to know."""
    vcenters = frozenset(endpoint.name for endpoint in fleet.endpoints if not is_array(endpoint.kind))
    return Restrictions(fleet.maintenance, fleet.protected, notice=notice, vcenters=vcenters)


def without_owned(changes: Sequence[Change], sessions: Sessions, notice: Callable[[str], None]) -> tuple[list[Change], list[Receipt]]:
    """The changes of hosts that no profile owns, and a receipt for each other one: it is made in the profile, by hand.

    Where it cannot be read who owns a host, `notice` gets a sentence and the change is made: a profile that puts it back is noticed then.
    Profiles are a vCenter's: no single host is asked for them.
    """
    owners: dict[tuple[str, str], str] = {}
    hosts: dict[str, set[str]] = {}
    for change in changes:
        host_id = dict(change.target.keys).get("host_id")
        of_vcenter = change.remediator in vcenter_fixes() and sessions.endpoint(change.target.endpoint).kind is EndpointKind.VCENTER
        if host_id is not None and of_vcenter:
            hosts.setdefault(change.target.endpoint, set()).add(host_id)
    for endpoint, ids in hosts.items():
        owned, unknown = _owners(endpoint, sorted(ids), sessions)
        owners |= {(endpoint, host): owner for host, owner in owned.items()}
        for sentence in unknown:
            notice(f"{sentence}; what one puts back is noticed after the write.")
    left, skipped = [], []
    for change in changes:
        owner = owners.get((change.target.endpoint, dict(change.target.keys).get("host_id", "")))
        if owner is None:
            left.append(change)
        else:
            why = f"{owner} owns the settings of {change.resource.host or change.resource.name}: change it there, or it is put back"
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, why))
    return left, skipped


def _owners(endpoint: str, hosts: Sequence[str], sessions: Sessions) -> tuple[Mapping[str, str], Sequence[str]]:
    from auditor.endpoints.vcenter.profile_owners import profile_owners

    try:
        return profile_owners(sessions.session(endpoint), hosts)
    except EndpointError as error:
        return {}, [f"whether profiles own settings of {endpoint} could not be read ({error.what})"]


def check_windows(changes: Sequence[Change], restrictions: Restrictions) -> None:
    """Refuse a run none of whose changes may be made now.

    Raises:
        GuardError: no maintenance window is open for any of them.
    """
    reasons = [restrictions.closed(change) for change in changes]
    if reasons and all(reason is not None for reason in reasons):
        raise GuardError(
            str(reasons[0]).removeprefix("not attempted: "),
            why="fleet.yaml allows changes in its maintenance windows only; nothing was written.",
            do="run it again in the window, or change `maintenance:` of fleet.yaml.",
        )
