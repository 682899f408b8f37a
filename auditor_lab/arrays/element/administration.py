"""The clock, the health and the administrator accounts of the lab's Element cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.element.cluster import Cluster


def get_cluster_stats(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """Statistics of the whole cluster; only the time changes here. Source: recorded GetClusterStats."""
    still = (
        "actualIOPS averageIOPSize clientQueueDepth clusterUtilization latencyUSec normalizedIOPS readBytes readBytesLastSample "
        "readLatencyUSec readLatencyUSecTotal readOps readOpsLastSample unalignedReads unalignedWrites writeBytes writeBytesLastSample "
        "writeLatencyUSec writeLatencyUSecTotal writeOps writeOpsLastSample"
    )
    now = datetime.now(UTC) + timedelta(seconds=cluster.description.clock_ahead_seconds)
    services = 2 * len(cluster.description.active_nodes)
    current = {"samplePeriodMsec": 500, "servicesCount": services, "servicesTotal": services, "timestamp": f"{now:%Y-%m-%dT%H:%M:%S.%fZ}"}
    return {"clusterStats": dict.fromkeys(still.split(), 0) | current}


def get_cluster_capacity(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """What the cluster holds and can do; only what it can do is the lab's. Source: recorded GetClusterCapacity."""
    still = (
        "activeBlockSpace activeSessions averageIOPS clusterRecentIOSize currentIOPS maxOverProvisionableSpace maxProvisionedSpace "
        "maxUsedMetadataSpace maxUsedSpace nonZeroBlocks peakActiveSessions peakIOPS provisionedSpace snapshotNonZeroBlocks totalOps "
        "uniqueBlocks uniqueBlocksUsedSpace usedMetadataSpace usedMetadataSpaceInSnapshots usedSpace zeroBlocks"
    )
    about = cluster.description
    most = 50_000 * len(about.active_nodes) if about.max_iops is None else about.max_iops
    return {"clusterCapacity": dict.fromkeys(still.split(), 0) | {"maxIOPS": most, "timestamp": "2026-01-01T00:00:00Z"}}


def list_cluster_faults(cluster: Cluster, params: dict[str, Any]) -> dict[str, Any]:
    """The faults. Source: API reference, ListClusterFaults, fault; recorded answer, where a fault that is there has resolvedDate "".

    That those of bestPractice come only where they are asked for follows from the reference, and is not verified.
    """
    kinds, best = params.pop("faultTypes", "all"), params.pop("bestPractices", False)
    listed = []
    for place, fault in enumerate(cluster.description.faults, 1):
        if (kinds == "current" and fault.resolved) or (kinds == "resolved" and not fault.resolved):
            continue
        if fault.severity == "bestPractice" and not best:
            continue
        listed.append(
            {
                "blocksUpgrade": fault.severity != "bestPractice",
                "clusterFaultID": place,
                "code": fault.code,
                "data": None,
                "date": "2026-01-01T00:00:00.000000Z",
                "details": fault.details,
                "driveID": 0,
                "driveIDs": [],
                "externalSource": "",
                "networkInterface": "",
                "nodeHardwareFaultID": 0,
                "nodeID": fault.node_id,
                "resolved": fault.resolved,
                "resolvedDate": "2026-01-01T01:00:00.000000Z" if fault.resolved else "",
                "serviceID": 0,
                "severity": fault.severity,
                "type": fault.kind,
            }
        )
    return {"faults": listed}


def get_current_cluster_admin(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The account that sends the request."""
    return {"clusterAdmin": _own(cluster)}


def list_cluster_admins(cluster: Cluster, _: dict[str, Any]) -> dict[str, Any]:
    """The account that was created with the cluster, and the one that sends the request."""
    first = {"access": ["administrator"], "attributes": None, "authMethod": "Cluster", "clusterAdminID": 1, "username": "admin"}
    return {"clusterAdmins": [first, _own(cluster)]}


def _own(cluster: Cluster) -> dict[str, Any]:
    """A clusterAdmin object. Source: API reference, clusterAdmin."""
    access = sorted(cluster.description.permissions)
    return {"access": access, "attributes": {}, "authMethod": "Cluster", "clusterAdminID": 2, "username": cluster.account}
