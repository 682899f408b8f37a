"""The datastores that hosts mount, from what esxcli printed on each of them.

Which host has which comes together here: a volume has the same UUID on all of them, an NFS mount the same server and path. What only a
vCenter knows of a datastore, such as Storage I/O Control, is NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files.other_forms import other_form
from auditor.endpoints.files.protocol_endpoints import ENDPOINTS, endpoint_device
from auditor.endpoints.files.storage import EXTENTS
from auditor.endpoints.vcenter.collect.datastores import container_id
from auditor.endpoints.vcenter.collect.rows import Rows
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.enumerations import UNMAP_PRIORITIES
from auditor.text.addresses import in_short_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Record, Records
    from auditor.endpoints.vcenter.collect.rows import Facts

VOLUMES = "storage filesystem list"
NFS, NFS41 = "storage nfs list", "storage nfs41 list"
CONTAINERS = "storage vvol storagecontainer list"
RECLAIM = "storage vmfs reclaim config get"


@dataclass(slots=True)
class _Store:
    row: dict[str, Any]
    mounts: dict[str, tuple[bool | None, bool | None]] = field(default_factory=dict)
    extents: set[tuple[str, int | None]] = field(default_factory=set)
    endpoints: dict[tuple[str, str], None] = field(default_factory=dict)  # host and device


class Datastores:
    """The datastores of all hosts, as they are read one host after another."""

    def __init__(self) -> None:
        self._stores: dict[str, _Store] = {}

    @staticmethod
    def needed(host: HostFiles) -> tuple[str, ...]:
        """The commands whose output says all about what a host mounts."""
        kinds = {(record.text("type", needed=False) or "").partition("-")[0] for record in host.records(VOLUMES) or ()}
        more = {"NFS": (NFS,), "NFS41": (NFS41,), "VVOL": (ENDPOINTS, CONTAINERS)}
        return (VOLUMES, EXTENTS, *(command for kind, commands in more.items() if kind in kinds for command in commands))

    @staticmethod
    def lacks_priorities(host: HostFiles) -> bool:
        """Whether there are more volumes of VMFS 6 than outputs that say how freed space is given back."""
        volumes = sum((record.text("type", needed=False) or "") == "VMFS-6" for record in host.records(VOLUMES) or ())
        return volumes > len(host.outputs.get(RECLAIM, ()))

    def add(self, host: HostFiles) -> None:
        """Take what one host mounts."""
        exports = {**_exports("NFS", host.records(NFS)), **_exports("NFS41", host.records(NFS41))}
        reached = _reached(host.records(CONTAINERS))
        for record in host.records(VOLUMES) or ():
            self._add_volume(host.name, record, exports, reached)
        for name, export in exports.items():
            self._add_export(host.name, name, export)
        extents = host.records(EXTENTS)
        for record in (other_form(host, EXTENTS) if extents is None else extents) or ():
            uuid, device = record.filled("vmfsuuid", needed=False), record.filled("devicename", needed=False)
            if uuid in self._stores and device:
                self._stores[uuid].extents.add((lower_hex_name(device), record.number("partition", needed=False)))
        self._add_endpoints(host)
        self._add_priorities(host)

    def _add_endpoints(self, host: HostFiles) -> None:
        """Take the protocol endpoints of the host, each with the containers that it serves."""
        stores = {store.row["vvol_container_id"]: store for store in self._stores.values() if "vvol_container_id" in store.row}
        for record in host.records(ENDPOINTS) or ():
            device = endpoint_device(record)
            for served in _names(record.texts("storagecontainers", needed=False)):
                store = stores.get(container_id(served))
                if device and store is not None and host.name in store.mounts:
                    store.endpoints[host.name, device] = None

    def _add_priorities(self, host: HostFiles) -> None:
        """Take how urgently the host gives freed space of each volume back; the output names its volume by its options alone."""
        for output in host.outputs.get(RECLAIM, ()):
            label, uuid = output.arguments.get("volume-label"), output.arguments.get("volume-uuid")
            said = next((record.text("reclaimpriority", needed=False) for record in host.read(output)), None)
            for store in self._stores.values():
                is_this = store.row.get("vmfs_uuid") == uuid if uuid else store.row["name"] == label
                if is_this and host.name in store.mounts and said in UNMAP_PRIORITIES:
                    store.row["unmap_priority"] = said

    def _add_volume(self, host: str, record: Record, exports: Mapping[str, _Export], reached: Mapping[str, bool | None]) -> None:
        of_type, uuid = record.text("type", needed=False) or "", record.filled("uuid", needed=False)
        kind, _, version = of_type.partition("-")
        name = record.filled("volumename", needed=False)
        if kind not in ("VMFS", "NFS", "NFS41", "VVOL", "vsan") or name is None:
            return  # boot banks, scratch and the like are no datastores
        export = exports.get(name)
        key = uuid if kind == "VMFS" or export is None else export.key
        if not key:
            return
        store = self._stores.setdefault(key, _Store({"datastore_id": key, "name": name, "type": kind}))
        store.row["size_bytes"] = record.number("size", needed=False) or store.row.get("size_bytes")
        if kind == "VMFS":
            store.row |= {"vmfs_uuid": uuid, "vmfs_version": version or None}
        elif export is not None:
            store.row |= {"nfs_host": export.server, "nfs_path": export.path}
        elif kind == "VVOL":
            store.row["vvol_container_id"] = container_id(key)
        mounted = record.truth("mounted", needed=False)
        store.mounts[host] = (mounted, export.accessible if export else reached.get(container_id(key)))

    def _add_export(self, host: str, name: str, export: _Export) -> None:
        """Take an NFS mount that stands in no list of volumes: nobody took that list, or the mount is not in it while no server answers."""
        row = {"datastore_id": export.key, "name": name, "type": export.kind, "nfs_host": export.server, "nfs_path": export.path}
        self._stores.setdefault(export.key, _Store(row)).mounts.setdefault(host, (export.mounted, export.accessible))

    def rows(self, endpoint: str) -> Iterator[Facts]:
        """Tables datastore, datastore_extent, datastore_mount and vvol_mount."""
        tables = ("datastore", "datastore_extent", "datastore_mount", "vvol_mount")
        stores, extents, mounts, endpoints = (Rows(table, endpoint=endpoint) for table in tables)
        for key, store in self._stores.items():
            several = True if len(store.mounts) > 1 else None
            stores.add(**store.row, extents=len(store.extents) or None, multiple_host_access=several)
            for device, partition in sorted(store.extents, key=str):
                extents.add(datastore_id=key, device=device, partition=partition)
            for host, (mounted, accessible) in store.mounts.items():
                mounts.add(datastore_id=key, host_id=host, mounted=mounted, accessible=accessible)
            for host, device in store.endpoints:
                endpoints.add(datastore_id=key, host_id=host, device=device)
        for rows in (stores, extents, mounts, endpoints):
            yield from rows.batch()


@dataclass(frozen=True, slots=True)
class _Export:
    kind: str
    server: str
    path: str
    mounted: bool | None
    accessible: bool | None

    @property
    def key(self) -> str:
        return f"{self.kind} {self.server}:{self.path}"


def _exports(kind: str, records: Records | None) -> dict[str, _Export]:
    """By the name of the volume; NFS 4.1 may name several servers."""
    found = {}
    for record in records or ():
        name, path = record.filled("volumename", needed=False), record.filled("share", needed=False)
        servers = record.texts("hosts", needed=False) or record.texts("host", needed=False)
        named = sorted({in_short_form(one) for one in _names(servers)})
        if name and path and named and not record.truth("ispe", needed=False):  # a protocol endpoint of vVols holds no files
            mounted, accessible = (record.truth(field, needed=False) for field in ("mounted", "accessible"))
            found[name] = _Export(kind, ",".join(named), path, mounted, accessible)
    return found


def _reached(records: Records | None) -> dict[str, bool | None]:
    """By the id of a storage container, whether the host reaches it."""
    return {
        container_id(uuid): record.truth("accessible", needed=False)
        for record in records or ()
        if (uuid := record.filled("uuid", needed=False))
    }


def _names(texts: Sequence[str] | None) -> list[str]:
    """The names in a field that may have several, with commas or as a list."""
    return [name.strip() for name in ",".join(texts or ()).split(",") if name.strip()]
