"""The datastores of an export, in the shapes of the vSphere API.

Of what lies on what the sheets have two views: a datastore counts its extents and its hosts, and the devices and hosts are listed. Where
the list is not as long as the count, it is not believed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files.rvtools.storage import device_name
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import DatastoreInfo, Extent, HostMount, MountInfo, NasVolume, Ref, VmfsVolume, VvolVolume
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.enumerations import DATASTORE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.rvtools.export import Export
    from auditor.endpoints.files.rvtools.places import Places, Server
    from auditor.endpoints.files.rvtools.sheets import Row

_MIB = 1 << 20
_TYPES = {name.lower(): name for name in DATASTORE_TYPES}
_VOLUME = re.compile(r"ds:///vmfs/volumes/(?P<volume>[^/\s]{1,120})/?")
_VMFS_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHARE = re.compile(r"(?P<host>[A-Za-z0-9._-]{1,255})[:\s]\s*(?P<path>/\S.*)")
_DEVICE = re.compile(r"(?:naa|eui|t10|mpx)\.[^\s,;]{1,250}")


class Datastores:
    """The datastores of an export.

    Attributes:
        unsettled: names of those that nobody can tell from others, or whose hosts or extents are not all listed.
    """

    def __init__(self, export: Export, places: Places) -> None:
        self._export, self._places = export, places
        self._devices = _devices_by_store(export, places)
        self._ids: dict[tuple[Server, str], set[str]] = defaultdict(set)
        self.unsettled: dict[str, None] = {}
        for row in export.rows("vDatastore"):
            if name := row.text("name"):
                self._ids[places.server_of(row), name].add(_id_of(row, places.server_of(row), name))

    def id_of(self, server: Server, name: str) -> str | None:
        """The id of the datastore of that name; None where there are several. One that no row is about is known by its name."""
        ids = self._ids.get((server, name), {server.id_of(name)})
        return next(iter(ids)) if len(ids) == 1 else None

    def facts(self) -> Iterator[ObjectProperties]:
        """What the API would say of each."""
        rows = [(row, name) for row in self._export.rows("vDatastore") if (name := row.text("name"))]
        count = Counter(_id_of(row, self._places.server_of(row), name) for row, name in rows)
        for row, name in rows:
            server = self._places.server_of(row)
            identity = _id_of(row, server, name)
            if count[identity] > 1:
                self.unsettled[name] = None
            else:
                yield ObjectProperties(Ref("Datastore", identity), self._values(row, server, name), {})

    def _values(self, row: Row, server: Server, name: str) -> dict[str, Any]:
        of_type, size, free = row.text("type") or "", row.number("capacity mib"), row.number("free mib")
        values: dict[str, Any] = {
            "name": name,
            "summary.type": _TYPES.get(of_type.lower()),
            "summary.capacity": size * _MIB if size else None,
            "summary.freeSpace": None if free is None else free * _MIB,
            "summary.accessible": row.truth("accessible"),
            "summary.multipleHostAccess": row.truth("mha") or None,  # false may be what the API did not say
            "info": self._info(row, server, name),
            "host": [HostMount(key=Ref("HostSystem", server.id_of(host)), mount_info=MountInfo()) for host in self._hosts(row, name)],
        }
        return {path: value for path, value in values.items() if value is not None}

    def _hosts(self, row: Row, name: str) -> list[str]:
        hosts = [host for text in re.split(r"[,;]", row.text("hosts") or "") if (host := text.strip())]
        if len(hosts) == row.number("# hosts"):
            return hosts
        self.unsettled[name] = None
        return []

    def _info(self, row: Row, server: Server, name: str) -> DatastoreInfo | None:
        volume = _VOLUME.fullmatch(row.text("url") or "")
        of_type = (row.text("type") or "").upper()
        if of_type == "VMFS":
            uuid = volume["volume"] if volume and _VMFS_UUID.fullmatch(volume["volume"]) else None
            return DatastoreInfo(vmfs=VmfsVolume(uuid=uuid, version=row.text("version"), extent=self._extents(row, server, name)))
        if of_type in ("NFS", "NFS41") and (share := _SHARE.fullmatch(row.text("address") or "")):
            return DatastoreInfo(nas=NasVolume(remote_host=share["host"], remote_path=share["path"].strip()))
        if of_type == "VVOL" and volume and volume["volume"].startswith("vvol:"):
            return DatastoreInfo(vvol=VvolVolume(container_id=volume["volume"]))
        return None

    def _extents(self, row: Row, server: Server, name: str) -> list[Extent]:
        devices = self._devices.get((server, name), set()) if len(self._ids[server, name]) == 1 else set()
        devices = devices | {lower_hex_name(device) for device in _DEVICE.findall(row.text("address") or "")}
        if len(devices) == row.number("# extents"):
            return [Extent(disk_name=device) for device in sorted(devices)]
        self.unsettled[name] = None
        return []


def _id_of(row: Row, server: Server, name: str) -> str:
    return server.id_of(row.text("object id") or row.text("url") or name)


def _devices_by_store(export: Export, places: Places) -> dict[tuple[Server, str], set[str]]:
    """The devices that hosts list with each datastore."""
    found: dict[tuple[Server, str], set[str]] = defaultdict(set)
    for row in export.rows("vMultiPath"):
        if (store := row.text("datastore")) and (device := device_name(row)):
            found[places.server_of(row), store].add(device)
    return found
