"""Datastores: what they lie on, who mounts them, and Storage I/O Control."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, gaps_of, readings
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.enumerations import CONGESTION_MODES, DATASTORE_TYPES, UNMAP_PRIORITIES, unlisted
from auditor.errors import EndpointError
from auditor.text.addresses import in_short_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import EndpointsOfHost, IormInfo, NasVolume, Ref, VmfsVolume
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_NEEDED = ("name", "summary.type", "info", "host", "parent")
_POD = "StoragePod"
_STORES_A_BATCH = 100  # each mounted by up to hundreds of hosts


def collect_datastores(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, paths: Sequence[str]) -> Iterator[Facts]:
    """Yield datastore, datastore_extent, datastore_mount and vvol_mount, and the reading of topic "datastores".

    `paths` are the properties to ask for.
    """
    try:
        circuit.check()
        refs = vcenter.bulk.refs("Datastore")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of datastores", error)
        yield readings(endpoint, "", {"datastores": False})
        return
    complete = True
    tables = DatastoreTables(endpoint)
    for count, facts in enumerate(read_each(vcenter, "Datastore", paths, refs, circuit), 1):
        gaps = list(add_datastore(endpoint, tables, facts, paths))
        complete = complete and not gaps
        yield from gaps
        if count % _STORES_A_BATCH == 0:
            yield from tables.batches()
            tables = DatastoreTables(endpoint)
    yield from tables.batches()
    yield readings(endpoint, "", {"datastores": complete})


class DatastoreTables:
    """Rows of the four tables of datastores."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.stores = Rows("datastore", endpoint=endpoint.name)
        self.extents = Rows("datastore_extent", endpoint=endpoint.name)
        self.mounts = Rows("datastore_mount", endpoint=endpoint.name)
        self.endpoints = Rows("vvol_mount", endpoint=endpoint.name)

    def batches(self) -> Iterator[Facts]:
        """The rows of each table that has any."""
        for rows in (self.stores, self.extents, self.mounts, self.endpoints):
            yield from rows.batch()


def add_datastore(
    endpoint: Endpoint,
    tables: DatastoreTables,
    facts: ObjectProperties | tuple[Ref, EndpointError],
    paths: Sequence[str],
    *,
    unset_is_mounted: bool = True,
) -> Iterator[Facts]:
    """Add one datastore to `tables`; yield a gap for each property that could not be read.

    A mount is mounted unless the API says otherwise (VIM API reference, HostMountInfo.mounted). Where an export leaves
    it out (`unset_is_mounted` is false), that is not known.
    """
    if isinstance(facts, tuple):
        ref, error = facts
        tables.stores.add(datastore_id=ref.value, name=ref.value)
        yield gap(endpoint, f"datastore {ref.value}", error)
        return
    values = facts.values
    name = values.get("name") or facts.id
    not_reported = {path: "vCenter does not report it" for path in _NEEDED if path in paths and path not in values}
    yield from gaps_of(endpoint, not_reported | dict(facts.missing), f"datastore {name}")
    info = values.get("info")
    vmfs, vvol, nas = (info.vmfs, info.vvol, info.nas) if info else (None, None, None)
    parent, settings = values.get("parent"), values.get("iormConfiguration")
    strange = {
        "type": unlisted(values.get("summary.type"), DATASTORE_TYPES),
        "unmap_priority": unlisted(vmfs.unmap_priority if vmfs else None, UNMAP_PRIORITIES),
        "sioc_mode": unlisted(settings.congestion_threshold_mode if settings else None, CONGESTION_MODES),
    }
    for column, why in strange.items():
        if why:
            yield gap(endpoint, f"{column} of datastore {name}", why)
    row = dict(
        datastore_id=facts.id,
        name=name,
        type=values.get("summary.type"),
        vmfs_uuid=vmfs.uuid if vmfs else None,
        vmfs_version=vmfs.version if vmfs else None,
        vvol_container_id=container_id(vvol.container_id) if vvol else None,
        nfs_host=_servers(nas) if nas else None,
        nfs_path=nas.remote_path if nas else None,
        # The folder that a datastore lies in is its datastore cluster, where it is in one: a StoragePod is a kind of Folder.
        pod_id=parent.value if parent and parent.type == _POD else None,
        size_bytes=values.get("summary.capacity"),
        free_bytes=values.get("summary.freeSpace"),
        accessible=values.get("summary.accessible"),
        multiple_host_access=values.get("summary.multipleHostAccess"),
        maintenance_mode=values.get("summary.maintenanceMode"),
        **_vmfs(vmfs),
        sioc_supported=values.get("capability.storageIORMSupported"),
        **_sioc(settings),
    )
    tables.stores.add(**row | {column: None for column, why in strange.items() if why})
    for extent in vmfs.extent if vmfs else ():
        tables.extents.add(datastore_id=facts.id, device=lower_hex_name(extent.disk_name), partition=extent.partition)
    for mount in values.get("host") or ():
        about, host = mount.mount_info, mount.key
        if about is None or host is None:
            yield gap(endpoint, f"a mount of datastore {name}", "its host or its state is not reported")
            continue
        mounted = True if about.mounted is None and unset_is_mounted else about.mounted
        tables.mounts.add(datastore_id=facts.id, host_id=host.value, mounted=mounted, accessible=about.accessible)
    for seen_by in vvol.endpoints if vvol else ():
        yield from _protocol_endpoints(endpoint, tables, facts.id, name, seen_by)


