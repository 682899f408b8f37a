"""REST objects in the shape in which a FlashArray answers them.

Source: answers recorded on an X70 with Purity 6.3.3 (volume groups: on a later release, hence `context`); host groups, which are not
recorded, follow the vendor's Python client for REST 2.15. Fields that the lab does not use are constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray.description import pod_of

if TYPE_CHECKING:
    from auditor_lab.arrays.flasharray.array import Connection, FlashArray, Host, Volume, VolumeGroup
    from auditor_lab.arrays.flasharray.parts import PodDescription, QosDescription

LAB_TIME_MS = 1_767_225_600_000  # constant, so that two runs of the lab give equal answers
_NO_CHAP = {"host_password": None, "host_user": None, "target_password": None, "target_user": None}


def array(state: FlashArray, _: object) -> dict[str, Any]:
    """The array itself; sizes in bytes, times in milliseconds."""
    described = state.description
    provisioned = sum(volume.size_bytes for volume in state.volumes.values())
    return {
        "name": described.name,
        "id": described.reported_id,
        "space": {
            **_space(provisioned),
            "shared": 0,
            "system": 0,
            "total_provisioned": None,
            "unique_effective": 0,
            "snapshots_effective": 0,
            "total_effective": 0,
            "replication": 0,
            "shared_effective": 0,
        },
        "capacity": described.capacity_bytes,
        "parity": 1,
        "eradication_config": {"manual_eradication": "all-enabled", "eradication_delay": 86_400_000},
        "console_lock_enabled": False,
        "encryption": {"data_at_rest": {"algorithm": "AES-256-CTR", "enabled": True}, "module_version": "FA-1.3"},
        "idle_timeout": described.idle_timeout_ms,
        "ntp_servers": list(described.ntp_servers),
        "os": "Purity//FA",
        "scsi_timeout": described.scsi_timeout_ms,
        "version": described.version,
        "banner": described.banner,
    }


def nothing(_state: FlashArray, _thing: object) -> dict[str, Any]:
    """The object of a resource that has none."""
    return {}


def admin(state: FlashArray, name: str) -> dict[str, Any]:
    """An account. Source: the vendor's OpenAPI definitions FA2.15, Admin; not recorded."""
    return {
        "name": name,
        "is_local": True,
        "locked": None,
        "lockout_remaining": None,
        "password": None,
        "public_key": None,
        "role": {"name": state.description.role},
        "api_token": {"created_at": LAB_TIME_MS, "expires_at": None, "token": "****"},
    }


def controller(state: FlashArray, name: str) -> dict[str, Any]:
    """A controller; CT0 is the primary one."""
    return {
        "name": name,
        "type": "array_controller",
        "status": "ready",
        "mode": "primary" if name == "CT0" else "secondary",
        "model": state.description.model,
        "version": state.description.version,
        "mode_since": LAB_TIME_MS,
    }


def volume(state: FlashArray, item: Volume) -> dict[str, Any]:
    """A volume; a limit of null means none."""
    return {
        "space": {
            **_space(item.size_bytes),
            "shared": None,
            "system": None,
            "unique_effective": 0,
            "snapshots_effective": 0,
            "total_effective": 0,
        },
        "connection_count": item.connections,
        "provisioned": item.size_bytes,
        "source": {"name": None, "id": None},
        "created": LAB_TIME_MS,
        "name": item.name,
        "priority": 0,
        "id": item.id,
        "destroyed": False,
        "subtype": item.subtype,
        "serial": item.serial,
        "host_encryption_key_status": "none",
        "requested_promotion_state": "promoted",
        "promotion_status": "promoted",
        "pod": _pod_reference(state, item.pod),
        "time_remaining": None,
        "qos": _qos(item.qos),
        "priority_adjustment": {"priority_adjustment_operator": "+", "priority_adjustment_value": 0},
        "volume_group": {"name": item.group, "id": None if item.group is None else state.groups[item.group].id},
    }


VASA_NAMESPACE, VVOL_ID_TAG = "vasa-integration.purestorage.com", "PURE_VVOL_ID"


def volume_tag(state: FlashArray, item: Volume) -> dict[str, Any]:
    """The tag in which the array's VASA provider keeps a vVol's id.

    Source: public migration tools and PowerShell modules, which look vVols up by it; not verified on an array.
    """
    return {
        "context": {"name": state.description.name, "id": None},
        "resource": {"name": item.name, "id": item.id},
        "namespace": VASA_NAMESPACE,
        "key": VVOL_ID_TAG,
        "value": item.vvol_id,
        "copyable": False,
    }


def volume_group(state: FlashArray, item: VolumeGroup) -> dict[str, Any]:
    """A volume group."""
    inside = [volume.size_bytes for volume in state.inside.get(item.name, ())]
    return {
        "context": {"name": state.description.name, "id": None},
        "name": item.name,
        "id": item.id,
        "destroyed": False,
        "pod": _pod_reference(state, pod_of(item.name)),
        "time_remaining": None,
        "qos": _qos(item.qos),
        "space": {**_space(sum(inside)), "shared": None, "system": None, "total_used": 0, "used_provisioned": 0, "footprint": None},
        "volume_count": len(inside),
        "workload": None,
        "priority_adjustment": {"priority_adjustment_operator": "+", "priority_adjustment_value": 0},
    }


