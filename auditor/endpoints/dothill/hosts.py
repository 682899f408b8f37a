"""Hosts of a Dot Hill array, their initiators and what they may reach, as rows of fact tables.

Source: recorded answers, sodafoundation/delfin (host-groups, initiators and maps of an MSA 2040) and
alexandergott-afk/jt-pve-storage-dellemc (host-groups and maps of an ME4024).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.common.topics import Row

_TRANSPORTS = {"FC": "fc", "iSCSI": "iscsi", "SAS": "sas"}  # "iSCSI" and "SAS" are not recorded
_WWPN = re.compile(r"[0-9a-f]{16}")
_NOBODY = frozenset({"nohost", "ungroupedhosts", ""})  # serial numbers of the group and the host of those that are in none
_ACCESS = {"read-write": True, "read-only": True, "not-mapped": False, "no-access": False}  # "read-only", "no-access": not recorded
_EVERYBODY = "all other initiators"


@dataclass(slots=True)
class Known:
    """What the array knows of hosts.

    Attributes:
        hosts: rows of array_host by their id.
        initiators: rows of array_initiator.
        members: the ids of hosts by what a map may name: a host, a group of hosts, an initiator.
    """

    hosts: dict[str, Row] = field(default_factory=dict)
    initiators: list[Row] = field(default_factory=list)
    members: dict[str, set[str]] = field(default_factory=dict)


def known_hosts(groups: Mapping[str, Any], initiators: Mapping[str, Any], parse_errors: ParseErrors) -> Known:
    """Hosts by the tree of `show host-groups`, and initiators by `show initiators`; one without a host is a host of its own."""
    known = Known()
    for group in _objects(groups, "host-group"):
        group_id = str(group.get("serial-number", "")).lower()
        for host in _objects(group, "host"):
            _take(known, Record(host, f"host {host.get('name')}", parse_errors), group_id, group.get("name"))
    for host in _objects(groups, "host"):
        _take(known, Record(host, f"host {host.get('name')}", parse_errors), "", None)
    for one in _objects(initiators, "initiator"):
        _initiator(known, Record(one, f"initiator {one.get('nickname') or one.get('id')}", parse_errors))
    return known


def _take(known: Known, host: Record, group_id: str, group: Any) -> None:
    host_id = host.identifier("serial-number")
    if host_id is None or host_id in _NOBODY:
        return
    is_grouped = group_id not in _NOBODY
    known.hosts[host_id] = _host(host_id, host.text("name"), group if is_grouped and isinstance(group, str) else None)
    known.members.setdefault(host_id, set()).add(host_id)
    if is_grouped:
        known.members.setdefault(group_id, set()).add(host_id)


def _host(host_id: str, name: str | None, group: str | None) -> Row:
    return {"array_host_id": host_id, "name": name, "host_group": group, "host_type": None}


def _initiator(known: Known, record: Record) -> None:
    name = (record.text("id") or "").lower()
    transport = record.listed("host-bus-type", _TRANSPORTS, needed=True)
    if transport in ("FC", "SAS"):
        name = name.replace(":", "").removeprefix("0x")
    if not (_WWPN.fullmatch(name) if transport in ("FC", "SAS") else name.startswith(("iqn.", "eui.", "naa."))):
        record.parse_errors.add("id", record.label, "is no initiator's name")
        return
    by_host = str(record.value.get("host-id") or "").lower()
    host_id = name if by_host in _NOBODY else by_host
    if host_id not in known.hosts:
        nickname = record.value.get("nickname") if host_id == name else None
        known.hosts[host_id] = _host(host_id, nickname if isinstance(nickname, str) and nickname else None, None)
    row, profile = known.hosts[host_id], record.optional_text("profile")
    row["host_type"] = row["host_type"] or profile
    known.members.setdefault(host_id, set()).add(host_id)
    known.members.setdefault(name, set()).add(host_id)
    known.initiators.append({"array_host_id": host_id, "initiator": name, "kind": _TRANSPORTS.get(transport or "")})


def connection_rows(maps: Mapping[str, Any], known: Known, parse_errors: ParseErrors) -> Iterator[Row]:
    """Rows of array_connection: what each volume, and each group of volumes, is mapped to; a volume and a host that two maps name, once.

    A map of "all other initiators" that gives access cannot be told by hosts: it leaves a gap. Each volume has a row of that name without
    access, which is no map (the ME4024's record). In the MSA 2040's a volume that has a map of its own, besides that of its group, stands
    within the group.
    """
    groups = _objects(maps, "volume-group-view")
    views = [*_objects(maps, "volume-view"), *(view for group in groups for view in _objects(group, "volume-view"))]
    seen: set[tuple[str, str]] = set()
    for row in chain(_of_volumes(views, known, parse_errors), _of_groups(groups, known, parse_errors)):
        pair = row["volume_id"], row["array_host_id"]
        if pair not in seen:
            seen.add(pair)
            yield row


def _of_volumes(views: Iterable[Mapping[str, Any]], known: Known, parse_errors: ParseErrors) -> Iterator[Row]:
    for view in views:
        for one in _objects(view, "volume-view-mappings"):
            record = Record(one, f"map of volume {view.get('volume-name')}", parse_errors)
            yield from _rows(record, [(view.get("volume-serial"), one.get("lun"))], known)


def _of_groups(views: Iterable[Mapping[str, Any]], known: Known, parse_errors: ParseErrors) -> Iterator[Row]:
    for view in views:
        for one in _objects(view, "volume-group-view-mappings"):
            record = Record(one, f"map of volume group {view.get('group-name')}", parse_errors)
            luns = _objects(one, "volume-group-view-mappings-luns")
            yield from _rows(record, [(each.get("volume-serial"), each.get("lun")) for each in luns], known)


def _rows(record: Record, volumes: list[tuple[Any, Any]], known: Known) -> Iterator[Row]:
    access = record.listed("access", _ACCESS, needed=True)
    if access is None or not _ACCESS[access]:
        return
    # Of a group's map the MSA 2040 reports an initiator under a name of its own.
    identifier = (record.text("identifier" if "identifier" in record.value else "initiator-id") or "").lower()
    if identifier == _EVERYBODY:
        record.parse_errors.add("identifier", record.label, "gives access to every initiator that no other map names")
        return
    hosts = known.members.get(identifier) or known.members.get(identifier.replace(":", ""))
    if not hosts:
        record.parse_errors.add("identifier", record.label, "names neither a host nor a group of hosts nor an initiator that was listed")
        return
    for volume_id, lun in volumes:
        if not isinstance(volume_id, str) or not volume_id:
            record.parse_errors.add("volume-serial", record.label, "is missing")
            continue
        number = int(lun) if str(lun).isdecimal() else None
        yield from ({"volume_id": volume_id.lower(), "array_host_id": host, "lun": number} for host in sorted(hosts))


def _objects(of: Mapping[str, Any], under: str) -> list[Mapping[str, Any]]:
    listed = of.get(under)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
