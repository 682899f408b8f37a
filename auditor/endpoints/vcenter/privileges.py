"""The privileges that an account of a vCenter needs, by what is read, here, and by what is fixed, as `TYPE` of the kind has it.

Tests hold it against the lab: with a privilege taken away, exactly the topics and remediators named here fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from auditor.model.settings import Needed

if TYPE_CHECKING:
    from auditor.model.settings import Setting

READ_ONLY = ("System.Anonymous", "System.View", "System.Read")
"""The built-in role Read-only; every role that people make has them too.

Source: vSphere API reference, AuthorizationManager: "For user-defined roles, the system-defined privileges ... are always present".
"""

SETTINGS, ADVANCED, STORAGE = "Host.Config.Settings", "Host.Config.AdvancedConfig", "Host.Config.Storage"
STORAGE_POLICIES = "StorageProfile.View"
DATASTORE_IO = "Datastore.ConfigIOManagement"
DATASTORE_CLUSTER, DISKS = "StoragePod.Config", "VirtualMachine.Config.EditDevice"
MAINTENANCE = "Host.Config.Maintenance"

_PROPERTIES = Needed(READ_ONLY, "vSphere API reference: properties ask for System.Read, views and sessions for System.View")
_COUNTERS = Needed(READ_ONLY, "vSphere API reference, PerformanceManager: QueryPerf and perfCounter ask for System.View")
ESXCLI = "not documented, not verified against a real vCenter; taken to be what QueryModules asks for"

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
        "storage_events": Needed(
            READ_ONLY, "vSphere API reference, EventManager.CreateCollectorForEvents: System.View; a page is a property"
        ),
        "options": Needed(READ_ONLY, "vSphere API reference, OptionManager.QueryOptions: System.View"),
        "modules": Needed((*READ_ONLY, SETTINGS), "vSphere API reference, HostKernelModuleSystem.QueryModules: Host.Config.Settings"),
        "device_scheduling": Needed((*READ_ONLY, SETTINGS), ESXCLI, verified=False),
        "device_offload": Needed((*READ_ONLY, SETTINGS), ESXCLI, verified=False),
        "lockmode": Needed((*READ_ONLY, SETTINGS), ESXCLI, verified=False),
        "multipathing": Needed((*READ_ONLY, SETTINGS), ESXCLI, verified=False),
        "port_binding": Needed((*READ_ONLY, SETTINGS), ESXCLI, verified=False),
        "device_load": _COUNTERS,
        "adapter_load": _COUNTERS,
        "datastore_load": _COUNTERS,
        "disk_load": _COUNTERS,
        "load_history": _COUNTERS,
    }
)
"""By topic. `modules` asks esxcli for their parameters too; tags come from another service, for accounts that may read their objects."""

ESXCLI_TOPICS = frozenset(topic for topic, needed in VCENTER_READS.items() if needed.source == ESXCLI)
"""What is read by esxcli alone, which can be tried."""


OF_VCENTER = ("storage_policies", "pods", "extensions")
"""Topics for which a single host is asked nothing: only a vCenter has what they are about."""


@cache
def reads_of(kind: EndpointKind) -> Mapping[str, Needed]:
    """What reading asks for on an endpoint of this kind, a vCenter or a single host, by topic."""
    if kind is EndpointKind.VCENTER:
        return VCENTER_READS
    topics = set(endpoint_type(kind).topics).difference(OF_VCENTER)
    return MappingProxyType({topic: needed for topic, needed in VCENTER_READS.items() if topic in topics})


@cache
def fixes_of(kind: EndpointKind) -> Mapping[str, Needed]:
    """What fixing asks for on an endpoint of this kind, likewise, by remediator, beside what reading asks for."""
    return _of(endpoint_type(kind).settings)


def vcenter_fixes() -> Mapping[str, Needed]:
    """What fixing asks for on a vCenter."""
    return fixes_of(EndpointKind.VCENTER)


@cache
def vcenter_steps() -> Mapping[str, Needed]:
    """What the steps of a reboot ask for, by step, beside what its settings ask for."""
    return _of(endpoint_type(EndpointKind.VCENTER).steps)


def _of(settings: Mapping[str, Setting]) -> Mapping[str, Needed]:
    return MappingProxyType({name: one.needed for name, one in settings.items() if one.needed is not None})


def lost_without(privileges: Iterable[str], needed: Mapping[str, Needed]) -> frozenset[str]:
    """The topics, or remediators, of `needed` that fail without any of `privileges`."""
    lacking = frozenset(privileges)
    return frozenset(name for name, one in needed.items() if lacking.intersection(one.privileges))
