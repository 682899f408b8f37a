"""What the lab's array answers to `show`: lists of objects by their basetype, as the JSON has them.

Fields and forms: docs/domain/arrays.md#dothill. Values are the lab's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from auditor_lab.arrays.dothill.description import DotHillDescription, HostDescription, LoadDescription, VolumeDescription

Objects: TypeAlias = dict[str, list[dict[str, Any]]]

_BLOCK = 512
_POOL, _HOST, _GROUP = 0x1395_0668, 0xE239_9F61, 0x223A_9F61
_TIER_NUMBERS = {"Performance": 1, "Standard": 2, "Archive": 4, "Read Cache": 8}
_SEVERITIES = {"INFORMATIONAL": 0, "WARNING": 1, "ERROR": 2, "CRITICAL": 3}


def _system(array: DotHillDescription) -> Objects:
    about = {
        "object-name": "system-information",
        "system-name": array.name,
        "midplane-serial-number": array.reported_serial,
        "vendor-name": array.vendor,
        "product-id": array.model,
        "product-brand": array.brand,
        "scsi-vendor-id": array.vendor,
        "scsi-product-id": array.model,
        "health": array.health,
        "health-reason": array.health_reason,
        "other-MC-status": "Operational",
    }
    return {"system": [about]}


def _versions(array: DotHillDescription) -> Objects:
    return {
        "versions": [
            {"object-name": f"controller-{name.lower()}-versions", "bundle-version": array.firmware, "sc-fw": f"{array.firmware}-SC"}
            for name in array.controllers
        ]
    }


def _controllers(array: DotHillDescription) -> Objects:
    return {
        "controllers": [
            {
                "object-name": "controller",
                "durable-id": f"controller_{name.lower()}",
                "controller-id": name,
                "status": state,
                "health": "OK" if state == "Operational" else "Fault",
                "sc-fw": f"{array.firmware}-SC",
                "model": array.model,
                "redundancy-mode": "Active-Active ULP",
                "redundancy-status": "Redundant",
            }
            for name, state in array.controllers.items()
        ]
    }


def pool_serial(array: DotHillDescription, name: str) -> str:
    """The serial number of the pool of that name."""
    return array.serial_of(_POOL + [pool.name for pool in array.pools].index(name), 1)


def _pools(array: DotHillDescription) -> Objects:
    listed = []
    for pool in array.pools:
        serial = pool_serial(array, pool.name)
        tiers = [
            {"object-name": "tiers", "serial-number": f"{serial[:-1]}{number}", "pool": pool.name, "tier": tier, "diskcount": disks}
            for tier, disks in pool.tiers.items()
            if (number := _TIER_NUMBERS[tier])
        ]
        groups = [
            {
                "object-name": "disk-group",
                "name": f"dg{pool.name}{number:02}",
                "storage-tier": "N/A" if pool.linear else tier,
                "raidtype": "RAID6",
                "diskcount": disks,
                "disk-description": "SSD SAS" if tier in ("Performance", "Read Cache") else "SAS",
            }
            for number, (tier, disks) in enumerate(pool.tiers.items(), 1)
        ]
        listed.append(
            {
                "object-name": "pool",
                "name": pool.name,
                "serial-number": serial,
                "storage-type": "Linear" if pool.linear else "Virtual",
                "blocksize": _BLOCK,
                "total-size-numeric": pool.size_bytes // _BLOCK,
                "total-avail-numeric": pool.size_bytes // _BLOCK // 2,
                "owner": pool.owner,
                "preferred-owner": pool.owner,
                "health": "OK",
                "disk-groups": groups,
                **({} if pool.linear else {"tiers": tiers}),
            }
        )
    return {"pools": listed}


def _disks(array: DotHillDescription) -> Objects:
    disks = [(pool, tier) for pool in array.pools for tier, count in pool.tiers.items() for _ in range(count)]
    return {
        "drives": [
            {
                "object-name": "drive",
                "durable-id": f"disk_01.{number:02}",
                "location": f"1.{number}",
                "architecture": "SSD" if tier == "Performance" else "HDD",
                "rpm": 0 if tier == "Performance" else pool.rpm,
                "storage-pool-name": pool.name,
                "health": "OK",
            }
            for number, (pool, tier) in enumerate(disks, 1)
        ]
    }


def _volumes(array: DotHillDescription) -> Objects:
    return {"volumes": [_volume(array, number, one) for number, one in enumerate(array.volumes)]}


def _volume(array: DotHillDescription, number: int, volume: VolumeDescription) -> dict[str, Any]:
    pool = next(pool for pool in array.pools if pool.name == volume.pool)
    owner = volume.owner or pool.owner
    return {
        "object-name": "volume",
        "durable-id": f"V{number}",
        "virtual-disk-name": pool.name,
        "storage-pool-name": pool.name,
        "volume-name": volume.name,
        "size-numeric": volume.size_bytes // _BLOCK,
        "total-size-numeric": volume.size_bytes // _BLOCK,
        "storage-type": "Linear" if pool.linear else "Virtual",
        "preferred-owner": volume.preferred_owner or owner,
        "owner": owner,
        "serial-number": array.serial_of(array.volume_number(volume.name)),
        "volume-type": "base",
        "tier-affinity": volume.tier_affinity,
        "blocksize": _BLOCK,
        "blocks": volume.size_bytes // _BLOCK,
        "volume-parent": volume.parent,
        "virtual-disk-serial": pool_serial(array, pool.name),
        "container-name": pool.name,
        "container-serial": pool_serial(array, pool.name),
        "wwn": array.volume_wwn(volume.name),
        "health": volume.health,
    }


def _load(load: LoadDescription, now: int) -> dict[str, Any]:
    return {
        "bytes-per-second-numeric": load.bytes_per_second,
        "iops": load.iops,
        "number-of-reads": load.iops * 1000,
        "number-of-writes": load.iops * 500,
        "reset-time-numeric": now - 1_000_000,
        "start-sample-time-numeric": now - 5 - load.sample_seconds,
        "stop-sample-time-numeric": now - 5,
    }


def _volume_statistics(array: DotHillDescription) -> Objects:
    now = int(time.time())
    return {
        "volume-statistics": [
            {
                "object-name": "volume-statistics",
                "volume-name": one.name,
                "serial-number": array.serial_of(array.volume_number(one.name)),
                **_load(one.load, now),
            }
            for one in array.volumes
        ]
    }


def _pool_statistics(array: DotHillDescription) -> Objects:
    load = array.pool_load
    figures = {
        "object-name": "resettable-statistics",
        "time-since-reset": 1_000_000,
        "time-since-sample": load.sample_seconds,
        "bytes-per-second-numeric": load.bytes_per_second,
        "iops": load.iops,
        "avg-rsp-time": load.response_us,
    }
    return {
        "pool-statistics": [
            {
                "object-name": "pool-statistics",
                "serial-number": pool_serial(array, pool.name),
                "pool": pool.name,
                "resettable-statistics": [dict(figures)],
            }
            for pool in array.pools
        ]
    }


def _groups(array: DotHillDescription) -> dict[str, str]:
    names = dict.fromkeys(host.group for host in array.hosts if host.group)
    return {name: array.serial_of(_GROUP + number, 2) for number, name in enumerate(names)}


def _host_serials(array: DotHillDescription) -> dict[str, str]:
    names = dict.fromkeys(host.name for host in array.hosts if host.name)
    return {name: array.serial_of(_HOST + number, 2) for number, name in enumerate(names)}


def _initiator(host: HostDescription, name: str, number: int, serial: str, key: str) -> dict[str, Any]:
    return {
        "object-name": "initiator",
        "durable-id": f"I{number}",
        "nickname": "",
        "discovered": "Yes",
        "mapped": "Yes",
        "profile": host.profile,
        "host-bus-type": "iSCSI" if name.startswith("iqn.") else "FC",
        "id": name,
        "host-id": serial,
        "host-key": key,
    }


def _numbered(array: DotHillDescription) -> list[tuple[HostDescription, str, int]]:
    pairs = [(host, name) for host in array.hosts for name in host.initiators]
    return [(host, name, number) for number, (host, name) in enumerate(pairs)]


def _initiators(array: DotHillDescription) -> Objects:
    serials, keys = _host_serials(array), list(_host_serials(array))
    return {
        "initiator": [
            _initiator(host, name, number, serials.get(host.name, "NOHOST"), f"H{keys.index(host.name)}" if host.name else "HU")
            for host, name, number in _numbered(array)
        ]
    }


def _host_groups(array: DotHillDescription) -> Objects:
    """A tree: groups, hosts in them, initiators in these; those in no group are in one that is called so."""
    serials, groups = _host_serials(array), _groups(array)
    listed = []
    for place, (group, group_serial, key) in enumerate(
        [("-ungrouped-", "UNGROUPEDHOSTS", "HGU"), *((name, serial, "") for name, serial in groups.items())]
    ):
        hosts = [
            {
                "object-name": "host",
                "durable-id": f"H{number}",
                "name": name,
                "serial-number": serial,
                "host-group": group_serial,
                "initiator": [_initiator(host, one, at, serial, f"H{number}") for host, one, at in _numbered(array) if host.name == name],
            }
            for number, (name, serial) in enumerate(serials.items())
            if next(host.group for host in array.hosts if host.name == name) == ("" if key else group)
        ]
        listed.append(
            {
                "object-name": "host-group",
                "durable-id": key or f"HG{place}",
                "name": group,
                "serial-number": group_serial,
                "member-count": len(hosts),
                "host": hosts,
            }
        )
    return {"host-group": listed}


def _maps(array: DotHillDescription) -> Objects:
    """What each volume is mapped to, and a row of those that no map names, which is there without a map too (the ME4024's record)."""
    serials, groups = _host_serials(array), _groups(array)
    views = []
    for number, volume in enumerate(array.volumes):
        mappings = [
            {
                "object-name": "host-view",
                "durable-id": f"V{number}_{place}",
                "parent-id": f"V{number}",
                "ports": "0,1",
                "lun": str(number),
                "access": "read-write",
                "access-numeric": 3,
                "identifier": serials.get(name) or groups.get(name) or name,
                "nickname": f"{name}.*" if name in serials else f"{name}.*.*" if name in groups else "",
            }
            for place, name in enumerate(volume.mapped_to)
        ]
        default: dict[str, Any] = {"object-name": "host-view", "durable-id": f"V{number}_ALL", "parent-id": f"V{number}"}
        default |= {"ports": "", "lun": "", "access": "not-mapped", "access-numeric": 0}
        default |= {"identifier": "all other initiators", "nickname": ""}
        views.append(
            {
                "object-name": "volume-view",
                "durable-id": f"V{number}",
                "volume-serial": array.serial_of(array.volume_number(volume.name)),
                "volume-name": volume.name,
                "volume-view-mappings": [*mappings, default],
            }
        )
    return {"volume-group-view": [], "volume-view": views}


def maps_of_initiator(array: DotHillDescription, initiator: str) -> Objects:
    """What one initiator reaches, by itself, its host or its group.

    Source of the fields: Seagate/seagate-exos-x-api-go, initiatorViewResource and hostViewMappingsResource; OpenStack cinder reads `lun`.
    """
    host = next((host for host in array.hosts if initiator in host.initiators), None)
    names = {initiator, *((host.name, host.group) if host else ())} - {""}
    mappings = [
        {
            "object-name": "host-view-mappings",
            "volume": f"V{number}",
            "volume-name": volume.name,
            "volume-serial": array.serial_of(array.volume_number(volume.name)),
            "access": "read-write",
            "access-numeric": 3,
            "lun": str(number),
            "ports": "0,1",
        }
        for number, volume in enumerate(array.volumes)
        if names & set(volume.mapped_to)
    ]
    return {"initiator-view": [{"object-name": "initiator-view", "id": initiator, "hba-nickname": "", "host-view-mappings": mappings}]}


def _alerts(array: DotHillDescription) -> Objects:
    return {
        "alerts": [
            {
                "object-name": "alerts",
                "id": number,
                "component": one.component,
                "condition-id": one.condition,
                "severity": one.severity,
                "severity-numeric": _SEVERITIES[one.severity],
                "resolved": "Yes" if one.resolved else "No",
                "acknowledged": "Yes" if one.acknowledged else "No",
                "reason": one.reason,
            }
            for number, one in enumerate(array.alerts)
        ]
    }


def _ports(array: DotHillDescription) -> Objects:
    targets = iter(array.targets())
    return {
        "port": [
            {
                "object-name": "ports",
                "durable-id": f"hostport_{name}{number}",
                "controller": name,
                "port": f"{name}{number}",
                "port-type": "FC",
                "media": "FC(P)",
                "target-id": next(targets),
                "status": "Up",
                "health": "OK",
            }
            for name in array.controllers
            for number in range(2)
        ]
    }


SHOWN: Mapping[str, Callable[[DotHillDescription], Objects]] = MappingProxyType(
    {
        "alerts": _alerts,
        "controllers": _controllers,
        "disks": _disks,
        "host-groups": _host_groups,
        "initiators": _initiators,
        "maps": _maps,
        "pool-statistics": _pool_statistics,
        "pools": _pools,
        "ports": _ports,
        "system": _system,
        "versions": _versions,
        "volume-statistics": _volume_statistics,
        "volumes": _volumes,
    }
)
"""By what stands behind `show`."""
