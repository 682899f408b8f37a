"""One cluster of a generated fleet: its devices, datastores, hosts and virtual machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from auditor_lab.description import DeclaredDescription
from auditor_lab.generated.element import NODES, GeneratedArray
from auditor_lab.generated.families import BUILDS, DEPTHS, FAMILIES, OPTIONS, SOLIDFIRE, Family, described_device
from auditor_lab.vcenter.description.datastores import DatastoreDescription, SiocDescription
from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription, TargetDescription
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription, ModuleDescription, OptionValue
from auditor_lab.vcenter.description.vms import DiskDescription, VmDescription

_LUNS_A_DATASTORE = 4  # one in four holds a datastore; the others are raw devices without one
_VMS_A_HOST = 3


@dataclass(frozen=True, slots=True)
class FleetSize:
    """The size of a generated fleet.

    Attributes:
        hosts: of all vCenters together.
        luns: devices that each host sees.
        paths: to each device. Devices of an Element cluster have one path, because it has one target a volume and redirects each session.
        vcenters: no more than hosts.
    """

    hosts: int
    luns: int
    paths: int
    vcenters: int

    def __post_init__(self) -> None:
        for name in ("hosts", "luns", "paths", "vcenters"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more")
        if self.vcenters > self.hosts:
            raise ValueError("there must be a host for every vCenter")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The parts of the fleet that a cluster uses and adds to.

    Attributes:
        place: number of the vCenter, from 1.
        array: the Element cluster behind the vCenter; gets volumes and vVols.
        declared: gets what fleet.yaml declares about devices.
    """

    place: int
    size: FleetSize
    array: GeneratedArray
    declared: list[DeclaredDescription]


