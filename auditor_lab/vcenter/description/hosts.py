"""ESXi hosts and clusters: builds, options, kernel modules, claim rules and VMkernel adapters."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
from auditor_lab.vcenter.description.modules import MODULES

OptionValue = bool | int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleDescription:
    """A kernel module: its option string as configured, and as it was when loaded (None: the same); its version (None: the lab's own)."""

    configured: str = ""
    in_effect: str | None = None
    version: str | None = None
    loaded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SatpRuleDescription:
    """A claim rule as in `esxcli storage nmp satp rule list`; the result of claiming is part of each device's description."""

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
        switch: name of the switch; the first of several adapters on a switch decides its MTU.
        ip: IPv4 address; empty for one from a range that no real network uses.
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
        modules: by module name; the drivers of `hbas` exist even when not named.
        devices: the devices that the host sees; adapters with the device's transport reach it.
        dsnro: by device name, where it is set on the device itself; others have the default.
        satp_rules: rules added to the build's own claim rules.
        vmknics: VMkernel adapters; without a vmk0 among them the host has one more, for management.
        connection_state: connected | disconnected | notResponding.
        uuid: of the machine's BIOS; one is made of the name where none is given.
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
    uuid: str | None = None
    in_maintenance_mode: bool = False
    vsan_enabled: bool = False
    vsan_health: str = "healthy"  # healthy | unhealthy | unknown; only where vSAN is enabled

    def __post_init__(self) -> None:
        # A driver that the lab does not know is served as it is; an option for a module that is neither is a slip.
        if lost := set(self.modules) - set(MODULES) - {hba.driver for hba in self.hbas}:
            raise ValueError(f"{self.name} has no adapter of the modules {sorted(lost)}, and the lab does not know them")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """A compute cluster.

    A host that enters maintenance mode is evacuated where `drs` is on and fully automated, also for the machine; otherwise the task waits.

    Attributes:
        automation: of DRS: manual | partiallyAutomated | fullyAutomated.
        machine_automation: by machine, where it differs from the cluster's; "disabled" where DRS leaves the machine alone.
        admission_control: of HA, by the number of hosts that may fail.
    """

    name: str
    hosts: tuple[HostDescription, ...]
    drs: bool = True
    automation: str = "fullyAutomated"
    machine_automation: Mapping[str, str] = field(default_factory=dict)
    admission_control: bool = True
