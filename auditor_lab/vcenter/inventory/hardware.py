"""A host's hardware as pyVmomi objects: system, memory, PCI devices, capabilities and power policy. Everything is derived when it is read.

Source of the forms: HostHardwareInfo, HostCapability and HostPowerSystem in the vSphere API. What the lab has no fact for (CPU features,
NUMA nodes, trust modules) is left out, and the device names are the lab's.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pyVmomi import VmomiSupport, vim

from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState

VENDOR, MODEL, CPU = "Lab", "Loopback 1", "lab cpu"
MEMORY_BYTES = 512 << 30
PACKAGES, CORES, THREADS, MHZ = 2, 32, 64, 2600
NICS_AT_LEAST = 4

_short: Any = VmomiSupport.GetVmodlType("short")
_byte: Any = VmomiSupport.GetVmodlType("byte")

# Classes of PCI devices, as in the PCI ID repository: SAS 0107, NVMe 0108, network 0200, Fibre Channel 0c04, others of storage 0180.
_PCI_CLASS = {"fc": 0x0C04, "sas": 0x0107, "pcie": 0x0108, "iscsi": 0x0180, "tcp": 0x0180, "block": 0x0180}
_NIC_CLASS = 0x0200

# Keys and short names as Ansible's vmware_host_powermgmt_policy lists them.
POWER_POLICIES = {1: "static", 2: "dynamic", 3: "low", 4: "custom"}
"""Short name of each power policy by its key."""


class Nic(NamedTuple):
    """A physical network adapter."""

    device: str
    pci: str


def host_uuid(host: HostState) -> str:
    """The system's UUID; the same at every start."""
    return host.description.uuid or str(uuid.uuid5(uuid.NAMESPACE_DNS, host.description.name))


def serial_number(host: HostState) -> str:
    """The system's serial number."""
    return f"LAB{host_uuid(host)[:7].upper()}"


def hba_pci(host: HostState, hba: HbaDescription) -> str:
    """The PCI address of an adapter, as HostHostBusAdapter.pci shows it."""
    return f"00:{list(host.hbas).index(hba.device):02x}.0"


def nics(count: int) -> list[Nic]:
    """The physical network adapters of a host, at least NICS_AT_LEAST."""
    return [Nic(f"vmnic{place}", f"0000:3b:{place:02x}.0") for place in range(max(count, NICS_AT_LEAST))]


def hardware(host: HostState, physical: list[Nic]) -> Any:
    """HostHardwareInfo."""
    return complete(
        vim.host.HardwareInfo(
            systemInfo=_system(host),
            cpuInfo=vim.host.CpuInfo(
                numCpuPackages=_short(PACKAGES), numCpuCores=_short(CORES), numCpuThreads=_short(THREADS), hz=long(MHZ * 1_000_000)
            ),
            cpuPkg=[_package(number) for number in range(PACKAGES)],
            memorySize=long(MEMORY_BYTES),
            pciDevice=[
                *(_pci(hba_pci(host, hba), _PCI_CLASS[hba.kind], hba.model) for hba in host.hbas.values() if not hba.software),
                *(_pci(nic.pci, _NIC_CLASS, "Lab 25GbE Adapter") for nic in physical),
            ],
            biosInfo=vim.host.BIOSInfo(biosVersion="1.0", releaseDate=datetime(2024, 1, 1, tzinfo=UTC), vendor=VENDOR, firmwareType="UEFI"),
            cpuPowerManagementInfo=vim.host.CpuPowerManagementInfo(currentPolicy="Balanced", hardwareSupport="ACPI P-states"),
        )
    )


def _system(host: HostState) -> Any:
    serial = serial_number(host)
    kind = vim.ElementDescription(key="ServiceTag", label="Service tag", summary="Service tag of the system")
    tag = vim.host.SystemIdentificationInfo(identifierValue=serial, identifierType=kind)
    return vim.host.SystemInfo(vendor=VENDOR, model=MODEL, uuid=host_uuid(host), serialNumber=serial, otherIdentifyingInfo=[tag])


def _package(number: int) -> Any:
    """HostCpuPackage: one processor with its threads."""
    threads = THREADS // PACKAGES
    return vim.host.CpuPackage(
        index=_short(number),
        vendor="lab",
        hz=long(MHZ * 1_000_000),
        busHz=long(100_000_000),
        description=CPU,
        threadId=[_short(thread) for thread in range(number * threads, (number + 1) * threads)],
    )


def _pci(address: str, kind: int, name: str) -> Any:
    *_, bus, slot_and_function = address.split(":")
    slot, _, function = slot_and_function.partition(".")
    return vim.host.PciDevice(
        id=address,
        classId=_short(kind),
        bus=_byte(int(bus, 16)),
        slot=_byte(int(slot, 16)),
        function=_byte(int(function, 16)),
        vendorName=VENDOR,
        deviceName=name,
    )


def capability(_host: HostState) -> Any:
    """HostCapability: what the API demands of it, and what storage depends on."""
    return complete(
        vim.host.Capability(
            rebootSupported=True,
            shutdownSupported=True,
            vmotionSupported=True,
            storageVMotionSupported=True,
            maintenanceModeSupported=True,
            datastorePrincipalSupported=True,
            sanSupported=True,
            nfsSupported=True,
            nfs41Supported=True,
            iscsiSupported=True,
            vlanTaggingSupported=True,
            nicTeamingSupported=True,
            backgroundSnapshotsSupported=False,
            storageIORMSupported=True,
            vStorageCapable=True,
            maxSupportedVMs=1024,
            maxHostSupportedVcpus=768,
            featureCapabilitiesSupported=True,
        )
    )


def power_capability() -> Any:
    """The power policies that a host can have."""
    return vim.host.PowerSystem.Capability(availablePolicy=[_policy(key) for key in POWER_POLICIES])


def power_info(host: HostState) -> Any:
    """The power policy that a host has."""
    return vim.host.PowerSystem.Info(currentPolicy=_policy(host.power_policy))


def _policy(key: int) -> Any:
    name = POWER_POLICIES[key]
    return vim.host.PowerSystem.PowerPolicy(
        key=key, name=f"PowerPolicy.{name}.name", shortName=name, description=f"PowerPolicy.{name}.description"
    )
