"""Properties of datastore clusters (StoragePod) as pyVmomi objects."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.vcenter.state.pods import PodState
    from auditor_lab.vcenter.state.vcenter import VCenterState

NESTED: Mapping[str, type] = MappingProxyType(
    {
        "spaceLoadBalanceConfig": vim.storageDrs.SpaceLoadBalanceConfig,
        "ioLoadBalanceConfig": vim.storageDrs.IoLoadBalanceConfig,
        "automationOverrides": vim.storageDrs.AutomationConfig,
    }
)
"""The fields of PodConfigInfo that are data objects themselves."""


def pod_summary(state: VCenterState, pod: PodState) -> Any:
    """StoragePodSummary."""
    size = sum(state.datastores[moid].description.size_bytes for moid in pod.datastores)
    return vim.StoragePod.Summary(name=pod.description.name, capacity=long(size), freeSpace=long(size // 2))


def drs_entry(state: VCenterState, pod: PodState) -> Any:
    """PodStorageDrsEntry; the lab's Storage DRS makes no recommendations."""
    values = {name: NESTED[name](**value) if name in NESTED else value for name, value in pod.config.items()}
    config = vim.storageDrs.ConfigInfo(podConfig=vim.storageDrs.PodConfigInfo(**values), vmConfig=_of_machines(state, pod))
    return complete(vim.StorageResourceManager.PodStorageDrsEntry(storageDrsConfig=config))


def _of_machines(state: VCenterState, pod: PodState) -> list[Any]:
    """StorageDrsVmConfigInfo of the machines with a setting of their own."""
    ids = {vm.name: moid for moid, vm in zip(state.vm_host, state.description.vms, strict=True)}
    return [
        vim.storageDrs.VmConfigInfo(
            vm=vim.VirtualMachine(ids[name]),
            enabled=behavior != "disabled",
            behavior="automated" if behavior == "disabled" else behavior,  # stored without effect
        )
        for name, behavior in pod.description.vm_behaviors.items()
    ]
