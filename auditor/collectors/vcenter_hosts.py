"""The list of hosts: who they are, where they stand, whether they answer."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from auditor.clients.vcenter import moid
from auditor.collectors.vcenter_reading import LIGHT_PAGE, read_each
from auditor.collectors.vcenter_rows import Facts, HostSeen, Rows, gap, holes, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from auditor.clients.vcenter import VCenter
    from auditor.clients.vcenter_read import ObjectFacts
    from auditor.collectors.vcenter_rows import Circuit
    from auditor.model import Endpoint

_VSAN = "config.vsanHostConfig.enabled"
_SOFTWARE_ISCSI = "config.storageDevice.softwareInternetScsiEnabled"
_PATHS = (
    "name",
    "parent",
    "runtime.connectionState",
    "runtime.powerState",
    "runtime.inMaintenanceMode",
    "runtime.bootTime",
    "summary.config.product",
    _VSAN,
    _SOFTWARE_ISCSI,
)


_NEEDED = ("name", "parent", "runtime.connectionState", "summary.config.product")
_UNTOLD = "vCenter does not tell it"


def collect_hosts(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Generator[Facts, None, list[HostSeen]]:
    """Yield table `host` and the reading of topic "hosts"; return the hosts, connected or not.

    A host whose connection state cannot be read counts as not connected: what vCenter remembers of it may be old.
    """
    from pyVmomi import vim

    from auditor.clients.vcenter_read import list_objects

    clusters, complete = yield from _cluster_names(vcenter, endpoint)
    hosts: list[HostSeen] = []
    try:
        refs = list_objects(vcenter, vim.HostSystem)
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of hosts", error)
        yield readings(endpoint, "", {"hosts": False})
        return hosts
    rows = Rows("host", endpoint=endpoint.name)
    for count, facts in enumerate(read_each(vcenter, vim.HostSystem, _PATHS, refs, LIGHT_PAGE, circuit), 1):
        if isinstance(facts, tuple):
            ref, lost = facts
            rows.add(host_id=moid(ref), name=moid(ref))
            hosts.append(HostSeen(ref, moid(ref), connected=False, software_iscsi=None))
            yield gap(endpoint, f"host {moid(ref)}", lost)
            complete = False
        else:
            host = _seen(facts)
            found = list(_holes(endpoint, facts, host, clusters))
            yield from found
            complete = complete and not found
            rows.add(**_row(facts, host, clusters))
            hosts.append(host)
        if count % LIGHT_PAGE == 0:
            yield from rows.batch()
            rows = Rows("host", endpoint=endpoint.name)
    yield from rows.batch()
    yield readings(endpoint, "", {"hosts": complete})
    return hosts


def _cluster_names(vcenter: VCenter, endpoint: Endpoint) -> Generator[Facts, None, tuple[Mapping[str, str], bool]]:
    from pyVmomi import vim

    try:
        names = {facts.id: facts.values.get("name") for facts in vcenter.read(vim.ClusterComputeResource, ("name",), page=LIGHT_PAGE)}
    except EndpointError as error:
        yield gap(endpoint, "names of clusters", error)
        return {}, False
    return {moid: name for moid, name in names.items() if name}, True


def _seen(facts: ObjectFacts) -> HostSeen:
    state = facts.values.get("runtime.connectionState")
    connected = state == "connected"
    # vCenter answers for a host it has lost with what it remembers; that is not a reading.
    software_iscsi = facts.values.get(_SOFTWARE_ISCSI) if connected else None
    return HostSeen(facts.ref, facts.values.get("name") or facts.id, connected, software_iscsi)


def _row(facts: ObjectFacts, host: HostSeen, clusters: Mapping[str, str]) -> dict[str, Any]:
    from pyVmomi import vim

    values = facts.values
    parent, product = values.get("parent"), values.get("summary.config.product")
    booted = values.get("runtime.bootTime")
    cluster_id = moid(parent) if isinstance(parent, vim.ClusterComputeResource) else None
    return {
        "host_id": host.id,
        "name": host.name,
        "cluster_id": cluster_id,
        "cluster": clusters.get(cluster_id) if cluster_id else None,
        "version": product.version if product else None,
        "build": int(product.build) if product and (product.build or "").isdigit() else None,
        "connection_state": _text(values.get("runtime.connectionState")),
        "power_state": _text(values.get("runtime.powerState")),
        "in_maintenance_mode": values.get("runtime.inMaintenanceMode"),
        "boot_time": booted.astimezone(UTC) if booted else None,
        "vsan_enabled": values.get(_VSAN) if host.connected else None,
        "software_iscsi": host.software_iscsi,
    }


def _holes(endpoint: Endpoint, facts: ObjectFacts, host: HostSeen, clusters: Mapping[str, str]) -> Iterator[Facts]:
    told = facts.values.keys() | facts.missing.keys()
    untold = {path: _UNTOLD for path in _NEEDED if path not in told}
    yield from holes(endpoint, {**facts.missing, **untold}, f"host {host.name}")
    parent = facts.values.get("parent")
    if parent is not None and type(parent).__name__.endswith("ClusterComputeResource") and moid(parent) not in clusters:
        yield gap(endpoint, f"cluster of host {host.name}", f"the name of {moid(parent)} is not told")


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
