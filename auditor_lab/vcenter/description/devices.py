"""What a host sees of storage: adapters, targets, block devices and their load."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class VaaiDescription:
    """The offload primitives that a device supports, as in `esxcli storage core device vaai status get`."""

    plugin: str = ""
    ats: bool = True
    clone: bool = True
    zero: bool = True
    delete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLoadDescription:
    """The load of a device that does not come from the described virtual disks, on every host that sees it; theirs is added to it.

    Attributes:
        iops: commands a second of one host.
        device_ms: the time that the array takes for one of them (DAVG).
        device_ms_without_offload: the same when no host that sees the device offloads copies or zeroes, or the array's firmware copes
            with it; None is no difference.
        offload_copes_since: the first firmware of the array that copes with offloads, in the array's notation; "" is none.
        kernel_ms: the time that the kernel adds to every command of the device besides waiting in its queue.
        queued: commands that wait in the host besides the outstanding ones.
        commands_aborted: in 20 seconds; `bus_resets` likewise.
        iops_ceiling: the most commands a second that the array answers to one host on this device; more at once only take longer. None is
            no such limit; it has to exceed the sum that disks at their own limits pass.
    """

    iops: int = 0
    device_ms: float = 0.0
    device_ms_without_offload: float | None = None
    offload_copes_since: str = ""
    kernel_ms: float = 0.0
    queued: int = 0
    commands_aborted: int = 0
    bus_resets: int = 0
    iops_ceiling: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceDescription:
    """A block device or protocol endpoint, the same for every host that sees it.

    Attributes:
        name: canonical name, for example naa.6f47acc1...
        vendor: inquiry vendor, at most 8 characters; hosts show it padded with blanks.
        model: inquiry product, at most 16 characters; padded as well.
        transport: how it is reached; adapters of that kind and of its protocol have paths to it.
        protocol: scsi, or nvme for a namespace, which the high-performance plug-in claims: it has no policies of the native one.
        targets: its IQNs, WWPNs or SAS addresses; every adapter that reaches it has one path to each. One of a local disk or a namespace
            behind NVMe/TCP is just a word: the API has no field for it.
        psp_options: options of the path selection policy from the claim rule, for example iops=1 or policy=latency;useANO=0.
        has_dsnro: whether the host reports a DSNRO of it; of namespaces some builds do (docs/domain/facts.md#1-13).
        queue_depth: Device Max Queue Depth, where no driver's parameter decides it; None follows from the driver.
        firmware: of the array behind it, in the array's notation; hosts do not see it. "" where no array of the lab is behind it.
        operational_state: ScsiLun.operationalState, the main one first.
        disabled_targets: those of `targets` to which an administrator disabled the paths.
    """

    name: str
    vendor: str
    model: str
    revision: str = "0001"
    size_bytes: int = 4 << 40
    protocol_endpoint: bool = False
    ssd: bool = True
    local: bool = False
    transport: str = "iscsi"  # iscsi | fc | sas | tcp | pcie | block
    protocol: str = "scsi"  # scsi | nvme
    targets: tuple[str, ...] = ()
    satp: str = "VMW_SATP_DEFAULT_AA"
    psp: str = "VMW_PSP_RR"
    psp_options: str = ""
    has_dsnro: bool = True
    queue_depth: int | None = None
    firmware: str = ""
    operational_state: tuple[str, ...] = ("ok",)
    disabled_targets: tuple[str, ...] = ()
    vaai: VaaiDescription = VaaiDescription()
    load: DeviceLoadDescription = DeviceLoadDescription()

    @property
    def by_native_plugin(self) -> bool:
        """Whether NMP claims it, and not HPP."""
        return self.protocol == "scsi"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetDescription:
    """A target on an iSCSI adapter: configured, or discovered by the send target of the address `discovered_at` if that is not empty.

    `delayed_ack` None is inherited: from that send target, else from the adapter; so is every parameter that `parameters` leaves out.
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
    """A VMkernel adapter that an iSCSI adapter is bound to (port binding)."""

    vmk: str
    compliant_status: str = "compliant"
    path_status: str = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class HbaDescription:
    """A storage adapter.

    Attributes:
        device: for example vmhba64.
        protocol: scsi | nvme; a Fibre Channel port that does both is two adapters of one driver, as vCenter shows it.
        driver: the kernel module whose parameters decide the queue depth of the SCSI devices behind it; the lab gives one that it does not
            know neither parameters nor a depth of its own.
        initiator: IQN, or WWPN or SAS address as 16 hex digits; derived from the host's name when empty.
        delayed_ack: adapter-wide; ESXi's default is on.
        parameters: other parameters of an iSCSI adapter that differ from ESXi's defaults, for example {LoginTimeout: 30}.
        status: online | offline | unbound | unknown; the paths of one that is offline or unbound are dead.
        portals: the VMkernel adapters that an iSCSI adapter is bound to; without any, the routing table decides.
    """

    device: str
    kind: str  # iscsi | fc | sas | tcp | pcie | block
    protocol: str = "scsi"
    driver: str
    model: str
    initiator: str = ""
    software: bool = False
    status: str = "online"
    delayed_ack: bool = True
    targets: tuple[TargetDescription, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=dict)
    portals: tuple[PortalDescription, ...] = ()

    def reaches(self, device: DeviceDescription) -> bool:
        """Whether it has paths to a device of its host."""
        return self.kind == device.transport and self.protocol == device.protocol
