"""The objects of a simulated group as REST v1 answers them: by set, then by id.

Source of the fields: hpe-storage/nimble-python-sdk, nimbleclient/v1/api, and the volume in its page "Using".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditor_lab.arrays.nimble.description import (
        AlarmDescription,
        FolderDescription,
        InitiatorGroupDescription,
        NimbleDescription,
        VolumeDescription,
    )

Record: TypeAlias = dict[str, Any]

LAB_TIME = 1_541_332_800
UNLIMITED = -1
BLOCK_BYTES = 4096


def sets_of(described: NimbleDescription, username: str) -> dict[str, dict[str, Record]]:
    """Every set of objects, each by id."""
    volumes = list(_volumes(described))
    made: dict[str, Iterable[Record]] = {
        "groups": [_group(described)],
        "arrays": _arrays(described),
        "controllers": _controllers(described),
        "pools": _pools(described),
        "folders": [_folder(described, place, one) for place, one in enumerate(described.folders, 1)],
        "volumes": volumes,
        "initiator_groups": [initiator_group(described, place, one) for place, one in enumerate(described.initiator_groups, 1)],
        "access_control_records": list(_access(described, volumes)),
        "protocol_endpoints": _endpoints(described),
        "performance_policies": [{"id": described.id_of("03", 1), "name": "default", "block_size": BLOCK_BYTES, "compress": True}],
        "alarms": [_alarm(described, place, one) for place, one in enumerate(described.alarms, 1)],
        "users": [{"id": described.id_of("08", 1), "name": username, "role": described.role, "disabled": False, "auth_lock": False}],
    }
    return {name: {record["id"]: record for record in records} for name, records in made.items()}


def _group(described: NimbleDescription) -> Record:
    return {
        "id": described.id_of("00", 1),
        "name": described.name,
        "version_current": described.version,
        "alarms_enabled": described.alarms_enabled,
        "vvol_enabled": bool(described.protocol_endpoints),
        "group_target_name": described.target,
        "snmp_community": "public",
        "smtp_auth_password": "",
        "leader_array_name": described.arrays[0].name if described.arrays else described.name,
        "ntp_server": "192.0.2.1",
        "timezone": "UTC",
    }


def _arrays(described: NimbleDescription) -> Iterator[Record]:
    for place, one in enumerate(described.arrays, 1):
        about = {"name": one.name, "model": one.model, "version": one.version, "status": one.status}
        yield {"id": described.id_of("09", place), **about, "serial": f"AC-{place:06d}", "role": "leader" if place == 1 else "member"}


def _controllers(described: NimbleDescription) -> Iterator[Record]:
    for place, one in enumerate(described.arrays):
        for side, state in (("A", "active"), ("B", "standby")):
            own = {"name": side, "ctrlr_side": side, "state": state, "array_name": one.name, "model": one.model, "power_status": "okay"}
            yield {"id": described.id_of("c3", 2 * place + (side == "B") + 1), **own}


def _pools(described: NimbleDescription) -> Iterator[Record]:
    for place, one in enumerate(described.pools, 1):
        about = {"name": one.name, "full_name": one.name, "all_flash": one.all_flash, "capacity": one.capacity_bytes}
        yield {
            "id": described.id_of("0a", place),
            **about,
            "usage_valid": True,
            "is_default": place == 1,
            "vol_count": len(described.volumes),
        }


def _folder(described: NimbleDescription, place: int, one: FolderDescription) -> Record:
    inside = [
        {"id": described.id_of("06", at), "name": volume.name}
        for at, volume in enumerate(described.volumes, 1)
        if volume.folder == one.name
    ]
    return {
        "id": described.id_of("2f", place),
        "name": one.name,
        "fqn": f"/{one.name}",
        "agent_type": one.agent_type,
        "limit_iops": UNLIMITED if one.limit_iops is None else one.limit_iops,
        "limit_mbps": UNLIMITED if one.limit_mbps is None else one.limit_mbps,
        "volume_list": inside or None,
        "pool_id": described.id_of("0a", 1),
        "pool_name": described.pools[0].name,
    }


def _volumes(described: NimbleDescription) -> Iterator[Record]:
    for place, one in enumerate(described.volumes, 1):
        yield volume(described, place, one)


def volume(described: NimbleDescription, place: int, one: VolumeDescription) -> Record:
    """A volume, with the place that makes its id."""
    serial = described.serial_of(one.name)
    folder = next((described.id_of("2f", at) for at, each in enumerate(described.folders, 1) if each.name == one.folder), "")
    load, size = one.load, one.load.bytes_per_second // one.load.iops if one.load.iops else 0
    return {
        "id": described.id_of("06", place),
        "name": one.name,
        "full_name": f"{described.pools[0].name}:/{one.name}",
        "size": one.size_mb,
        "agent_type": one.agent_type,
        "block_size": BLOCK_BYTES,
        "clone": False,
        "folder_id": folder,
        "folder_name": one.folder or "",
        "limit_iops": UNLIMITED if one.limit_iops is None else one.limit_iops,
        "limit_mbps": UNLIMITED if one.limit_mbps is None else one.limit_mbps,
        "online": one.state != "offline",
        "vol_state": one.state,
        "pool_id": described.id_of("0a", 1),
        "pool_name": described.pools[0].name,
        "parent_vol_id": "",
        "perfpolicy_id": described.id_of("03", 1),
        "perfpolicy_name": "default",
        "serial_number": serial,
        "vpd_ieee0": serial[:16],
        "vpd_ieee1": serial[16:],
        "vpd_t10": f"Nimble  {serial}",
        "target_name": described.target,
        "description": "",
        "app_uuid": "",
        "iscsi_sessions": None,
        "avg_stats_last_5mins": {
            **dict.fromkeys(("write_iops", "write_throughput", "write_latency"), 0),
            "read_iops": load.iops,
            "read_throughput": load.bytes_per_second,
            "read_latency": 70 if size else 0,
            "combined_iops": load.iops,
            "combined_throughput": load.bytes_per_second,
            "combined_latency": 70 if size else 0,
        },
        "creation_time": LAB_TIME,
        "last_modified": LAB_TIME,
    }


def initiator_group(described: NimbleDescription, place: int, one: InitiatorGroupDescription) -> Record:
    """An initiator group, with the place that makes its id."""
    iscsi = [
        {"id": described.id_of("04", 100 * place + at), "iqn": iqn, "ip_address": "*", "label": iqn} for at, iqn in enumerate(one.iqns)
    ]
    fc = [{"id": described.id_of("04", 100 * place + at), "wwpn": _colons(wwn), "alias": ""} for at, wwn in enumerate(one.wwns)]
    return {
        "id": described.id_of("02", place),
        "name": one.name,
        "full_name": one.name,
        "access_protocol": "fc" if fc else "iscsi",
        "host_type": one.host_type,
        "iscsi_initiators": iscsi or None,
        "fc_initiators": fc or None,
        "description": "",
    }


def _colons(wwn: str) -> str:
    return ":".join(wwn[at : at + 2] for at in range(0, len(wwn), 2)).lower()


def _access(described: NimbleDescription, volumes: list[Record]) -> Iterator[Record]:
    groups = {one.name: described.id_of("02", place) for place, one in enumerate(described.initiator_groups, 1)}
    number = 0
    for one, record in zip(described.volumes, volumes, strict=True):
        for name in one.groups:
            number += 1
            virtual = one.agent_type == "vvol"
            yield {
                "id": described.id_of("0d", number),
                "apply_to": "vvol_volume" if virtual else "both",
                "vol_id": record["id"],
                "vol_name": one.name,
                "vol_agent_type": one.agent_type,
                "initiator_group_id": groups[name],
                "initiator_group_name": name,
                "lun": number if virtual else 0,
                "pe_id": described.id_of("2b", 1) if virtual else "",
                "chap_user_name": "*",
            }


def _endpoints(described: NimbleDescription) -> Iterator[Record]:
    for place, name in enumerate(described.protocol_endpoints, 1):
        own = {"name": name, "state": "normal", "serial_number": described.serial_of(name), "target_name": described.target}
        yield {"id": described.id_of("2b", place), **own, "access_protocol": "iscsi", "pool_name": described.pools[0].name}


def _alarm(described: NimbleDescription, place: int, one: AlarmDescription) -> Record:
    about = {"severity": one.severity, "status": one.status, "activity": one.activity, "object_name": one.object_name, "type": one.type}
    return {"id": described.id_of("d1", place), **about, "category": "hardware", "onset_time": LAB_TIME}
