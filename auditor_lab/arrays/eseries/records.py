"""The answers of a simulated E-Series array, as JSON objects.

Fields are a part of those in NetApp/santricity-webapi-javasdk's models and in cinder's tests; sizes are strings, as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.eseries.description import CONTROLLERS, HOST_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from auditor_lab.arrays.eseries.description import HostDescription, PoolDescription, VolumeDescription
    from auditor_lab.arrays.eseries.system import StorageSystem

Records = list[dict[str, Any]]
NULL_REF = "0" * 40
_ACCESS = "2100000060080E500023C73400000000000000FF"


def system(state: StorageSystem) -> dict[str, Any]:
    """What the Web Services tell of one storage system."""
    described = state.description
    return {
        "id": described.id,
        "name": described.name,
        "wwn": described.reported_wwn.upper(),
        "passwordStatus": described.login_status,
        "status": described.status,
        "model": described.model,
        "fwVersion": described.firmware,
        "driveCount": sum(pool.drives for pool in described.pools),
        "trayCount": 1,
        "chassisSerialNumber": "021502000123",
        "accessVolume": {"enabled": True, "accessVolumeRef": _ACCESS, "id": _ACCESS, "name": "Access"},
        "autoLoadBalancingEnabled": described.auto_load_balancing,
        "hostConnectivityReportingEnabled": True,
    }


def controller_ref(letter: str) -> str:
    """The reference of a controller."""
    return f"07000000000000000000000{CONTROLLERS.index(letter) + 1}"


def pool_ref(state: StorageSystem, pool: PoolDescription) -> str:
    """The reference of a pool."""
    return f"04000000{state.description.wwn[:16].upper()}{state.description.pools.index(pool) + 1:016X}"


def volume_ref(state: StorageSystem, volume: VolumeDescription) -> str:
    """The reference of a volume: its kind and its world-wide name."""
    return f"{'3A' if volume.is_thin else '02'}000000{state.description.naa(volume.name).upper()}"


def host_ref(state: StorageSystem, host: HostDescription) -> str:
    """The reference of a host."""
    return f"84000000{state.description.wwn[:16].upper()}{list(state.hosts).index(host.name) + 1:016X}"


def group_ref(state: StorageSystem, group: str) -> str:
    """The reference of a host group."""
    return f"85000000{state.description.wwn[:16].upper()}{state.host_groups.index(group) + 1:016X}"


def _controllers(state: StorageSystem) -> Records:
    described = state.description
    return [
        {
            "controllerRef": controller_ref(letter),
            "id": controller_ref(letter),
            "active": True,
            "status": state.controllers[letter],
            "modelName": described.model,
            "appVersion": described.firmware,
            "serialNumber": f"02143600{place:04d}",
            "physicalLocation": {"trayRef": f"0E{'0' * 38}", "slot": place + 1, "label": letter},
        }
        for place, letter in enumerate(CONTROLLERS)
    ]


def _drives(state: StorageSystem) -> Records:
    """The drives of each pool, and a hot spare that is in none."""
    drives = [
        {"driveRef": f"0100000050{number:030X}", "currentVolumeGroupRef": pool_ref(state, pool), "driveMediaType": pool.media}
        for place, pool in enumerate(state.description.pools)
        for number in range(place * 1000, place * 1000 + pool.drives)
    ]
    return [*drives, {"driveRef": f"01000000FF{'0' * 30}", "currentVolumeGroupRef": NULL_REF, "hotSpare": True}]


def _pools(state: StorageSystem) -> Records:
    return [
        {
            "volumeGroupRef": pool_ref(state, pool),
            "id": pool_ref(state, pool),
            "label": pool.name,
            "name": pool.name,
            "raidLevel": pool.raid_level,
            "diskPool": pool.raid_level == "raidDiskPool",
            "driveMediaType": pool.media,
            "spindleSpeed": pool.rpm if pool.media == "hdd" else 0,
            "totalRaidedSpace": str(pool.size_bytes),
            "state": "complete",
            "raidStatus": "optimal",
        }
        for pool in state.description.pools
    ]


def _volume(state: StorageSystem, volume: VolumeDescription) -> dict[str, Any]:
    described = state.description
    pool = next(one for one in described.pools if one.name == volume.pool)
    preferred, owner = controller_ref(volume.preferred), controller_ref(volume.owner or volume.preferred)
    cache = {
        "writeCacheEnable": volume.write_cache != "off",
        "writeCacheActive": volume.write_cache == "on",
        "readCacheEnable": True,
        "readCacheActive": True,
        "mirrorEnable": True,
        "readAheadMultiplier": 1,
        "cacheFlushModifier": "flush10Sec",
        "cwob": False,
    }
    return {
        "volumeRef": volume_ref(state, volume),
        "id": volume_ref(state, volume),
        "label": volume.name,
        "name": volume.name,
        "worldWideName": described.naa(volume.name).upper(),
        "wwn": described.naa(volume.name).upper(),
        "capacity": str(volume.size_bytes),
        "totalSizeInBytes": str(volume.size_bytes),
        "blkSize": 512,
        "segmentSize": 131_072,
        "flashCached": False,
        "metadata": [],
        "status": volume.status,
        "volumeUse": "standardVolume",
        "objectType": "thinVolume" if volume.is_thin else "volume",
        "thinProvisioned": volume.is_thin,
        "volumeGroupRef": pool_ref(state, pool),
        "currentManager": owner,
        "preferredManager": preferred,
        "currentControllerId": owner,
        "preferredControllerId": preferred,
        "cache": cache,
        "cacheSettings": cache,
        "mapped": bool(volume.mapped_to),
        "listOfMappings": [one for one in _mappings(state) if one["volumeRef"] == volume_ref(state, volume)],
    }


def _volumes(state: StorageSystem, *, thin: bool) -> Records:
    return [_volume(state, one) for one in state.volumes.values() if one.is_thin is thin]


def _host_groups(state: StorageSystem) -> Records:
    return [{"clusterRef": group_ref(state, one), "id": group_ref(state, one), "label": one, "name": one} for one in state.host_groups]


def _host(state: StorageSystem, host: HostDescription) -> dict[str, Any]:
    own = host_ref(state, host)
    sides = [{"type": host.port_type, "address": port, "label": f"{host.name}_{place}"} for place, port in enumerate(host.ports)]
    kept: Records = [
        {"id": f"82000000{own[8:30]}{place:010X}", "label": side["label"], "hostRef": own, "hostPortName": side["address"]}
        for place, side in enumerate(sides)
    ]
    return {
        "hostRef": own,
        "id": own,
        "label": host.name,
        "name": host.name,
        "clusterRef": group_ref(state, host.group) if host.group else NULL_REF,
        "hostTypeIndex": state.host_types[host.name],
        "hostSidePorts": sides,
        "ports": [] if host.port_type == "iscsi" else kept,
        "initiators": kept if host.port_type == "iscsi" else [],
    }


def _hosts(state: StorageSystem) -> Records:
    return [_host(state, one) for one in state.hosts.values()]


def _host_types(state: StorageSystem) -> Records:
    return [
        {"name": code, "index": index, "code": code, "used": index in state.host_types.values(), "default": index == 0}
        for index, code in HOST_TYPES.items()
    ]


def _mappings(state: StorageSystem) -> Records:
    """Of each volume, and of the access volume to every host."""
    described = state.description
    targets = {one.name: (host_ref(state, one), "host") for one in described.hosts}
    targets |= {one: (group_ref(state, one), "cluster") for one in described.host_groups}
    wanted = [
        (volume_ref(state, one), targets[target], place + 1) for place, one in enumerate(described.volumes) for target in one.mapped_to
    ]
    wanted += [(_ACCESS, (host_ref(state, one), "host"), 7) for one in described.hosts]
    return [
        {
            "lunMappingRef": f"88000000{number:032X}",
            "lun": lun,
            "ssid": 0,
            "perms": 15,
            "volumeRef": volume,
            "type": kind,
            "mapRef": target,
            "id": f"88000000{number:032X}",
        }
        for number, (volume, (target, kind), lun) in enumerate(wanted, 1)
    ]


def _loads(state: StorageSystem) -> Records:
    listed = []
    for volume in state.volumes.values():
        load = volume.load
        moved = load.read_iops * load.read_bytes + load.write_iops * load.write_bytes
        listed.append(
            {
                "volumeId": volume_ref(state, volume),
                "volumeName": volume.name,
                "controllerId": controller_ref(volume.owner or volume.preferred),
                "observedTimeInMS": "1541332800000",
                "readIOps": load.read_iops,
                "writeIOps": load.write_iops,
                "otherIOps": 0.0,
                "combinedIOps": load.read_iops + load.write_iops,
                "averageReadOpSize": load.read_bytes,
                "averageWriteOpSize": load.write_bytes,
                "combinedThroughput": moved / 2**20,
                "combinedResponseTime": load.response_ms,
                "queueDepthTotal": 0.0,
                "queueDepthMax": 0.0,
            }
        )
    return listed


def _drive_loads(state: StorageSystem) -> Records:
    """What the volumes of a pool take, spread over its drives; a write costs as many operations as without a RAID. The lab's own."""
    pools = {pool_ref(state, pool): pool for pool in state.description.pools}
    taken = dict.fromkeys(pools, 0.0)
    for volume in state.volumes.values():
        taken[next(ref for ref, pool in pools.items() if pool.name == volume.pool)] += volume.load.read_iops + volume.load.write_iops
    return [
        {
            "diskId": drive["driveRef"],
            "observedTimeInMS": "1541332800000",
            "combinedIOps": taken[pool] / pools[pool].drives if pool in pools else 0.0,
        }
        for drive in _drives(state)
        for pool in [drive["currentVolumeGroupRef"]]
    ]


