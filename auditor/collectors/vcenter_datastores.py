"""Datastores: what they lie on, who mounts them, and Storage I/O Control."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from auditor.clients.vcenter import moid
from auditor.collectors.vcenter_reading import LIGHT_PAGE, read_each
from auditor.collectors.vcenter_rows import Facts, Rows, gap, holes, pages, readings
from auditor.collectors.vcenter_storage import lower_hex_name
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.clients.vcenter import VCenter
    from auditor.clients.vcenter_read import ObjectFacts
    from auditor.collectors.vcenter_rows import Circuit
    from auditor.model import Endpoint

# `info` as a whole: its kinds differ in their fields, and a real server refuses a path that the base type lacks.
_PATHS = (
    "name",
    "summary.type",
    "summary.capacity",
    "summary.accessible",
    "info",
    "host",
    "capability.storageIORMSupported",
    "iormConfiguration",
)
_NEEDED = ("name", "summary.type", "info", "host")


def collect_datastores(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit) -> Iterator[Facts]:
    """Yield datastore, datastore_extent, datastore_mount and vvol_mount, and the reading of topic "datastores"."""
    from pyVmomi import vim

    from auditor.clients.vcenter_read import list_objects

    try:
        if circuit.opened_by is not None:
            raise circuit.opened_by
        refs = list_objects(vcenter, vim.Datastore)
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of datastores", error)
        yield readings(endpoint, "", {"datastores": False})
        return
    complete = True
    for some in pages(refs, LIGHT_PAGE):
        tables = _Tables(endpoint)
        for facts in read_each(vcenter, vim.Datastore, _PATHS, some, LIGHT_PAGE, circuit):
            found = list(_add(endpoint, tables, facts))
            complete = complete and not found
            yield from found
        yield from tables.batches()
    yield readings(endpoint, "", {"datastores": complete})


class _Tables:
    def __init__(self, endpoint: Endpoint) -> None:
        self.stores = Rows("datastore", endpoint=endpoint.name)
        self.extents = Rows("datastore_extent", endpoint=endpoint.name)
        self.mounts = Rows("datastore_mount", endpoint=endpoint.name)
        self.endpoints = Rows("vvol_mount", endpoint=endpoint.name)

    def batches(self) -> Iterator[Facts]:
        for rows in (self.stores, self.extents, self.mounts, self.endpoints):
            yield from rows.batch()


def _add(endpoint: Endpoint, tables: _Tables, facts: ObjectFacts | tuple[Any, EndpointError]) -> Iterator[Facts]:
    """Add one datastore to `tables`; yield its holes."""
    if isinstance(facts, tuple):
        ref, error = facts
        tables.stores.add(datastore_id=moid(ref), name=moid(ref))
        yield gap(endpoint, f"datastore {moid(ref)}", error)
        return
    values = facts.values
    name = values.get("name") or facts.id
    untold = {path: "vCenter does not tell it" for path in _NEEDED if path not in values}
    yield from holes(endpoint, untold | dict(facts.missing), f"datastore {name}")
    info = values.get("info")
    vmfs, vvol = getattr(info, "vmfs", None), getattr(info, "vvolDS", None)
    tables.stores.add(
        datastore_id=facts.id,
        name=name,
        type=values.get("summary.type"),
        vmfs_uuid=vmfs.uuid if vmfs else None,
        vmfs_version=vmfs.version if vmfs else None,
        vvol_container_id=container_id(vvol.scId) if vvol else None,
        size_bytes=values.get("summary.capacity"),
        accessible=values.get("summary.accessible"),
        sioc_supported=values.get("capability.storageIORMSupported"),
        **_sioc(values.get("iormConfiguration")),
    )
    for extent in (vmfs.extent or ()) if vmfs else ():
        tables.extents.add(datastore_id=facts.id, device=lower_hex_name(extent.diskName), partition=extent.partition)
    for mount in values.get("host") or ():
        about = mount.mountInfo
        tables.mounts.add(datastore_id=facts.id, host_id=moid(mount.key), mounted=about.mounted, accessible=about.accessible)
    for seen_by in (vvol.hostPE or ()) if vvol else ():
        yield from _protocol_endpoints(endpoint, tables, facts.id, name, seen_by)


def _protocol_endpoints(endpoint: Endpoint, tables: _Tables, datastore_id: str, name: str, seen_by: Any) -> Iterator[Facts]:
    seen: set[str] = set()
    for one in seen_by.protocolEndpoint or ():
        if one.deviceId:
            device = lower_hex_name(one.deviceId)
            if device not in seen:
                tables.endpoints.add(datastore_id=datastore_id, host_id=moid(seen_by.key), device=device)
            seen.add(device)
        elif not (one.type or one.peType or "").lower().startswith(("nas", "nfs")):
            # An NFS endpoint has no device; a SCSI one without a name is a hole.
            yield gap(endpoint, f"protocol endpoint {one.uuid} of datastore {name} on {moid(seen_by.key)}", "its device is not told")


def _sioc(settings: Any) -> dict[str, Any]:
    """Columns of Storage I/O Control; all NULL where a datastore has none. Source: StorageIORMInfo; facts.md 4.1."""
    if settings is None:
        return {}
    return {
        "sioc_enabled": settings.enabled,
        "sioc_mode": settings.congestionThresholdMode,
        "sioc_threshold_ms": settings.congestionThreshold,
        "sioc_statistics_only": bool(settings.statsCollectionEnabled) and not settings.enabled,
    }


def container_id(storage_container: str) -> str:
    """A storage container's id as arrays write it: a lower-case UUID where it is one, without the "vvol:" of datastore URLs."""
    bare = storage_container.lower().removeprefix("vvol:")
    digits = bare.replace("-", "")
    return str(uuid.UUID(digits)) if re.fullmatch(r"[0-9a-f]{32}", digits) else bare
