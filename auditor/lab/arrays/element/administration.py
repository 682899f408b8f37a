"""The clock and the administrator accounts of the lab's Element cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.lab.arrays.element.cluster import Cluster


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
