"""Fleets of any size, drawn from a seed: what a scenario says by hand, said by chance, so that rules find things in it.

Equal sizes and seeds make equal fleets. A vCenter is 16 to 32 hosts a cluster, a cluster one array family: its hosts share devices and
datastores, most of them run one build, and every few of them somebody has changed something. Only plain descriptions are made here, devices
once for each cluster; what a host answers is built when it is asked.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from auditor.lab.arrays.element.description import (
    VVOL_NAMESPACE,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor.lab.description import DeclaredDescription, LabFleet
from auditor.lab.scenario_expansion import array_host_id
from auditor.lab.vcenter.description.datastores import DatastoreDescription, SiocDescription
from auditor.lab.vcenter.description.devices import DeviceDescription, HbaDescription, TargetDescription
from auditor.lab.vcenter.description.hosts import ClusterDescription, HostDescription, ModuleDescription
from auditor.lab.vcenter.description.vcenter import VCenterDescription
from auditor.lab.vcenter.description.vms import DiskDescription, VmDescription

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.lab.vcenter.description.hosts import OptionValue

_SMALLEST_CLUSTER, _LARGEST_CLUSTER = 16, 32
_LUNS_A_DATASTORE = 4  # one in four holds a datastore; the others are raw devices and what nobody has cleaned up
_VMS_A_HOST = 3
_NODES = 2  # of the Element cluster behind a vCenter, a protocol endpoint each

# Recorded builds that a vCenter 8 manages. Source: advanced-options.md.
_BUILDS = (
    ("6.7.0", 14320388),
    ("7.0.0", 15843807),
    ("7.0.1", 16850804),
    ("7.0.2", 17630552),
    ("7.0.3", 21930508),
    ("7.0.3", 24411414),
    ("8.0.1", 23299997),
    ("8.0.2", 22380479),
    ("8.0.2", 23305546),
)
# What somebody once set and nobody set back. Source: incidents.md; ranges in advanced-options.md.
_OPTIONS: tuple[Mapping[str, OptionValue], ...] = (
    {"DataMover.HardwareAcceleratedMove": 0, "DataMover.HardwareAcceleratedInit": 0},
    {"VMFS3.HardwareAcceleratedLocking": 0},
    {"ISCSI.MaxIoSizeKB": 512},
    {"Disk.QFullSampleSize": 32},
    {"Scsi.ScsiVVolPESNRO": 32},
    {"NFS.MaxQueueDepth": 64},
)


@dataclass(frozen=True, slots=True)
class _Family:
    """An array family as hosts see it. Source of vendor and model: multipath-tools hwtable.c, facts.md section 11."""

    vendor: str
    model: str
    prefix: str  # of device names; the rest is made up
    transport: str
    driver: str
    adapter: str
    satp: str = "VMW_SATP_ALUA"
    iqn: str = ""


_SOLIDFIRE = _Family("SolidFir", "SSD SAN", "", "iscsi", "iscsi_vmk", "iSCSI Software Adapter", "VMW_SATP_DEFAULT_AA")
_FAMILIES = (
    _SOLIDFIRE,
    _Family("PURE", "FlashArray", "624a9370", "iscsi", "iscsi_vmk", "iSCSI Software Adapter", iqn="iqn.2010-06.com.purestorage:flasharray"),
    _Family("NETAPP", "LUN C-Mode", "600a0980", "fc", "qlnativefc", "QLE2742 Dual Port 32Gb Fibre Channel to PCIe Adapter"),
    _Family("COMPELNT", "Compellent Vol", "6000d310", "fc", "nfnic", "Cisco UCS VIC Fnic Controller"),
    _Family("FUJITSU", "ETERNUS_DXM", "600000e00d", "fc", "lpfc", "Emulex LightPulse LPe32002-M2"),
)
# Driver, what a careful admin configures, and what goes wrong. Source: facts.md section 2; `qlfxmaxqdepth` is incidents.md's misspelling.
_DEPTHS = {
    "iscsi_vmk": ("iscsivmk_LunQDepth=255", "iscsivmk_LunQDepht=255"),
    "qlnativefc": ("ql2xmaxqdepth=255", "qlfxmaxqdepth=255"),
    "nfnic": ("lun_queue_depth_per_path=128", "fnic_max_qdepth=128"),
    "lpfc": ("lpfc_lun_queue_depth=128", "lpfc0_lun_queue_depth=128"),
}


@dataclass(frozen=True, slots=True)
class FleetSize:
    """How much to make.

    Attributes:
        hosts: of all vCenters together.
        luns: devices each host sees.
        paths: to each device; an Element cluster has one target a volume and redirects each session, so its devices have one path.
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