def host(state: FlashArray, item: Host) -> dict[str, Any]:
    """A host with its initiators and the state of its paths."""
    described = item.described
    volumes = state.seen_by_host.get(described.name, {})
    ids = {remote.name: remote.id for pod in state.description.pods for remote in pod.stretched_to}
    ids[state.description.name] = state.description.reported_id
    return {
        "is_local": described.is_local,
        **_level(state, described.qos),
        "name": described.name,
        "space": {**_space(sum(volume.size_bytes for volume in volumes.values())), "shared": None, "system": None},
        "host_group": {"name": described.host_group},
        "personality": item.personality,
        "preferred_arrays": [{"name": name, "id": ids[name]} for name in described.preferred_arrays],
        "iqns": list(described.iqns),
        "nqns": list(described.nqns),
        "wwns": list(described.wwns),
        "connection_count": len(volumes),
        "chap": dict(_NO_CHAP),
        "port_connectivity": {"status": described.port_status, "details": described.port_details},
    }


def host_group(state: FlashArray, name: str) -> dict[str, Any]:
    """A host group."""
    volumes = state.seen_by_host_group.get(name, {})
    return {
        "name": name,
        **_level(state, state.description.host_group_limits.get(name)),
        "connection_count": len(volumes),
        "host_count": sum(1 for host in state.hosts.values() if host.described.host_group == name),
        "is_local": True,
        "space": {**_space(sum(volume.size_bytes for volume in volumes.values())), "shared": None, "system": None},
    }


def connection(_: FlashArray, item: Connection) -> dict[str, Any]:
    """A volume presented to a host; a bound vVol names its protocol endpoint."""
    endpoint = item.endpoint
    return {
        "host": {"name": item.host},
        "lun": item.lun,
        "volume": {"name": item.volume.name, "id": item.volume.id},
        "host_group": {"name": item.host_group},
        "protocol_endpoint": {"name": None if endpoint is None else endpoint.name, "id": None if endpoint is None else endpoint.id},
    }


def pod(state: FlashArray, item: PodDescription) -> dict[str, Any]:
    """A pod with the arrays it is stretched over."""
    described = state.description
    members = [(remote.name, remote.id) for remote in item.stretched_to] + [(described.name, described.reported_id)]
    online = {"status": "online", "mediator_status": "online", "pre_elected": False, "frozen_at": None, "progress": None}
    size = sum(volume.size_bytes for volume in state.volumes.values() if volume.pod == item.name)
    return {
        "source": {"name": None, "id": None},
        "name": item.name,
        "id": described.derived_id("pod", item.name),
        "space": {**_space(size), "shared": 0, "system": None, "replication": 0},
        "destroyed": False,
        "requested_promotion_state": "promoted",
        "promotion_status": "promoted",
        "mediator": "purestorage",
        "failover_preferences": [],
        "arrays": [{"name": name, "id": array_id, **online} for name, array_id in members],
        "mediator_version": None,
        "time_remaining": None,
        "array_count": len(members),
        "eradication_config": {"manual_eradication": "all-enabled"},
        "link_source_count": 0,
        "link_target_count": 0,
        "footprint": 0,
    }


def _space(provisioned: int) -> dict[str, Any]:
    """Space in bytes: the lab's volumes have no data."""
    return {
        "data_reduction": 1.0,
        "snapshots": 0,
        "thin_provisioning": 0.0,
        "total_physical": 0,
        "total_provisioned": provisioned,
        "total_reduction": 1.0,
        "unique": 0,
        "virtual": 0,
    }


def _qos(item: QosDescription) -> dict[str, Any]:
    return {"bandwidth_limit": item.bandwidth_limit, "iops_limit": item.iops_limit}


def _level(state: FlashArray, limits: QosDescription | None) -> dict[str, Any]:
    """The ceilings of a host or a host group, of a release that has them."""
    if max(tuple(map(int, each.split("."))) for each in state.description.api_versions) < (2, 50):
        return {}
    return {"qos": {"iops_limit": limits and limits.iops_limit, "bandwidth_limit": limits and limits.bandwidth_limit}}


def realm(state: FlashArray, name: str) -> dict[str, Any]:
    """A realm. Source: the vendor's OpenAPI definitions, FA2.36, Realm; not recorded."""
    return {
        "name": name,
        "id": state.description.derived_id("realm", name),
        "destroyed": False,
        "qos": _qos(state.description.realms[name]),
    }


def _pod_reference(state: FlashArray, name: str | None) -> dict[str, Any]:
    return {"name": name, "id": None if name is None else state.description.derived_id("pod", name)}
