"""The JSON records that Element answers with; every field of the recorded answers is there, with its type.

Source: recorded answers of an Element 11.7 cluster (ListVolumes, ListVolumeStats, ListAllNodes), and the response examples of the API
reference for methods without a recording (protocol endpoints, bindings, virtual volumes, storage containers).
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.element.description import VVOL_NAMESPACE

if TYPE_CHECKING:
    from auditor_lab.arrays.element.cluster import Binding, Cluster, Policy, Qos, Volume
    from auditor_lab.arrays.element.description import ContainerDescription, ElementDescription, NodeDescription

LAB_TIME = "2026-01-01T00:00:00Z"  # constant, so that two runs of the lab give equal answers
INITIATOR_CHAP = "labChapInit12"  # answered in clear text, as by a real cluster: clients must mask them
TARGET_CHAP = "labChapTarg12"


def derived_id(description: ElementDescription, *what: object) -> str:
    """A UUID that is the same at every start."""
    return str(uuid.uuid5(VVOL_NAMESPACE, "/".join(map(str, (description.unique_id, *what)))))


def protocol_endpoint_id(description: ElementDescription, node_id: int) -> str:
    """The id of the protocol endpoint of a node."""
    return derived_id(description, "pe", node_id)


def qos(item: Qos) -> dict[str, Any]:
    """A QoS object; burstTime is 60 in every recording."""
    return {**item.limits, "burstTime": 60, "curve": {str(size): cost for size, cost in sorted(item.curve.items())}}


def policy(cluster: Cluster, item: Policy) -> dict[str, Any]:
    """A qosPolicy object."""
    return {"name": item.name, "qos": qos(item.qos), "qosPolicyID": item.id, "volumeIDs": cluster.volumes_of(item)}


def volume(cluster: Cluster, item: Volume) -> dict[str, Any]:
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
        "iqn": f"iqn.2010-01.com.solidfire:{description.unique_id}.{item.name}.{item.id}",
        "lastAccessTime": LAB_TIME,
        "lastAccessTimeIO": LAB_TIME,
        "name": item.name,
        "previousProtectionScheme": None,
        "purgeTime": "",
        "qos": qos(item.qos),
        "qosPolicyID": None if item.policy is None else item.policy.id,
        "scsiEUIDeviceID": f"{code}{item.id:08x}f47acc0100000000",
        "scsiNAADeviceID": description.volume_naa(item.id),
        "sliceCount": 1,
        "status": item.status,
        "totalSize": item.size_bytes,
        "virtualVolumeID": item.vvol_id,
        "volumeAccessGroups": access_group_ids(cluster, item),
        "volumeConsistencyGroupUUID": derived_id(description, "group", item.id),
        "volumeID": item.id,
        "volumePairs": [],
        "volumeUUID": derived_id(description, "volume", item.id),
    }


def stats(cluster: Cluster, item: Volume) -> dict[str, Any]:
    """A volumeStats object; counters that no client reads are constant."""
    load = item.load
    blocks = item.size_bytes // 4096
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
        "volumeAccessGroups": access_group_ids(cluster, item),
        "volumeID": item.id,
        "volumeSize": item.size_bytes,
        "volumeUtilization": load.utilization,
        "zeroBlocks": blocks,
    }


def node(description: ElementDescription, item: NodeDescription) -> dict[str, Any]:
    """A node object; a pending node has its id under another name."""
    ids = {"active": "nodeID", "pending": "pendingNodeID", "pendingActive": "pendingActiveNodeID"}
    record = {
        "associatedFServiceID": 0,
        "associatedMasterServiceID": 1,
        "attributes": {},
        "chassisName": "",
        "cip": f"192.0.2.{item.id % 250 + 1}",
        "cipi": "eth1",
        "customProtectionDomainName": "__default__",
        "fibreChannelTargetPortGroup": item.fibre_channel_group,
        "mip": f"198.51.100.{item.id % 250 + 1}",
        "mipi": "eth0",
        "name": item.name,
        "nodeSlot": "",
        "platformInfo": {
            "chassisType": "SFVIRT",
            "cpuModel": "the lab's",
            "nodeMemoryGB": 16,
            "nodeType": "SFDEMO-NE",
            "platformConfigVersion": "0.0.0.0",
        },
        "role": item.role,
        "sip": f"192.0.2.{item.id % 250 + 1}",
        "sipi": "eth1",
        "softwareVersion": item.version or description.version,
        "uuid": derived_id(description, "node", item.id).upper(),
        "virtualNetworks": [],
    }
    return {**record, ids[item.state]: item.id}


def protocol_endpoint(description: ElementDescription, item: NodeDescription) -> dict[str, Any]:
    """A protocolEndpoint object: one for each active node, with the next node as its secondary."""
    active = [each.id for each in description.endpoint_nodes]
    following = active[(active.index(item.id) + 1) % len(active)]
    return {
        "primaryProviderID": item.id,
        "protocolEndpointID": protocol_endpoint_id(description, item.id),
        "protocolEndpointState": "Active",
        "providerType": "Primary",
        "scsiNAADeviceID": description.pe_naa(item.id),
        "secondaryProviderID": following,
    }


def binding(description: ElementDescription, item: Binding) -> dict[str, Any]:
    """A binding object; ids are integers. Source: docs/domain/arrays.md#element, from a real answer."""
    return {
        "protocolEndpointID": protocol_endpoint_id(description, item.node),
        "protocolEndpointInBandID": f"naa.{description.pe_naa(item.node)}",
        "protocolEndpointType": "SCSI",
        "virtualVolumeBindingID": item.id,
        "virtualVolumeHostID": item.host,
        "virtualVolumeID": item.volume.vvol_id,
        "virtualVolumeSecondaryID": f"0xe2{item.volume.id:010x}",
    }


