"""The checks before the first write: which changes may be attempted, and how many resources they may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.apply.values import plain, shown
from auditor.apply.wave_order import unit_of
from auditor.errors import ConfigurationError, GuardError
from auditor.model import FixClass, Outcome, Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from auditor.endpoints.common.remediator import AnyRemediator
    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Plan


CLUSTER_PERCENT, FLEET_PERCENT = 10, 5
"""Of the hosts of each cluster, and of the fleet, that one run may touch by default; one at least. Source: issue 14, "Waves"."""

Cluster = tuple[str, "str | None"]
"""(endpoint, cluster); hosts in no cluster are one group of their endpoint."""


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """How many resources one run may touch; None means that this limit is not set.

    Attributes:
        max_resources: how many resources: a device of a host is one.
        max_percent: of `population`, likewise.
        population: the hosts of the fleet.
        clusters: the hosts of each cluster, where the limits are the default ones: `CLUSTER_PERCENT` and `FLEET_PERCENT`. A host is one,
            whatever is changed on it; so is every object that is on no host, a datastore or a volume, against the limit of the fleet.
    """

    max_resources: int | None = None
    max_percent: float | None = None
    population: int = 0
    clusters: Mapping[Cluster, int] | None = None

    @property
    def resources(self) -> int | None:
        """The stricter of the two limits as a number of resources; None when neither is set."""
        limits = [] if self.max_resources is None else [self.max_resources]
        if self.max_percent is not None:
            limits.append(int(self.population * self.max_percent / 100))
        return min(limits, default=None)


def blast_radius(text: str | None, population: int, clusters: Mapping[Cluster, int] | None = None) -> BlastRadius:
    """The limit that ``--max-changes`` gives: "25" resources, or "10%" of `population`; None: the default, of `clusters`.

    Raises:
        ConfigurationError: `text` is neither a number nor a percentage.
    """
    if text is None:
        return BlastRadius(population=population, clusters=clusters or {})
    amount = text.strip().removesuffix("%")
    if not amount.isdecimal() or (text.strip().endswith("%") and int(amount) > 100):
        raise ConfigurationError(
            f"--max-changes {text}: not a number of resources, nor a percentage",
            why="nothing was changed: auditor changes nothing without a valid limit.",
            do="write a whole number such as 25, or a percentage such as 10%.",
        )
    if text.strip().endswith("%"):
        return BlastRadius(max_percent=int(amount), population=population)
    return BlastRadius(max_resources=int(amount))


def select_changes(plan: Plan, allow: Collection[FixClass]) -> tuple[list[Change], list[Receipt]]:
    """The changes that may be attempted, and a receipt for each change that may not."""
    disputed = {(clash.remediator, clash.target): clash for clash in plan.contradictions}
    attempted: list[Change] = []
    skipped: list[Receipt] = []
    for change in plan.changes:
        clash = disputed.get((change.remediator, change.target))
        if clash is not None:
            rules = " and ".join(sorted(rule for rule, _ in clash.wants))
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, f"{rules} want different values; settle that first"))
        elif change.fix_class is FixClass.MANUAL:
            skipped.append(Receipt(change, Outcome.BY_HAND, change.before, "it has to be done by hand"))
        elif not set(change.classes) <= set(allow):
            needed = " ".join(f"--allow {one}" for one in change.classes)
            skipped.append(Receipt(change, Outcome.PROPOSED, change.before, f"needs {needed}"))
        else:
            attempted.append(change)
    return attempted, skipped


def check_names(changes: Iterable[Change], sessions: Sessions, remediators: Callable[[str], AnyRemediator]) -> None:
    """Refuse, before the first write, a plan that names an endpoint or a remediator that does not exist.

    Raises:
        ConfigurationError: an endpoint or a remediator is not known, or the remediator is for another kind of endpoint.
    """
    for name, endpoint in sorted({(change.remediator, change.target.endpoint) for change in changes}):
        kind, needed = sessions.endpoint(endpoint).kind, remediators(name).kind
        if kind is not needed:
            raise ConfigurationError(
                f"{name} works on a {needed} endpoint, and {endpoint} is {kind}",
                why="the plan was made from another fleet.yaml; nothing was written.",
                do="use the fleet.yaml that the plan was made from.",
            )


def check_values(changes: Iterable[Change]) -> None:
    """Refuse, before the first write, a plan with a value that can be neither compared nor journalled.

    Raises:
        TypeError: a value is not a `Scalar`; the code that made the plan has a bug.
    """
    for change in changes:
        plain(change.before)
        plain(change.after)


def check_usual(changes: Iterable[Change], plan: Plan) -> None:
    """Refuse changes to values that are nowhere in the fleet and that no shipped rule wants by itself.

    Raises:
        GuardError: there are such changes; nothing was written.
    """
    attempted = {change.number for change in changes}
    for one in plan.unusual:
        number = len(attempted & set(one.numbers))
        if number:
            setting = " ".join((one.remediator, *(value for _, value in one.setting)))
            raise GuardError(
                f"{setting} would be set to {shown(one.wanted)} in {number} place{'s' if number > 1 else ''}, and the fleet has {one.seen} "
                f"(rule {one.rule})",
                why="a value that is nowhere in the fleet is often a slip in a param or a rule; nothing was written.",
                do="correct the param in fleet.yaml, or give --allow-unusual where it is meant.",
            )


def check_blast_radius(changes: Sequence[Change], limits: BlastRadius) -> None:
    """Refuse changes that touch more resources than `limits` allow.

    Raises:
        GuardError: the changes touch too many resources; nothing was written.
    """
    if limits.clusters is not None:
        _check_default_radius(changes, limits.population, limits.clusters)
    touched = len({(change.resource.endpoint, change.resource.kind, change.resource.id) for change in changes})
    if limits.resources is not None and touched > limits.resources:
        raise GuardError(
            f"{touched} resources would be changed, and the limit of one run is {limits.resources}",
            why="a mistake in a rule or a parameter would change all of them at once; nothing was written.",
            do="narrow it with --only RULE, or raise --max-changes after reading the plan.",
        )


def _check_default_radius(changes: Sequence[Change], population: int, clusters: Mapping[Cluster, int]) -> None:
    touched: dict[Cluster, set[str]] = {}
    others: set[tuple[str, str]] = set()
    for change in changes:
        if change.resource.host is None:
            others.add((change.target.endpoint, unit_of(change)))
        else:
            touched.setdefault((change.target.endpoint, change.resource.cluster), set()).add(unit_of(change))
    for cluster, hosts in touched.items():
        most = _share(CLUSTER_PERCENT, clusters.get(cluster, 0))
        if len(hosts) > most:
            of = f"cluster {cluster[1]}" if cluster[1] else f"{cluster[0]} that are in no cluster"
            raise _too_many(f"{len(hosts)} hosts of {of} would be changed, and the limit is {CLUSTER_PERCENT} % of them, here {most}")
    number, most = sum(map(len, touched.values())) + len(others), _share(FLEET_PERCENT, population)
    if number > most:
        what = "hosts" if not others else "hosts and objects on no host" if touched else "objects"
        raise _too_many(f"{number} {what} would be changed, and the limit is {FLEET_PERCENT} % of the hosts of the fleet, here {most}")


def _share(percent: int, hosts: int) -> int:
    return max(1, hosts * percent // 100)


def _too_many(what: str) -> GuardError:
    return GuardError(
        what,
        why="a mistake in a rule or a parameter would change all of them at once; nothing was written.",
        do="narrow it with --only RULE, or give --max-changes N or N% after reading the plan.",
    )
