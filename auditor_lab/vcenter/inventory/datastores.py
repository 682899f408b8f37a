"""Properties of datastores and their volumes as pyVmomi objects."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.vcenter import VCenterState


_UNMAP_KIB = 1024
"""The first bytes of VMFS 6: its block size (known)."""


def vmfs_uuid(name: str) -> str:
    """A VMFS volume's uuid, for example 64c1b2a0-1a2b3c4d-5e6f-001122334455; the same at every start."""
    digits = uuid.uuid5(uuid.NAMESPACE_DNS, name).hex
    return f"{digits[:8]}-{digits[8:16]}-{digits[16:20]}-{digits[20:]}"


def summary(store: DatastoreState, reference: Any) -> Any:
    """DatastoreSummary."""
    about = store.description
    return complete(
        vim.Datastore.Summary(
            datastore=reference,
            name=about.name,
            url=url(store),
            capacity=long(about.size_bytes),
            freeSpace=long(about.size_bytes // 2),
            uncommitted=long(0),
            accessible=about.accessible,
            multipleHostAccess=len(about.hosts) > 1,
            type=about.type,
            maintenanceMode=store.maintenance_mode,
        )
    )


def info(state: VCenterState, store: DatastoreState) -> Any:
    """DatastoreInfo of the datastore's type."""
    about = store.description
    largest = long(64 << 40)
    common = {
        "name": about.name,
        "url": url(store),
        "freeSpace": long(about.size_bytes // 2),
        "maxFileSize": largest,
        "maxVirtualDiskCapacity": largest,
        "maxMemoryFileSize": largest,
    }
    if about.type == "VMFS":
        return complete(
            vim.host.VmfsDatastoreInfo(**common, maxPhysicalRDMFileSize=largest, maxVirtualRDMFileSize=largest, vmfs=volume(state, store))
        )
    if about.type == "VVOL":
        return complete(vim.host.VvolDatastoreInfo(**common, vvolDS=volume(state, store)))
    if about.type == "vsan":
        return complete(vim.host.VsanDatastoreInfo(**common, membershipUuid=vmfs_uuid(about.name)))
    return complete(vim.host.NasDatastoreInfo(**common, nas=volume(state, store)))


def volume(state: VCenterState, store: DatastoreState) -> Any:
    """The HostFileSystemVolume behind a datastore."""
    about = store.description
    common = {"name": about.name, "type": about.type, "capacity": long(about.size_bytes)}
    if about.type == "VMFS":
        return complete(
            vim.host.VmfsVolume(
                **common,
                blockSizeMb=1,
                blockSize=1024,
                maxBlocks=63963136,
                majorVersion=int(about.vmfs_version.partition(".")[0]),
                version=about.vmfs_version,
                uuid=vmfs_uuid(about.name),
                vmfsUpgradable=False,
                ssd=True,
                local=about.local,
                unmapGranularity=_UNMAP_KIB if about.vmfs_version.startswith("6") else None,
                unmapPriority=store.unmap_priority if about.vmfs_version.startswith("6") else None,
                extent=[vim.host.ScsiDisk.Partition(diskName=device, partition=1) for device in about.extents],
            )
        )
    if about.type == "VVOL":
        return complete(
            vim.host.VvolVolume(
                **common,
                scId=about.container_id,
                hostPE=_host_endpoints(state, store),
                storageArray=[vim.VasaStorageArray(name=about.array_name, uuid=about.array_name, vendorId="SolidFire", modelId="SSD SAN")],
                protocolEndpointType="scsi",
            )
        )
    return complete(
        vim.host.NasVolume(**common, remoteHost=about.remote_host, remotePath=about.remote_path, remoteHostNames=[about.remote_host])
    )


def mounts(state: VCenterState, store: DatastoreState) -> list[Any]:
    """DatastoreHostMount of every host that mounts the datastore."""
    about = store.description
    return [vim.Datastore.HostMount(key=vim.HostSystem(state.host_id[name]), mountInfo=mount_info(store)) for name in about.hosts]


def mount_info(store: DatastoreState) -> Any:
    """HostMountInfo of a datastore."""
    about = store.description
    return vim.host.MountInfo(path=f"/vmfs/volumes/{about.name}", accessMode="readWrite", mounted=True, accessible=about.accessible)


def iorm(store: DatastoreState) -> Any:
    """StorageIORMInfo; None where the datastore does not support Storage I/O Control."""
    if not store.description.sioc.supported:
        return None
    return complete(
        vim.StorageResourceManager.IORMConfigInfo(
            enabled=store.sioc_enabled,
            congestionThresholdMode=store.sioc_mode,
            congestionThreshold=store.sioc_threshold_ms,
            percentOfPeakThroughput=store.sioc_percent_of_peak,
            statsCollectionEnabled=store.sioc_statistics,
            reservationEnabled=False,
            statsAggregationDisabled=store.sioc_without_aggregation,
        )
    )


def capability(store: DatastoreState) -> Any:
    """DatastoreCapability."""
    return complete(
        vim.Datastore.Capability(
            directoryHierarchySupported=True,
            rawDiskMappingsSupported=store.description.type == "VMFS",
            perFileThinProvisioningSupported=True,
            storageIORMSupported=store.description.sioc.supported,
        )
    )


def _host_endpoints(state: VCenterState, store: DatastoreState) -> list[Any]:
    built = []
    for name in store.description.hosts:
        host = state.hosts[state.host_id[name]]
        endpoints = [
            vim.host.ProtocolEndpoint(
                peType="block",
                type="scsi",
                uuid=device,
                deviceId=device,
                storageArray=store.description.array_name,
                hostKey=[vim.HostSystem(host.moid)],
            )
            for device in store.description.endpoints
            if device in host.devices
        ]
        built.append(vim.host.VvolVolume.HostProtocolEndpoint(key=vim.HostSystem(host.moid), protocolEndpoint=endpoints))
    return built


def url(store: DatastoreState) -> str:
    """DatastoreSummary.url, which names where hosts mount the datastore."""
    about = store.description
    if about.type == "VVOL":
        digits = about.container_id.replace("-", "")
        return f"ds:///vmfs/volumes/vvol:{digits[:16]}-{digits[16:]}/"
    return f"ds:///vmfs/volumes/{vmfs_uuid(about.name)}/"
