"""Checks of a single host: whether a vCenter manages it, whether it is in lockdown mode, and whether its licence allows writing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.doctor.affected_rules import named
from auditor.doctor.attempt import attempt, circuit_of
from auditor.doctor.connection import shortly
from auditor.endpoints.esxi.session import is_read_only
from auditor.errors import EndpointError
from auditor.model import Check, Health

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.esxi.session import HostAgent, HostStanding
    from auditor.model import Endpoint

HOST_ONLY = ("vcenter", "lockdown", "licence")
"""The topics of these checks."""

_UNLOCKED = "lockdownDisabled"
_NO_FIX = "--fix writes nothing on it"


def examine_single_host(host: HostAgent, endpoint: Endpoint) -> Iterator[Check]:
    """Yield the checks of `HOST_ONLY`."""
    circuit = circuit_of(endpoint)
    standing = attempt(circuit, host.standing)
    if isinstance(standing, EndpointError):
        for topic in HOST_ONLY[:2]:
            yield Check(endpoint.name, topic, Health.UNKNOWN, shortly(standing, endpoint), f"it is not known; {_NO_FIX}.", standing.do)
    else:
        yield _vcenter(endpoint, standing)
        yield _lockdown(endpoint, standing)
    yield _licence(endpoint, attempt(circuit, host.editions))


def _vcenter(endpoint: Endpoint, standing: HostStanding) -> Check:
    at = partial(Check, endpoint.name, "vcenter", facts={"managed_by": standing.managed_by})
    if standing.is_managed is None:
        why = next(iter(standing.unread.values()))
        do = f"give {endpoint.who} the role Read-only on the host."
        return at(Health.UNKNOWN, f"whether a vCenter manages it could not be read: {why}", f"{_NO_FIX} until that is known.", do)
    if standing.managed_by is None:
        return at(Health.OK, "no vCenter manages it")
    return at(
        Health.WARNING,
        f"this host is managed by the vCenter at {standing.managed_by}",
        f"its cluster, datastore clusters and Storage I/O Control are not seen from here; {_NO_FIX}: the vCenter may overwrite that.",
        "audit that vCenter instead (`kind: vcenter`), and take the host out of fleet.yaml: in both, it is counted twice."
        " Where that vCenter is gone, disconnect the host from it in the VMware Host Client.",
    )


def _lockdown(endpoint: Endpoint, standing: HostStanding) -> Check:
    at = partial(Check, endpoint.name, "lockdown", facts={"mode": standing.lockdown})
    if standing.lockdown is None:
        return at(Health.OK, "its mode is not reported, and the account was let in")
    if standing.lockdown == _UNLOCKED:
        return at(Health.OK, "off")
    return at(
        Health.WARNING,
        f"{standing.lockdown}: {endpoint.who} is let in as one of its exceptions",
        "taken off that list, the account cannot log in, and nothing is read.",
        "keep it among the exceptions, or audit the host by its vCenter.",
    )


def _licence(endpoint: Endpoint, editions: tuple[str, ...] | EndpointError) -> Check:
    at = partial(Check, endpoint.name, "licence")
    if isinstance(editions, EndpointError):
        return at(
            Health.WARNING,
            f"which licence it has could not be read: {shortly(editions, endpoint)}",
            "reading needs none; whether --fix could write is not known: the host refuses the first write if not.",
            f"nothing, where {endpoint.who} is not to write; else give it a role that may read the licences.",
        )
    at = partial(at, facts={"editions": ", ".join(editions)})
    if is_read_only(editions):
        return at(
            Health.WARNING,
            f"{named(editions)}: the free licence, with which the API reads alone",
            f"it is audited all the same; {_NO_FIX}: each write would end with RestrictedVersion.",
            "make its fixes by hand, or give the host a licence that allows writing by the API.",
        )
    return at(Health.OK, named(editions) if editions else "none is listed")
