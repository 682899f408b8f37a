"""What a simulated fleet holds: plain data, decoded from a scenario and never changed by serving it."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so their imports are real ones.
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor.lab.arrays.dell_sc.description import DellScDescription
from auditor.lab.arrays.element.description import ElementDescription, LoadDescription
from auditor.lab.arrays.eternus.description import EternusDescription
from auditor.lab.arrays.flasharray.description import FlashArrayDescription
from auditor.lab.arrays.ontap.description import OntapDescription

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
class DeviceLoadDescription:
    """What else goes on at a device, as every host that sees it measures it; what virtual disks do there is added to it.

    Attributes:
        iops: commands a second of one host that no virtual disk of the description sends.
        device_ms: how long the array takes for one of these (DAVG).
        device_ms_without_offload: the same once no host that sees the device offloads copies or zeroes; None is no difference.
        kernel_ms: what the kernel adds to every command of the device besides waiting in its queue.
        queued: commands of these that wait in the host besides the outstanding ones.
        commands_aborted: in 20 seconds; `bus_resets` likewise.
        iops_ceiling: how many the array answers a host on this device in a second, whoever sends them: more at once only take longer.
            None is no such limit; it has to be above what disks at a ceiling of their own pass together.
    """

    iops: int = 0
    device_ms: float = 0.0
    device_ms_without_offload: float | None = None
    kernel_ms: float = 0.0
    queued: int = 0
    commands_aborted: int = 0
    bus_resets: int = 0
    iops_ceiling: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreLoadDescription:
    """What else goes on at a datastore, all hosts together; what virtual disks do there is added to it.

    Attributes:
        iops: commands a second.
        device_ms: how long the array takes for one of these while Storage I/O Control is on.
        device_ms_without_sioc: the same once it is off; None is no difference.
        sioc_active_percent: how much of the time Storage I/O Control, if it is on, holds the hosts back; None follows from the latency.
    """

    iops: int = 0
    device_ms: float = 0.0
    device_ms_without_sioc: float | None = None
    sioc_active_percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDescription:
    """A block device or protocol endpoint, the same for every host that sees it.

    Attributes:
        name: canonical name, for example naa.6f47acc1...
        vendor: inquiry vendor, at most 8 characters; hosts show it padded with blanks.
        model: inquiry product, at most 16 characters; padded as well.
        targets: IQNs, WWPNs or SAS addresses it is reached through; one path from each adapter that reaches it to each target.
        psp_options: what the claim rule gave the path selection policy, for example iops=1 or policy=latency;useANO=0.
    """

    name: str
    vendor: str
    model: str
    revision: str = "0001"
    size_bytes: int = 4 << 40
    protocol_endpoint: bool = False
    ssd: bool = True
    local: bool = False
    transport: str = "iscsi"  # iscsi | fc | sas
    targets: tuple[str, ...] = ()
    satp: str = "VMW_SATP_DEFAULT_AA"
    psp: str = "VMW_PSP_RR"
    psp_options: str = ""
    vaai: VaaiDescription = VaaiDescription()
    load: DeviceLoadDescription = DeviceLoadDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDescription:
    """A target on an iSCSI adapter, configured by hand or, where `discovered_at` is not empty, found by the send target of that address.

    `delayed_ack` None is inherited: from that send target, else from the adapter; so is every other parameter that `parameters` does not
    name.
    """

    kind: str = "send"  # send | static
    address: str
    port: int = 3260
    iqn: str = ""
    delayed_ack: bool | None = None
    discovered_at: str = ""
    parameters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalDescription:
    """A VMkernel adapter that an iSCSI adapter is bound to: port binding."""

    vmk: str
    compliant_status: str = "compliant"
    path_status: str = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class HbaDescription:
    """A storage adapter.

    Attributes:
        device: for example vmhba64.
        driver: the kernel module whose parameters decide the queue depth of the devices behind it.
        initiator: IQN, or WWPN or SAS address as 16 hex digits; derived from the host's name when empty.
        delayed_ack: adapter-wide; ESXi's default is on.
        parameters: other parameters of an iSCSI adapter that differ from ESXi's defaults, for example {LoginTimeout: 30}.
        portals: what an iSCSI adapter is bound to; nothing: it goes by the routing table.
    """

    device: str
    kind: str  # iscsi | fc | sas
    driver: str
    model: str
    initiator: str = ""
    software: bool = False
    status: str = "online"
    delayed_ack: bool = True
    targets: tuple[TargetDescription, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=dict)
    portals: tuple[PortalDescription, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDescription:
    """A kernel module's option string as configured, and as it was when the module was loaded (None: the same)."""

    configured: str = ""
    in_effect: str | None = None
    loaded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SatpRuleDescription:
    """A claim rule as `esxcli storage nmp satp rule list` shows it; devices say themselves what they were claimed with."""

    satp: str
    vendor: str = ""
    model: str = ""
    transport: str = ""
    options: str = ""
    claim_options: str = ""
    psp: str = ""
    psp_options: str = ""
    rule_group: str = "user"  # user | system
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VmknicDescription:
    """A VMkernel adapter, and the switch it is on.

    Attributes:
        device: for example vmk1.
        portgroup: its name on a standard switch, for example iscsi-1; its id on a distributed one, for example dvportgroup-31.
        switch: name of the switch; of several adapters on one the first says its MTU.
        ip: IPv4 address; one that no real network has, where it is empty.
        stack: key of the TCP/IP stack: defaultTcpipStack | vmotion | vSphereProvisioning ...
    """

    device: str
    portgroup: str
    switch: str
    mtu: int = 1500
    switch_mtu: int = 1500
    distributed: bool = False
    ip: str = ""
    subnet_mask: str = "255.255.255.0"
    stack: str = "defaultTcpipStack"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDescription:
    """An ESXi host.

    Attributes:
        options: advanced options that differ from the build's defaults.
        modules: by module name; the drivers of `hbas` are there even when not named.
        devices: what the host sees; adapters of the device's transport reach it.
        dsnro: by device name, where it was set on the device itself; others have the default.
        satp_rules: what somebody added to the build's own claim rules.
        vmknics: VMkernel adapters; without a vmk0 among them the host has one more, for management.
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
    satp_rules: tuple[SatpRuleDescription, ...] = ()
    vmknics: tuple[VmknicDescription, ...] = ()
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
    percent_of_peak: int = 90  # percentOfPeakThroughput, 50 to 100; what the automatic mode goes by


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreDescription:
    """A datastore and the names of the hosts that mount it.

    Attributes:
        extents: canonical device names; VMFS only.
        container_id: storage container, lower-case UUID; VVOL only. Its protocol endpoints are those that each host sees of `endpoints`.
        locking_mode: as `esxcli storage vmfs lockmode list` tells it: ATS, ATS+SCSI ...
        unmap_priority: none | low; VMFS 6 only.
        local: on a disk of the host's own; VMFS only.
        maintenance_mode: normal | enteringMaintenance | inMaintenance.
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
    unmap_priority: str = "low"
    local: bool = False
    maintenance_mode: str = "normal"
    sioc: SiocDescription = SiocDescription()
    load: DatastoreLoadDescription = DatastoreLoadDescription()


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationDescription:
    """Automation of one kind of Storage DRS recommendation each: manual | automated, empty for what the cluster says."""

    space_load_balance: str = ""
    io_load_balance: str = ""
    rule_enforcement: str = ""
    policy_enforcement: str = ""
    vm_evacuation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodDescription:
    """A datastore cluster. Source of defaults: StorageDrsPodConfigInfo and StorageDrsIoLoadBalanceConfig in the vSphere API; facts.md 4.4.

    Attributes:
        datastores: names; a datastore is in one cluster at most.
        io_metric: `ioLoadBalanceEnabled`. While it and `enabled` are on, so is SIOC of the datastores, whatever their `sioc.enabled` says.
        behavior: manual | automated.
        sioc_back_seconds: how long SIOC stays off when somebody disables it all the same.
        vm_behaviors: by the name of a machine that goes by a setting of its own: manual | automated | disabled.
    """

    name: str
    datastores: tuple[str, ...]
    enabled: bool = True
    io_metric: bool = False
    behavior: str = "manual"
    interval_minutes: int = 480
    io_latency_threshold_ms: int = 15
    io_load_imbalance_threshold: int = 5
    space_utilization_percent: int = 80
    automation: AutomationDescription = AutomationDescription()
    sioc_back_seconds: float = 2.0
    vm_behaviors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDescription:
    """A host profile, or a cluster's configuration profile, that owns advanced options and puts them back: a "fight".

    Attributes:
        kind: host-profile | configuration-profile.
        clusters: names; every host of them obeys, besides those of `hosts`.
        options: what it owns. Nothing is put back before somebody writes: a host may start out of compliance.
        after_seconds: from a write that differs until the value is put back.
    """

    name: str
    options: Mapping[str, OptionValue]
    kind: str = "host-profile"
    clusters: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    after_seconds: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TagDescription:
    """A tag and the names of what it is attached to: hosts, clusters, datastores, datastore clusters, machines, the datacenter."""

    name: str
    description: str = ""
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCategoryDescription:
    """A category of tags.

    Attributes:
        cardinality: SINGLE (an object has one tag of it at most) | MULTIPLE.
        associable_types: for example HostSystem or Datastore; empty for every type.
    """

    name: str
    description: str = ""
    cardinality: str = "MULTIPLE"
    associable_types: tuple[str, ...] = ()
    tags: tuple[TagDescription, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageRuleDescription:
    """One requirement of a storage policy.

    Attributes:
        namespace: of the storage provider, or of vCenter itself; http://www.vmware.com/storage/tag for tags.
        capability: its id within the namespace; the name of the category where the namespace is that of tags.
        value: several names are a set, of which one is enough.
        property: its id, where it is not called as the capability.
    """

    namespace: str
    capability: str
    value: OptionValue | tuple[str, ...]
    property: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePolicyDescription:
    """A storage policy that somebody made, of one rule set.

    Attributes:
        vms: names of the machines whose own files have it; not their disks.
        disks: names of the machines all of whose disks have it; NAME:KEY for one of them, where the first disk has the key 2000.
    """

    name: str
    rules: tuple[StorageRuleDescription, ...]
    description: str = ""
    vms: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageCapabilityDescription:
    """A number that a storage provider takes as a requirement; None is without a limit, or without a default."""

    id: str
    label: str = ""
    minimum: int | None = None
    maximum: int | None = None
    default: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageProviderDescription:
    """A storage (VASA) provider: the capabilities that it publishes in a namespace of its own, and the datastores that have them."""

    name: str
    namespace: str
    datastores: tuple[str, ...]
    capabilities: tuple[StorageCapabilityDescription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskDescription:
    """A virtual disk; `iops_limit` None is unlimited, `backing_object_id` is empty when it is not a vVol.

    `load` is what its machine does with it, as the array tells it too; `endpoint` is the device that carries it when it is a vVol.
    `shares` is low | normal | high, or the number of custom ones; `provisioning` is thin | lazy | eager, as its blocks are set aside.
    `guest_depth` is how many commands the guest's driver sends, where somebody changed that inside; no API tells it. Source: facts.md 8.1.
    """

    datastore: str
    size_bytes: int = 40 << 30
    controller: str = "pvscsi"  # pvscsi | lsilogic | lsilogic-sas | buslogic | nvme | sata | ide
    iops_limit: int | None = None
    iops_reservation: int = 0
    shares: str | int = "normal"
    provisioning: str = "thin"
    backing_object_id: str = ""
    folder: str = ""  # directory on the datastore; the VM's name when empty
    load: LoadDescription = LoadDescription()  # noqa: RUF009  frozen, so one for all is fine
    endpoint: str = ""
    guest_depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDescription:
    """A virtual machine and the host it runs on."""

    name: str
    host: str
    disks: tuple[DiskDescription, ...] = ()
    powered_on: bool = True
    template: bool = False
    uuid: str = ""
    latency_sensitivity: str = "normal"  # low | normal | medium | high; empty is unset


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionDescription:
    """Something that has registered itself with vCenter, besides what every vCenter has."""

    key: str
    version: str = "1.0.0"
    company: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationDescription:
    """A Storage vMotion that somebody began before the lab did: all disks of a running machine, on their way to one datastore.

    What it does to the two datastores stands in their own `load`.

    Attributes:
        progress_percent: how far it had come. It comes no further while Storage I/O Control holds back the hosts of the target.
        running_minutes: how long ago it began.
        whole_minutes: how long it takes from 0 to 100 % where nothing holds it back.
    """

    vm: str
    datastore: str
    progress_percent: int = 0
    running_minutes: int = 0
    whole_minutes: int = 110
    user: str = "VSPHERE.LOCAL\\Administrator"

    def __post_init__(self) -> None:
        if not 0 <= self.progress_percent < 100:
            raise ValueError(f"the relocation of {self.vm} must be somewhere before 100 %, was {self.progress_percent}")
        if self.whole_minutes < 1:
            raise ValueError(f"the relocation of {self.vm} must take a minute at least, was {self.whole_minutes}")


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
    pods: tuple[PodDescription, ...] = ()
    profiles: tuple[ProfileDescription, ...] = ()
    tag_categories: tuple[TagCategoryDescription, ...] = ()
    relocations: tuple[RelocationDescription, ...] = ()
    storage_providers: tuple[StorageProviderDescription, ...] = ()
    storage_policies: tuple[StoragePolicyDescription, ...] = ()
    extensions: tuple[ExtensionDescription, ...] = ()

    def __post_init__(self) -> None:
        placed = [name for pod in self.pods for name in pod.datastores]
        if len(placed) != len(set(placed)):
            raise ValueError(f"a datastore of {self.name} is in more than one datastore cluster")
        if placed and (lost := set(placed) - {store.name for store in self.datastores}):
            raise ValueError(f"{self.name} has no datastores named {sorted(lost)}")
        if lost := {name for pod in self.pods for name in pod.vm_behaviors} - {vm.name for vm in self.vms}:
            raise ValueError(f"{self.name} has no machines named {sorted(lost)} to move by a setting of their own")
        if lost := {name for profile in self.profiles for name in profile.clusters} - {cluster.name for cluster in self.clusters}:
            raise ValueError(f"{self.name} has no clusters named {sorted(lost)}")
        self._check_relocations()
        self._check_tags()

    def _check_relocations(self) -> None:
        for relocation in self.relocations:
            vm = next((one for one in self.vms if one.name == relocation.vm), None)
            if vm is None or not vm.powered_on or not vm.disks:
                raise ValueError(f"{self.name} has no running machine with disks named {relocation.vm!r} to relocate")
            store = next((one for one in self.datastores if one.name == relocation.datastore), None)
            if store is None or vm.host not in store.hosts:
                raise ValueError(f"{vm.host} has no datastore named {relocation.datastore!r} to relocate {vm.name} to")

    def _check_tags(self) -> None:
        tagged = {name for category in self.tag_categories for tag in category.tags for name in tag.objects}
        if not tagged:
            return
        named = (self.clusters, self.hosts, self.datastores, self.pods, self.vms)
        names = [self.datacenter, *(one.name for several in named for one in several)]
        if lost := tagged - set(names):
            raise ValueError(f"{self.name} has nothing named {sorted(lost)} to tag")
        if doubtful := sorted(name for name in tagged if names.count(name) > 1):
            raise ValueError(f"{self.name} has several things named {doubtful}, and a tag is for one")

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


ArrayDescription = ElementDescription | DellScDescription | FlashArrayDescription | OntapDescription | EternusDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class LabFleet:
    """Everything one lab serves: vCenters, and arrays by their kind."""

    vcenters: tuple[VCenterDescription, ...] = ()
    element: tuple[ElementDescription, ...] = ()
    dell_sc: tuple[DellScDescription, ...] = ()
    flasharray: tuple[FlashArrayDescription, ...] = ()
    ontap: tuple[OntapDescription, ...] = ()
    eternus: tuple[EternusDescription, ...] = ()
    declared: tuple[DeclaredDescription, ...] = ()

    def __post_init__(self) -> None:
        names = [one.name for one in (*self.vcenters, *self.arrays)]
        if len(names) != len(set(names)):
            raise ValueError(f"two endpoints have one name: {sorted({name for name in names if names.count(name) > 1})}")

    @property
    def arrays(self) -> tuple[ArrayDescription, ...]:
        """The arrays of every kind."""
        return (*self.element, *self.dell_sc, *self.flasharray, *self.ontap, *self.eternus)
