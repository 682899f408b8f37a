"""Hosts of a FlashArray, their initiators and what they may reach, as rows of fact tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import Record, objects
from auditor.endpoints.flasharray.enumerations import PERSONALITIES
from auditor.endpoints.flasharray.rows import reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row

_WWN = re.compile(r"[0-9a-f]{16}")
_PEER = re.compile(r"[^:]+:(?!:).+")  # "array:host", "array:pod::host"


def is_of_a_peer(record: Mapping[str, Any]) -> bool:
    """Whether an object of a list belongs to another array, which alone may be asked for it and changed.

    An array lists hosts, host groups and connections of the arrays it replicates with as "array:name"; a pod's or realm's own are
    "pod::name".

    Source: OpenAPI definitions, Host, HostGroup, Connection: is_local, "false if it is defined on a remote array". The form of the name:
    recorded answers of an array of Purity 6.3.3, on which 15 of 31 hosts are "ARRAY:NAME" with is_local false.
    """
    if isinstance(is_local := record.get("is_local"), bool):
        return not is_local
    name = record.get("name")
    return isinstance(name, str) and _PEER.fullmatch(name) is not None


def is_destroyed(record: Mapping[str, Any]) -> bool:
    """Whether an object awaits its end, and serves nobody until it is recovered.

    Source: OpenAPI definitions, Host.destroyed and HostGroup.destroyed: "destroyed with its container realm and is pending eradication".
    """
    return record.get("destroyed") is True


def _is_to_a_peer(connection: Mapping[str, Any]) -> bool:
    """Whether a connection, or one of its ends, is a peer's."""
    ends = (connection.get(name) for name in ("host", "host_group"))
    return is_of_a_peer(connection) or any(isinstance(end, dict) and is_of_a_peer(end) for end in ends)


def host_row(host: Record) -> Row:
    """A row of array_host; hosts have no id but their name."""
    return {
        "array_host_id": host.identifier("name"),
        "name": host.text("name"),
        "host_group": reference(host, "host_group")[1],
        "host_type": "" if host.value.get("personality") is None else host.listed("personality", PERSONALITIES),
    }


def initiator_rows(host: Record) -> Iterator[Row]:
    """Rows of array_initiator; world wide names with or without colons. Source: recorded answers; OpenAPI definitions, Host."""
    for name, kind in (("wwns", "fc"), ("iqns", "iscsi"), ("nqns", "nvme")):
        listed = host.value.get(name)
        if listed is None and name in host.value:
            continue
        if not isinstance(listed, list):
            host.parse_errors.add(name, host.label, "is not a list")
            continue
        for each in listed:
            initiator = (
                each.lower().replace(":", "") if isinstance(each, str) and kind == "fc" else each.lower() if isinstance(each, str) else ""
            )
            if not initiator or (kind == "fc" and not _WWN.fullmatch(initiator)):
                host.parse_errors.add(name, host.label, "holds what is no initiator's name")
                continue
            yield {"array_host_id": host.identifier("name"), "initiator": initiator, "kind": kind}


def connection_rows(answer: Mapping[str, Any], parse_errors: ParseErrors) -> Iterator[Row]:
    """Rows of array_connection of one page; connections have no id.

    The array reports each host of a group's connection; those of a peer's hosts are left out. `lun` of a vVol holds its protocol
    endpoint's as well. Source: recorded answers; OpenAPI definitions, Connection; an NVMe connection may have a namespace id instead of a
    LUN.
    """
    for place, value in objects(answer, "items", parse_errors):
        if _is_to_a_peer(value):
            continue
        record = Record(value, f"connection {place}", parse_errors)
        volume, host = record.inner("volume"), record.inner("host")
        if volume is None or host is None or ("name" in host.value and host.value["name"] is None):
            continue
        volume_id, host_id = volume.identifier("id"), host.identifier("name")
        if volume_id is None or host_id is None:
            continue
        yield {"volume_id": volume_id, "array_host_id": host_id, "lun": None if value.get("lun") is None else record.number("lun")}
