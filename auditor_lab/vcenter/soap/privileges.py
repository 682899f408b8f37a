"""The privileges that methods and properties require."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.vcenter.soap.envelope import Method

ALL = frozenset(
    {
        "System.Anonymous",
        "System.View",
        "System.Read",
        "Host.Config.AdvancedConfig",
        "Host.Config.Maintenance",
        "Host.Config.Power",
        "Host.Config.Settings",
        "Host.Config.Storage",
        "Datastore.Config",
        "Datastore.ConfigIOManagement",
        "Datastore.UpdateVirtualMachineFiles",
        "StoragePod.Config",
        "Profile.View",
        "StorageProfile.Update",
        "StorageProfile.View",
        "Sessions.TerminateSession",
        "VirtualMachine.Config.EditDevice",
        "InventoryService.Tagging.AttachTag",
        "InventoryService.Tagging.CreateCategory",
        "InventoryService.Tagging.CreateTag",
        "InventoryService.Tagging.DeleteCategory",
        "InventoryService.Tagging.DeleteTag",
        "InventoryService.Tagging.EditCategory",
        "InventoryService.Tagging.EditTag",
        "InventoryService.Tagging.ModifyUsedByForCategory",
        "InventoryService.Tagging.ModifyUsedByForTag",
        "VcIntegrity.ClusterConfiguration.Export",
        "VcIntegrity.ClusterConfiguration.Modify",
        "VcIntegrity.ClusterConfiguration.Remediate",
        "VcIntegrity.ClusterConfiguration.View",
    }
)
"""Every privilege that the lab's vCenter checks."""

READ_ONLY = frozenset({"System.Anonymous", "System.View", "System.Read"})
"""The built-in role Read-only."""

# pyVmomi's type descriptions name the privilege of most methods and properties (`privId`), and those are used. These have none there:
#   UpdateOptions on a host: "Host.Config.AdvancedConfig: allows setting advanced host configuration options" (vSphere security guide,
#       "Host Configuration Privileges").
# ConfigureDatastoreIORM_Task: Datastore.ConfigIOManagement is in vCenter's list of privileges (govmomi, authorization_manager.go)
#     and no other method names it; not verified.
#   ConfigureStorageDrsForPod_Task: "Datastore cluster.Configure a datastore cluster" (same guide, "Datastore Cluster Privileges").
#   ReconfigVM_Task: VirtualMachine.Config.EditDevice "if changing the properties of an existing device" (its description in the API).
#   esxcli through vCenter: not verified. Modelled as Host.Config.Settings, which the kernel module queries ask for; writes to devices
#       as Host.Config.Storage ("manage iSCSI, scan for new storage devices", same guide).
_METHODS: Mapping[str, str] = MappingProxyType(
    {
        "UpdateOptions": "Host.Config.AdvancedConfig",
        "ConfigureDatastoreIORM_Task": "Datastore.ConfigIOManagement",
        "ConfigureStorageDrsForPod_Task": "StoragePod.Config",
        "ReconfigVM_Task": "VirtualMachine.Config.EditDevice",
        "RetrieveManagedMethodExecuter": "Host.Config.Settings",
        "RetrieveDynamicTypeManager": "Host.Config.Settings",
        "ExecuteSoap": "Host.Config.Settings",
    }
)

ESXCLI_WRITE = "Host.Config.Storage"
"""The privilege of esxcli commands that write; see above, not verified."""


def needed_for_method(method: Method) -> str:
    """The privilege that a method requires; System.View where the API names none."""
    return _METHODS.get(method.name) or method.privilege or "System.View"


def needed_for_property(kind: Any, name: str) -> str:
    """The privilege that a property requires; System.Read where the API names none.

    Raises:
        AttributeError: the type has no such property.
    """
    required: str | None = kind._GetPropertyInfo(name).privId  # noqa: SLF001  pyVmomi's only way to look one up
    return required or "System.Read"


def no_permission(reference: Any, privilege: str) -> Any:
    """The NoPermission fault that names the missing privilege."""
    return vim.fault.NoPermission(object=reference, privilegeId=privilege, msg="Permission to perform this operation was denied.")
