"""Datastores: file systems, VMFS volumes and their locks, NFS mounts, and virtual volumes.

File systems, extents and NFS are as in recorded outputs. Not verified: the lock modes as a whole (their titles are in VMware's storage
guide), every form of virtual volumes (known by their names only), what a release after 6.5 says of a volume that is reclaimed at a rate,
and how file systems other than VMFS are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Output, records_of
from auditor_lab.evidence.storage import answer
from auditor_lab.vcenter.inventory.datastores import url, vmfs_uuid

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

FILE_SYSTEMS = Form(Layout.TABLE, "FilesystemVolume", ("Mount Point", "Volume Name", "UUID", "Mounted", "Type", "Size", "Free"))
EXTENTS = Form(Layout.TABLE, "VMFSExtent", ("Volume Name", "VMFS UUID", "Extent Number", "Device Name", "Partition"))
LOCK_MODES = Form(
    Layout.TABLE,
    "LockMode",
    ("Volume Name", "UUID", "Type", "Locking Mode", "ATS Compatible", "ATS Upgrade Modes", "ATS Incompatibility Reason"),
)
RECLAIM = Form(
    Layout.ONE,
    "ReclaimConfig",
    ("Reclaim Granularity", "Reclaim Priority"),
    units={"Reclaim Granularity": "Bytes"},
)
NFS = Form(
    Layout.TABLE,
    "NFSVolume",
    ("Volume Name", "Host", "Share", "Accessible", "Mounted", "Read-Only", "isPE", "Hardware Acceleration"),
)
NFS41 = Form(
    Layout.TABLE,
    "NFS41Volume",
    ("Volume Name", "Host(s)", "Share", "Accessible", "Mounted", "Read-Only", "Security", "isPE", "Hardware Acceleration"),
)
ENDPOINTS = Form(
    Layout.RECORDS,
    "ProtocolEndpoint",
    (
        *("Host Id", "Array Id", "Type", "Accessible", "Configured", "Lun Id", "Remote Host", "Remote Share", "NFS4x Transport IPs"),
        *("Server Scope", "Server Major", "Auth", "User", "Storage Containers"),
    ),
    heading="Protocol Endpoint",
    lists=frozenset({"Storage Containers"}),
)
CONTAINERS = Form(
    Layout.RECORDS,
    "StorageContainer",
    ("StorageContainer Name", "UUID", "Array", "Size(MB)", "Free(MB)", "Accessible", "Default Policy"),
    heading="StorageContainer Name",
)


def outputs(state: VCenterState, host: HostState) -> Iterator[Output]:
    """Every command about the datastores that the host mounts."""
    version, mounted = host.description.version, state.mounted(host.description.name)

    def output(command: str, form: Form, rows: list[dict[str, object]]) -> Output:
        return Output(command, form, records_of(form, rows, version), version)

    of_type = {kind: [store for store in mounted if store.description.type == kind] for kind in ("VMFS", "NFS", "NFS41", "VVOL")}
    yield output("storage filesystem list", FILE_SYSTEMS, [_file_system(store) for store in mounted])
    yield output("storage vmfs extent list", EXTENTS, [row for store in of_type["VMFS"] for row in _extents(store)])
    yield output("storage vmfs lockmode list", LOCK_MODES, answer(state, host, "storage vmfs lockmode list"))
    for store in of_type["VMFS"]:
        if store.description.vmfs_version.startswith("6"):
            reclaim = records_of(RECLAIM, [{"Reclaim Granularity": 1 << 20, "Reclaim Priority": store.unmap_priority}], version)
            options = (("--volume-uuid", vmfs_uuid(store.description.name)),)
            yield Output("storage vmfs reclaim config get", RECLAIM, reclaim, version, options)
    yield output("storage nfs list", NFS, [_nfs(store) for store in of_type["NFS"]])
    yield output("storage nfs41 list", NFS41, [_nfs(store) for store in of_type["NFS41"]])
    yield output("storage vvol protocolendpoint list", ENDPOINTS, _endpoints(host, of_type["VVOL"]))
    yield output("storage vvol storagecontainer list", CONTAINERS, [_container(store) for store in of_type["VVOL"]])


def _file_system(store: DatastoreState) -> dict[str, object]:
    """The row; its mount point is the one that vCenter's URL of the datastore names."""
    about = store.description
    mount = url(store).removeprefix("ds://").rstrip("/")
    major = about.vmfs_version.partition(".")[0]
    return {
        "Mount Point": mount,
        "Volume Name": about.name,
        "UUID": mount.rpartition("/")[2],
        "Mounted": about.accessible,
        "Type": f"VMFS-{major}" if about.type == "VMFS" else about.type,
        "Size": about.size_bytes,
        "Free": about.size_bytes // 2,
    }


def _extents(store: DatastoreState) -> list[dict[str, object]]:
    name = store.description.name
    return [
        {"Volume Name": name, "VMFS UUID": vmfs_uuid(name), "Extent Number": number, "Device Name": device, "Partition": 1}
        for number, device in enumerate(store.description.extents)
    ]


def _nfs(store: DatastoreState) -> dict[str, object]:
    about = store.description
    return {
        "Volume Name": about.name,
        "Host": about.remote_host,
        "Host(s)": about.remote_host,
        "Share": about.remote_path,
        "Accessible": about.accessible,
        "Mounted": True,
        "Read-Only": False,
        "Security": "AUTH_SYS",
        "isPE": False,
        "Hardware Acceleration": "Not Supported",
    }


def _endpoints(host: HostState, stores: list[DatastoreState]) -> list[dict[str, object]]:
    """Each endpoint that the host sees, with the containers that it serves."""
    names = dict.fromkeys(name for store in stores for name in store.description.endpoints if name in host.devices)
    return [
        {
            "Protocol Endpoint": name,
            "Host Id": name,
            "Array Id": next(store.description.array_name for store in stores if name in store.description.endpoints),
            "Type": "SCSI",
            "Accessible": True,
            "Configured": True,
            "Lun Id": name,
            "Remote Host": "",
            "Remote Share": "",
            "NFS4x Transport IPs": "",
            "Server Scope": 0,
            "Server Major": "",
            "Auth": "",
            "User": "",
            "Storage Containers": [store.description.container_id for store in stores if name in store.description.endpoints],
        }
        for name in names
    ]


def _container(store: DatastoreState) -> dict[str, object]:
    about = store.description
    return {
        "StorageContainer Name": about.name,
        "UUID": url(store).removeprefix("ds:///vmfs/volumes/").rstrip("/"),
        "Array": about.array_name,
        "Size(MB)": about.size_bytes >> 20,
        "Free(MB)": about.size_bytes >> 21,
        "Accessible": about.accessible,
        "Default Policy": "",
    }
