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
        return kind(fullFormattedMessage=one.type, **place)
    return _event.EventEx(
        eventTypeId=one.type,
        fullFormattedMessage=f"{one.type}: {', '.join(values)}",
        arguments=[vmodl.KeyAnyValue(key=str(number), value=value) for number, value in enumerate(values, 1)],
        **place,
    )


def _host(state: VCenterState, moid: str) -> dict[str, Any]:
    cluster = state.cluster_of[moid]
    return {
        "computeResource": _event.ComputeResourceEventArgument(name=cluster, computeResource=compute_resource(state, cluster)),
        "host": _event.HostEventArgument(name=state.hosts.described[moid].name, host=vim.HostSystem(moid)),
    }
