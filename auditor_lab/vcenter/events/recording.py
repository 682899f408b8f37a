"""Records changes as events.

The types are vCenter's own. A change by a method without a task becomes a TaskEvent with vCenter's name for that method
(`CHANGES_WITHOUT_TASK`; that a real vCenter records one for each of them is not verified). No known event of vCenter carries the old and
new value of an advanced option or a kernel module: the lab records these as EventEx with type ids of its own. Messages follow vCenter's
where their format is known (govmomi, simulator/esx/event_manager.go), otherwise they are the lab's.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.inventory.entities import DATACENTER, compute_resource
from auditor_lab.vcenter.inventory.objects import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.state.datastores import DatastoreState
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

OPTION_CHANGED = "auditor_lab.host.AdvancedOptionChanged"
MODULE_OPTIONS_CHANGED = "auditor_lab.host.ModuleOptionsChanged"

CHANGES_WITHOUT_TASK: Mapping[str, str] = MappingProxyType(
    {
        "UpdateOptions": "option.OptionManager.updateValues",
        "UpdateModuleOptionString": "host.KernelModuleSystem.updateModuleOptionString",
        "SetMultipathLunPolicy": "host.StorageSystem.setMultipathLunPolicy",
        "UpdateInternetScsiAdvancedOptions": "host.StorageSystem.updateInternetScsiAdvancedOptions",
    }
)
"""TaskInfo.descriptionId of each method that changes a host and returns no task.

Source: TaskManager.description.methodInfo of a vCenter, as captured in govmomi, simulator/vpx/task_manager.go.
"""

_event = vim.event


def watch(state: VCenterState) -> None:
    """Record from now on the changes of hosts, and of the Storage I/O Control of datastores."""

    def watch_host(host: HostState) -> None:
        host.on_change = partial(_host_changed, state)
        host.options.on_change = partial(_option_changed, state, host)

    state.hosts.on_create = watch_host
    for store in state.datastores.values():
        store.on_change = partial(_sioc_changed, state)


def recorded(context: Context, name: str, this: Any, arguments: Mapping[str, Any], operation: Operation) -> Any:
    """Run an operation on behalf of the session's user, and record the events that follow from the operation itself."""
    log = context.state.events
    with log.acting_as(context.session.user if context.session else ""):
        try:
            result = operation(context, this, arguments)
        except vim.fault.InvalidLogin:
            with log.acting_as(arguments.get("userName", "")):
                message = f"Cannot login {log.user}: incorrect user name or password"
                log.post(_event.BadUsernameSessionEvent(ipAddress="127.0.0.1", fullFormattedMessage=message))
            raise
        recorder = _RECORDERS.get(name)
        if recorder is not None:
            recorder(context, this, arguments)
        return result


def task_started(state: VCenterState, info: Any) -> None:
    """Record that a task has started, and the event that this means for a host."""
    moid = info.entity._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    place = _host_place(state, moid) if isinstance(info.entity, vim.HostSystem) else _datacenter(state)
    if isinstance(info.entity, vim.Datastore):
        place["ds"] = _event.DatastoreEventArgument(name=info.entityName, datastore=info.entity)
    state.events.post(_event.TaskEvent(info=info, fullFormattedMessage=f"Task: {info.descriptionId}", **place))
    where = f"{info.entityName} in {state.description.datacenter}"
    if info.descriptionId == "host.enterMaintenanceMode":
        message = f"Host {where} has started to enter maintenance mode"
        state.events.post(_event.EnteringMaintenanceModeEvent(fullFormattedMessage=message, **place))
    elif info.descriptionId == "host.reboot":
        message = f"Shut down of {where}: reboot"
        state.events.post(_event.HostShutdownEvent(reason="reboot", fullFormattedMessage=message, **place))


def _datacenter(state: VCenterState) -> dict[str, Any]:
    return {"datacenter": _event.DatacenterEventArgument(name=state.description.datacenter, datacenter=DATACENTER)}


def _host_place(state: VCenterState, moid: str) -> dict[str, Any]:
    """The arguments that name the place of a host's event."""
    cluster = state.cluster_of[moid]
    compute = compute_resource(state, cluster)
    return {
        **_datacenter(state),
        "computeResource": _event.ComputeResourceEventArgument(name=cluster, computeResource=compute),
        "host": _event.HostEventArgument(name=state.hosts.described[moid].name, host=vim.HostSystem(moid)),
    }