class GeneratedCluster:
    """One generated cluster: an array family, devices that all its hosts see, and the hosts."""

    def __init__(self, vcenter: Surroundings, number: int, hosts: int, random: Random) -> None:
        self.name = f"cluster-{vcenter.place}-{number}"
        self.vcenter = vcenter
        self.random = random
        self.family = FAMILIES[(number - 1 + vcenter.place) % len(FAMILIES)]
        self.names = tuple(f"esx-{vcenter.place}-{number}-{host}.lab.example" for host in range(1, hosts + 1))
        self.number = number
        self.devices = tuple(self._devices())
        self.datastores = list(self._datastores())
        self._build = random.choice(BUILDS)
        self._hbas = self._adapters()
        self._raised = random.choice((None, 64, 256))  # the DSNRO that all hosts of the cluster have for some devices

    @property
    def description(self) -> ClusterDescription:
        """The cluster with its hosts."""
        return ClusterDescription(name=self.name, hosts=tuple(self._host(name) for name in self.names), drs=self.random.random() < 0.9)

    def vms(self) -> Iterator[VmDescription]:
        """The machines, spread over the hosts; on an Element cluster every other one is on vVols."""
        vvols = [store for store in self.datastores if store.type == "VVOL"]
        others = [store for store in self.datastores if store.type != "VVOL"]
        for number in range(1, len(self.names) * _VMS_A_HOST + 1):
            name, host = f"vm-{self.vcenter.place}-{self.number}-{number}", self.names[(number - 1) % len(self.names)]
            if vvols and (number % 2 or not others):
                disk = self.vcenter.array.machine(name, host, vvols[0].name, self.random.choice(("Bronze", "Silver", "Gold")))
            else:
                limit = self.random.choice((500, 1000)) if self.random.random() < 0.1 else None
                controller = "pvscsi" if self.random.random() < 0.8 else "lsilogic-sas"
                disk = DiskDescription(datastore=self.random.choice(others).name, controller=controller, iops_limit=limit)
            yield VmDescription(name=name, host=host, disks=(disk,), powered_on=self.random.random() < 0.9)

    def _devices(self) -> Iterator[DeviceDescription]:
        luns, paths = self.vcenter.size.luns, self.vcenter.size.paths
        if self.family is SOLIDFIRE:
            endpoints = [self.vcenter.array.endpoint(node) for node in range(1, min(NODES, luns) + 1)]
            policies = (None, "Bronze", "Silver", "Gold")
            volumes = [
                self.vcenter.array.volume(f"{self.name}-{n}", self.random.choice(policies)) for n in range(1, luns - len(endpoints) + 1)
            ]
            yield from (*endpoints, *volumes)
            return
        serial = f"{self.vcenter.place:04x}{self.number:04x}"
        targets = tuple(self._targets(paths // len(_adapters_of(self.family, paths))))
        for lun in range(1, luns + 1):
            digits = f"{self.family.prefix}{serial}"
            yield described_device(self.family, f"{digits}{lun:0{32 - len(digits)}x}", targets, size_bytes=2 << 40)
        self._declare(serial)

    def _targets(self, count: int) -> Iterator[str]:
        for number in range(1, count + 1):
            if self.family.iqn:
                yield f"{self.family.iqn}.{self.vcenter.place:04x}{self.number:04x}.{number}"
            else:
                yield f"50{self.vcenter.place:04x}{self.number:04x}{number:06x}"

    def _declare(self, serial: str) -> None:
        # Inquiry strings contain neither generation nor firmware; a third of the clusters declares none.
        firmware = self.random.choice(("V10L66", "V10L68", None))
        if self.family.vendor == "FUJITSU" and firmware is not None:
            pattern = f"naa.{self.family.prefix}{serial}*"
            self.vcenter.declared.append(DeclaredDescription(devices=pattern, model="DX90", generation="S1", firmware=firmware))

    def _datastores(self) -> Iterator[DatastoreDescription]:
        endpoints = tuple(device.name for device in self.devices if device.protocol_endpoint)
        if endpoints:
            name = f"vvol-{self.vcenter.place}-{self.number}"
            yield DatastoreDescription(
                name=name,
                type="VVOL",
                hosts=self.names,
                container_id=self.vcenter.array.container(name),
                endpoints=endpoints,
                array_name=self.vcenter.array.shell.name,
                sioc=SiocDescription(supported=False),
            )
        disks = [device for device in self.devices if not device.protocol_endpoint]
        for number, device in enumerate(disks[::_LUNS_A_DATASTORE], 1):
            old = self.random.random() < 0.1
            yield DatastoreDescription(
                name=f"vmfs-{self.vcenter.place}-{self.number}-{number}",
                type="VMFS",
                hosts=self.names,
                extents=(device.name,),
                vmfs_version="5.81" if old else "6.82",
                locking_mode="ATS+SCSI" if old and self.random.random() < 0.5 else "ATS",
                sioc=SiocDescription(enabled=self.random.random() < 0.2),
            )

    def _adapters(self) -> tuple[HbaDescription, ...]:
        family = self.family
        if family.transport == "fc":
            return tuple(
                HbaDescription(device=name, kind="fc", driver=family.driver, model=family.adapter)
                for name in _adapters_of(family, self.vcenter.size.paths)
            )
        portal = f"198.51.100.{self.number % 250 + 1}"
        names = dict.fromkeys(target for device in self.devices for target in device.targets)
        discovered = (TargetDescription(kind="static", address=portal, iqn=name, discovered_at=portal) for name in names)
        send = TargetDescription(address=portal, delayed_ack=False if self.random.random() < 0.5 else None)
        return (
            HbaDescription(
                device="vmhba64", kind="iscsi", driver="iscsi_vmk", model=family.adapter, software=True, targets=(send, *discovered)
            ),
        )

    def _host(self, name: str) -> HostDescription:
        random = self.random
        version, build = random.choice(BUILDS) if random.random() < 0.1 else self._build
        options: dict[str, OptionValue] = {}
        if random.random() < 0.15:
            options |= random.choice(OPTIONS)
        dsnro: dict[str, int] = {}
        if self._raised is not None:
            dsnro = {device.name: self._raised for device in self.devices[:2]}
        if random.random() < 0.1:  # one device has another value on this host, or the host lacks the cluster's
            dsnro = {random.choice(self.devices).name: random.choice((16, 64, 256))}
        return HostDescription(
            name=name,
            version=version,
            build=build,
            options=options,
            modules=self._modules(),
            hbas=self._hbas,
            devices=self.devices,
            dsnro=dsnro,
            in_maintenance_mode=random.random() < 0.01,
        )

    def _modules(self) -> dict[str, ModuleDescription]:
        drawn = self.random.random()
        good, misspelt = DEPTHS[self.family.driver]
        if drawn < 0.5:
            return {}
        if drawn < 0.85:
            return {self.family.driver: ModuleDescription(configured=good)}
        if drawn < 0.95:  # waits for a reboot
            return {self.family.driver: ModuleDescription(configured=good, in_effect="")}
        return {self.family.driver: ModuleDescription(configured=misspelt)}


def _adapters_of(family: Family, paths: int) -> tuple[str, ...]:
    """The adapters: two Fibre Channel adapters for an even number of paths, else one; one for software iSCSI."""
    if family.transport == "iscsi":
        return ("vmhba64",)
    return ("vmhba2", "vmhba3") if paths % 2 == 0 else ("vmhba2",)
