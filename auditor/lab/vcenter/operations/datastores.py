"""Methods of datastores: maintenance mode."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor.lab.vcenter.state.datastores import IN_MAINTENANCE, NORMAL
from auditor.lab.vcenter.state.pods import pod_with

if TYPE_CHECKING:
    from auditor.lab.vcenter.context import Context, Operation


def _enter(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    """Start the task that puts a datastore of a cluster into maintenance; it waits while a machine has a disk there.

    A real vCenter recommends or makes moves of these disks; the lab recommends none.
    """
    state, moid = context.state, this._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    store = state.datastores[moid]
    if store.maintenance_mode != NORMAL or pod_with(state, moid) is None:
        raise vim.fault.InvalidState(msg="The operation is not allowed in the current state.")

    def is_empty() -> bool:
        return not any(disk.datastore == store.description.name for vm in state.description.vms for disk in vm.disks)

    def enter() -> None:
        store.maintenance_mode = IN_MAINTENANCE
        state.changed()

    task = context.tasks.start(this, store.description.name, "Datastore.enterMaintenanceMode", enter, ready=is_empty)
    return vim.storageDrs.StoragePlacementResult(task=task)


def _exit(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    store = context.state.datastores[this._GetMoId()]  # noqa: SLF001  pyVmomi's accessor
    if store.maintenance_mode == NORMAL:
        raise vim.fault.InvalidState(msg="The operation is not allowed in the current state.")

    def leave() -> None:
        store.maintenance_mode = NORMAL
        context.state.changed()

    return context.tasks.start(this, store.description.name, "Datastore.exitMaintenanceMode", leave)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {"DatastoreEnterMaintenanceMode": _enter, "DatastoreExitMaintenanceMode_Task": _exit}
)
