"""Initiator groups of NimbleOS, their initiators and what they may reach, as rows of fact tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.nimble.enumerations import OF_OTHERS, OF_VOLUMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

_WWN = re.compile(r"[0-9a-f]{16}")
ANY = "*"
"""Any initiator: in the place of an initiator's IQN, and of an initiator group's name."""


def host_row(group: Record) -> Row:
    """A row of array_host: an initiator group. Source: the SDK, InitiatorGroup: host_type, "auto and hpux"."""
    return {
        "array_host_id": group.identifier("id"),
        "name": group.text("name"),
        "host_group": None,
        "host_type": group.optional_text("host_type") or "",
    }


def initiator_rows(group: Record) -> Iterator[Row]:
    """Rows of array_initiator; a group has iSCSI initiators or Fibre Channel ones, and null for none.

    An initiator whose IQN is "*" is anyone at an address. Who that is cannot be compared with a host's adapters, so it leaves a gap.

    Source: the SDK, Initiator: "the IQN name will be returned as '*'"; cinder's tests, wwpn with colons.
    """
    for field, name, kind in (("iscsi_initiators", "iqn", "iscsi"), ("fc_initiators", "wwpn", "fc")):
        listed = group.value.get(field)
        if listed is None and field in group.value:
            continue
        if not isinstance(listed, list):
            group.parse_errors.add(field, group.label, "is not a list")
            continue
        for each in listed:
            value = each.get(name) if isinstance(each, dict) else None
            initiator = value.lower() if isinstance(value, str) else ""
            initiator = initiator.replace(":", "") if kind == "fc" else initiator
            if initiator == ANY:
                group.parse_errors.add(field, group.label, "admit any initiator that comes from an address")
            elif not initiator or (kind == "fc" and not _WWN.fullmatch(initiator)):
                group.parse_errors.add(field, group.label, "hold what is no initiator's name")
            else:
                yield {"array_host_id": group.identifier("id"), "initiator": initiator, "kind": kind}


def connection_rows(record: Record) -> Iterator[Row]:
    """Rows of array_connection: an access control record of a volume. Those of snapshots and protocol endpoints are none.

    A record without an initiator group lets everyone in, which no list of hosts can tell, so it leaves a gap.

    Source: the SDK, AccessControlRecord; REST API reference 5.1, "GET Syntax Details": initiator_group_id '' and the name "*".
    """
    applies_to = record.listed("apply_to", OF_VOLUMES | OF_OTHERS, needed=True)
    if applies_to not in OF_VOLUMES:
        return
    volume_id = record.identifier("vol_id")
    if record.value.get("initiator_group_id") in ("", None) and "initiator_group_id" in record.value:
        record.parse_errors.add("initiator_group_id", record.label, "is empty: every initiator may reach the volume")
        return
    host_id = record.identifier("initiator_group_id")
    if volume_id is not None and host_id is not None:
        lun = None if record.value.get("lun") is None else record.number("lun")
        yield {"volume_id": volume_id, "array_host_id": host_id, "lun": lun}
