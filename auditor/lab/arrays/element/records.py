"""JSON records as Element writes them; every field of the recorded answers is there, with its type.

Source: recorded answers of an Element 11.7 cluster (ListVolumes, ListVolumeStats, ListAllNodes), and the response examples of the API
reference for calls that nobody recorded (protocol endpoints, bindings, virtual volumes, storage containers).
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from auditor.lab.arrays.element.description import VVOL_NAMESPACE

if TYPE_CHECKING:
    from auditor.lab.arrays.element.cluster import Binding, Cluster, Policy, Qos, Volume
    from auditor.lab.arrays.element.description import ContainerDescription, ElementDescription, NodeDescription

LAB_TIME = "2026-01-01T00:00:00Z"  # always the same, so that two runs of the lab answer alike
INITIATOR_CHAP = "labChapInit12"  # answered in clear, as a real cluster does: clients must mask them
TARGET_CHAP = "labChapTarg12"


def derived_id(description: ElementDescription, *what: object) -> str:
    """A UUID that is the same at every start."""
    return str(uuid.uuid5(VVOL_NAMESPACE, "/".join(map(str, (description.unique_id, *what)))))


def protocol_endpoint_id(description: ElementDescription, node_id: int) -> str:
    """Id of the protocol endpoint of a node."""
    return derived_id(description, "pe", node_id)


def qos(found: Qos) -> dict[str, Any]:
    """A QoS object; burstTime is 60 in every record there is."""
    return {**found.limits, "burstTime": 60, "curve": {str(size): cost for size, cost in sorted(found.curve.items())}}


def policy(cluster: Cluster, found: Policy) -> dict[str, Any]:
    """A qosPolicy object."""
    return {"name": found.name, "qos": qos(found.qos), "qosPolicyID": found.id, "volumeIDs": cluster.volumes_of(found)}


def volume(cluster: Cluster, found: Volume) -> dict[str, Any]:
    """A volume object."""
    description = cluster.description
    code = description.unique_id.encode().hex()
    return {
        "access": "readWrite",
        "accountID": 1,
        "attributes": {},
        "blockSize": 4096,
        "createTime": LAB_TIME,
        "currentProtectionScheme": "doubleHelix",
        "deleteTime": "",
        "enable512e": True,
        "enableSnapMirrorReplication": False,
        "iqn": f"iqn.2010-01.com.solidfire:{description.unique_id}.{found.name}.{found.id}",
        "lastAccessTime": LAB_TIME,
        "lastAccessTimeIO": LAB_TIME,
        "name": found.name,
        "previousProtectionScheme": None,
        "purgeTime": "",
        "qos": qos(found.qos),
        "qosPolicyID": None if found.policy is None else found.policy.id,
        "scsiEUIDeviceID": f"{code}{found.id:08x}f47acc0100000000",
        "scsiNAADeviceID": description.volume_naa(found.id),
        "sliceCount": 1,
        "status": found.status,
        "totalSize": found.size_bytes,
        "virtualVolumeID": found.vvol_id,
        "volumeAccessGroups": access_group_ids(cluster, found),
        "volumeConsistencyGroupUUID": derived_id(description, "group", found.id),
        "volumeID": found.id,
        "volumePairs": [],
        "volumeUUID": derived_id(description, "volume", found.id),
    }


def stats(cluster: Cluster, found: Volume) -> dict[str, Any]:
    """A volumeStats object; the counters nobody reads stand still."""
    load = found.load
    blocks = found.size_bytes // 4096
    still = (
        "nonZeroBlocks readBytes readBytesLastSample readLatencyUSec readLatencyUSecTotal readOps readOpsLastSample unalignedReads "
        "unalignedWrites writeBytes writeBytesLastSample writeLatencyUSec writeLatencyUSecTotal writeOps writeOpsLastSample throttle"
    )
    return {
        **dict.fromkeys(still.split(), 0),
        "readBytesLastSample": load.actual_iops * load.average_io_bytes // 2,  # of half a second
        "accountID": 1,
        "actualIOPS": load.actual_iops,
        "asyncDelay": None,
        "averageIOPSize": load.average_io_bytes,
        "burstIOPSCredit": 0,
        "clientQueueDepth": load.queue_depth,
        "desiredMetadataHosts": None,
        "latencyUSec": load.latency_us,
        "metadataHosts": {"deadSecondaries": [], "liveSecondaries": [], "primary": 5},
        "normalizedIOPS": load.actual_iops,
        "samplePeriodMSec": 500,
        "timestamp": LAB_TIME,
        "volumeAccessGroups": access_group_ids(cluster, found),
        "volumeID": found.id,
        "volumeSize": found.size_bytes,
        "volumeUtilization": load.utilization,
        "zeroBlocks": blocks,
    }


def node(description: ElementDescription, found: NodeDescription) -> dict[str, Any]:
    """A node object; pending ones carry their id under another name."""
    ids = {"active": "nodeID", "pending": "pendingNodeID", "pendingActive": "pendingActiveNodeID"}
    record = {
        "associatedFServiceID": 0,
        "associatedMasterServiceID": 1,
        "attributes": {},
        "chassisName": "",
        "cip": f"192.0.2.{found.id % 250 + 1}",
        "cipi": "eth1",
        "customProtectionDomainName": "__default__",
        "fibreChannelTargetPortGroup": None,
        "mip": f"198.51.100.{found.id % 250 + 1}",
        "mipi": "eth0",
        "name": found.name,
        "nodeSlot": "",
        "platformInfo": {
            "chassisType": "SFVIRT",
            "cpuModel": "the lab's",
            "nodeMemoryGB": 16,
            "nodeType": "SFDEMO-NE",
            "platformConfigVersion": "0.0.0.0",
        },
        "sip": f"192.0.2.{found.id % 250 + 1}",
        "sipi": "eth1",
        "softwareVersion": found.version or description.version,
        "uuid": derived_id(description, "node", found.id).upper(),
        "virtualNetworks": [],
    }
    return {**record, ids[found.state]: found.id}


def protocol_endpoint(description: ElementDescription, found: NodeDescription) -> dict[str, Any]:
    """A protocolEndpoint object: one per active node, the next one in turn is its stand-in."""
    active = [each.id for each in description.active_nodes]
    following = active[(active.index(found.id) + 1) % len(active)]
    return {
        "primaryProviderID": found.id,
        "protocolEndpointID": protocol_endpoint_id(description, found.id),
        "protocolEndpointState": "Active",
        "providerType": "Primary",
        "scsiNAADeviceID": description.pe_naa(found.id),
        "secondaryProviderID": following,
    }


def binding(description: ElementDescription, found: Binding) -> dict[str, Any]:
    """A binding object; ids are integers. Source: docs/domain/arrays.md#element, seen in a real answer."""
    return {
        "protocolEndpointID": protocol_endpoint_id(description, found.node),
        "protocolEndpointInBandID": f"naa.{description.pe_naa(found.node)}",
        "protocolEndpointType": "SCSI",
        "virtualVolumeBindingID": found.id,
        "virtualVolumeHostID": found.host,
        "virtualVolumeID": found.volume.vvol_id,
        "virtualVolumeSecondaryID": f"0xe2{found.volume.id:010x}",
    }