def generate(size: FleetSize, seed: int) -> LabFleet:
    """The fleet of this size that `seed` stands for."""
    made = []
    for place in range(1, size.vcenters + 1):
        hosts = size.hosts // size.vcenters + (place <= size.hosts % size.vcenters)
        made.append(_VCenter(place, hosts, size, seed))
    return LabFleet(
        vcenters=tuple(one.description for one in made),
        element=tuple(one.array.description for one in made if one.array.used),
        declared=tuple(declared for one in made for declared in one.declared),
    )


class _Array:
    """The Element cluster behind a vCenter, filled while its clusters are made."""

    def __init__(self, place: int) -> None:
        self.shell = ElementDescription(
            name=f"sf-{place}",
            unique_id=f"{place:04x}",
            nodes=tuple(NodeDescription(number, f"sf-{place}-node-{number}") for number in range(1, _NODES + 1)),
        )
        self.volumes: list[VolumeDescription] = []
        self.containers: list[ContainerDescription] = []
        self.vvols: list[VvolDescription] = []

    @property
    def used(self) -> bool:
        """Whether any cluster lies on it."""
        return bool(self.containers)

    @property
    def description(self) -> ElementDescription:
        """The array as it is now."""
        shell = self.shell
        policies = (
            QosPolicyDescription("Bronze", 25, 1000, 2000),  # 25 is below the documented minimum of 50 (facts.md 6.5)
            QosPolicyDescription("Silver", 50, 1500, 3000),
            QosPolicyDescription("Gold", 100, 3000, 6000),
        )
        return ElementDescription(
            name=shell.name,
            unique_id=shell.unique_id,
            nodes=shell.nodes,
            qos_policies=policies,
            volumes=tuple(self.volumes),
            containers=tuple(self.containers),
            vvols=tuple(self.vvols),
        )

    def volume(self, name: str, policy: str | None) -> DeviceDescription:
        """Make a volume; the device that hosts see."""
        self.volumes.append(VolumeDescription(name, policy=policy))
        number = len(self.volumes)
        return _device(_SOLIDFIRE, self.shell.volume_naa(number), (f"{self._prefix}.{name}.{number}",), size_bytes=1 << 40)

    def endpoint(self, node: int) -> DeviceDescription:
        """The protocol endpoint of a node."""
        return _device(_SOLIDFIRE, self.shell.pe_naa(node), (f"{self._prefix}.pe.{node}",), size_bytes=512, protocol_endpoint=True)

    def container(self, name: str) -> str:
        """Make a storage container; its id."""
        self.containers.append(ContainerDescription(name, str(uuid.uuid5(VVOL_NAMESPACE, f"{self.shell.unique_id}/{name}"))))
        return self.containers[-1].id or ""

    def machine(self, name: str, host: str, container: str, policy: str) -> DiskDescription:
        """Put a machine on a container: its configuration, and one disk, which is returned."""
        ids = [str(uuid.uuid5(VVOL_NAMESPACE, f"{self.shell.unique_id}/{container}/{one}")) for one in (name, f"{name}.vmdk")]
        bound = (array_host_id(host),)
        self.vvols.append(VvolDescription(name, container, "Config", 4 << 30, policy, id=ids[0], bound_by=bound))
        self.vvols.append(VvolDescription(f"{name}.vmdk", container, policy=policy, id=ids[1], bound_by=bound))
        return DiskDescription(datastore=container, backing_object_id=f"rfc4122.{ids[1]}", folder=f"rfc4122.{ids[0]}")

    @property
    def _prefix(self) -> str:
        return f"iqn.2010-01.com.solidfire:{self.shell.unique_id}"


class _VCenter:
    """One vCenter in the making."""

    def __init__(self, place: int, hosts: int, size: FleetSize, seed: int) -> None:
        self.place = place
        self.size = size
        self.array = _Array(place)
        self.declared: list[DeclaredDescription] = []
        self._random = Random(f"{seed}/{place}")  # noqa: S311  a draw, not a secret
        self._hosts = hosts

    @cached_property
    def description(self) -> VCenterDescription:
        """The vCenter; making it fills `array` and `declared`."""
        clusters: list[ClusterDescription] = []
        datastores: list[DatastoreDescription] = []
        vms: list[VmDescription] = []
        for number, hosts in enumerate(_cluster_sizes(self._random, self._hosts), 1):
            made = _Cluster(self, number, hosts, Random(self._random.random()))  # noqa: S311  as above
            clusters.append(made.description)
            datastores += made.datastores
            vms += made.vms()
        return VCenterDescription(
            name=f"vc-{self.place}",
            datacenter=f"dc-{self.place}",
            clusters=tuple(clusters),
            datastores=tuple(datastores),
            vms=tuple(vms),
        )


