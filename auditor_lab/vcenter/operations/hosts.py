"""Methods that read and change hosts: options, kernel modules, maintenance mode, reboot."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.context import host_behind, reachable_host
from auditor_lab.vcenter.description.modules import module_of
from auditor_lab.vcenter.inventory import hardware, hosts
from auditor_lab.vcenter.performance.manager import SETTINGS_ID, vcenter_settings
from auditor_lab.vcenter.soap.data_objects import complete
from auditor_lab.vcenter.state.profiles import options_written

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.state.hosts import HostState


def _query_options(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """The options of a name: an exact name includes hidden options; a name that ends with a dot, or an empty one, lists those below it."""
    name = arguments.get("name") or ""
    if this._GetMoId() == SETTINGS_ID:  # noqa: SLF001  pyVmomi's accessor
        options = [
            one for one in vcenter_settings(context.state) if one.key == name or (one.key.startswith(name) and name[-1:] in ("", "."))
        ]
        if name and not options:
            raise vim.fault.InvalidName(name=name, msg=f"The name '{name}' is not valid.")
        return VmomiSupport.GetVmodlType("vim.option.OptionValue[]")(options)
    host = host_behind(context, this)
    if name and not name.endswith("."):
        if name not in host.options:
            raise vim.fault.InvalidName(name=name, msg=f"The name '{name}' is not valid.")
        options = [hosts.option_value(host, name)]
    else:
        options = [one for one in hosts.option_values(host) if one.key.startswith(name)]
        if not options:
            raise vim.fault.InvalidName(name=name, msg=f"The name '{name}' is not valid.")
    return VmomiSupport.GetVmodlType("vim.option.OptionValue[]")(options)


def _update_options(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Write all values, or none when one is invalid."""
    host = host_behind(context, this)
    wanted = arguments.get("changedValue", [])
    for one in wanted:
        _check_option(host, one.key, one.value)
    for one in wanted:
        host.options[one.key] = one.value if isinstance(one.value, (bool, str)) else int(one.value)
    options_written(context.state, host)
    context.state.changed()


def _check_option(host: HostState, key: str, value: Any) -> None:
    if key not in host.options:
        raise vim.fault.InvalidName(name=key, msg=f"The name '{key}' is not valid.")
    if type(value) is not hosts.option_type(host, key):
        raise vmodl.fault.InvalidArgument(invalidProperty=key, msg=f"A specified parameter was not correct: {key}")
    definition = host.definitions.get(key)
    if definition is not None and not definition.minimum <= value <= definition.maximum:
        span = f"{definition.minimum} to {definition.maximum}"
        raise vmodl.fault.InvalidArgument(invalidProperty=key, msg=f"A specified parameter was not correct: {key} (valid range {span})")


