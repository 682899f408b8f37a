"""Events of the hours before the lab started, as a scenario describes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.inventory.datastores import vmfs_uuid
from auditor_lab.vcenter.inventory.entities import DATACENTER, compute_resource

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.vcenter import LoggedEventDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState

_event = vim.event


def log_described(state: VCenterState) -> None:
    """Log every event of the description, the oldest first."""
    now = datetime.now(UTC)
    for one in sorted(state.description.events, key=lambda one: -one.minutes_ago):
        event = _made(state, one)
        state.events.post(event)
        event.createdTime = now - timedelta(minutes=one.minutes_ago)


def _made(state: VCenterState, one: LoggedEventDescription) -> Any:
    """An event of the API's own type where it has one of that name, else an EventEx with that id.

    An event of ESXi about a VMFS volume has the volume's UUID and name as arguments and no datastore of vCenter's (not verified).
    """
    place: dict[str, Any] = {"datacenter": _event.DatacenterEventArgument(name=state.description.datacenter, datacenter=DATACENTER)}
    values = list(one.arguments)
    if one.vm:
        moid = next(moid for moid in state.vm_host if state.vm(moid).name == one.vm)
        place |= {"vm": _event.VmEventArgument(name=one.vm, vm=vim.VirtualMachine(moid)), **_host(state, state.vm_host[moid])}
    if one.host:
        place |= _host(state, state.host_id[one.host])
    if one.datastore:
        values = [vmfs_uuid(one.datastore), one.datastore, *values]
    kind = getattr(_event, one.type, None)
    if kind is not None:
        if issubclass(kind, _event.VmDasBeingResetEvent):
            place["reason"] = "vmtools heartbeat failure"
        if issubclass(kind, _event.VmRelocateFailedEvent):  # the API requires a fault; the message of it is not verified
            place["reason"] = vim.fault.Timedout(msg="The operation timed out.")
        return kind(**_ends_of_move(state, one, kind), fullFormattedMessage=one.type, **place)
    return _event.EventEx(
        eventTypeId=one.type,
        fullFormattedMessage=f"{one.type}: {', '.join(values)}",
        arguments=[vmodl.KeyAnyValue(key=str(number), value=value) for number, value in enumerate(values, 1)],
        **place,
    )


def _ends_of_move(state: VCenterState, one: LoggedEventDescription, kind: Any) -> dict[str, Any]:
    """The datastores of a move: an event of one that is over is about where the machine came to, another about where it is."""

    def argument(name: str) -> Any:
        return _event.DatastoreEventArgument(name=name, datastore=vim.Datastore(state.datastore_id[name]))

    if not one.moved_from or not one.moved_to:
        return {}
    if issubclass(kind, _event.VmRelocatedEvent):
        return {"ds": argument(one.moved_to), "sourceDatastore": argument(one.moved_from), "sourceHost": _of_machine(state, one)}
    return {"ds": argument(one.moved_from), "destDatastore": argument(one.moved_to), "destHost": _of_machine(state, one)}


def _of_machine(state: VCenterState, one: LoggedEventDescription) -> Any:
    moid = next(moid for moid in state.vm_host if state.vm(moid).name == one.vm)
    return _host(state, state.vm_host[moid])["host"]


def _host(state: VCenterState, moid: str) -> dict[str, Any]:
    cluster = state.cluster_of[moid]
    return {
        "computeResource": _event.ComputeResourceEventArgument(name=cluster, computeResource=compute_resource(state, cluster)),
        "host": _event.HostEventArgument(name=state.hosts.described[moid].name, host=vim.HostSystem(moid)),
    }
