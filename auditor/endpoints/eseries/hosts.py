"""Reads the hosts that an E-Series array knows, and which volumes they reach."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, objects
from auditor.endpoints.common.topics import batch, optional
from auditor.endpoints.eseries import rows
from auditor.endpoints.eseries.reading import NULL_REF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.eseries.reading import Reading, System
    from auditor.facts.schema import Batch
    from auditor.model import Gap


def array_hosts(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """Hosts with their initiators, the group each is in, and what the array takes it for.

    Source: netappeseries/santricity, netapp_e_host.py asks hosts, host-groups and host-types; HostEx has hostSidePorts.
    """
    name = reading.endpoint.name
    types = yield from optional(name, "host-types, by which the type of a host is known", partial(_types, reading, system))
    groups = yield from optional(name, "host-groups, by which the group of a host is known", partial(_groups, reading, system))
    parse_errors = ParseErrors("hosts")
    table_rows: list[Row] = []
    initiators: list[Row] = []
    members: dict[str, list[str]] = {group: [] for group in groups or ()}
    for host in reading.listed(system, "hosts", "hostRef", parse_errors):
        row = rows.host_row(host, system, types, groups or {})
        table_rows.append(row)
        members.setdefault(str(host.value.get("clusterRef")), []).append(row["array_host_id"])
        initiators += _initiators(host, row["array_host_id"])
    yield batch("array_host", name, table_rows)
    yield batch("array_initiator", name, initiators)
    whole = groups is not None and not parse_errors.any
    system.host_ids = {row["array_host_id"] for row in table_rows} if whole else None
    system.host_groups = members if whole else None
    yield from parse_errors.gaps(name)


def _types(reading: Reading, system: System) -> dict[int, str]:
    listed = reading.listed(system, "host-types", "index", ParseErrors("host-types"))
    return dict(known for one in listed if (known := rows.type_code(one)) is not None)


def _groups(reading: Reading, system: System) -> dict[str, str]:
    listed = reading.listed(system, "host-groups", "clusterRef", ParseErrors("host-groups"))
    return {str(one.value["clusterRef"]): one.optional_text("label") or str(one.value.get("name")) for one in listed}


def _initiators(host: Record, host_id: str) -> Iterator[Row]:
    for place, port in objects(host.value, "hostSidePorts", host.parse_errors):
        row = rows.initiator_row(Record(port, f"port {place} of {host.label}", host.parse_errors), host_id)
        if row is not None:
            yield row


def connections(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """One row for a volume and a host; what a group is mapped to, each of its hosts reaches.

    The access volume, by which a host may manage the array, is no storage and gets no row.

    Source: openstack/cinder, eseries/host_mapper.py: mapRef of volume-mappings is a host's reference or that of its group.
    """
    parse_errors = ParseErrors("volume-mappings")
    access = system.about.value.get("accessVolume")
    not_storage = {access.get(name) for name in ("accessVolumeRef", "id")} - {None} if isinstance(access, dict) else set()
    pairs: dict[tuple[str, str], int | None] = {}
    for mapping in reading.listed(system, "volume-mappings", "lunMappingRef", parse_errors):
        volume = mapping.identifier("volumeRef")
        if volume is None or mapping.value["volumeRef"] in not_storage:
            continue
        volume_id, lun = system.key(volume), mapping.number("lun")
        if system.volume_ids is not None and volume_id not in system.volume_ids:
            parse_errors.add("volumeRef", mapping.label, "is none of the volumes that were listed")
        for host_id in _reached(mapping, system):
            if (volume_id, host_id) in pairs:
                parse_errors.add("the pair", f"volume {volume_id} and host {host_id}", "came twice; the second record was left out")
            pairs.setdefault((volume_id, host_id), lun)
    table: list[Row] = [{"volume_id": volume_id, "array_host_id": host_id, "lun": lun} for (volume_id, host_id), lun in pairs.items()]
    yield batch("array_connection", reading.endpoint.name, table)
    yield from parse_errors.gaps(reading.endpoint.name)


def _reached(mapping: Record, system: System) -> list[str]:
    """The hosts that a mapping is for.

    A mapping to no host and no group is one of the default group, whose members no public source tells.
    """
    reference = mapping.text("mapRef")
    if reference is None:
        return []
    if system.host_ids is None or system.host_groups is None:
        mapping.parse_errors.add("mapRef", mapping.label, "may be of a group, and the hosts were not all read")
        return [system.key(reference)] if mapping.value.get("type") == "host" else []
    if system.key(reference) in system.host_ids:
        return [system.key(reference)]
    if reference in system.host_groups and reference != NULL_REF:
        return system.host_groups[reference]
    mapping.parse_errors.add("mapRef", mapping.label, "is neither a host nor a group; which hosts the default group has is not known")
    return []
