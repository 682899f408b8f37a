"""One record of WSAPI to one row of a fact table.

Source of the fields: HewlettPackard/hpe3par_ruby_sdk at 39a14bb, lib/Hpe3parSdk/models.rb, and hpe-storage/python-3parclient at b7eee9d,
test/HPE3ParMockServer_flask.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor_hpe3par import FAMILY
from auditor_hpe3par.enumerations import DISK_TYPES, PERSONAS, RAID_TYPES, STATES, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor_hpe3par.qos import InForce

MIB = 1 << 20
_WWN = re.compile(r"(?:[0-9a-f]{16}){1,2}")
_PATHS = (("FCPaths", "wwn", "fc"), ("iSCSIPaths", "name", "iscsi"), ("NVMETCPPaths", "NQN", "nvme"))
_PORT_NAME = re.compile(r"[0-9a-f]{16}")


def array_row(system: Record) -> Row:
    """A row of array."""
    return {
        "family": FAMILY,
        "name": system.text("name"),
        "array_id": system.text("serialNumber"),
        "version": system.text("systemVersion"),
        "model": system.text("model"),
    }


def node_rows(system: Record) -> Iterator[Row]:
    """Rows of array_node: the nodes of the cluster, up where they are among those online.

    Whether a node that is down stays in clusterNodes no source says: where totalNodes counts more, those that are missing are not known.
    """
    nodes, online = _numbers(system, "clusterNodes"), _numbers(system, "onlineNodes")
    if online is None:
        return
    total = None if system.value.get("totalNodes") is None else system.number("totalNodes")
    if total is not None and nodes is not None and total > len(nodes):
        system.parse_errors.add("totalNodes", system.label, f"is {total}, and clusterNodes names {len(nodes)}")
    for number in nodes or ():
        yield {"node_id": str(number), "name": f"node {number}", "state": "up" if number in online else "down"}


def _numbers(system: Record, name: str) -> list[int] | None:
    value = system.value.get(name)
    if isinstance(value, list) and all(type(number) is int for number in value):
        return value
    system.parse_errors.add(name, system.label, "is not a list of numbers")
    return None


def pool_row(cpg: Record) -> Row:
    """A row of array_pool: a common provisioning group. Its media is NULL where its layout names no kind of disks."""
    growth = cpg.value.get("SDGrowth")
    layout = growth.get("LDLayout") if isinstance(growth, dict) else None
    layout = layout if isinstance(layout, dict) else {}
    patterns = layout.get("diskPatterns")
    kinds = {one.get("diskType") for one in patterns if isinstance(one, dict)} if isinstance(patterns, list) else set()
    media = {DISK_TYPES.get(kind) if type(kind) is int else None for kind in kinds}
    size = None if cpg.value.get("totalSpaceMiB") is None else cpg.number("totalSpaceMiB")
    raid = layout.get("RAIDType")
    return {
        "pool_id": cpg.text("name"),
        "name": cpg.text("name"),
        "media": None if None in media or not media else media.pop() if len(media) == 1 else "mixed",
        "raid_type": RAID_TYPES.get(raid) if type(raid) is int else None,
        "size_bytes": None if size is None else size * MIB,
    }


def volume_row(volume: Record, held: InForce) -> Row:
    """A row of array_volume; every name in WSAPI is that of a volume, so that the name is its id.

    A domain may have QoS rules that WSAPI does not list: the other levels of a volume in one are not read. Source: HPE's PowerShell toolkit
    asks System Reporter for the statistics of rules of a "domain:"; the guide of WSAPI 1.3.1 has rules of vvset and sys alone.
    """
    size = volume.number("sizeMiB")
    return {
        "volume_id": volume.text("name"),
        "name": volume.text("name"),
        "kind": "lun",
        "serial": volume.text("wwn"),
        "device": device_of(volume, "wwn"),
        "is_virtual": False,
        "status": word(volume, "state", STATES),
        "size_bytes": None if size is None else size * MIB,
        "pool_id": volume.optional_text("userCPG"),
        "copy_of": volume.optional_text("copyOf"),
        **held.columns(),
        "qos_levels_read": not volume.optional_text("domain"),
    }


def device_of(record: Record, name: str) -> str | None:
    """The name by which hosts see a WWN: "naa." and 32 hexadecimal digits, or 16 of older volumes."""
    value = record.text(name)
    if value is None:
        return None
    if not _WWN.fullmatch(value.lower()):
        record.parse_errors.add(name, record.label, "is not 16 or 32 hexadecimal digits")
        return None
    return f"naa.{value.lower()}"


def host_row(host: Record, sets: list[str]) -> Row:
    """A row of array_host; `sets`: the host sets that it is in."""
    return {
        "array_host_id": host.text("name"),
        "name": host.text("name"),
        "host_group": ", ".join(sorted(sets)) or None,
        "host_type": word(host, "persona", PERSONAS),
    }


def initiator_rows(host: Record) -> Iterator[Row]:
    """Rows of array_initiator. One initiator is listed for each port that it is logged in to.

    A list of paths that is left out is empty, as a host has those of its own kind alone; where all are left out, none was reported.

    Source: models of the Ruby SDK: a host "can include" each list; python-3parclient, getHostByNqn: NVMETCPPaths[].NQN.
    """
    seen: set[tuple[str, str]] = set()
    if all(host.value.get(field) is None for field, _, _ in _PATHS):
        host.parse_errors.add("paths", host.label, "are missing")
    for field, name, kind in _PATHS:
        listed = host.value.get(field) or []
        if not isinstance(listed, list):
            host.parse_errors.add(field, host.label, "is not a list")
            continue
        for path in listed:
            value = path.get(name) if isinstance(path, dict) else None
            initiator = value.lower() if isinstance(value, str) else ""
            initiator = initiator.replace(":", "") if kind == "fc" else initiator
            if not initiator or (kind == "fc" and not _PORT_NAME.fullmatch(initiator)):
                host.parse_errors.add(field, host.label, "hold what is no initiator's name")
            elif (kind, initiator) not in seen:
                seen.add((kind, initiator))
                yield {"array_host_id": host.text("name"), "initiator": initiator, "kind": kind}
