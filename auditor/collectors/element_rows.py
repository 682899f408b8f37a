"""One Element record to one row of a fact table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.collectors.array_topics import Row
    from auditor.collectors.records import Record


def node_row(node: Record, key: str, state: str) -> Row:
    """A row of array_node."""
    return {"node_id": node.identifier(key), "name": node.text("name"), "state": state, "version": node.text("softwareVersion")}


def policy_row(policy: Record) -> Row:
    """A row of array_qos_policy."""
    qos = policy.inner("qos")
    return {
        "policy_id": policy.identifier("qosPolicyID"),
        "name": policy.text("name"),
        "min_iops": qos and qos.number("minIOPS"),
        "max_iops": qos and qos.number("maxIOPS"),
        "burst_iops": qos and qos.number("burstIOPS"),
        "curve": qos and qos.curve("curve"),
        "volumes": policy.length("volumeIDs"),
    }


def limit_row(limits: Record) -> Row:
    """A row of array_qos_limit. Source: API reference, GetLimits."""
    return {
        "min_iops_floor": limits.number("volumeMinIOPSMin"),
        "min_iops_ceiling": limits.number("volumeMinIOPSMax"),
        "max_iops_floor": limits.number("volumeMaxIOPSMin"),
        "max_iops_ceiling": limits.number("volumeMaxIOPSMax"),
        "burst_iops_floor": limits.number("volumeBurstIOPSMin"),
        "burst_iops_ceiling": limits.number("volumeBurstIOPSMax"),
    }


def volume_row(volume: Record, policy_names: Mapping[str, str | None]) -> Row:
    """A row of array_volume; `policy_names` holds the name of every policy by its id."""
    vvol_id = volume.reference("virtualVolumeID")
    policy_id = volume.reference("qosPolicyID")
    if policy_id is not None and policy_names.get(policy_id) is None:
        volume.complaints.add("qosPolicyID", volume.label, f"names the QoS policy {policy_id}, which ListQoSPolicies did not tell")
    knows_kind = volume.value.get("virtualVolumeID", "") is None or vvol_id is not None
    return {
        "volume_id": volume.identifier("volumeID"),
        "name": volume.text("name"),
        "device": volume.device("scsiNAADeviceID"),
        "is_virtual": vvol_id is not None if knows_kind else None,
        "vvol_id": vvol_id,
        "status": volume.text("status"),
        "size_bytes": volume.number("totalSize"),
        "qos_policy_id": policy_id,
        "qos_policy": policy_names.get(policy_id) if policy_id is not None else None,
        **_qos(volume),
    }


def _qos(volume: Record) -> Row:
    """The QoS columns of a volume; on Element every volume has all four, so anything less was not understood."""
    qos = volume.inner("qos")
    found: Row = {
        "qos_min_iops": qos and qos.number("minIOPS"),
        "qos_max_iops": qos and qos.number("maxIOPS"),
        "qos_burst_iops": qos and qos.number("burstIOPS"),
        "qos_curve": qos and qos.curve("curve"),
    }
    return {**found, "qos_read": None not in found.values()}


def load_row(stats: Record) -> Row:
    """A row of array_volume_load; Element reports an average I/O size of 0 for an idle volume, which is none (facts.md 6.7)."""
    return {
        "volume_id": stats.identifier("volumeID"),
        "average_io_bytes": stats.number("averageIOPSize") or None,
        "actual_iops": stats.number("actualIOPS"),
        "utilization": stats.real("volumeUtilization"),
        "latency_us": stats.number("latencyUSec"),
        "client_queue_depth": stats.number("clientQueueDepth"),
    }


def protocol_endpoint_row(found: Record) -> Row:
    """A row of array_protocol_endpoint."""
    return {
        "protocol_endpoint_id": found.identifier("protocolEndpointID"),
        "device": found.device("scsiNAADeviceID"),
        "state": found.text("protocolEndpointState"),
        "node_id": found.reference("primaryProviderID"),
    }


def container_row(container: Record) -> Row:
    """A row of storage_container."""
    return {
        "container_id": container.identifier("storageContainerID"),
        "name": container.text("name"),
        "status": container.text("status"),
    }


def vvol_row(vvol: Record) -> Row:
    """A row of vvol; the metadata is vSphere's, and may leave any of it out (a vVol that another client made)."""
    container, metadata = vvol.inner("storageContainer"), vvol.inner("metadata")
    return {
        "vvol_id": vvol.identifier("virtualVolumeID"),
        "volume_id": vvol.identifier("volumeID"),
        "container_id": container and container.identifier("storageContainerID"),
        "name": metadata and metadata.told("VMW_VVolName"),
        "kind": metadata and metadata.told("VMW_VVolType"),
        "vm_uuid": metadata and metadata.told("VMW_VmID"),
        "status": vvol.text("status"),
    }


def binding_row(binding: Record) -> Row:
    """A row of vvol_binding; ids are integers in a real answer (arrays.md)."""
    return {
        "binding_id": binding.identifier("virtualVolumeBindingID"),
        "vvol_id": binding.identifier("virtualVolumeID"),
        "protocol_endpoint_id": binding.identifier("protocolEndpointID"),
        "array_host_id": binding.identifier("virtualVolumeHostID"),
        "device": binding.device("protocolEndpointInBandID"),
    }
