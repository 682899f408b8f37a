"""The objects of a Storage Center's volumes, and of their profiles and mappings, as the REST API answers them.

Field names and JSON types are those of recorded objects (a 6.5 behind a Storage Manager of 2015) unless a function says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import qos
from auditor_lab.arrays.dell_sc.writing import date, iso_date, size

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.center import Center, Profiled, Server, Volume

Record = dict[str, Any]


def reference(center: Center, kind: str, number: int | str, name: str) -> Record:
    """A reference to an object."""
    return {"instanceId": f"{center.description.reported_serial}.{number}", "instanceName": name, "objectType": kind}


def basis(center: Center, kind: str, number: int | str, name: str) -> Record:
    """The attributes that every object of a Storage Center has."""
    described = center.description
    return {**reference(center, kind, number, name), "scName": described.shown_name, "scSerialNumber": described.reported_serial}


def server_reference(center: Center, server: Server) -> Record:
    """A reference to a server or server cluster."""
    return reference(center, "ScServerCluster" if server.description is None else "ScPhysicalServer", server.index, server.name)


def controller_reference(center: Center, place: int) -> Record:
    """A reference to a controller by its position, from 1; its number follows the Storage Center's."""
    number = center.description.reported_serial + place - 1
    return reference(center, "ScController", number, f"SN {number}")


def volume_reference(center: Center, volume: Volume) -> Record:
    """A reference to a volume."""
    return reference(center, "ScVolume", volume.index, volume.name)


def volume(center: Center, one: Volume) -> Record:
    """ScVolume."""
    described = center.description
    return {
        **basis(center, "ScVolume", one.index, one.name),
        "active": one.status == "Up",
        "cmmDestination": False,
        "cmmSource": False,
        "configuredSize": size(one.size_bytes),
        "deleteAllowed": True,
        "deviceId": described.naa(one.vpd_id),
        "flashOptimized": False,
        "hostCacheEnabled": False,
        "inRecycleBin": False,
        "index": one.index,
        "liveVolume": False,
        "mapped": bool(one.mappings),
        "name": one.name,
        "portableVolumeDestination": False,
        "replayAllowed": one.status == "Up",
        "replicationDestination": False,
        "replicationSource": False,
        "secureDataUsed": False,
        "serialNumber": f"{described.serial_number:08x}-{one.vpd_id:08x}",
        "status": one.status,
        "statusMessage": "",
        "storageType": reference(center, "ScStorageType", 1, "Assigned - Redundant - 2 MB"),
        "usedByLegacyFluidFsNasVolume": False,
        "volumeFolder": reference(center, "ScVolumeFolder", 0, "Volumes"),
        "volumeFolderIndex": 0,
        "volumeFolderPath": "/",
        "vpdId": one.vpd_id,
    }


def configuration(center: Center, one: Volume) -> Record:
    """ScVolumeConfiguration; its id is the volume's. The two QoS profiles are there from release 7 on.

    Source: docs/domain/arrays.md#dell-sc.
    """
    built = {
        **basis(center, "ScVolumeConfiguration", one.index, one.name),
        "coalesceIntoActive": False,
        "compressionEnabled": one.compression,
        "compressionPaused": False,
        "controller": controller_reference(center, 1),
        "createUser": "Admin",
        "currentSiblingConfiguredSize": size(one.size_bytes),
        "currentSiblingCount": 1,
        "dateCreated": date(center.started),
        "dateModified": date(one.modified),
        "diskFolder": reference(center, "ScDiskFolder", 3, "Assigned"),
        "enforceConsumptionLimit": False,
        "importToLowestTier": False,
        "maximumSiblingConfiguredSpace": size(500 << 40),
        "maximumSiblingCount": 100,
        "modifyUser": "Admin",
        "notes": one.notes,
        "openVmsUniqueDiskId": one.index,
        "readCacheEnabled": one.read_cache,
        "readCacheStatus": "Up" if one.read_cache else "Disabled",
        "replayCreationPaused": False,
        "replayExpirationPaused": False,
        "replayProfileList": [
            reference(center, "ScReplayProfile", place, center.replay_profiles[place].name) for place in one.replay_profiles
        ],
        "storageProfile": reference(center, "ScStorageProfile", one.storage_profile, center.storage_profiles[one.storage_profile].name),
        "volume": volume_reference(center, one),
        "volumeSpaceConsumptionLimit": size(one.size_bytes),
        "writeCacheEnabled": one.write_cache,
        "writeCacheStatus": "Up" if one.write_cache else "Disabled",
    }
    if center.description.has_qos:
        built["volumeQosProfile"] = _qos_reference(center, one.volume_qos)
        if one.group_qos is not None:
            built["groupQosProfile"] = _qos_reference(center, one.group_qos)
    return built


def qos_profile(center: Center, one: qos.QosProfile) -> Record:
    """ScQosProfile. The names of the limits are guesses, see qos.py; class, name and profileType are what cinder reads."""
    return {
        **basis(center, "ScQosProfile", one.index, one.name),
        "name": one.name,
        "index": one.index,
        "profileType": qos.PROFILE_TYPES[one.kind],
        "notes": "",
        "userCreated": one.index > 1,
        "volumeCount": sum(one.index in (volume.volume_qos, volume.group_qos) for volume in center.volumes.values()),
        **one.attributes(),
    }