def _query_modules(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    host = host_behind(context, this)
    information = vim.host.KernelModuleSystem.ModuleInfo
    return VmomiSupport.GetVmodlType("vim.host.KernelModuleSystem.ModuleInfo[]")(
        [
            complete(
                information(
                    id=place,
                    name=name,
                    version=module.version or module_of(name).version,
                    filename=f"/usr/lib/vmware/vmkmod/{name}",
                    optionString=module.configured,
                    loaded=module.loaded,
                    enabled=True,
                    useCount=1,
                )
            )
            for place, (name, module) in enumerate(host.modules.items(), 1)
        ]
    )


def _query_module_options(context: Context, this: Any, arguments: Mapping[str, Any]) -> str:
    return _module(context, this, arguments["name"]).configured  # type: ignore[no-any-return]


def _update_module_options(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Replace the whole option string. Source: docs/domain/facts.md#2-3."""
    _module(context, this, arguments["name"]).configured = arguments.get("options", "")
    context.state.changed()


def _module(context: Context, this: Any, name: str) -> Any:
    module = host_behind(context, this).modules.get(name)
    if module is None:
        raise vim.fault.NotFound(msg=f"The module {name} could not be found.")
    return module


def _enter_maintenance_mode(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    state = context.state
    host = reachable_host(context, this._GetMoId(), this=this)  # noqa: SLF001  pyVmomi's accessor
    if host.in_maintenance_mode:
        raise vim.fault.InvalidState(msg="The operation is not allowed in the current state.")

    def is_evacuated() -> bool:
        _evacuate(context, host)
        machines = zip(state.vm_host.items(), state.description.vms, strict=True)
        return not any(where == host.moid and vm.powered_on for (_, where), vm in machines)

    def enter() -> None:
        host.in_maintenance_mode = True
        state.changed()

    return context.tasks.start(
        this,
        host.description.name,
        "host.enterMaintenanceMode",
        enter,
        ready=is_evacuated,
        timeout_seconds=arguments.get("timeout", 0),
        cancelable=True,
    )


def _cancel_task(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    context.tasks.cancel(this)


def _evacuate(context: Context, host: HostState) -> None:
    """Move running machines to the next usable host of a DRS cluster; those that DRS does not move stay until somebody moves them."""
    state = context.state
    name = state.cluster_of[host.moid]
    cluster = next((one for one in state.description.clusters if one.name == name and one.drs), None)
    if cluster is None:
        return
    for moid, where in list(state.vm_host.items()):
        if where != host.moid or cluster.machine_automation.get(state.vm(moid).name, cluster.automation) != "fullyAutomated":
            continue
        stores = {disk.datastore for disk in state.description.vms[list(state.vm_host).index(moid)].disks}
        for other in state.hosts.values():
            mounted = {store.description.name for store in state.datastores.values() if other.description.name in store.description.hosts}
            good = other.reachable and not other.in_maintenance_mode and state.cluster_of[other.moid] == name and other is not host
            if good and stores <= mounted:
                state.vm_host[moid] = other.moid
                break


def _exit_maintenance_mode(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    host = reachable_host(context, this._GetMoId(), this=this)  # noqa: SLF001  pyVmomi's accessor
    if not host.in_maintenance_mode:
        raise vim.fault.InvalidState(msg="The operation is not allowed in the current state.")

    def leave() -> None:
        host.in_maintenance_mode = False
        context.state.changed()

    return context.tasks.start(this, host.description.name, "host.exitMaintenanceMode", leave)


def _vsan_status(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    """VsanHostClusterStatus: the health as the host sees it, and the hosts of its cluster as members."""
    host = host_behind(context, this)
    uuid, about = hardware.host_uuid(host), host.description
    status = vim.vsan.host.ClusterStatus
    return complete(
        status(
            uuid=f"52{uuid[2:]}",
            nodeUuid=uuid,
            health=about.vsan_health if about.vsan_enabled else "unknown",
            nodeState=status.State(state="agent" if about.vsan_enabled else "error"),
            memberUuid=[uuid] if about.vsan_enabled else [],
        )
    )


def _reboot_host(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """Reboot a host. The task ends when the host goes down; its return shows in its connection state and boot time."""
    state = context.state
    host = reachable_host(context, this._GetMoId(), this=this)  # noqa: SLF001  pyVmomi's accessor
    if not host.in_maintenance_mode and not arguments.get("force"):
        raise vim.fault.InvalidState(msg="The operation is not allowed in the current state.")

    stays_away = context.fault("away") is not None

    def come_back() -> None:
        host.reboot()
        host.connection_state = "connected"

    def go_down() -> None:
        host.connection_state = "notResponding"
        state.changed()
        if not stays_away:
            state.after(state.reboot_seconds, come_back)

    return context.tasks.start(this, host.description.name, "host.reboot", go_down)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "QueryOptions": _query_options,
        "UpdateOptions": _update_options,
        "QueryModules": _query_modules,
        "QueryConfiguredModuleOptionString": _query_module_options,
        "UpdateModuleOptionString": _update_module_options,
        "EnterMaintenanceMode_Task": _enter_maintenance_mode,
        "ExitMaintenanceMode_Task": _exit_maintenance_mode,
        "RebootHost_Task": _reboot_host,
        "QueryHostStatus": _vsan_status,
        "CancelTask": _cancel_task,
    }
)
