"""Small resources of the lab's FlashArray, which clients read besides volumes and hosts: most are empty or fixed.

Source of the paths: the vendor's Python client for REST 2.15.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray import ports, records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor_lab.arrays.flasharray.array import FlashArray, Host
    from auditor_lab.arrays.flasharray.parts import AlertDescription

WITHOUT_OBJECTS = (
    "alert-watchers",
    "array-connections",
    "directories",
    "directory-exports",
    "directory-snapshots",
    "drives",
    "file-systems",
    "hosts/tags",
    "maintenance-windows",
    "pod-replica-links",
    "policies",
    "policies/nfs",
    "policies/quota",
    "policies/smb",
    "policies/snapshot",
    "protection-group-snapshots",
    "protection-group-snapshots/transfer",
    "protection-groups",
    "virtual-machine-snapshots",
    "virtual-machines",
    "volume-snapshots",
)
"""The lab has no snapshots, files, replication or policies."""

WITHOUT_FIELDS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "array-connections/connection-key": {"connection_key": "****"},
        "support": {"remote_assist_status": "disconnected", "remote_assist_active": False, "phonehome_enabled": False},
    }
)
"""Resources with one object, which depends on nothing."""


def array_space(state: FlashArray, _: object) -> dict[str, Any]:
    """The space of the whole array. Source: the vendor's Python client for REST 2.15, ArraySpace; not recorded."""
    whole = records.array(state, None)
    return {key: whole[key] for key in ("name", "id", "capacity", "parity", "space")} | {"time": records.LAB_TIME_MS}


def host_balance(state: FlashArray) -> list[tuple[Host, Any]]:
    """Each host with each port of the array that it can use."""
    return list(_pairs(state))


def _pairs(state: FlashArray) -> Iterator[tuple[Host, Any]]:
    for host in state.hosts.values():
        for port in ports.target_ports(state.description):
            yield host, port


def balance(_: FlashArray, pair: tuple[Host, Any]) -> dict[str, Any]:
    """How much of a host's I/O arrives at a port: even, as round robin does it. Source: as above, HostPerformanceBalance; not recorded."""
    host, port = pair
    return {
        "name": host.described.name,
        "fraction_relative_to_max": 1.0,
        "op_count": host.described.load.reads_per_sec + host.described.load.writes_per_sec,
        "time": records.LAB_TIME_MS,
        "initiator": {"iqn": None, "nqn": None, "wwn": next(iter(host.described.wwns), None)},
        "target": {"name": port.name, "failover": None},
    }


def alert(state: FlashArray, item: AlertDescription) -> dict[str, Any]:
    """An alert, with the fields of recorded ones."""
    place = state.description.alerts.index(item) + 1
    about = f"({item.component_type}:{item.component_name}): {item.issue}"
    return {
        "description": f"{about} Expected: , Actual: ",
        "created": records.LAB_TIME_MS,
        "state": item.state,
        "component_type": item.component_type,
        "name": str(place),
        "id": state.description.derived_id("alert", place),
        "code": item.code,
        "category": "array",
        "severity": item.severity,
        "flagged": False,
        "updated": records.LAB_TIME_MS,
        "closed": records.LAB_TIME_MS if item.state == "closed" else None,
        "notified": None,
        "component_name": item.component_name,
        "expected": "",
        "actual": "",
        "issue": item.issue,
        "knowledge_base_url": f"https://support.purestorage.com/?cid=Alert_{item.code:04d}",
        "summary": about,
    }
