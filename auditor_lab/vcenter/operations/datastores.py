"""Methods of datastores: maintenance mode, and NFS datastores that are mounted and removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.context import host_behind
from auditor_lab.vcenter.description.datastores import DatastoreDescription, SiocDescription
from auditor_lab.vcenter.state.datastores import IN_MAINTENANCE, NORMAL
from auditor_lab.vcenter.state.pods import pod_with

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation


def _enter(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    """Start the task that puts a datastore of a cluster into maintenance; it waits while a machine has a disk there.

    A real vCenter recommends or makes moves of these disks; the lab recommends none.
    """
    state, moid = context.state, this._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    store = state.datastores[moid]
    if store.maintenance_mode != NORMAL or pod_with(state.pods, moid) is None:
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


def _create_nas(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """Mount an export on a host, as a new datastore or as one that other hosts have already."""
    state, spec = context.state, arguments["spec"]
    host = host_behind(context, this).description.name
    server = (spec.remoteHostNames or [spec.remoteHost])[0]
    kind = spec.type or "NFS"
    moid = state.datastore_id.get(spec.localPath)
    if moid is None:
        about = DatastoreDescription(
            name=spec.localPath,
            type=kind,
            remote_host=server,
            remote_path=spec.remotePath,
            hosts=(host,),
            sioc=SiocDescription(supported=False),
        )
        return vim.Datastore(state.add_datastore(about))
    about = state.datastores[moid].description
    if host in about.hosts or (about.type, about.remote_host, about.remote_path) != (kind, server, spec.remotePath):
        raise vim.fault.DuplicateName(name=spec.localPath, object=vim.Datastore(moid), msg=f"The name '{spec.localPath}' already exists.")
    state.describe_datastore(moid, replace(about, hosts=(*about.hosts, host)))
    return vim.Datastore(moid)


def _remove(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Unmount an NFS datastore from a host; it goes with its last host. Others are refused: it would delete what is on them."""
    state, moid = context.state, arguments["datastore"]._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    host = host_behind(context, this).description.name
    about = state.datastores[moid].description if moid in state.datastores else None
    if about is None or host not in about.hosts:
        raise vim.fault.NotFound(msg="The datastore could not be found.")
    if not about.type.startswith("NFS"):
        raise vmodl.fault.NotSupported(msg="The lab removes no datastores but those of NFS.")
    if any(disk.datastore == about.name for vm in state.description.vms for disk in vm.disks):
        raise vim.fault.ResourceInUse(type=vim.Datastore, name=about.name, msg="The resource is in use.")
    state.describe_datastore(moid, replace(about, hosts=tuple(name for name in about.hosts if name != host)))


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "CreateNasDatastore": _create_nas,
        "RemoveDatastore": _remove,
        "DatastoreEnterMaintenanceMode": _enter,
        "DatastoreExitMaintenanceMode_Task": _exit,
    }
)
