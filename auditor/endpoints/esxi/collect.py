"""Reads a single host into the same tables as a vCenter's hosts, and says what of a vCenter it does not have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.rows import gap, readings
from auditor.endpoints.vcenter.collect.topics import collect_vcenter
from auditor.endpoints.vcenter.privileges import OF_VCENTER
from auditor.errors import EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.esxi.session import HostAgent
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

_WHAT = "datastore clusters, storage policies and extensions"


def collect_host(host: HostAgent, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Facts]:
    """Yield what is needed of a host by the collectors of a vCenter's hosts, and a gap for what could not be read.

    Datastore clusters, storage policies and extensions are a vCenter's. Of a host that none manages they are read whole, and there are
    none. Of one that a vCenter manages they are not known here. Storage I/O Control is set by a vCenter: where the host does not report it,
    it is unknown and not off, as the vCenter that managed the host before may have left it on.

    Source: docs/domain/facts.md#13-2, #13-3.
    """
    yield from _of_vcenter(host, endpoint, needs)
    silent = 0
    for item in collect_vcenter(host, endpoint, replace(needs, topics=needs.topics.difference(OF_VCENTER))):
        silent += _without_sioc(item) if ("datastore", "sioc_enabled") in needs.facts else 0
        yield item
    if silent:
        stores = "1 datastore" if silent == 1 else f"{silent} datastores"
        yield gap(endpoint, f"Storage I/O Control of {stores}", "a vCenter sets it, and the host does not report it")


def _of_vcenter(host: HostAgent, endpoint: Endpoint, needs: Needs) -> Iterator[Facts]:
    topics = [topic for topic in OF_VCENTER if topic in needs.topics]
    try:
        standing = host.standing()
    except EndpointError as error:
        yield gap(endpoint, "whether a vCenter manages the host", error)
        yield readings(endpoint, "", dict.fromkeys(topics, False))
        return
    if standing.is_managed is None:
        yield gap(endpoint, "whether a vCenter manages the host", next(iter(standing.unread.values())))
    elif standing.managed_by is not None:
        by = f"the vCenter at {standing.managed_by}"
        host.add_note(f"{endpoint.name}: this host is managed by {by}: audit that; a fix made here may be overwritten by it.")
        if topics:
            yield gap(endpoint, _WHAT, f"{by} has them, and the host does not report them: audit that")
    yield readings(endpoint, "", dict.fromkeys(topics, standing.is_managed is False))


def _without_sioc(item: Facts) -> int:
    """How many datastores of a batch may have Storage I/O Control and do not report it."""
    if isinstance(item, Gap) or item.table != "datastore":
        return 0
    supported, enabled = item.columns["sioc_supported"], item.columns["sioc_enabled"]
    return sum(can is not False and on is None for can, on in zip(supported, enabled, strict=True))
