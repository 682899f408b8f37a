"""A vCenter or a single host, once logged in: version, transport, account, privileges, clock, hosts. Imports pyVmomi where it asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.doctor.affected_rules import named
from auditor.doctor.attempt import attempt, circuit_of
from auditor.doctor.clocks import clock_check
from auditor.doctor.connection import shortly
from auditor.doctor.transports import transport_check
from auditor.doctor.vcenter_privileges import esxcli_check, fix_check, read_checks
from auditor.endpoints.vcenter.privileges import fixes_of, reads_of
from auditor.errors import EndpointError, PermissionMissingError
from auditor.model import Check, EndpointKind, Health

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.doctor.affected_rules import AffectedRules
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint

_STATE = "runtime.connectionState"
OLDEST_API = (6, 0)
"""What auditor speaks at least; see `auditor.endpoints.vcenter.stub.OLDEST_VERSION`."""

MOST_HOSTS_ASKED = 50
"""Hosts that privileges are looked up on; of more, some are taken all over the list."""


@dataclass(frozen=True, slots=True)
class Places:
    """The hosts of all vCenters, for entries of fleet.yaml that name hosts and clusters.

    Attributes:
        wanted: whether there are such entries.
        clusters_wanted: whether any of them names a cluster.
        seen: (endpoint, cluster, host) of each vCenter whose hosts could be listed, by its name.
    """

    wanted: bool
    clusters_wanted: bool
    seen: dict[str, list[tuple[str, str | None, str | None]]] = field(default_factory=dict)

    @classmethod
    def of(cls, fleet: Fleet) -> Places:
        """None seen yet."""
        clusters = [*(one.cluster for one in fleet.protected), *(one.cluster for one in fleet.maintenance)]
        return cls(bool(clusters), any(cluster is not None for cluster in clusters))


@dataclass(frozen=True, slots=True)
class SeenHost:
    """One host of the list."""

    ref: Ref
    name: str
    state: str | None  # connected | disconnected | notResponding; None: it could not be read
    why_unread: str = ""  # "" where it was read
    parent: str | None = None  # managed object id of its cluster, or of a compute resource of its own


def examine_vcenter(vcenter: VCenter, endpoint: Endpoint, affected: AffectedRules, places: Places) -> Iterator[Check]:
    """Yield the checks from "version" to "hosts"; each that cannot be made says so, and costs the others nothing.

    `places` gets the hosts of this vCenter with their clusters, where they could be listed and some entry of fleet.yaml names a place.
    """
    from auditor.endpoints.vcenter.account import account_of, privileges_held

    circuit = circuit_of(endpoint)
    clock = clock_check(endpoint.name, partial(attempt, circuit, partial(_clock, vcenter)))  # first, while nothing else is going on
    yield _version(vcenter, endpoint)
    hosts = attempt(circuit, partial(_hosts, vcenter))
    if places.wanted and not isinstance(hosts, EndpointError):
        clusters = attempt(circuit, partial(_clusters, vcenter)) if places.clusters_wanted else {}
        if not isinstance(clusters, EndpointError):
            places.seen[endpoint.name] = [(endpoint.name, clusters.get(host.parent), host.name) for host in hosts]
    if endpoint.kind is not EndpointKind.ESXI:  # which has one way
        yield transport_check(vcenter, endpoint, hosts, partial(attempt, circuit))
    yield _account(endpoint, attempt(circuit, partial(account_of, vcenter)))
    asked_for = (*reads_of(endpoint.kind).values(), *fixes_of(endpoint.kind).values())
    privileges = sorted({name for needed in asked_for for name in needed.privileges})
    seen: Sequence[SeenHost] = () if isinstance(hosts, EndpointError) else hosts
    step = max(1, -(-len(seen) // MOST_HOSTS_ASKED))
    some = {host.ref.value: host.name for host in seen[::step]}
    root = vcenter.content.rootFolder
    entities = [root, *(_host(vcenter, moid) for moid in some)]
    held = attempt(circuit, partial(privileges_held, vcenter, entities, privileges))
    if isinstance(held, PermissionMissingError) and some:  # nothing may be asked of the root folder: the role begins below it
        held = attempt(circuit, partial(privileges_held, vcenter, entities[1:], privileges))
    esxcli = esxcli_check(endpoint, affected, attempt(circuit, partial(_esxcli_host, vcenter, seen)))
    yield from read_checks(endpoint, affected, held, root._GetMoId(), some, esxcli_answers=esxcli.state is Health.OK)  # noqa: SLF001  pyVmomi's
    yield esxcli
    yield fix_check(endpoint, affected, held, root._GetMoId(), some)  # noqa: SLF001  as above
    yield clock
    yield _hosts_check(endpoint, hosts)


def _host(vcenter: VCenter, moid: str) -> Any:
    from pyVmomi import vim

    return vcenter.object(vim.HostSystem, moid)


def _clock(vcenter: VCenter) -> Any:
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    with translated(vcenter.endpoint, "reading its clock"):
        return vim.ServiceInstance("ServiceInstance", vcenter.stub).CurrentTime()


def _hosts(vcenter: VCenter) -> list[SeenHost]:
    """Every host the account may see. Read as the audit reads them, which shows whether the transport works."""
    refs = vcenter.bulk.refs("HostSystem")
    if not refs:
        return []
    objects, _ = vcenter.bulk.page("HostSystem", ("name", _STATE, "parent"), refs)
    return [
        SeenHost(
            one.ref,
            one.values.get("name") or one.id,
            one.values.get(_STATE),
            one.missing.get(_STATE, "not reported"),
            one.values["parent"].value if one.values.get("parent") else None,
        )
        for one in objects
        if not one.is_gone
    ]


def _clusters(vcenter: VCenter) -> dict[str | None, str]:
    """The names of the clusters, by managed object id."""
    refs = vcenter.bulk.refs("ClusterComputeResource")
    objects, _ = vcenter.bulk.page("ClusterComputeResource", ("name",), refs) if refs else ([], 0)
    return {one.id: one.values["name"] for one in objects if one.values.get("name")}


def _esxcli_host(vcenter: VCenter, hosts: Sequence[SeenHost]) -> str | None:
    """The name of a host that esxcli answered on; None when there is none to ask.

    Raises:
        EndpointError: it did not.
    """
    host = next((one for one in hosts if one.state == "connected"), None)
    if host is None:
        return None
    vcenter.esxcli(host.ref.value).run("storage vmfs lockmode list")
    return host.name


def _version(vcenter: VCenter, endpoint: Endpoint) -> Check:
    from pyVmomi.VmomiSupport import versionIdMap

    about = vcenter.about
    at = partial(
        Check,
        endpoint.name,
        "version",
        facts={
            "release": vcenter.release,
            "api": str(about.apiVersion),
            "build": str(about.build),
            "identity": vcenter.known_identity,
        },
    )
    what = f"{vcenter.release}, API {about.apiVersion}"
    numbers = _numbers(str(about.apiVersion))
    known = max(_numbers(number) for name, number in versionIdMap.items() if name.startswith("vim.version."))
    noun = "host" if endpoint.kind is EndpointKind.ESXI else "vCenter"
    if not numbers or numbers < OLDEST_API:
        return at(
            Health.PROBLEM,
            f"{what}: older than the API {'.'.join(map(str, OLDEST_API))} that auditor speaks at least",
            "what it answers may be misunderstood, or not be there.",
            f"upgrade the {noun}.",
        )
    if numbers > known:
        return at(
            Health.WARNING,
            f"{what}: newer than the API {'.'.join(map(str, known))} that this auditor knows",
            f"it is spoken to in the older one, which {noun}s serve too; what is new is not seen.",
            "use a newer auditor when there is one.",
        )
    return at(Health.OK, what)


def _numbers(version: str) -> tuple[int, ...]:
    """(8, 0, 2) of "8.0.2.0", without trailing zeros; () where it is no version."""
    if not all(part.isdigit() for part in version.split(".")):
        return ()
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _account(endpoint: Endpoint, account: Any) -> Check:
    at = partial(Check, endpoint.name, "account")
    if isinstance(account, EndpointError):
        return at(Health.UNKNOWN, shortly(account, endpoint), "whom vCenter takes us for, and by which role, is not known.", account.do)
    facts = {"user": account.user, "roles": ", ".join(role for role, _ in account.roles), "groups": ", ".join(account.groups)}
    if account.roles:
        roles = named([f"{role}{'' if propagated else ' (not propagated)'}" for role, propagated in account.roles])
        return at(Health.OK, f"{account.user}, on the root folder {roles}", facts=facts)
    through = f"; groups have: {named(account.groups)}" if account.groups else ""
    return at(Health.OK, f"{account.user}, without a role of its own on the root folder{through}", facts=facts)


def _hosts_check(endpoint: Endpoint, hosts: Any) -> Check:
    at = partial(Check, endpoint.name, "hosts")
    if isinstance(hosts, EndpointError):
        return at(Health.UNKNOWN, shortly(hosts, endpoint), "which hosts will be audited is not known.", hosts.do)
    lost = [host for host in hosts if host.state not in ("connected", None)]
    unread = [host for host in hosts if host.state is None]
    facts = {"hosts": len(hosts), "not_connected": len(lost)} | ({"state_unknown": len(unread)} if unread else {})
    if not hosts and endpoint.kind is EndpointKind.ESXI:
        do = f"give {endpoint.who} the role Read-only on the host."
        return at(Health.PROBLEM, "the account does not see the host", "nothing of it will be audited.", do, facts=facts)
    if not hosts:
        return at(
            Health.PROBLEM,
            "the account sees no host",
            "no host of this vCenter will be audited.",
            f"give {endpoint.who} a role on the root folder, propagated; or leave the vCenter out of fleet.yaml if it has none.",
            facts=facts,
        )
    count = f"{len(hosts):,} {'host' if len(hosts) == 1 else 'hosts'}"
    if lost:
        return at(
            Health.PROBLEM,
            f"{len(lost)} of {count} not connected: {named([f'{host.name} ({host.state})' for host in lost])}",
            "what vCenter remembers of them is not taken for their state: every rule about them will be unknown.",
            "reconnect them, or take them out of the inventory.",
            facts=facts,
        )
    if unread:
        return at(
            Health.UNKNOWN,
            f"the state of {len(unread)} of {count} could not be read: {named([f'{host.name} ({host.why_unread})' for host in unread])}",
            "whether they are connected is not known.",
            f"give {endpoint.who} the role Read-only on the root folder, propagated; then run doctor again.",
            facts=facts,
        )
    if endpoint.kind is EndpointKind.ESXI:
        return at(Health.OK, f"{count}, {hosts[0].name}", facts=facts)
    return at(Health.OK, f"{count}, all connected; what the account may not see is not among them", facts=facts)
