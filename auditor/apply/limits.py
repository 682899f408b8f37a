"""How much one run may change: a number of hosts, and a number of writes.

A run that is larger is not refused whole. Somebody at a terminal who has seen the plan and types the number of hosts has decided. Without a
terminal the run changes its first host, the canary, looks whether that holds, and stops: what is left is made by `auditor resume`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, GuardError
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.model import Change, Receipt

CLUSTER_PERCENT, FLEET_PERCENT = 10, 5
"""Of the hosts of each cluster, and of the fleet, that one run may touch by default; one at least. Source: issue 14, "Waves"."""

Cluster = tuple[str, "str | None"]
"""(endpoint, cluster); hosts in no cluster are one group of their endpoint."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A run that is larger than its limit.

    Attributes:
        what: how large it is, and the limit, as a sentence's beginning.
        hosts: how many hosts it would change.
        objects: how many objects that are on no host: datastores, volumes, policies, disks of machines.
        changes: how many writes.
        is_of_writes: whether the number of writes is what is too large, and not that of hosts.
    """

    what: str
    hosts: int
    objects: int
    changes: int
    is_of_writes: bool = False

    @property
    def option(self) -> str:
        """The option with which the run is made whole."""
        return f"--max-changes {self.changes}" if self.is_of_writes else f"--max-hosts {max(self.hosts, self.objects)}"


def never(_excess: Excess) -> bool:
    """The answer where nobody can be asked: the run begins, and stops after its first host."""
    return False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one run may change.

    Attributes:
        max_hosts: the most hosts, and the most objects that are on no host; None: no limit, or the default one.
        max_writes: the most writes; None: no limit.
        is_default: neither was given, so that `CLUSTER_PERCENT` and `FLEET_PERCENT` hold.
        population: the hosts of the fleet.
        clusters: the hosts of each cluster.
        decide: asked once about a run that is larger; whether it is made whole.
        again: the command that goes on with the run; "" where there is none.
    """

    max_hosts: int | None = None
    max_writes: int | None = None
    is_default: bool = False
    population: int = 0
    clusters: Mapping[Cluster, int] = field(default_factory=dict)
    decide: Callable[[Excess], bool] = never
    again: str = ""

    def excess(self, changes: Sequence[Change]) -> Excess | None:
        """By what `changes` are more than this allows; None where they are not."""
        hosts, objects = touched(changes)
        several = len({change.resource.cluster for change in changes}) > 1
        size = f"{count_of(len(changes), 'change')} on {count_of(len(hosts), 'host')}"
        size += f" and {count_of(len(objects), 'object')} on no host" if objects else ""
        what, is_of_writes = None, False
        if self.is_default:
            what = self._default_excess(hosts, len(objects))
        if self.max_hosts is not None and max(len(hosts), len(objects)) > self.max_hosts:
            one, many = ("host", "hosts") if len(hosts) > self.max_hosts else ("object on no host", "objects on no host")
            what = f"and the limit of one run is {count_of(self.max_hosts, one, many)}"
        if what is None and self.max_writes is not None and len(changes) > self.max_writes:
            what, is_of_writes = f"and the limit of one run is {count_of(self.max_writes, 'change')}", True
        if what is None:
            return None
        place = "" if several or changes[0].resource.cluster is None else f" of cluster {changes[0].resource.cluster}"
        return Excess(f"{size}{place} would be made, {what}", len(hosts), len(objects), len(changes), is_of_writes)

    def _default_excess(self, hosts: Mapping[tuple[str, str], str | None], objects: int) -> str | None:
        by_cluster: dict[Cluster, int] = {}
        for (endpoint, _), cluster in hosts.items():
            by_cluster[endpoint, cluster] = by_cluster.get((endpoint, cluster), 0) + 1
        for (endpoint, cluster), number in by_cluster.items():
            most = _share(CLUSTER_PERCENT, self.clusters.get((endpoint, cluster), 0))
            if number > most:
                of = f"cluster {cluster}" if cluster else f"{endpoint} that are in no cluster"
                return f"and the limit is {CLUSTER_PERCENT} % of the hosts of {of}, here {most}"
        most = _share(FLEET_PERCENT, self.population)
        if len(hosts) + objects > most:
            return f"and the limit is {FLEET_PERCENT} % of the hosts of the fleet, here {most}"
        return None