def _host_changed(state: VCenterState, host: HostState, what: str, before: Any) -> None:
    where = f"{host.description.name} in {state.description.datacenter}"
    if what == "in_maintenance_mode":
        kind, message = {
            True: (_event.EnteredMaintenanceModeEvent, f"Host {where} has entered maintenance mode"),
            False: (_event.ExitMaintenanceModeEvent, f"Host {where} has exited maintenance mode"),
        }[host.in_maintenance_mode]
    elif host.connection_state == "notResponding":
        kind, message = _event.HostConnectionLostEvent, f"Host {where} is not responding"
    elif host.connection_state == "disconnected":
        kind, message = _event.HostDisconnectedEvent, f"Disconnected from {where}"
    else:
        kind, message = _event.HostConnectedEvent, f"Connected to {where} (it was {before})"
    state.events.post(kind(fullFormattedMessage=message, **_host_place(state, host.moid)))


def _extended(state: VCenterState, host: HostState, type_id: str, message: str, values: Mapping[str, Any]) -> None:
    state.events.post(
        _event.EventEx(
            eventTypeId=type_id,
            severity="info",
            message=message,
            fullFormattedMessage=message,
            arguments=[vmodl.KeyAnyValue(key=key, value=str(value)) for key, value in values.items()],
            objectId=host.moid,
            objectType=vim.HostSystem,
            objectName=host.description.name,
            **_host_place(state, host.moid),
        )
    )


def _option_changed(state: VCenterState, host: HostState, option: str, before: Any, now: Any) -> None:
    values = {"option": option, "before": before, "after": now}
    _extended(state, host, OPTION_CHANGED, f"Advanced option {option} of {host.description.name} changed from {before} to {now}", values)


def _sioc_changed(state: VCenterState, store: DatastoreState, _what: str, _before: Any) -> None:
    """Record one reconfiguration, however many fields a spec sets."""
    name = store.description.name
    argument = _event.DatastoreEventArgument(name=name, datastore=vim.Datastore(store.moid))
    message = f"Reconfigured Storage I/O Control on datastore {name}"
    event = _event.DatastoreIORMReconfiguredEvent(datastore=argument, ds=argument, fullFormattedMessage=message, **_datacenter(state))
    state.events.post(event, once=("iorm", store.moid))


def _logged_in(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> None:
    session = context.opened
    assert session is not None  # noqa: S101  Login has just succeeded
    with context.state.events.acting_as(session.user):
        message = f"User {session.user}@127.0.0.1 logged in"
        event = _event.UserLoginSessionEvent(ipAddress="127.0.0.1", locale="en", sessionId=session.key, fullFormattedMessage=message)
        context.state.events.post(event)


def _logged_out(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> None:
    session = context.logged_in
    message = f"User {session.user}@127.0.0.1 logged out (login time: {session.logged_in:%Y-%m-%d %H:%M:%S})"
    event = _event.UserLogoutSessionEvent(
        ipAddress="127.0.0.1", sessionId=session.key, loginTime=session.logged_in, fullFormattedMessage=message
    )
    context.state.events.post(event)


def _record_task(name: str, context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    host = context.state.hosts[host_of(this)]
    if host.on_change is not None:
        context.tasks.record_finished(vim.HostSystem(host.moid), host.description.name, CHANGES_WITHOUT_TASK[name])


def _module_options_changed(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = context.state.hosts[host_of(this)]
    if host.on_change is None:
        return  # it stands in for the real host: the write is ignored
    _record_task("UpdateModuleOptionString", context, this, arguments)
    module, options = arguments["name"], arguments.get("options", "")
    message = f'Options of the kernel module {module} of {host.description.name} are "{options}" from the next reboot on'
    _extended(context.state, host, MODULE_OPTIONS_CHANGED, message, {"module": module, "after": options})


_RECORDERS: Mapping[str, Callable[[Context, Any, Mapping[str, Any]], None]] = MappingProxyType(
    {
        "Login": _logged_in,
        "Logout": _logged_out,
        "UpdateModuleOptionString": _module_options_changed,
        **{name: partial(_record_task, name) for name in CHANGES_WITHOUT_TASK if name != "UpdateModuleOptionString"},
    }
)