def _failures(state: StorageSystem) -> Records:
    return [
        {"failureType": one.type, "objectRef": one.object_ref, "objectType": one.object_type, "objectData": None, "extraData": None}
        for one in state.description.failures
    ]


def graph(state: StorageSystem) -> dict[str, Any]:
    """The whole array in one object, as far as modules for mappings go by it. Source: na_santricity_lun_mapping.py."""
    bundle = {"host": _hosts(state), "cluster": _host_groups(state), "lunMapping": _mappings(state)}
    return {
        "storagePoolBundle": bundle,
        "volume": _volumes(state, thin=False),
        "highLevelVolBundle": {"thinVolume": _volumes(state, thin=True)},
        "sa": {"accessVolume": system(state)["accessVolume"], "defaultHostTypeIndex": 0},
    }


LISTS: Mapping[str, Callable[[StorageSystem], Records]] = {
    "controllers": _controllers,
    "drives": _drives,
    "storage-pools": _pools,
    "volumes": lambda state: _volumes(state, thin=False),
    "thin-volumes": lambda state: _volumes(state, thin=True),
    "snapshot-volumes": lambda _: [],
    "host-groups": _host_groups,
    "hosts": _hosts,
    "host-types": _host_types,
    "volume-mappings": _mappings,
    "analysed-volume-statistics": _loads,
    "analysed-drive-statistics": _drive_loads,
    "failures": _failures,
    "workloads": lambda _: [],
    "interfaces": lambda _: [],
}
"""What is served below an address of a storage system."""