class _Cluster:
    """One cluster in the making: an array family, devices that all its hosts see, and the hosts."""

    def __init__(self, vcenter: _VCenter, number: int, hosts: int, random: Random) -> None:
        self.name = f"cluster-{vcenter.place}-{number}"
        self.vcenter = vcenter
        self.random = random
        self.family = _FAMILIES[(number - 1 + vcenter.place) % len(_FAMILIES)]
        self.names = tuple(f"esx-{vcenter.place}-{number}-{host}.lab.example" for host in range(1, hosts + 1))
        self.number = number
        self.devices = tuple(self._devices())
        self.datastores = list(self._datastores())
        self._build = random.choice(_BUILDS)
        self._hbas = self._adapters()
        self._raised = random.choice((None, 64, 256))  # DSNRO that the cluster agreed upon

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
        if self.family is _SOLIDFIRE:
            endpoints = [self.vcenter.array.endpoint(node) for node in range(1, min(_NODES, luns) + 1)]
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
            yield _device(self.family, f"{digits}{lun:0{32 - len(digits)}x}", targets, size_bytes=2 << 40)
        self._declare(serial)

    def _targets(self, count: int) -> Iterator[str]:
        for number in range(1, count + 1):
            if self.family.iqn:
                yield f"{self.family.iqn}.{self.vcenter.place:04x}{self.number:04x}.{number}"
            else:
                yield f"50{self.vcenter.place:04x}{self.number:04x}{number:06x}"

    def _declare(self, serial: str) -> None:
        # Inquiry strings do not tell the generation or the firmware; a third of the clusters has nobody who declared them.
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
        found = (TargetDescription(kind="static", address=portal, iqn=name, discovered_at=portal) for name in names)
        send = TargetDescription(address=portal, delayed_ack=False if self.random.random() < 0.5 else None)
        return (
            HbaDescription(device="vmhba64", kind="iscsi", driver="iscsi_vmk", model=family.adapter, software=True, targets=(send, *found)),
        )

    def _host(self, name: str) -> HostDescription:
        random = self.random
        version, build = random.choice(_BUILDS) if random.random() < 0.1 else self._build
        options: dict[str, OptionValue] = {}
        if random.random() < 0.15:
            options |= random.choice(_OPTIONS)
        dsnro: dict[str, int] = {}
        if self._raised is not None:
            dsnro = {device.name: self._raised for device in self.devices[:2]}
        if random.random() < 0.1:  # somebody raised one device here, or forgot this host
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
        good, misspelt = _DEPTHS[self.family.driver]
        if drawn < 0.5:
            return {}
        if drawn < 0.85:
            return {self.family.driver: ModuleDescription(configured=good)}
        if drawn < 0.95:  # waits for a reboot
            return {self.family.driver: ModuleDescription(configured=good, in_effect="")}
        return {self.family.driver: ModuleDescription(configured=misspelt)}


def _cluster_sizes(random: Random, hosts: int) -> Iterator[int]:
    """Sizes of 16 to 32 that add up; a vCenter of fewer hosts is one cluster."""
    while hosts > _LARGEST_CLUSTER:
        size = random.randint(_SMALLEST_CLUSTER, min(_LARGEST_CLUSTER, hosts - _SMALLEST_CLUSTER))
        yield size
        hosts -= size
    yield hosts


def _adapters_of(family: _Family, paths: int) -> tuple[str, ...]:
    """Two Fibre Channel adapters where the paths divide by two, else one; one for software iSCSI."""
    if family.transport == "iscsi":
        return ("vmhba64",)
    return ("vmhba2", "vmhba3") if paths % 2 == 0 else ("vmhba2",)


def _device(
    family: _Family, digits: str, targets: tuple[str, ...], *, size_bytes: int, protocol_endpoint: bool = False
) -> DeviceDescription:
    return DeviceDescription(
        name=f"naa.{digits}",
        vendor=family.vendor,
        model=family.model,
        size_bytes=size_bytes,
        protocol_endpoint=protocol_endpoint,
        transport=family.transport,
        targets=targets,
        satp=family.satp,
    )