def _protocol_endpoints(
    endpoint: Endpoint, tables: DatastoreTables, datastore_id: str, name: str, seen_by: EndpointsOfHost
) -> Iterator[Facts]:
    seen: set[str] = set()
    host_id = seen_by.key.value if seen_by.key else None
    for one in seen_by.protocol_endpoint:
        if one.device_id and host_id:
            device = lower_hex_name(one.device_id)
            if device not in seen:
                tables.endpoints.add(datastore_id=datastore_id, host_id=host_id, device=device)
            seen.add(device)
        elif not (one.type or one.pe_type or "").lower().startswith(("nas", "nfs")):
            # An NFS endpoint has no device; a SCSI one without a name is a hole.
            yield gap(endpoint, f"protocol endpoint {one.uuid} of datastore {name} on {host_id}", "its device or its host is not reported")


def _servers(volume: NasVolume) -> str | None:
    """The servers that a mount names, comma-separated and in the order of their names; None when it names none.

    `remoteHost` has one of them; a mount by NFS 4.1 may have several, and any of them may serve it. Source: VIM API reference,
    HostNasVolume.remoteHostNames.
    """
    names = volume.remote_host_names or (volume.remote_host or "").split(",")
    return ",".join(sorted({in_short_form(name.strip()) for name in names if name.strip()})) or None


def _vmfs(volume: VmfsVolume | None) -> dict[str, Any]:
    """Columns of a VMFS volume; all NULL for a datastore of another type. Source: HostVmfsVolume; sizes are in KiB there."""
    if volume is None:
        return {}
    return {
        "extents": len(volume.extent) or None,  # a volume lies on one at least: none means that it is not known
        "is_local": volume.local,
        "block_size_kib": volume.block_size,
        "unmap_priority": volume.unmap_priority,
        "unmap_granularity_kib": volume.unmap_granularity,
    }


def _sioc(settings: IormInfo | None) -> dict[str, Any]:
    """Columns of Storage I/O Control; all NULL where a datastore has none.

    A threshold of 0 is none: where Storage I/O Control was never set, vCenter reports it for the 30 ms that it would start with.

    Source: StorageIORMInfo; docs/domain/facts.md#4-1; kubev2v/forklift#8076.
    """
    if settings is None:
        return {}
    return {
        "sioc_enabled": settings.enabled,
        "sioc_mode": settings.congestion_threshold_mode,
        "sioc_threshold_ms": settings.congestion_threshold or None,
        "sioc_statistics_only": bool(settings.stats_collection_enabled) and not settings.enabled,
    }


def container_id(storage_container: str) -> str:
    """A storage container's id as arrays write it: a lower-case UUID where it is one, without the "vvol:" of datastore URLs."""
    bare = storage_container.lower().removeprefix("vvol:")
    digits = bare.replace("-", "")
    return str(uuid.UUID(digits)) if re.fullmatch(r"[0-9a-f]{32}", digits) else bare
