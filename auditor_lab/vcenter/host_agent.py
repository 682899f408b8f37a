"""What a host agent answers otherwise than a vCenter: who it is, its licence, lockdown, and what it does not have.

The ids of managers are those of the lab's vCenter: clients take them from the service content. Only the host has the id that it has on
every real host agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.inventory.entities import ROOT, Managed
from auditor_lab.vcenter.inventory.hosts import product

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.vcenter import VCenterDescription

FREE_EDITION = "esxBasic"
_LICENCES = vim.LicenseManager("ha-license-manager")
_UNLOCKED = "lockdownDisabled"

_NOT_THERE = ("HasPrivilegeOn", "HasUserPrivilegeOn", "FetchUserPrivilegeOn", "ConfigureDatastoreIORM", "ConfigureStorageDrs", "RelocateVM")
"""How the methods begin that the lab's host agent does not have. Of the first three it is not known whether a real one has them."""

_WRITES = ("Update", "Set", "Configure", "Reconfig", "Enter", "Exit", "Reboot")


def service_content(about: VCenterDescription) -> Any:
    """ServiceContent of a host agent. Source of what is there: govmomi, simulator/esx/service_content.go, captured from ESXi 6.5."""
    [host] = about.standalone
    return vim.ServiceInstanceContent(
        rootFolder=ROOT,
        propertyCollector=vmodl.query.PropertyCollector("propertyCollector"),
        viewManager=vim.view.ViewManager("ViewManager"),
        sessionManager=vim.SessionManager("SessionManager"),
        searchIndex=vim.SearchIndex("SearchIndex"),
        storageResourceManager=vim.StorageResourceManager("StorageResourceManager"),
        perfManager=vim.PerformanceManager("PerfMgr"),
        eventManager=vim.event.EventManager("EventManager"),
        authorizationManager=vim.AuthorizationManager("AuthorizationManager"),
        taskManager=vim.TaskManager("TaskManager"),
        licenseManager=_LICENCES,
        about=product(host.version, host.build),
    )


def licence_objects(about: VCenterDescription) -> list[Managed]:
    """The licence manager of a host agent; none of a vCenter."""
    if about.host_agent is None:
        return []
    licence = vim.LicenseManager.LicenseInfo(
        licenseKey="00000-00000-00000-00000-00000", editionKey=about.host_agent.edition, name=about.host_agent.edition, total=0, costUnit=""
    )
    return [Managed(vim.LicenseManager, "ha-license-manager", {"licenses": lambda: [licence]})]


def check_lockdown(about: VCenterDescription, user: str) -> None:
    """Let in only the exceptions of a host in lockdown mode.

    Raises:
        vim.fault.NoPermission: the user is none. Source: vSphere API reference, SessionManager.Login: "if the user is valid, but has no
            access granted".
    """
    agent = about.host_agent
    if agent is not None and agent.lockdown != _UNLOCKED and user not in agent.exceptions:
        raise vim.fault.NoPermission(object=ROOT, privilegeId="System.View", msg="Permission to perform this operation was denied.")


def check_method(about: VCenterDescription, name: str) -> None:
    """Refuse a method that a host agent does not have, and one that writes where the licence lets nobody write.

    Raises:
        vmodl.fault.NotSupported: it does not have it.
        vim.fault.RestrictedVersion: it writes. Source: https://github.com/vmware/pyvmomi/issues/625.
    """
    if about.host_agent is None:
        return
    if name.startswith(_NOT_THERE):
        raise vmodl.fault.NotSupported(msg="The operation is not supported on the object.")
    if name.startswith(_WRITES):
        check_licence(about)


def check_licence(about: VCenterDescription) -> None:
    """Refuse a write where the licence lets nobody write.

    Raises:
        vim.fault.RestrictedVersion: it does not.
    """
    if about.host_agent is not None and about.host_agent.edition == FREE_EDITION:
        raise vim.fault.RestrictedVersion(msg="Current license or ESXi version prohibits execution of the requested operation.")
