"""Access groups, initiators and sessions of the lab's Element cluster.

Source: recorded ListVolumeAccessGroups, ListInitiators and ListISCSISessions. ListFibreChannelSessions and
GetVolumeAccessGroupLunAssignments follow the API reference; no recording of them exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.element.cluster import ElementError
from auditor_lab.arrays.element.records import INITIATOR_CHAP, LAB_TIME, TARGET_CHAP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor_lab.arrays.element.cluster import AccessGroup, Cluster, Volume


def list_volume_access_groups(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Access groups with their initiators and volumes: all, those from an id on, or those requested."""
    wanted, start, limit = params.pop("volumeAccessGroups", None), params.pop("startVolumeAccessGroupID", 0), params.pop("limit", None)
    chosen = [group for group in cluster.access_groups if (group.id >= start if wanted is None else group.id in wanted)]
    return {"volumeAccessGroups": [_group(cluster, group) for group in chosen[:limit]]}


def list_initiators(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Initiators with their groups; their own CHAP secrets are in clear text."""
    wanted, start, limit = params.pop("initiators", None), params.pop("startInitiatorID", 0), params.pop("limit", None)
    if wanted is not None and start:
        raise ElementError("xInvalidParameter", "initiators and startInitiatorID are mutually exclusive.")
    initiators: dict[int, dict[str, Any]] = {}
    for group in cluster.access_groups:
        for number, name in group.initiators.items():
            initiators.setdefault(number, _initiator(cluster, number, name, group))
    chosen = [number for number in sorted(initiators) if (number >= start if wanted is None else number in wanted)]
    return {"initiators": [initiators[number] for number in chosen[:limit]]}


def get_lun_assignments(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The LUN of each volume of a group: the volume's position in it, from 0."""
    number = params.pop("volumeAccessGroupID", None)
    group = next((group for group in cluster.access_groups if group.id == number), None)
    if group is None:
        raise ElementError("xVolumeAccessGroupIdDoesNotExist", f"VolumeAccessGroupID {number} does not exist.")
    luns = [{"lun": lun, "volumeID": volume.id} for lun, volume in enumerate(_volumes(cluster, group))]
    return {"volumeAccessGroupLunAssignments": {"deletedLunAssignments": [], "lunAssignments": luns, "volumeAccessGroupID": number}}


def list_iscsi_sessions(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """One session for each iSCSI initiator and volume of its group, on the nodes in turn; sessions of vVols are bindings."""
    return {"sessions": list(_iscsi(cluster))}


def list_fibre_channel_sessions(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """One session for each WWPN and active node."""
    sessions = []
    for group in cluster.access_groups:
        for number, name in group.initiators.items():
            if name.startswith("iqn."):
                continue
            for node in cluster.description.active_nodes:
                session = {"initiatorWWPN": name, "nodeID": node.id, "serviceID": node.id + 16, "volumeAccessGroupID": group.id}
                session["initiator"] = _known(cluster, number, name)
                sessions.append({**session, "targetWWPN": f"5f:47:ac:c0:00:00:00:{node.id:02x}"})
    return {"sessions": sessions}


def _iscsi(cluster: Cluster) -> Iterator[dict[str, Any]]:
    nodes, place = cluster.description.endpoint_nodes, 0
    for group in cluster.access_groups:
        for number, name in group.initiators.items():
            for volume in _volumes(cluster, group) if name.startswith("iqn.") and nodes else ():
                yield _session(cluster, volume, _known(cluster, number, name), nodes[place % len(nodes)].id, place)
                place += 1


def _session(cluster: Cluster, volume: Volume, initiator: dict[str, Any], node: int, place: int) -> dict[str, Any]:
    name, number = initiator["initiatorName"], initiator["initiatorID"]
    target = f"iqn.2010-01.com.solidfire:{cluster.description.unique_id}.{volume.name}.{volume.id}"
    return {
        "accountID": 1,
        "accountName": "vmware",
        "createTime": LAB_TIME,
        "driveID": 1,
        "driveIDs": [1],
        "initiator": initiator,
        "initiatorIP": f"203.0.113.{number % 250 + 1}:{33000 + place % 30000}",
        "initiatorName": name,
        "initiatorPortName": f"{name},i,0x{0x23D000000 + place:x}",
        "initiatorSessionID": 0x23D000000 + place,
        "msSinceLastIscsiPDU": 3277,
        "msSinceLastScsiCommand": 1000,
        "nodeID": node,
        "serviceID": node + 3,
        "sessionID": ((node + 3) << 32) + place,
        "targetIP": f"192.0.2.{node % 250 + 1}:3260",
        "targetName": target,
        "targetPortName": f"{target},t,0x1",
        "virtualNetworkID": 0,
        "volumeID": volume.id,
        "volumeInstance": 0x7FE000000000 + volume.id,
    }


def _group(cluster: Cluster, group: AccessGroup) -> dict[str, Any]:
    return {
        "attributes": {},
        "deletedVolumes": [],
        "initiatorIDs": list(group.initiators),
        "initiators": list(group.initiators.values()),
        "name": group.name,
        "volumeAccessGroupID": group.id,
        "volumes": [volume.id for volume in _volumes(cluster, group)],
    }


def _known(cluster: Cluster, number: int, name: str) -> dict[str, Any]:
    """The initiator fields of a session."""
    groups = [group for group in cluster.access_groups if number in group.initiators]
    return {
        "alias": "",
        "attributes": {},
        "chapCredentialsID": 0,
        "initiatorID": number,
        "initiatorName": name,
        "requireChap": any(group.require_chap for group in groups),
        "volumeAccessGroups": [group.id for group in groups],
    }


def _initiator(cluster: Cluster, number: int, name: str, group: AccessGroup) -> dict[str, Any]:
    secrets = {"chapUsername": f"chap-{number}", "initiatorSecret": INITIATOR_CHAP, "targetSecret": TARGET_CHAP}
    return _known(cluster, number, name) | (secrets if group.require_chap else {})


def _volumes(cluster: Cluster, group: AccessGroup) -> list[Volume]:
    return [volume for volume in cluster.volumes.values() if group.name in volume.access_groups]