def container(description: ElementDescription, item: ContainerDescription) -> dict[str, Any]:
    """A storageContainer object without its virtual volumes; the CHAP secrets are in clear text, as on a real cluster."""
    place = description.containers.index(item)
    return {
        "accountID": place + 2,
        "initiatorSecret": INITIATOR_CHAP,
        "name": item.name,
        "protocolEndpointType": "SCSI",
        "status": item.status,
        "storageContainerID": description.container_id(item.name),
        "targetSecret": TARGET_CHAP,
    }


def virtual_volume(cluster: Cluster, item: Volume, *, details: bool) -> dict[str, Any]:
    """A virtualVolume object; `details` adds the volume behind it."""
    if item.vvol is None:
        raise ValueError(f"volume {item.id} is not a virtual one")
    description = cluster.description
    vvol = item.vvol
    container_id = description.container_id(vvol.container)
    metadata = {"VMW_ContainerId": container_id, "VMW_VVolName": vvol.name, "VMW_VVolType": vvol.kind}
    if vvol.vm_uuid is not None:
        metadata["VMW_VmID"] = vvol.vm_uuid
    owner = next(each for each in description.containers if each.name == vvol.container)
    return {
        "bindings": list(item.bindings),
        "children": [],
        "metadata": metadata,
        "parentVirtualVolumeID": "00000000-0000-0000-0000-000000000000",
        "snapshotID": 0,
        "snapshotInfo": None,
        "status": "done",
        "storageContainer": container(description, owner),
        "virtualVolumeID": item.vvol_id,
        "virtualVolumeType": vvol.kind.lower(),
        "volumeID": item.id,
        "volumeInfo": volume(cluster, item) if details else None,
    }


def account(number: int, name: str, container_id: str | None, volumes: list[int]) -> dict[str, Any]:
    """An account object; the CHAP secrets are in clear text, as on a real cluster."""
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


def access_group_ids(cluster: Cluster, item: Volume) -> list[int]:
    """The ids of the access groups that a volume is in."""
    return [group.id for group in cluster.access_groups if group.name in item.access_groups]
