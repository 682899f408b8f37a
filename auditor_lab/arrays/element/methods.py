"""The methods of the lab's Element cluster.

Each method removes the parameters it understands from `params`; the server answers the others as `warning.unusedParameters`, as a real
cluster does (recorded ListVolumeStats).
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.element import access, jobs, records
from auditor_lab.arrays.element.administration import (
    get_cluster_capacity,
    get_cluster_stats,
    get_current_cluster_admin,
    list_cluster_admins,
    list_cluster_faults,
)
from auditor_lab.arrays.element.cluster import Cluster, ElementError, Qos
from auditor_lab.arrays.element.histograms import histogram
from auditor_lab.sites import site_uuid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.arrays.element.cluster import Volume

Method: TypeAlias = Callable[[Cluster, dict[str, Any]], dict[str, Any]]

NOTHING_FOLLOWS = "00000000-0000-0000-0000-000000000000"


def get_api(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The API versions and the methods."""
    versions = cluster.description.api_versions
    return {versions[-1]: sorted(METHODS), "currentVersion": versions[-1], "supportedVersions": list(versions)}


def get_cluster_info(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The name, addresses and unique id of the cluster."""
    described = cluster.description
    info = {
        "attributes": {},
        "encryptionAtRestState": "disabled",
        "ensemble": [records.node(described, node)["cip"] for node in described.active_nodes],
        "mvip": "198.51.100.254",
        "mvipNodeID": described.active_nodes[0].id if described.active_nodes else 0,
        "name": described.name,
        "repCount": 2,
        "svip": "192.0.2.254",
        "uniqueID": described.unique_id,
        "uuid": site_uuid(records.derived_id(described, "cluster"), described.site),
    }
    return {"clusterInfo": info}


def get_cluster_version_info(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The release of the cluster and of each node."""
    described = cluster.description
    nodes = [
        {"nodeID": node.id, "nodeInternalRevision": "", "nodeVersion": node.version or described.version} for node in described.active_nodes
    ]
    upgrade = {"currentVersion": described.version, "nodeID": 0, "packageName": "", "pendingVersion": described.version, "startTime": ""}
    return {
        "clusterAPIVersion": described.api_versions[-1],
        "clusterVersion": described.version,
        "clusterVersionInfo": nodes,
        "pendingClusterVersion": described.version,
        "softwareVersionInfo": upgrade,
    }


def list_active_nodes(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The active nodes."""
    return {"nodes": [records.node(cluster.description, node) for node in cluster.description.active_nodes]}


def list_all_nodes(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The active and the pending nodes."""
    lists: dict[str, list[dict[str, Any]]] = {"nodes": [], "pendingActiveNodes": [], "pendingNodes": []}
    under = {"active": "nodes", "pending": "pendingNodes", "pendingActive": "pendingActiveNodes"}
    for node in cluster.description.nodes:
        lists[under[node.state]].append(records.node(cluster.description, node))
    return lists


def list_volumes(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Volumes by ascending id, at most as many as the page limit; a larger list is cut without notice.

    Source: docs/domain/arrays.md#element.
    """
    start, limit = params.pop("startVolumeID", 0), params.pop("limit", cluster.description.page_limit)
    wanted, virtual = params.pop("volumeIDs", None), params.pop("includeVirtualVolumes", True)
    if type(start) is not int or type(limit) is not int or limit < 0:
        raise ElementError("xInvalidParameter", "startVolumeID and limit must be integers.")
    limit = min(limit, cluster.description.page_limit)
    if wanted is not None:
        chosen = [_volume(cluster, volume_id) for volume_id in wanted]
    else:
        ids = list(cluster.volumes)
        chosen = [cluster.volumes[volume_id] for volume_id in ids[bisect.bisect_left(ids, start) :]]
    page = [volume for volume in chosen if virtual or volume.vvol is None][:limit]
    return {"volumes": [records.volume(cluster, volume) for volume in page]}


def list_volume_stats(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The load of all volumes, or of those requested."""
    wanted, virtual = params.pop("volumeIDs", None), params.pop("includeVirtualVolumes", True)
    chosen = cluster.volumes.values() if wanted is None else [_volume(cluster, volume_id) for volume_id in wanted]
    return {"volumeStats": [records.stats(cluster, volume) for volume in chosen if virtual or volume.vvol is None]}


def list_qos_policies(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The policies and the volumes that use them."""
    return {"qosPolicies": [records.policy(cluster, policy) for policy in cluster.policies.values()]}


def list_virtual_volumes(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Virtual volumes, paged: `nextVirtualVolumeID` is where the next page begins, all zeros on the last page."""
    details, _ = params.pop("details", False), params.pop("recursive", False)
    start, limit = params.pop("startVirtualVolumeID", None), params.pop("limit", cluster.description.page_limit)
    wanted = params.pop("virtualVolumeIDs", None)
    ids = sorted(cluster.virtual) if wanted is None else [each for each in wanted if each in cluster.virtual]
    first = bisect.bisect_left(ids, start) if start else 0
    last = first + min(limit, cluster.description.page_limit)
    page = [records.virtual_volume(cluster, cluster.virtual[each], details=details) for each in ids[first:last]]
    return {"nextVirtualVolumeID": ids[last] if last < len(ids) else NOTHING_FOLLOWS, "virtualVolumes": page}


def list_virtual_volume_bindings(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The bindings: which vVol is open through which protocol endpoint."""
    wanted = params.pop("virtualVolumeBindingIDs", None)
    bindings = [binding for binding in cluster.bindings.values() if wanted is None or binding.id in wanted]
    return {"bindings": [records.binding(cluster.description, binding) for binding in bindings]}


def list_protocol_endpoints(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The protocol endpoints, one for each active node. Source: docs/domain/facts.md#10-2."""
    described = cluster.description
    return {"protocolEndpoints": [records.protocol_endpoint(described, node) for node in described.endpoint_nodes]}


def list_storage_containers(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The containers with the ids of their virtual volumes."""
    described = cluster.description
    containers = []
    for container in described.containers:
        inside = [volume.vvol_id for volume in cluster.virtual.values() if volume.vvol and volume.vvol.container == container.name]
        containers.append({**records.container(described, container), "virtualVolumes": inside})
    return {"storageContainers": containers}


def list_accounts(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """One account for the ordinary volumes and one for each container."""
    described = cluster.description
    ordinary = records.account(1, "vmware", None, [volume.id for volume in cluster.volumes.values() if volume.vvol is None])
    owners = [
        records.account(place, container.name, described.container_id(container.name), [])
        for place, container in enumerate(described.containers, start=2)
    ]
    return {"accounts": [ordinary, *owners]}


def list_volume_qos_histograms(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The histograms of all volumes, or of those requested. That an unknown id is refused is as in other lists."""
    wanted = params.pop("volumeIDs", None)
    chosen = cluster.volumes.values() if wanted is None else [_volume(cluster, volume_id) for volume_id in wanted]
    return {"qosHistograms": [histogram(volume) for volume in chosen]}


def get_limits(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The limits of values that can be written. Source: API reference, GetLimits; only the names that concern volumes and QoS."""
    limits = cluster.description.limits
    return {
        "qosPolicyCountMax": 500,
        "virtualVolumeCountMax": 8000,
        "volumeBurstIOPSMax": limits.burst_iops_ceiling,
        "volumeBurstIOPSMin": limits.burst_iops_floor,
        "volumeCountMax": 4000,
        "volumeMaxIOPSMax": limits.max_iops_ceiling,
        "volumeMaxIOPSMin": limits.max_iops_floor,
        "volumeMinIOPSMax": limits.min_iops_ceiling,
        "volumeMinIOPSMin": limits.min_iops_floor,
    }


def get_default_qos(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The limits of a volume without limits of its own; the result itself is the QoS object."""
    return records.qos(Qos.of(cluster.description.default_qos))


def modify_volume(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Change a volume's QoS; other changes, which a real cluster can make, are refused by name."""
    changes = {name: params.pop(name) for name in list(params) if name in ("qos", "qosPolicyID", "associateWithQoSPolicy")}
    volume_id = params.pop("volumeID", None)
    if params:
        raise ElementError("xInvalidParameter", f"the lab does not change {sorted(params)} of a volume")
    return {"volume": records.volume(cluster, cluster.modify_volume(volume_id, changes))}


def modify_volumes(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Change up to 500 volumes, all of them or none. Source: API reference, ModifyVolumes."""
    volume_ids = params.pop("volumeIDs", None)
    if not isinstance(volume_ids, list) or len(volume_ids) > 500:
        raise ElementError("xInvalidParameter", "volumeIDs must be a list of at most 500 volumes.")
    changes, before = dict(params), cluster.written()
    try:
        changed = [modify_volume(cluster, {**changes, "volumeID": volume_id})["volume"] for volume_id in volume_ids]
    except ElementError:
        cluster.reset_options(before)
        raise
    params.clear()
    return {"volumes": changed}


def modify_qos_policy(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """Change a policy; limits left out stay."""
    changed = cluster.modify_policy(params.pop("qosPolicyID", None), params.pop("qos", None), params.pop("name", None))
    return {"qosPolicy": records.policy(cluster, changed)}


def _volume(cluster: Cluster, volume_id: Any) -> Volume:
    volume = cluster.volumes.get(volume_id)
    if volume is None:
        raise ElementError("xVolumeIDDoesNotExist", f"VolumeID {volume_id} does not exist.")
    return volume


METHODS: Mapping[str, Method] = {
    "GetAPI": get_api,
    "GetClusterCapacity": get_cluster_capacity,
    "GetClusterInfo": get_cluster_info,
    "GetClusterStats": get_cluster_stats,
    "GetClusterVersionInfo": get_cluster_version_info,
    "GetCurrentClusterAdmin": get_current_cluster_admin,
    "GetDefaultQoS": get_default_qos,
    "GetFeatureStatus": jobs.get_feature_status,
    "GetLimits": get_limits,
    "GetVolumeAccessGroupLunAssignments": access.get_lun_assignments,
    "ListAccounts": list_accounts,
    "ListActiveNodes": list_active_nodes,
    "ListAsyncResults": jobs.list_async_results,
    "ListBulkVolumeJobs": jobs.list_bulk_volume_jobs,
    "ListAllNodes": list_all_nodes,
    "ListClusterAdmins": list_cluster_admins,
    "ListClusterFaults": list_cluster_faults,
    "ListFibreChannelSessions": access.list_fibre_channel_sessions,
    "ListISCSISessions": access.list_iscsi_sessions,
    "ListInitiators": access.list_initiators,
    "ListProtocolEndpoints": list_protocol_endpoints,
    "ListQoSPolicies": list_qos_policies,
    "ListSnapMirrorRelationships": jobs.list_snap_mirror_relationships,
    "ListSyncJobs": jobs.list_sync_jobs,
    "ListStorageContainers": list_storage_containers,
    "ListVirtualVolumeBindings": list_virtual_volume_bindings,
    "ListVirtualVolumes": list_virtual_volumes,
    "ListVolumeAccessGroups": access.list_volume_access_groups,
    "ListVolumeQoSHistograms": list_volume_qos_histograms,
    "ListVolumeStats": list_volume_stats,
    "ListVolumes": list_volumes,
    "ModifyQoSPolicy": modify_qos_policy,
    "ModifyVolume": modify_volume,
    "ModifyVolumes": modify_volumes,
}