def container(description: ElementDescription, found: ContainerDescription) -> dict[str, Any]:
    """A storageContainer object without its virtual volumes; the CHAP secrets are in clear, as on a real cluster."""
    place = description.containers.index(found)
    return {
        "accountID": place + 2,
        "initiatorSecret": INITIATOR_CHAP,
        "name": found.name,
        "protocolEndpointType": "SCSI",
        "status": found.status,
        "storageContainerID": description.container_id(found.name),
        "targetSecret": TARGET_CHAP,
    }


def virtual_volume(cluster: Cluster, found: Volume, *, details: bool) -> dict[str, Any]:
    """A virtualVolume object; `details` adds the volume behind it."""
    if found.vvol is None:
        raise ValueError(f"volume {found.id} is not a virtual one")
    description = cluster.description
    asked = found.vvol
    container_id = description.container_id(asked.container)
    metadata = {"VMW_ContainerId": container_id, "VMW_VVolName": asked.name, "VMW_VVolType": asked.kind}
    if asked.vm_uuid is not None:
        metadata["VMW_VmID"] = asked.vm_uuid
    owner = next(each for each in description.containers if each.name == asked.container)
    return {
        "bindings": list(found.bindings),
        "children": [],
        "metadata": metadata,
        "parentVirtualVolumeID": "00000000-0000-0000-0000-000000000000",
        "snapshotID": 0,
        "snapshotInfo": None,
        "status": "done",
        "storageContainer": container(description, owner),
        "virtualVolumeID": found.vvol_id,
        "virtualVolumeType": asked.kind.lower(),
        "volumeID": found.id,
        "volumeInfo": volume(cluster, found) if details else None,
    }


def account(number: int, name: str, container_id: str | None, volumes: list[int]) -> dict[str, Any]:
    """An account object; the CHAP secrets are in clear, as on a real cluster."""
    return {
        "accountID": number,
        "attributes": {},
        "enableChap": True,
        "initiatorSecret": INITIATOR_CHAP,
        "status": "active",
        "storageContainerID": container_id or "00000000-0000-0000-0000-000000000000",
        "targetSecret": TARGET_CHAP,
        "username": name,
        "volumes": volumes,
    }


def access_group_ids(cluster: Cluster, found: Volume) -> list[int]:
    """Ids of the access groups a volume is in."""
    return [group.id for group in cluster.access_groups if group.name in found.access_groups]
