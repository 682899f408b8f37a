"""What the values of enumerations mean that vCenter and its hosts report, of those that are judged by; others are not known.

Source: vSphere Web Services API reference 8.0, the enumeration that is named at each, as pyVmomi has it; esxcli's words: recorded outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HOST_AGENT = "HostAgent"
"""AboutInfo.apiType of a single host; that of a vCenter is VirtualCenter."""

DATASTORE_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "VMFS": "VMFS",
        "NFS": "NFS 3",
        "NFS41": "NFS 4.1",
        "CIFS": "CIFS",
        "vsan": "vSAN",
        "vsanD": "vSAN Direct",
        "VFFS": "flash read cache",
        "VVOL": "virtual volumes",
        "PMEM": "persistent memory",
        "OTHER": "something else",
    }
)
"""HostFileSystemVolumeFileSystemType; DatastoreSummary.type."""

VM_POWER_STATES: Mapping[str, str] = MappingProxyType(
    {"poweredOn": "runs", "poweredOff": "does not run", "suspended": "does not run, and keeps its memory"}
)
"""VirtualMachinePowerState."""

BUS_SHARINGS: Mapping[str, str] = MappingProxyType(
    {
        "noSharing": "no other machine uses its disks",
        "virtualSharing": "machines of the same host do",
        "physicalSharing": "machines of any host do",
    }
)
"""VirtualSCSISharing, of a SCSI controller."""

PATH_STATES: Mapping[str, str] = MappingProxyType(
    {
        "active": "carries I/O, or may",
        "standby": "works, and carries none",
        "disabled": "was switched off by an administrator",
        "dead": "does not work",
        "unknown": "the host does not know",
    }
)
"""MultipathState; of HostMultipathInfoPath."""

UNMAP_PRIORITIES: Mapping[str, str] = MappingProxyType(
    {"none": "gives no space back", "low": "gives it back slowly", "medium": "faster", "high": "fastest"}
)
"""HostVmfsVolumeUnmapPriority has none and low; esxcli storage vmfs reclaim config sets medium and high as well."""

DRS_BEHAVIORS: Mapping[str, str] = MappingProxyType({"manual": "recommends", "automated": "acts"})
"""StorageDrsPodConfigInfoBehavior."""

CONGESTION_MODES: Mapping[str, str] = MappingProxyType({"automatic": "by a share of the peak throughput", "manual": "by a latency"})
"""StorageIORMThresholdMode."""

HBA_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "HostInternetScsiHba": "iscsi",
        "HostFibreChannelOverEthernetHba": "fcoe",
        "HostFibreChannelHba": "fc",
        "HostPcieHba": "nvme",
        "HostRdmaHba": "nvme",
        "HostTcpHba": "nvme",
        "HostBlockHba": "block",
        "HostParallelScsiHba": "block",
        "HostSerialAttachedHba": "block",
    }
)
"""The subtypes of HostHostBusAdapter."""

HBA_PROTOCOLS: Mapping[str, str] = MappingProxyType({"scsi": "SCSI", "nvme": "NVMe"})
"""HostStorageProtocol, since 7.0."""

TRANSPORTS: Mapping[str, str] = MappingProxyType(
    {
        "HostInternetScsiTargetTransport": "iscsi",
        "HostFibreChannelOverEthernetTargetTransport": "fcoe",
        "HostFibreChannelTargetTransport": "fc",
        "HostSerialAttachedTargetTransport": "sas",
        "HostPcieTargetTransport": "nvme",
        "HostRdmaTargetTransport": "nvme",
        "HostTcpTargetTransport": "nvme",
        "HostBlockAdapterTargetTransport": "block",
        "HostParallelScsiTargetTransport": "block",
    }
)
"""The subtypes of HostTargetTransport."""

OFFLOADS: Mapping[str, str] = MappingProxyType({"supported": "the device has it", "unsupported": "it has not, or gave up"})
"""Of each primitive: esxcli storage core device vaai status get; docs/domain/facts.md#3-4."""

COMPLIANCE: Mapping[str, bool] = MappingProxyType({"compliant": True, "noncompliant": False, "notcompliant": False})
"""Compliant Status of esxcli iscsi networkportal list, its letters alone: compliant is recorded, how the other is spelt is not."""


def unlisted(value: str | None, known: Mapping[str, object]) -> str:
    """Why a value means nothing here; "" where it is among `known`, or there is none."""
    return "" if value is None or value in known else f"is {value[:40]!r}, which is not known"
