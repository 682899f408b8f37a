"""The privileges that an account of a vCenter needs, by what is read and what is fixed; the one place that says so.

Tests hold it against the lab: with a privilege taken away, exactly the topics and remediators named here fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

READ_ONLY = ("System.Anonymous", "System.View", "System.Read")
"""The built-in role Read-only; every role that people make has them too.

Source: vSphere API reference, AuthorizationManager: "For user-defined roles, the system-defined privileges ... are always present".
"""

SETTINGS, ADVANCED, STORAGE = "Host.Config.Settings", "Host.Config.AdvancedConfig", "Host.Config.Storage"
STORAGE_POLICIES = "StorageProfile.View"
DATASTORE_IO = "Datastore.ConfigIOManagement"
DATASTORE_CLUSTER, DISKS = "StoragePod.Config", "VirtualMachine.Config.EditDevice"


@dataclass(frozen=True, slots=True)
class Needed:
    """What a read or a fix asks for.

    Attributes:
        privileges: all of them are needed.
        source: who says so.
        verified: whether a vendor's document says so; otherwise it is what the lab was built on.
    """

    privileges: tuple[str, ...]
    source: str
    verified: bool = True


_PROPERTIES = Needed(READ_ONLY, "vSphere API reference: properties ask for System.Read, views and sessions for System.View")
_COUNTERS = Needed(READ_ONLY, "vSphere API reference, PerformanceManager: QueryPerf and perfCounter ask for System.View")
_ESXCLI = "not documented, not verified against a real vCenter; taken to be what QueryModules asks for"

VCENTER_READS: Mapping[str, Needed] = MappingProxyType(
    {
        "hosts": _PROPERTIES,
        "hbas": _PROPERTIES,
        "devices": _PROPERTIES,
        "paths": _PROPERTIES,
        "datastores": _PROPERTIES,
        "vms": _PROPERTIES,
        "pods": _PROPERTIES,
        "network": _PROPERTIES,
        "tasks": Needed(READ_ONLY[:2], "vSphere API reference, TaskManager.recentTask: System.View; it lists what the account may see"),
        "extensions": Needed(READ_ONLY[:2], "vSphere API reference, ExtensionManager.extensionList: System.View"),
        "storage_policies": Needed((READ_ONLY[0], STORAGE_POLICIES), "Storage policy API reference, PbmQueryProfile: StorageProfile.View"),
        "events": Needed(READ_ONLY, "vSphere API reference, EventManager.CreateCollectorForEvents: System.View; a page is a property"),
        "options": Needed(READ_ONLY, "vSphere API reference, OptionManager.QueryOptions: System.View"),
        "modules": Needed((*READ_ONLY, SETTINGS), "vSphere API reference, HostKernelModuleSystem.QueryModules: Host.Config.Settings"),
        "device_scheduling": Needed((*READ_ONLY, SETTINGS), _ESXCLI, verified=False),
        "device_offload": Needed((*READ_ONLY, SETTINGS), _ESXCLI, verified=False),
        "lockmode": Needed((*READ_ONLY, SETTINGS), _ESXCLI, verified=False),
        "multipathing": Needed((*READ_ONLY, SETTINGS), _ESXCLI, verified=False),
        "port_binding": Needed((*READ_ONLY, SETTINGS), _ESXCLI, verified=False),
        "device_load": _COUNTERS,
        "adapter_load": _COUNTERS,
        "datastore_load": _COUNTERS,
        "disk_load": _COUNTERS,
    }
)
"""By topic. `modules` asks esxcli for their parameters too; tags come from another service, for accounts that may read their objects."""

ESXCLI_TOPICS = frozenset(topic for topic, needed in VCENTER_READS.items() if needed.source == _ESXCLI)
"""What is read by esxcli alone, which can be tried."""

_DEVICE = Needed((SETTINGS, STORAGE), f"esxcli: {_ESXCLI}; a write to a device as Host.Config.Storage", verified=False)
_IORM = Needed(
    (DATASTORE_IO,), 'vSphere API reference, StorageResourceManager.ConfigureDatastoreIORM_Task: "required on the target datastore"'
)
_POD = Needed((DATASTORE_CLUSTER,), 'vSphere security guide, "Datastore Cluster Privileges": configure a datastore cluster')

VCENTER_FIXES: Mapping[str, Needed] = MappingProxyType(
    {
        "host.claim_rule": _DEVICE,
        "host.option": Needed((ADVANCED,), 'vSphere security guide, "Host Configuration Privileges": advanced host configuration options'),
        "host.module_option": Needed((SETTINGS,), "vSphere API reference, HostKernelModuleSystem.UpdateModuleOptionString"),
        "iscsi.target_option": Needed((STORAGE,), "vSphere API reference, HostStorageSystem.UpdateInternetScsiAdvancedOptions"),
        "device.dsnro": _DEVICE,
        "device.path_policy": _DEVICE,
        "device.perennially_reserved": _DEVICE,
        "device.queue_full": _DEVICE,
        "datastore.sioc": _IORM,
        "datastore.sioc_threshold": _IORM,
        "datastore.unmap": Needed((STORAGE,), "vSphere API reference, HostStorageSystem.UpdateVmfsUnmapPriority"),
        "pod.automation": _POD,
        "pod.io_metric": _POD,
        "vm.disk_limit": Needed((DISKS,), "vSphere API reference, ReconfigVM_Task: if changing the properties of an existing device"),
    }
)
"""By remediator, beside what reading asks for."""

MAINTENANCE = "Host.Config.Maintenance"
VCENTER_STEPS: Mapping[str, Needed] = MappingProxyType(
    {
        "host.boot": Needed((MAINTENANCE,), "vSphere API reference, HostSystem.RebootHost_Task: Host.Config.Maintenance"),
        "host.maintenance": Needed(
            (MAINTENANCE,),
            "vSphere API reference, HostSystem.EnterMaintenanceMode_Task: Host.Config.Maintenance",
        ),
    }
)
"""By step of a reboot, beside what its settings ask for."""


def lost_without(privileges: Iterable[str], needed: Mapping[str, Needed]) -> frozenset[str]:
    """The topics, or remediators, of `needed` that fail without any of `privileges`."""
    lacking = frozenset(privileges)
    return frozenset(name for name, one in needed.items() if lacking.intersection(one.privileges))
