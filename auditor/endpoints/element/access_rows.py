"""One record of who may reach an Element cluster to one row of a fact table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row

_WWPN = re.compile(r"[0-9a-f]{16}|(?:[0-9a-f]{2}:){7}[0-9a-f]{2}")
_ISCSI = re.compile(r"(?:iqn\.|eui\.|naa\.)\S+")
_ADDRESS = re.compile(r"\[([0-9A-Fa-f:.%]+)\](?::\d+)?|([^\s:]+)(?::\d+)?|([0-9A-Fa-f:]+)")


def access_group_row(group: Record) -> Row:
    """A row of array_host; Element takes hosts for nothing in particular, and does not group them further."""
    return {"array_host_id": group.identifier("volumeAccessGroupID"), "name": group.text("name"), "host_group": None, "host_type": None}


def initiator(name: str) -> tuple[str, str] | None:
    """An initiator's name as hosts write it, and its kind, iscsi or fc; None when it is neither.

    Source: API reference, initiator: "in IQN or WWPN format"; ListFibreChannelSessions shows WWPNs with colons.
    """
    lower = name.strip().lower()
    if _WWPN.fullmatch(lower):
        return lower.replace(":", ""), "fc"
    return (lower, "iscsi") if _ISCSI.fullmatch(lower) else None


def iscsi_session_row(session: Record) -> Row:
    """A row of array_session; a session may be with no volume (API reference, session (iSCSI): "if any").

    0 is the id of no volume: Element reports it where an object refers to none (API reference, fault: nodeID, serviceID, driveID).
    """
    has_volume = session.value.get("volumeID") not in (None, 0)
    return {
        "session_id": session.identifier("sessionID"),
        "volume_id": session.identifier("volumeID") if has_volume else None,
        "node_id": session.identifier("nodeID"),
        "initiator": _initiator(session, "initiatorName"),
        "initiator_address": _address(session, "initiatorIP"),
    }


def fibre_channel_session_row(session: Record) -> Row:
    """A row of array_session, with its two ports for an id; session_id is NULL when one of them was not understood."""
    ours, theirs = _initiator(session, "initiatorWWPN"), _initiator(session, "targetWWPN")
    return {
        "session_id": f"{ours}-{theirs}" if ours and theirs else None,
        "volume_id": None,
        "node_id": session.identifier("nodeID"),
        "initiator": ours,
        "initiator_address": None,
    }


def texts(record: Record, name: str) -> list[str]:
    """The strings of a list; anything else in it is reported as a parse error."""
    return [str(each) for each in _entries(record, name) if _is(record, name, each, isinstance(each, str))]


def identifiers(record: Record, name: str) -> list[str]:
    """The ids of a list, as text."""
    return [str(each) for each in _entries(record, name) if _is(record, name, each, type(each) is int)]


def _entries(record: Record, name: str) -> list[object]:
    return list(record.value[name]) if record.length(name) is not None else []


def _is(record: Record, name: str, each: object, good: bool) -> bool:
    if not good:
        record.parse_errors.add(name, record.label, f"holds a {type(each).__name__}, which was left out")
    return good


def _initiator(record: Record, name: str) -> str | None:
    text = record.text(name)
    name_and_kind = initiator(text) if text is not None else None
    if text is not None and name_and_kind is None:
        record.parse_errors.add(name, record.label, "is neither an iSCSI name nor a WWPN")
    return name_and_kind[0] if name_and_kind else None


def _address(record: Record, name: str) -> str | None:
    """An address without its port; "10.0.0.149:33196" was recorded."""
    text = record.text(name)
    match = _ADDRESS.fullmatch(text) if text is not None else None
    if text is not None and match is None:
        record.parse_errors.add(name, record.label, "is no address")
    return next(part for part in match.groups() if part) if match else None
