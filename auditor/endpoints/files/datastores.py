"""The datastores that hosts mount, from what esxcli printed on each of them.

Which host has which comes together here: a volume has the same UUID on all of them, an NFS mount the same server and path. What only a
vCenter knows of a datastore, such as Storage I/O Control, is NULL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.addresses import in_short_form
from auditor.endpoints.vcenter.collect.rows import Rows
from auditor.endpoints.vcenter.collect.storage import lower_hex_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.files.hosts import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Record, Records
    from auditor.endpoints.vcenter.collect.rows import Facts

VOLUMES, EXTENTS = "storage filesystem list", "storage vmfs extent list"
NFS, NFS41 = "storage nfs list", "storage nfs41 list"


@dataclass(slots=True)
class _Store:
    row: dict[str, Any]
    mounts: dict[str, tuple[bool | None, bool | None]] = field(default_factory=dict)
    extents: set[tuple[str, int | None]] = field(default_factory=set)


class Datastores:
    """The datastores of all hosts, as they are read one host after another."""

    def __init__(self) -> None:
        self._stores: dict[str, _Store] = {}

    @staticmethod
    def needed(host: HostFiles) -> tuple[str, ...]:
        """The commands whose output says all about what a host mounts."""
        kinds = {(record.text("type", needed=False) or "").partition("-")[0] for record in host.records(VOLUMES) or ()}
        return (VOLUMES, EXTENTS, *([NFS] if "NFS" in kinds else []), *([NFS41] if "NFS41" in kinds else []))

    def add(self, host: HostFiles) -> None:
        """Take what one host mounts."""
        exports = {**_exports(host.records(NFS)), **_exports(host.records(NFS41))}
        for record in host.records(VOLUMES) or ():
            self._add_volume(host.name, record, exports)
        for record in host.records(EXTENTS) or ():
            uuid, device = record.filled("vmfsuuid", needed=False), record.filled("devicename", needed=False)
            if uuid in self._stores and device:
                self._stores[uuid].extents.add((lower_hex_name(device), record.number("partition", needed=False)))

    def _add_volume(self, host: str, record: Record, exports: Mapping[str, _Export]) -> None:
        of_type, uuid = record.text("type", needed=False) or "", record.filled("uuid", needed=False)
        kind, _, version = of_type.partition("-")
        name = record.filled("volumename", needed=False)
        if kind not in ("VMFS", "NFS", "NFS41", "VVOL", "vsan") or name is None:
            return  # boot banks, scratch and the like are no datastores
        export = exports.get(name)
        key = uuid if kind == "VMFS" or export is None else f"{kind} {export.server}:{export.path}"
        if not key:
            return
        store = self._stores.setdefault(key, _Store({"datastore_id": key, "name": name, "type": kind}))
        store.row["size_bytes"] = record.number("size", needed=False) or store.row.get("size_bytes")
        if kind == "VMFS":
            store.row |= {"vmfs_uuid": uuid, "vmfs_version": version or None}
        elif export is not None:
            store.row |= {"nfs_host": export.server, "nfs_path": export.path}
        mounted = record.truth("mounted", needed=False)
        store.mounts[host] = (mounted, export.accessible if export else None)

    def rows(self, endpoint: str) -> Iterator[Facts]:
        """Tables datastore, datastore_extent and datastore_mount."""
        stores, extents, mounts = (Rows(table, endpoint=endpoint) for table in ("datastore", "datastore_extent", "datastore_mount"))
        for key, store in self._stores.items():
            several = True if len(store.mounts) > 1 else None
            stores.add(**store.row, extents=len(store.extents) or None, multiple_host_access=several)
            for device, partition in sorted(store.extents, key=str):
                extents.add(datastore_id=key, device=device, partition=partition)
            for host, (mounted, accessible) in store.mounts.items():
                mounts.add(datastore_id=key, host_id=host, mounted=mounted, accessible=accessible)
        for rows in (stores, extents, mounts):
            yield from rows.batch()


@dataclass(frozen=True, slots=True)
class _Export:
    server: str
    path: str
    accessible: bool | None


def _exports(records: Records | None) -> dict[str, _Export]:
    """By the name of the volume; NFS 4.1 may name several servers."""
    found = {}
    for record in records or ():
        name, path = record.filled("volumename", needed=False), record.filled("share", needed=False)
        servers = ",".join(record.texts("hosts", needed=False) or record.texts("host", needed=False) or ())
        named = sorted({in_short_form(one.strip()) for one in servers.split(",") if one.strip()})
        if name and path and named:
            found[name] = _Export(",".join(named), path, record.truth("accessible", needed=False))
    return found
