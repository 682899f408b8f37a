"""The doctor's check of transports: it tries VI/JSON and SOAP on a vCenter, and says which one to set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.doctor.connection import shortly
from auditor.errors import EndpointError
from auditor.model import BulkTransport, Check, Health

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.endpoints.vcenter.bulk.transports import Tried
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint


def transport_check(vcenter: VCenter, endpoint: Endpoint, hosts: Any, attempt: Callable[[Callable[[], Tried | None]], Any]) -> Check:
    """Which transport reads `vcenter`, and whether the other one would.

    Args:
        vcenter: its session.
        endpoint: as fleet.yaml has it.
        hosts: the list of hosts as it was read in bulk, or the EndpointError of that.
        attempt: runs a read; returns its error where it raised one.
    """
    transport, notes = vcenter.bulk.transport, vcenter.bulk.notes
    at = partial(Check, endpoint.name, "lane", facts={"lane": transport.value})
    forced = f", as fleet.yaml asks (`lane: {endpoint.lane}`)" if endpoint.lane == transport else ""
    if isinstance(hosts, EndpointError):
        return at(
            Health.UNKNOWN,
            f"{transport} would be tried first{forced}; the list of hosts could not be read: {shortly(hosts, endpoint)}",
            "whether it works is not known.",
            hosts.do,
        )
    if notes:
        return at(
            Health.WARNING,
            f"{transport}: {'; '.join(notes)}",
            "reading takes longer; what is read is the same.",
            f"set `lane: {transport}` for {endpoint.name} in fleet.yaml until it is mended, and report the note.",
        )
    other = BulkTransport.SOAP if transport is BulkTransport.VIJSON else BulkTransport.VIJSON
    tried = attempt(partial(vcenter.bulk.tried, other, hosts[0].ref)) if hosts else None
    if isinstance(tried, EndpointError) and other is BulkTransport.SOAP:
        return at(
            Health.WARNING,
            f"vijson{forced} works; soap does not: {shortly(tried, endpoint)}",
            "nothing could be read by the other way where VI/JSON fails.",
            tried.do,
        )
    return at(Health.OK, _named(vcenter, transport, forced), do=_faster(endpoint, tried) if other is BulkTransport.VIJSON else "")


def _faster(endpoint: Endpoint, tried: Any) -> str:
    """What to set where a slower transport is forced, and VI/JSON works too; "" elsewhere."""
    if endpoint.lane is None or tried is None or isinstance(tried, EndpointError):
        return ""
    return f"VI/JSON (release {tried.release}) works as well and is faster: leave `lane` out."


def _named(vcenter: VCenter, transport: BulkTransport, forced: str) -> str:
    from auditor.endpoints.vcenter.bulk.vijson import may_have_vijson

    if transport is BulkTransport.VIJSON:
        return f"VI/JSON, release {vcenter.bulk.release}{forced}: the fastest"
    if forced:
        return f"{transport}{forced}"
    if vcenter.endpoint.login is not None:
        return "SOAP: VI/JSON has sessions of its own, which take a user name and a password"
    api = vcenter.about.apiVersion
    why = "it offers no VI/JSON" if may_have_vijson(api) else f"API {api} has no VI/JSON, 8.0 U1 and later have"
    return f"SOAP: {why}" if transport is BulkTransport.SOAP else f"{transport}: {why}"
