"""The virtual machines whose .vmx files a bundle has, in the shapes of the vSphere API: their disks, controllers and limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from auditor.endpoints.files.guests.read import bios_uuid
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Backing, IoAllocation, Label, Ref, Shares, VirtualDevice

_SETTING = re.compile(r'\s*([A-Za-z0-9_.:-]{1,128})\s*=\s*"(.*)"\s*')
_DISK = re.compile(r"(scsi|nvme|sata|ide)([0-9]{1,2}):([0-9]{1,3})")
_VOLUME = re.compile(r"(?:^|/)vmfs/volumes/([^/]+)/")

_SCSI: Mapping[str, str] = MappingProxyType(
    {
        "pvscsi": "ParaVirtualSCSIController",
        "lsilogic": "VirtualLsiLogicController",
        "lsisas1068": "VirtualLsiLogicSASController",
        "buslogic": "VirtualBusLogicController",
    }
)
_CONTROLLERS: Mapping[str, str] = MappingProxyType(
    {"nvme": "VirtualNVMEController", "sata": "VirtualAHCIController", "ide": "VirtualIDEController"}
)
_SHARED_BUS: Mapping[str, str] = MappingProxyType({"none": "noSharing", "virtual": "virtualSharing", "physical": "physicalSharing"})
_LEVELS = frozenset({"low", "normal", "high"})
_DISK_TYPES = frozenset({"", "disk", "scsi-harddisk", "ata-harddisk", "rawdisk", "nvme-disk"})
"""deviceType of what is a disk; a drive for disks of light has another one."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A virtual machine as its .vmx file has it.

    Attributes:
        name: its displayName, else the file's.
        path: of the file in the bundle.
        settings: by their keys, in lower case.
    """

    name: str
    path: str
    settings: Mapping[str, str]

    def facts(self, host_id: str) -> ObjectProperties:
        """What the API would say of it. Whether it runs, and how large its disks are, no such file says."""
        identity = self.settings.get("vc.uuid") or self.settings.get("uuid.bios") or self.path
        values: dict[str, Any] = {
            "name": self.name,
            "runtime.host": Ref("HostSystem", host_id),
            "config.template": False,
            "config.hardware.device": list(self._devices()),
        }
        if uuid := bios_uuid("VMware-" + self.settings.get("uuid.bios", "")):
            values["config.uuid"] = uuid
        if level := self.settings.get("sched.latencysensitivity"):
            values["config.latencySensitivity.level"] = level.lower()
        return ObjectProperties(Ref("VirtualMachine", identity), values, {})

    def _is_on(self, key: str) -> bool:
        return self.settings.get(key, "").lower() == "true"

    def _devices(self) -> Iterator[VirtualDevice]:
        controllers: set[tuple[str, int]] = set()
        disks = [(found, key) for key in self.settings if (found := re.fullmatch(_DISK.pattern + r"\.present", key)) and self._is_on(key)]
        for number, (found, key) in enumerate(disks):
            bus, slot, unit = found[1], int(found[2]), int(found[3])
            place = key.removesuffix(".present")
            if self.settings.get(f"{place}.devicetype", "").lower() not in _DISK_TYPES:
                continue
            if (bus, slot) not in controllers:
                controllers.add((bus, slot))
                yield self._controller(bus, slot)
            yield VirtualDevice(
                type_name="VirtualDisk",
                key=2000 + number,
                controller_key=_key(bus, slot),
                unit_number=unit,
                device_info=Label(label=place),
                backing=self._backing(place),
                storage_io_allocation=self._allocation(place),
            )

    def _controller(self, bus: str, slot: int) -> VirtualDevice:
        own = self.settings.get(f"{bus}{slot}.virtualdev", "lsilogic").lower()
        shared = self.settings.get(f"{bus}{slot}.sharedbus", "none").lower()
        return VirtualDevice(
            type_name=_SCSI.get(own, "") if bus == "scsi" else _CONTROLLERS[bus],
            key=_key(bus, slot),
            bus_number=slot,
            shared_bus=_SHARED_BUS.get(shared) if bus == "scsi" else None,
        )

    def _backing(self, place: str) -> Backing:
        file = self.settings.get(f"{place}.filename", "")
        volume = _VOLUME.search(file if file.startswith("/") else self.path)
        return Backing(datastore=Ref("Datastore", volume[1]) if volume else None, file_name=file or None)

    def _allocation(self, place: str) -> IoAllocation:
        cap, shares = self.settings.get(f"sched.{place}.throughputcap", ""), self.settings.get(f"sched.{place}.shares", "").lower()
        return IoAllocation(
            limit=int(cap) if re.fullmatch("[0-9]{1,12}", cap) else None,
            shares=Shares(level=shares) if shares in _LEVELS else None,
        )


def is_machine(name: str) -> bool:
    """Whether a file of that name is the configuration of a virtual machine."""
    return name.lower().endswith(".vmx")


def machine_in(data: bytes, path: str) -> Machine | None:
    """The machine of a .vmx file; None where it has no settings."""
    lines = data.decode("utf-8", errors="replace").splitlines()
    settings = {found[1].lower(): found[2] for line in lines if (found := _SETTING.fullmatch(line))}
    name = settings.get("displayname") or PurePosixPath(path).stem
    return Machine(name, path, settings) if settings else None


def _key(bus: str, slot: int) -> int:
    """A key for a controller; the API's own are 200, 1000, 15000 and 31000 and up."""
    return {"ide": 200, "scsi": 1000, "sata": 15000, "nvme": 31000}[bus] + slot
