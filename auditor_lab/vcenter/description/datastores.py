"""Datastores, their load and Storage I/O Control, and datastore clusters."""

from __future__ import annotations

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreLoadDescription:
    """The load of a datastore that does not come from the described virtual disks; theirs is added to it.

    Attributes:
        iops: commands a second, of all hosts together.
        device_ms: the time that the array takes for one of them while Storage I/O Control is on.
        device_ms_without_sioc: the same while it is off; None is no difference.
        sioc_active_percent: the share of the time in which Storage I/O Control throttles the hosts, if it is on; None follows from the
            latency.
    """

    iops: int = 0
    device_ms: float = 0.0
    device_ms_without_sioc: float | None = None
    sioc_active_percent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiocDescription:
    """Storage I/O Control of a datastore. Source: StorageIORMInfo in the vSphere API; docs/domain/facts.md#4-1."""

    supported: bool = True
    enabled: bool = False
    mode: str = "automatic"  # automatic | manual
    threshold_ms: int = 30
    statistics: bool = False  # statsCollectionEnabled
    percent_of_peak: int = 90  # percentOfPeakThroughput, 50 to 100; used in automatic mode


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreDescription:
    """A datastore and the names of the hosts that mount it.

    Attributes:
        extents: canonical device names; VMFS only.
        container_id: storage container, lower-case UUID; VVOL only. Its protocol endpoints are those of `endpoints` that each host sees.
        locking_mode: as in `esxcli storage vmfs lockmode list`: ATS, ATS+SCSI ...
        unmap_priority: none | low; VMFS 6 only.
        local: on a disk of the host's own; VMFS only.
        maintenance_mode: normal | enteringMaintenance | inMaintenance.
    """

    name: str
    type: str  # VMFS | NFS | NFS41 | VVOL | vsan
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
    """The automation of each kind of Storage DRS recommendation: manual | automated, empty for the cluster's setting."""

    space_load_balance: str = ""
    io_load_balance: str = ""
    rule_enforcement: str = ""
    policy_enforcement: str = ""
    vm_evacuation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodDescription:
    """A datastore cluster.

    Source of defaults: StorageDrsPodConfigInfo and StorageDrsIoLoadBalanceConfig in the vSphere API; docs/domain/facts.md#4-4.

    Attributes:
        datastores: names; a datastore is in one cluster at most.
        io_metric: `ioLoadBalanceEnabled`. While it and `enabled` are on, SIOC of the datastores is on, whatever their `sioc.enabled` is.
        behavior: manual | automated.
        sioc_back_seconds: how long SIOC stays off when somebody disables it nevertheless.
        vm_behaviors: by the name of a machine with a setting of its own: manual | automated | disabled.
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
