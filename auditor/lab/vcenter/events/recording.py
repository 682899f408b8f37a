"""Which event a change becomes.

The types are vCenter's own. What a host is told at once, by a method that returns no task, leaves a TaskEvent by the name that vCenter
has for that method (`PASSED`; that it leaves one for each of them is not verified against a real vCenter). Which value an advanced option
or a kernel module had and has, no event of vCenter is known to tell: the lab says it besides, as EventEx whose type ids say that it does.
Messages follow vCenter's where its format is known (govmomi, simulator/esx/event_manager.go), else they are the lab's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor.lab.vcenter.inventory.entities import DATACENTER, cluster_id
from auditor.lab.vcenter.inventory.objects import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.lab.vcenter.context import Context, Operation
    from auditor.lab.vcenter.state.datastores import DatastoreState
    from auditor.lab.vcenter.state.hosts import HostState
    from auditor.lab.vcenter.state.vcenter import VCenterState

OPTION_CHANGED = "auditor.lab.host.AdvancedOptionChanged"
MODULE_OPTIONS_CHANGED = "auditor.lab.host.ModuleOptionsChanged"

PASSED: Mapping[str, str] = MappingProxyType(
    {
        "UpdateOptions": "option.OptionManager.updateValues",
        "UpdateModuleOptionString": "host.KernelModuleSystem.updateModuleOptionString",
        "SetMultipathLunPolicy": "host.StorageSystem.setMultipathLunPolicy",
        "UpdateInternetScsiAdvancedOptions": "host.StorageSystem.updateInternetScsiAdvancedOptions",
    }
)
"""Methods that change a host and return no task -> TaskInfo.descriptionId.

Source: TaskManager.description.methodInfo of a vCenter, as captured in govmomi, simulator/vpx/task_manager.go.
"""

_event = vim.event


def watch(state: VCenterState) -> None:
    """From now on record what happens to hosts and to the Storage I/O Control of datastores."""

    def woken(host: HostState) -> None:
        host.noticed = partial(_host_changed, state)
        host.options.noticed = partial(_option_changed, state, host)

    state.hosts.woken = woken
    for store in state.datastores.values():
        store.noticed = partial(_sioc_changed, state)


def recorded(context: Context, name: str, this: Any, arguments: Mapping[str, Any], operation: Operation) -> Any:
    """Run an operation on behalf of who asked for it, and record what only the operation itself can tell."""
    log = context.state.events
    with log.acting(context.session.user if context.session else ""):
        try:
            result = operation(context, this, arguments)
        except vim.fault.InvalidLogin:
            with log.acting(arguments.get("userName", "")):
                message = f"Cannot login {log.user}: incorrect user name or password"
                log.post(_event.BadUsernameSessionEvent(ipAddress="127.0.0.1", fullFormattedMessage=message))
            raise
        recorder = _RECORDERS.get(name)
        if recorder is not None:
            recorder(context, this, arguments)
        return result


def task_started(state: VCenterState, info: Any) -> None:
    """Record that a task began, and what its beginning means for a host."""
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
    """The arguments that say where a host's event happened."""
    cluster = state.cluster_of[moid]
    compute = vim.ClusterComputeResource(cluster_id(state.cluster_place[cluster]))
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


def _extended(state: VCenterState, host: HostState, type_id: str, message: str, told: Mapping[str, Any]) -> None:
    state.events.post(
        _event.EventEx(
            eventTypeId=type_id,
            severity="info",
            message=message,
            fullFormattedMessage=message,
            arguments=[vmodl.KeyAnyValue(key=key, value=str(value)) for key, value in told.items()],
            objectId=host.moid,
            objectType=vim.HostSystem,
            objectName=host.description.name,
            **_host_place(state, host.moid),
        )
    )


def _option_changed(state: VCenterState, host: HostState, option: str, before: Any, now: Any) -> None:
    told = {"option": option, "before": before, "after": now}
    _extended(state, host, OPTION_CHANGED, f"Advanced option {option} of {host.description.name} changed from {before} to {now}", told)


def _sioc_changed(state: VCenterState, store: DatastoreState, _what: str, _before: Any) -> None:
    """However many fields a spec sets, it is one reconfiguration."""
    name = store.description.name
    argument = _event.DatastoreEventArgument(name=name, datastore=vim.Datastore(store.moid))
    message = f"Reconfigured Storage I/O Control on datastore {name}"
    event = _event.DatastoreIORMReconfiguredEvent(datastore=argument, ds=argument, fullFormattedMessage=message, **_datacenter(state))
    state.events.post(event, once=("iorm", store.moid))


def _logged_in(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> None:
    session = context.opened
    assert session is not None  # noqa: S101  Login has just succeeded
    with context.state.events.acting(session.user):
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


def _passed(name: str, context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    host = context.state.hosts[host_of(this)]
    if host.noticed is not None:
        context.tasks.passed(vim.HostSystem(host.moid), host.description.name, PASSED[name])


def _module_options_changed(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = context.state.hosts[host_of(this)]
    if host.noticed is None:
        return  # it only stands in for the real one: the write is ignored
    _passed("UpdateModuleOptionString", context, this, arguments)
    module, options = arguments["name"], arguments.get("options", "")
    message = f'Options of the kernel module {module} of {host.description.name} are "{options}" from the next reboot on'
    _extended(context.state, host, MODULE_OPTIONS_CHANGED, message, {"module": module, "after": options})


_RECORDERS: Mapping[str, Callable[[Context, Any, Mapping[str, Any]], None]] = MappingProxyType(
    {
        "Login": _logged_in,
        "Logout": _logged_out,
        "UpdateModuleOptionString": _module_options_changed,
        **{name: partial(_passed, name) for name in PASSED if name != "UpdateModuleOptionString"},
    }
)