def storage_profile(center: Center, place: int) -> Record:
    """ScStorageProfile: with more than one tier in use, Data Progression moves pages between them."""
    profile = center.storage_profiles[place]
    return {
        **basis(center, "ScStorageProfile", place, profile.name),
        "allowedForFlashOptimized": False,
        "allowedForNonFlashOptimized": True,
        "index": place,
        "name": profile.name,
        "notes": "",
        "raidTypeDescription": profile.raid,
        "raidTypeUsed": "Mixed",
        "tiersUsedDescription": ", ".join(f"Tier {tier}" for tier in sorted(profile.tiers)),
        "useTier1Storage": 1 in profile.tiers,
        "useTier2Storage": 2 in profile.tiers,
        "useTier3Storage": 3 in profile.tiers,
        "userCreated": profile.user_created,
        "volumeCount": sum(volume.storage_profile == place for volume in center.volumes.values()),
    }


def replay_profile(center: Center, place: int) -> Record:
    """ScReplayProfile."""
    profile = center.replay_profiles[place]
    return {
        **basis(center, "ScReplayProfile", place, profile.name),
        "enforceReplayCreationTimeout": False,
        "expireIncompleteReplaySets": True,
        "name": profile.name,
        "notes": "",
        "replayCreationTimeout": 20,
        "ruleCount": profile.rule_count,
        "type": profile.kind,
        "userCreated": profile.user_created,
        "volumeCount": sum(place in volume.replay_profiles for volume in center.volumes.values()),
    }


def mapping_profile(center: Center, one: Volume, profile: Profiled) -> Record:
    """ScMappingProfile; that a mapping through a cluster has mappedVia "Cluster" is not verified."""
    paths = center.paths(profile)
    return {
        **basis(center, "ScMappingProfile", profile.index, f"{one.index}-{profile.server.index}"),
        "connectivity": "Up" if paths else "Down",
        "controller": controller_reference(center, 1),
        "hostCache": False,
        "lunRequested": "N/A",
        "lunUsed": [profile.lun],
        "mapCount": len(paths),
        "mappedVia": "Server" if profile.via is None else "Cluster",
        "readOnly": False,
        "server": server_reference(center, profile.server),
        "volume": volume_reference(center, one),
    }


def mappings(center: Center, one: Volume, profile: Profiled) -> list[Record]:
    """ScMapping: one for every path of a mapping profile; a cluster's own profile has none, those of its servers have them."""
    if profile.server.description is None:
        return []
    serial = center.description.reported_serial
    built = []
    for place, (hba, port) in enumerate(center.paths(profile)):
        number = profile.index * 64 + place
        controller = controller_reference(center, port.description.controller)
        down = hba.description.connectivity == "Down"
        built.append(
            {
                **basis(center, "ScMapping", f"{number}.{serial}", f"{serial}-{number}"),
                "controller": controller,
                "controllerPort": reference(center, "ScControllerPort", f"{int(port.wwn, 16)}.{port.place}", port.wwn),
                "lun": profile.lun,
                "lunUsed": [profile.lun],
                "path": reference(center, "ScServerHbaPath", f"{serial}.{profile.index}.{place}", f"{hba.description.name}-{port.wwn}"),
                "profile": reference(center, "ScMappingProfile", profile.index, f"{one.index}-{profile.server.index}"),
                "readOnly": False,
                "server": server_reference(center, profile.server),
                "serverHba": reference(center, "ScServerHba", hba.number, hba.description.name),
                "status": "Down" if down else "Up",
                "statusMessage": "",
                "transport": "Iscsi" if port.description.transport == "iscsi" else "FibreChannel",
                "volume": volume_reference(center, one),
            }
        )
    return built


def volume_storage_usage(center: Center, one: Volume) -> Record:
    """ScVolumeStorageUsage. Not recorded: names and types as a public Go client decodes them."""
    used, zero = size(one.used_bytes), size(0)
    return {
        **basis(center, "ScVolumeStorageUsage", one.index, one.name),
        "activeSpace": used,
        "activeSpaceOnDisk": used,
        "actualSpace": used,
        "configuredSpace": size(one.size_bytes),
        "estimatedPercentCompressed": 0.0,
        "estimatedPercentDeduplicated": 0.0,
        "freeSpace": size(one.size_bytes - one.used_bytes),
        "name": one.name,
        "raidOverhead": zero,
        "replaySpace": zero,
        "savingsVsRaidTen": zero,
        "sharedSpace": zero,
        "snapshotOverheadOnDisk": zero,
        "time": iso_date(center.now()),
        "totalDiskSpace": used,
    }


def volume_io_usage(center: Center, one: Volume, time: str) -> Record:
    """ScVolumeIoUsage, of one interval. Not recorded: names and types as a public Go client decodes them."""
    load = one.load
    total, kb = load.read_iops + load.write_iops, load.read_kb_per_second + load.write_kb_per_second
    return {
        **basis(center, "ScVolumeIoUsage", one.index, one.name),
        "averageKbPerIo": kb // total if total else 0,
        "ioPending": load.pending,
        "readIops": load.read_iops,
        "readKbPerSecond": load.read_kb_per_second,
        "readLatency": load.read_latency,
        "time": time,
        "totalIops": total,
        "totalKbPerSecond": kb,
        "writeIops": load.write_iops,
        "writeKbPerSecond": load.write_kb_per_second,
        "writeLatency": load.write_latency,
        "xferLatency": 0,
    }


def _qos_reference(center: Center, place: int) -> Record:
    return reference(center, "ScQosProfile", place, center.qos_profiles[place].name)
