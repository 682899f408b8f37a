"""The list of hosts: who they are, where they stand, whether they answer."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import MANAGER_PATHS, Facts, HostSeen, Rows, gap, gaps_of, readings
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_VSAN = "config.vsanHostConfig.enabled"
_SOFTWARE_ISCSI = "config.storageDevice.softwareInternetScsiEnabled"
_PARENT = "parent"
_NEEDED = ("name", _PARENT, "runtime.connectionState", "summary.config.product")
_NOT_REPORTED = "vCenter does not report it"
_CLUSTER = "ClusterComputeResource"
_ROWS_A_BATCH = 500


def collect_hosts(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, paths: Sequence[str]) -> Generator[Facts, None, list[HostSeen]]:
    """Yield table `host` and the reading of topic "hosts"; return the hosts, connected or not.

    `paths` are the properties to ask for; the name and the connection state are among them. A host whose connection state
    cannot be read counts as not connected: what vCenter remembers of it may be old.
    """
    clusters: Mapping[str, str] = {}
    complete = True
    if _PARENT in paths:
        clusters, complete = yield from _cluster_names(vcenter, endpoint, circuit)
    hosts: list[HostSeen] = []
    try:
        refs = vcenter.bulk.refs("HostSystem")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of hosts", error)
        yield readings(endpoint, "", {"hosts": False})
        return hosts
    rows = Rows("host", endpoint=endpoint.name)
    for count, facts in enumerate(read_each(vcenter, "HostSystem", paths, refs, circuit), 1):
        if isinstance(facts, tuple):
            ref, lost = facts
            rows.add(host_id=ref.value, name=ref.value)
            hosts.append(HostSeen(ref, ref.value, connected=False, software_iscsi=None))
            yield gap(endpoint, f"host {ref.value}", lost)
            complete = False
        else:
            host = _seen(facts)
            gaps = list(_host_gaps(endpoint, facts, host, clusters, paths))
            yield from gaps
            complete = complete and not gaps
            rows.add(**_row(facts, host, clusters))
            hosts.append(host)
        if count % _ROWS_A_BATCH == 0:
            yield from rows.batch()
            rows = Rows("host", endpoint=endpoint.name)
    yield from rows.batch()
    yield readings(endpoint, "", {"hosts": complete})
    return hosts


def _cluster_names(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Generator[Facts, None, tuple[Mapping[str, str], bool]]:
    names = {}
    try:
        for facts in read_each(vcenter, _CLUSTER, ("name",), vcenter.bulk.refs(_CLUSTER), circuit):
            if isinstance(facts, tuple):
                raise facts[1]
            names[facts.id] = facts.values.get("name")
    except EndpointError as error:
        yield gap(endpoint, "names of clusters", error)
        return {}, False
    return {cluster_id: name for cluster_id, name in names.items() if name}, True


def _seen(facts: ObjectProperties) -> HostSeen:
    state = facts.values.get("runtime.connectionState")
    connected = state == "connected"
    # vCenter answers for a host it has lost with what it remembers; that is not a reading.
    software_iscsi = facts.values.get(_SOFTWARE_ISCSI) if connected else None
    managers = {path: facts.values.get(path) or facts.missing.get(path, _NOT_REPORTED) for path in MANAGER_PATHS}
    return HostSeen(facts.ref, facts.values.get("name") or facts.id, connected, software_iscsi, managers)


def _row(facts: ObjectProperties, host: HostSeen, clusters: Mapping[str, str]) -> dict[str, Any]:
    values = facts.values
    parent, product = values.get("parent"), values.get("summary.config.product")
    booted = values.get("runtime.bootTime")
    cluster_id = parent.value if parent and parent.type == _CLUSTER else None
    return {
        "host_id": host.id,
        "name": host.name,
        "cluster_id": cluster_id,
        "cluster": clusters.get(cluster_id) if cluster_id else None,
        "version": product.version if product else None,
        "build": int(product.build) if product and (product.build or "").isdigit() else None,
        "connection_state": values.get("runtime.connectionState"),
        "hardware_uuid": values.get("summary.hardware.uuid") or None,
        "power_state": values.get("runtime.powerState"),
        "in_maintenance_mode": values.get("runtime.inMaintenanceMode"),
        "boot_time": booted.astimezone(UTC) if booted else None,
        "vsan_enabled": values.get(_VSAN) if host.connected else None,
        "software_iscsi": host.software_iscsi,
    }


def _host_gaps(
    endpoint: Endpoint, facts: ObjectProperties, host: HostSeen, clusters: Mapping[str, str], paths: Sequence[str]
) -> Iterator[Facts]:
    known = facts.values.keys() | facts.missing.keys()
    untold = {path: _NOT_REPORTED for path in _NEEDED if path in paths and path not in known}
    # Without its managers the host is still known; the code that asks them adds the gaps.
    missing = {path: why for path, why in facts.missing.items() if path not in MANAGER_PATHS}
    yield from gaps_of(endpoint, {**missing, **untold}, f"host {host.name}")
    parent = facts.values.get("parent")
    if parent is not None and parent.type == _CLUSTER and parent.value not in clusters:
        yield gap(endpoint, f"cluster of host {host.name}", f"the name of {parent.value} is not reported")
