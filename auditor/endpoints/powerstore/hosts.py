"""Hosts of a PowerStore, their initiators and what they may reach, as rows of fact tables.

Source: the vendor's OpenAPI definitions of REST 4.1: host_instance, initiator_instance, host_volume_mapping_instance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import Record
from auditor.endpoints.powerstore.enumerations import INITIATORS, OS_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row

INITIATOR_SINCE = (3, 0)
"""From this release on a host's initiators are objects of their own; before it they stand in host_initiators."""

_WWN = re.compile(r"[0-9a-f]{16}")


@dataclass(slots=True)
class Hosts:
    """What was read of them.

    Attributes:
        rows: of array_host.
        initiators: rows of array_initiator.
        protocols: kinds of initiators, by the host's id.
        members: ids of hosts, by the host group's id.
    """

    rows: list[Row] = field(default_factory=list)
    initiators: list[Row] = field(default_factory=list)
    protocols: dict[str, set[str]] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)


def hosts_of(listed: Iterable[Record], groups: Mapping[str, str | None] | None, under: str) -> Hosts:
    """The rows of hosts and their initiators.

    Args:
        listed: records of GET host.
        groups: names of host groups by id; None where they were not read.
        under: the field that holds a host's initiators.
    """
    found = Hosts()
    for host in listed:
        host_id, group_id = host.identifier("id") or "", host.reference("host_group_id")
        if group_id is not None:
            found.members.setdefault(group_id, []).append(host_id)
        found.rows.append(
            {
                "array_host_id": host_id,
                "name": host.text("name"),
                "host_group": None if group_id is None or groups is None else groups.get(group_id),
                "host_type": "" if host.value.get("os_type") is None else host.listed("os_type", OS_TYPES),
            }
        )
        own = list(_initiators(host, host_id, under))
        found.protocols[host_id] = {row["kind"] for row in own}
        found.initiators += own
    return found


def _initiators(host: Record, host_id: str, under: str) -> Iterator[Row]:
    listed = host.value.get(under)
    if listed is None and under in host.value:
        return
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        host.parse_errors.add(under, host.label, "is no list of objects")
        return
    seen = set()
    for each in listed:
        record = Record(each, host.label, host.parse_errors, f"{under}.")
        name, own_kind = record.text("port_name"), record.listed("port_type", INITIATORS, needed=True)
        if name is None or own_kind is None:
            continue
        kind = INITIATORS[own_kind]
        initiator = name.lower().replace(":", "") if kind == "fc" else name.lower()
        if not initiator or (kind == "fc" and not _WWN.fullmatch(initiator)):
            host.parse_errors.add(f"{under}.port_name", host.label, "holds what is no initiator's name")
        elif initiator not in seen:  # NVMe and NVMe_vVol may have one name
            seen.add(initiator)
            yield {"array_host_id": host_id, "initiator": initiator, "kind": kind}


def connection_rows(listed: Iterable[Record], hosts: Hosts | None, parse_errors: ParseErrors) -> Iterator[Row]:
    """Rows of array_connection: a row for each host, also of a group that may reach a volume; a group without hosts reaches nothing.

    Args:
        listed: records of GET host_volume_mapping.
        hosts: whose groups are known; None where they were not read.
        parse_errors: about the mappings.
    """
    seen: set[tuple[str, str]] = set()
    for mapping in listed:
        volume_id, host_id, group_id = mapping.identifier("volume_id"), mapping.reference("host_id"), mapping.reference("host_group_id")
        lun = None if mapping.value.get("logical_unit_number") is None else mapping.number("logical_unit_number")
        if volume_id is None:
            continue
        if host_id is None and group_id is None:
            parse_errors.add("host_id", mapping.label, "names neither a host nor a host group")
            continue
        if host_id is None and hosts is None:
            parse_errors.add("host_group_id", mapping.label, "is a group whose hosts were not read")
            continue
        members = [host_id] if host_id is not None else hosts.members.get(group_id or "", []) if hosts is not None else []
        for member in members:
            if (volume_id, member) not in seen:
                seen.add((volume_id, member))
                yield {"volume_id": volume_id, "array_host_id": member, "lun": lun}