def limits_of(
    max_hosts: str | None, max_changes: str | None, population: int, clusters: Mapping[Cluster, int] | None = None
) -> tuple[Limits, tuple[str, ...]]:
    """The limits that ``--max-hosts`` and ``--max-changes`` give, and what somebody who wrote an older form has to know.

    Args:
        max_hosts: "4", or "10%" of `population`; None: not given.
        max_changes: "25" writes; the older form "10%" means hosts. None: not given.
        population: the hosts of the fleet.
        clusters: the hosts of each cluster.

    Raises:
        ConfigurationError: one of them is neither a number nor a percentage.
    """
    notices: tuple[str, ...] = ()
    of_hosts = "--max-hosts"  # the option that somebody wrote, as errors name it
    if max_changes is not None and max_changes.strip().endswith("%"):
        if max_hosts is None:
            max_hosts, of_hosts = max_changes, "--max-changes"
            notices = (f"--max-changes {max_changes} is a share of the hosts: write --max-hosts {max_changes}.",)
            max_changes = None
        else:
            raise _not_a_limit("--max-changes", max_changes, "a whole number of changes such as 25")
    hosts = None if max_hosts is None else _number(of_hosts, max_hosts, population)
    writes = None if max_changes is None else _number("--max-changes", max_changes, None)
    return Limits(hosts, writes, hosts is None and writes is None, population, clusters or {}), notices


def touched(changes: Sequence[Change]) -> tuple[dict[tuple[str, str], str | None], set[tuple[str, str]]]:
    """The hosts that `changes` write to, each (endpoint, id) with its cluster, and the objects that are on no host."""
    hosts: dict[tuple[str, str], str | None] = {}
    objects: set[tuple[str, str]] = set()
    for change in changes:
        keys = dict(change.target.keys)
        # A disk of a machine says on which host the machine runs now; it is an object all the same (docs/decisions/0028-waves.md).
        is_object = "host_id" not in keys and any(key.endswith("_id") for key in keys)
        host_id = None if is_object else keys.get("host_id", change.resource.host)
        if host_id is None:
            objects.add((change.target.endpoint, f"{change.resource.kind} {change.resource.id}"))
        else:
            hosts[change.target.endpoint, host_id] = change.resource.cluster
    return hosts, objects


def begun(excess: Excess, attempted: Sequence[Change], receipts: Sequence[Receipt], again: str) -> GuardError:
    """What ends a run that made its first host only."""
    hosts, objects = touched([receipt.change for receipt in receipts])
    of = f"{len(hosts)} of {count_of(excess.hosts, 'host')}" if excess.hosts else f"{len(objects)} of {count_of(excess.objects, 'object')}"
    left = len(attempted) - len(receipts)
    give = f"`{again}` goes on with it; or give" if again else "Give"
    return GuardError(
        f"{of} done, {left} change{'' if left == 1 else 's'} left: {excess.what}",
        why="without a decision at a terminal, a run larger than its limit changes its first host alone. These changes stay.",
        do=f"look at what was done. {give} {excess.option} for a run of this size.",
    )


def larger(excess: Excess) -> GuardError:
    """What a rehearsal says of a run that would make its first host only."""
    return GuardError(
        f"it would make its first host alone, and stop: {excess.what}",
        why="with --yes nobody is asked about a run that is larger than its limit. This was a dry run.",
        do=f"leave --yes out at a terminal, or give {excess.option}.",
    )


def _number(option: str, text: str, population: int | None) -> int:
    """The number that `text` means; a share is one of `population`, and at least one."""
    amount, is_share = text.strip().removesuffix("%"), text.strip().endswith("%")
    wanted = "a whole number such as 4, or a share of the hosts such as 10%" if population is not None else "a whole number such as 25"
    if (
        not (amount.isascii() and amount.isdecimal())
        or len(amount) > _MOST_DIGITS
        or (is_share and (population is None or int(amount) > 100))
    ):
        raise _not_a_limit(option, text, wanted)
    if is_share:
        return 0 if amount == "0" else _share(int(amount), population or 0)
    return int(amount)


_MOST_DIGITS = 9


def _not_a_limit(option: str, text: str, wanted: str) -> ConfigurationError:
    return ConfigurationError(
        f"{option} {text}: not {wanted}",
        why="nothing was changed: auditor changes nothing without a valid limit.",
        do=f"write {wanted}.",
    )


def _share(percent: int, hosts: int) -> int:
    return max(1, hosts * percent // 100)
