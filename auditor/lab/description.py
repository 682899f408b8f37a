"""What a simulated fleet holds: plain data, decoded from a scenario and never changed by serving it."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so their imports are real ones.
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor.lab.element.description import ElementDescription

OptionValue = bool | int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class VaaiDescription:
    """Which offload primitives a device answers, as `esxcli storage core device vaai status get` tells them."""

    plugin: str = ""
    ats: bool = True
    clone: bool = True
    zero: bool = True
    delete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDescription:
    """A block device or protocol endpoint, the same for every host that sees it.

    Attributes:
        name: canonical name, for example naa.6f47acc1...
        vendor: inquiry vendor, at most 8 characters; hosts show it padded with blanks.
        model: inquiry product, at most 16 characters; padded as well.
        targets: IQNs or WWPNs it is reached through; one path from each adapter that reaches it to each target.
    """

    name: str
    vendor: str
    model: str
    revision: str = "0001"
    size_bytes: int = 4 << 40
    protocol_endpoint: bool = False
    ssd: bool = True
    local: bool = False
    transport: str = "iscsi"  # iscsi | fc
    targets: tuple[str, ...] = ()
    satp: str = "VMW_SATP_DEFAULT_AA"
    psp: str = "VMW_PSP_RR"
    vaai: VaaiDescription = VaaiDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDescription:
    """A target on an iSCSI adapter, configured by hand or, where `discovered_at` is not empty, found by the send target of that address.

    `delayed_ack` None is inherited: from that send target, else from the adapter.
    """

    kind: str = "send"  # send | static
    address: str
    port: int = 3260
    iqn: str = ""
    delayed_ack: bool | None = None
    discovered_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HbaDescription:
    """A storage adapter.

    Attributes:
        device: for example vmhba64.
        driver: the kernel module whose parameters decide the queue depth of the devices behind it.
        initiator: IQN or WWPN as 16 hex digits; derived from the host's name when empty.
        delayed_ack: adapter-wide; ESXi's default is on.
    """

    device: str
    kind: str  # iscsi | fc
    driver: str
    model: str
    initiator: str = ""
    software: bool = False
    status: str = "online"
    delayed_ack: bool = True
    targets: tuple[TargetDescription, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDescription:
    """A kernel module's option string as configured, and as it was when the module was loaded (None: the same)."""

    configured: str = ""
    in_effect: str | None = None
    loaded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDescription:
    """An ESXi host.

    Attributes:
        options: advanced options that differ from the build's defaults.
        modules: by module name; the drivers of `hbas` are there even when not named.
        devices: what the host sees; adapters of the device's transport reach it.
        dsnro: by device name, where it was set on the device itself; others have the default.
        connection_state: connected | disconnected | notResponding.
    """

    name: str
    version: str
    build: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    modules: Mapping[str, ModuleDescription] = field(default_factory=dict)
    hbas: tuple[HbaDescription, ...] = ()
    devices: tuple[DeviceDescription, ...] = ()
    dsnro: Mapping[str, int] = field(default_factory=dict)
    connection_state: str = "connected"
    in_maintenance_mode: bool = False
    vsan_enabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """A compute cluster; with `drs` a host that enters maintenance mode is emptied, without it the task waits."""

    name: str
    hosts: tuple[HostDescription, ...]
    drs: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SiocDescription:
    """Storage I/O Control of a datastore. Source: StorageIORMInfo in the vSphere API; facts.md 4.1."""

    supported: bool = True
    enabled: bool = False
    mode: str = "automatic"  # automatic | manual
    threshold_ms: int = 30
    statistics: bool = False  # statsCollectionEnabled


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreDescription:
    """A datastore and the names of the hosts that mount it.

    Attributes:
        extents: canonical device names; VMFS only.
        container_id: storage container, lower-case UUID; VVOL only. Its protocol endpoints are those that each host sees of `endpoints`.
        locking_mode: as `esxcli storage vmfs lockmode list` tells it: ATS, ATS+SCSI ...
    """

    name: str
    type: str  # VMFS | NFS | NFS41 | VVOL
    hosts: tuple[str, ...]
    size_bytes: int = 4 << 40
    extents: tuple[str, ...] = ()
    vmfs_version: str = "6.82"
    locking_mode: str = "ATS"
    container_id: str = ""
    endpoints: tuple[str, ...] = ()
    array_name: str = ""
    remote_host: str = ""
    remote_path: str = ""
    accessible: bool = True
    sioc: SiocDescription = SiocDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskDescription:
    """A virtual disk; `iops_limit` None is unlimited, `backing_object_id` is empty when it is not a vVol."""

    datastore: str
    size_bytes: int = 40 << 30
    controller: str = "pvscsi"  # pvscsi | lsilogic | lsilogic-sas | buslogic | nvme | sata | ide
    iops_limit: int | None = None
    backing_object_id: str = ""
    folder: str = ""  # directory on the datastore; the VM's name when empty


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDescription:
    """A virtual machine and the host it runs on."""

    name: str
    host: str
    disks: tuple[DiskDescription, ...] = ()
    powered_on: bool = True
    template: bool = False
    uuid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VCenterDescription:
    """One vCenter: everything its SOAP peer, and vcsim, is built from."""

    name: str
    version: str = "8.0.2"
    build: int = 22385739
    api_version: str = "8.0.2.0"
    datacenter: str = "dc-1"
    clusters: tuple[ClusterDescription, ...] = ()
    datastores: tuple[DatastoreDescription, ...] = ()
    vms: tuple[VmDescription, ...] = ()

    @property
    def hosts(self) -> tuple[HostDescription, ...]:
        """Every host, cluster by cluster."""
        return tuple(host for cluster in self.clusters for host in cluster.hosts)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredDescription:
    """What no API can tell; goes into the fleet file as it stands."""

    devices: str  # glob over canonical device names
    model: str
    generation: str | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabFleet:
    """Everything one lab serves."""

    vcenters: tuple[VCenterDescription, ...] = ()
    arrays: tuple[ElementDescription, ...] = ()
    declared: tuple[DeclaredDescription, ...] = ()
