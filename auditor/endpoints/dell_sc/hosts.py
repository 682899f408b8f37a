"""Reads the servers that a Storage Center knows, and which volumes they reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch
from auditor.endpoints.dell_sc import rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.dell_sc.reading import Center, Reading
    from auditor.facts.schema import Batch
    from auditor.model import Gap

_CLUSTER = "ScServerCluster"


def array_hosts(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """Servers with their initiators, and for each the cluster it is in; a cluster is no host.

    Source: recorded servers have parentIndex, 0 for none. That it is the number of the cluster is not verified, nor is the class of a
    cluster, which PowerShell scripts name.
    """
    parse_errors = ParseErrors("ScServer/GetList")
    listed = list(reading.objects("ScServer", center, parse_errors))
    clusters = {str(one.identifier("instanceId")): one for one in listed if one.value.get("objectType") == _CLUSTER}
    members: dict[str, list[str]] = {cluster_id: [] for cluster_id in clusters}
    table_rows = []
    for server in listed:
        server_id = str(server.identifier("instanceId"))
        if server_id in clusters:
            continue
        parent = f"{center.serial}.{server.number('parentIndex')}"
        if parent in clusters:
            members[parent].append(server_id)
        table_rows.append(rows.host_row(server, clusters[parent].text("name") if parent in clusters else None))
    gaps = list(parse_errors.gaps(reading.endpoint.name))
    center.members = None if gaps else members
    yield batch("array_host", reading.endpoint.name, table_rows)
    yield from gaps
    yield from _initiators(reading, center)


def _initiators(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """Source: CoprHD's client: an initiator that was seen, and given to no server, has none."""
    parse_errors = ParseErrors("ScServerHba/GetList")
    table_rows = []
    for hba in reading.objects("ScServerHba", center, parse_errors):
        owner_id = _named(hba, "server") if hba.value.get("server") is not None else None
        if owner_id is not None:
            table_rows.append(rows.initiator_row(hba, owner_id))
    yield batch("array_initiator", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def connections(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """One row for a volume, a host and a LUN; what a cluster is mapped to, each of its servers reaches.

    Source: CoprHD's client asks ScMappingProfile/GetList; a recorded mapping profile names one volume and one server.
    """
    parse_errors = ParseErrors("ScMappingProfile/GetList")
    mappings: dict[tuple[str, str, int | None], None] = {}  # a cluster's mapping may be reported for each of its servers as well
    for mapping in reading.objects("ScMappingProfile", center, parse_errors):
        volume_id, server_id = _named(mapping, "volume"), _named(mapping, "server")
        if volume_id is None or server_id is None:
            continue
        for host_id in _servers(mapping, server_id, center):
            mappings |= {(volume_id, host_id, lun): None for lun in rows.luns(mapping)}
    table: list[Row] = [{"volume_id": volume_id, "array_host_id": host_id, "lun": lun} for volume_id, host_id, lun in mappings]
    yield batch("array_connection", reading.endpoint.name, table)
    yield from parse_errors.gaps(reading.endpoint.name)


def _servers(mapping: Record, server_id: str, center: Center) -> list[str]:
    """The hosts that a mapping is for."""
    if mapping.value["server"].get("objectType") != _CLUSTER:
        return [server_id]
    if center.members is None or server_id not in center.members:
        mapping.parse_errors.add("server", mapping.label, "is a cluster, and which servers are in it was not read")
        return []
    return center.members[server_id]


def _named(record: Record, name: str) -> str | None:
    """The id of another object."""
    reference = record.inner(name)
    return reference.identifier("instanceId") if reference else None
