"""The virtual machines of an export and their disks, in the shapes of the vSphere API."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Backing, IoAllocation, Label, Ref, Shares, VirtualDevice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.files.rvtools.datastores import Datastores
    from auditor.endpoints.files.rvtools.export import Export
    from auditor.endpoints.files.rvtools.places import Places, Server
    from auditor.endpoints.files.rvtools.sheets import Row

NEEDED = ("controller", "limit", "raw")
"""Columns without which no disk is known: one without a limit would be unlimited, and one that is no mapping on its datastore."""

_CONTROLLERS = (
    ("paravirtual", "ParaVirtualSCSIController"),
    ("pvscsi", "ParaVirtualSCSIController"),
    ("lsi logic sas", "VirtualLsiLogicSASController"),
    ("lsilogicsas", "VirtualLsiLogicSASController"),
    ("lsi logic", "VirtualLsiLogicController"),
    ("lsilogic", "VirtualLsiLogicController"),
    ("buslogic", "VirtualBusLogicController"),
    ("nvme", "VirtualNVMEController"),
    ("ahci", "VirtualAHCIController"),
    ("sata", "VirtualAHCIController"),
    ("ide", "VirtualIDEController"),
)
"""How a controller's description begins or what it holds -> the API's type; the first that fits."""

_POWER = {"poweredon": "poweredOn", "poweredoff": "poweredOff", "suspended": "suspended"}
_SHARED_BUS = {"nosharing": "noSharing", "virtualsharing": "virtualSharing", "physicalsharing": "physicalSharing"}
_MAPPINGS = {"physicalmode": "physicalMode", "virtualmode": "virtualMode"}
_LEVELS = frozenset({"low", "normal", "high", "custom"})
_FILE = re.compile(r"\[(?P<store>[^\]]{1,255})\]\s?(?P<path>.*)")


class Machines:
    """The machines of an export.

    Attributes:
        without_disks: how many there are whose disks are not all known.
        unnamed: how many rows are about machines that nobody can tell from others.
    """

    def __init__(self, export: Export, places: Places, stores: Datastores) -> None:
        self._export, self._places, self._stores = export, places, stores
        self._key = next((title for title in ("vm id", "vm uuid") if export.has("vInfo", title)), "vm")
        self._has_disks = export.has("vDisk", self._key, *NEEDED)
        self._disks: dict[tuple[Server, str], list[Row]] = defaultdict(list)
        for row in export.rows("vDisk") if self._has_disks else ():
            if key := row.text(self._key):
                self._disks[places.server_of(row), key].append(row)
        self.without_disks = self.unnamed = 0

    def facts(self) -> Iterator[ObjectProperties]:
        """What the API would say of each; of several that nobody can tell from each other, nothing."""
        rows = [(row, self._places.server_of(row), row.text(self._key)) for row in self._export.rows("vInfo")]
        count = Counter((server, key) for _, server, key in rows)
        for row, server, key in rows:
            if key is None or count[server, key] > 1:
                self.unnamed += 1
            else:
                yield ObjectProperties(Ref("VirtualMachine", server.id_of(key)), self._values(row, server, key), {})

    def _values(self, row: Row, server: Server, key: str) -> dict[str, Any]:
        host = row.text("host")
        disks = self._disks_of(row, server, self._disks.get((server, key), []))
        self.without_disks += disks is None
        values: dict[str, Any] = {
            "name": row.text("vm"),
            "runtime.host": Ref("HostSystem", server.id_of(host)) if host else None,
            "runtime.powerState": _POWER.get((row.text("powerstate") or "").lower()),
            "config.template": row.truth("template"),
            "config.latencySensitivity.level": (row.text("latency sensitivity") or "").lower() or None,
            "config.guestFullName": row.text("os according to the configuration file"),
            "config.uuid": row.text("smbios uuid"),
            "config.hardware.device": disks,
        }
        return {path: value for path, value in values.items() if value is not None}

    def _disks_of(self, machine: Row, server: Server, rows: Sequence[Row]) -> list[VirtualDevice] | None:
        """The disks of a machine with their controllers; None where they are not all there, or one is not understood."""
        if not self._has_disks or machine.number("disks") != len(rows):
            return None
        if any(row.number("limit") is None or _mapping(row) is None for row in rows):
            return None
        backings = [self._backing(row, server) for row in rows]
        if any(backing.datastore is None for backing in backings):
            return None
        return [device for place, both in enumerate(zip(rows, backings, strict=True)) for device in _devices(place, *both)]

    def _backing(self, row: Row, server: Server) -> Backing:
        texts = [text for title in ("disk path", "path") if (text := row.text(title))]
        file = next((found for text in texts if (found := _FILE.fullmatch(text))), None)
        store = self._stores.id_of(server, file["store"]) if file else None
        return Backing(
            datastore=Ref("Datastore", store) if store else None,
            file_name=file[0] if file else None,
            thin_provisioned=row.truth("thin") or None,  # false may be what the API did not say
            eagerly_scrub=row.truth("eagerly scrub") or None,
            compatibility_mode=_mapping(row) or None,
            lun_uuid=row.text("raw lun id"),
        )


def _devices(place: int, row: Row, backing: Backing) -> Iterator[VirtualDevice]:
    """A disk, and a controller of its own: which disks share one is not needed, and not always said."""
    capacity, described = row.number("capacity mib"), (row.text("controller") or "").lower()
    yield VirtualDevice(
        type_name=next((kind for part, kind in _CONTROLLERS if part in described), ""),
        key=-1 - place,
        shared_bus=_SHARED_BUS.get((row.text("shared bus") or "").lower()),
    )
    yield VirtualDevice(
        type_name="VirtualDisk",
        key=row.number("disk key"),
        controller_key=-1 - place,
        device_info=Label(label=row.text("disk")),
        backing=backing,
        capacity_in_kb=capacity * 1024 if capacity else None,
        storage_io_allocation=_allocation(row),
    )


def _mapping(row: Row) -> str | None:
    """The mode of a raw device mapping; "" where a disk is none, None where that is not known."""
    is_raw = row.truth("raw")
    return "" if is_raw is False else _MAPPINGS.get((row.text("raw comp. mode") or "").lower()) if is_raw else None


def _allocation(row: Row) -> IoAllocation:
    level = (row.text("level") or "").lower()
    return IoAllocation(
        limit=row.number("limit"),
        reservation=row.number("reservation"),
        shares=Shares(shares=row.number("shares"), level=level if level in _LEVELS else None),
    )
