"""Methods of storage: iSCSI parameters, Storage I/O Control and space reclamation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.context import host_behind, reachable_host
from auditor_lab.vcenter.inventory.datastores import vmfs_uuid
from auditor_lab.vcenter.operations import multipath, pods
from auditor_lab.vcenter.state.hosts import ISCSI_PARAMETERS, target_key

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.description.devices import HbaDescription
    from auditor_lab.vcenter.state.hosts import HostState, TargetKey


_THRESHOLD_MS, _DEFAULT_THRESHOLD_MS = (5, 100), 30  # source: docs/domain/facts.md#4-1
_PERCENT_OF_PEAK = (50, 100)  # source: as above


def _update_iscsi_options(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Set DelayedAck and the parameters of ISCSI_PARAMETERS, which are all that the lab stores; others are refused."""
    host = host_behind(context, this)
    hba = host.hbas.get(arguments["iScsiHbaDevice"])
    if hba is None or hba.kind != "iscsi":
        raise vim.fault.NotFound(msg=f"The adapter {arguments['iScsiHbaDevice']} could not be found.")
    for one in arguments.get("options", []):
        if not _fits(one):
            raise vmodl.fault.InvalidArgument(invalidProperty=one.key, msg=f"A specified parameter was not correct: {one.key}")
    targets = arguments.get("targetSet")
    for one in arguments.get("options", []):
        for key in [None] if targets is None else _targets(hba, targets):
            _set_iscsi_option(host, hba.device, key, one)
    context.state.changed()


def _fits(option: Any) -> bool:
    if option.key == "DelayedAck":
        return isinstance(option.value, bool)
    return option.key in ISCSI_PARAMETERS and isinstance(option.value, int) and not isinstance(option.value, bool) and option.value >= 0


def _set_iscsi_option(host: HostState, device: str, target: TargetKey | None, option: Any) -> None:
    """Set a parameter of an adapter, or of one of its targets."""
    if option.key == "DelayedAck":
        if target is None:
            host.adapter_delayed_ack[device] = option.value
        elif option.isInherited:
            host.target_delayed_ack.pop(target, None)
        else:
            host.target_delayed_ack[target] = option.value
    elif target is None:
        host.adapter_parameters[device][option.key] = int(option.value)
    elif option.isInherited:
        host.target_parameters.get(target, {}).pop(option.key, None)
    else:
        host.target_parameters.setdefault(target, {})[option.key] = int(option.value)


def _targets(hba: HbaDescription, targets: Any) -> list[Any]:
    named = [("send", one.address, one.port or 3260, "") for one in targets.sendTargets or []]
    named += [("static", one.address, one.port or 3260, one.iScsiName) for one in targets.staticTargets or []]
    known = {target_key(hba.device, target) for target in hba.targets}
    keys = [(hba.device, *one) for one in named]
    for key in keys:
        if key not in known:
            raise vim.fault.NotFound(msg=f"The target {key[2]}:{key[3]} {key[4]} could not be found.")
    return keys


def _query_iorm_option(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """The ranges, the same for every host. Source: docs/domain/facts.md#4-1; that SIOC is off by default follows from there."""
    reachable_host(context, arguments["host"]._GetMoId(), this=this)  # noqa: SLF001  pyVmomi's accessor

    def switch() -> Any:
        return vim.option.BoolOption(supported=True, defaultValue=False, valueIsReadonly=False)

    return vim.StorageResourceManager.IORMConfigOption(
        enabledOption=switch(),
        congestionThresholdOption=vim.option.IntOption(
            min=_THRESHOLD_MS[0], max=_THRESHOLD_MS[1], defaultValue=_DEFAULT_THRESHOLD_MS, valueIsReadonly=False
        ),
        statsCollectionEnabledOption=switch(),
        reservationEnabledOption=switch(),
    )


def _configure_iorm(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """Change only the fields that the spec sets; fields that the lab does not store are refused."""
    store = context.state.datastores.get(arguments["datastore"]._GetMoId())  # noqa: SLF001  pyVmomi's accessor
    if store is None:
        raise vmodl.fault.ManagedObjectNotFound(obj=arguments["datastore"], msg="no such datastore")
    if not store.description.sioc.supported:
        raise vmodl.fault.NotSupported(msg="The operation is not supported on the object.")
    spec = arguments["spec"]
    _check_iorm(spec)

    def configure() -> None:
        if spec.enabled is not None:
            store.sioc_enabled = spec.enabled
        if spec.congestionThresholdMode is not None:
            store.sioc_mode = str(spec.congestionThresholdMode)
        if spec.congestionThreshold is not None:
            store.sioc_threshold_ms = spec.congestionThreshold
        if spec.statsCollectionEnabled is not None:
            store.sioc_statistics = spec.statsCollectionEnabled
        if spec.percentOfPeakThroughput is not None:
            store.sioc_percent_of_peak = spec.percentOfPeakThroughput
        if spec.statsAggregationDisabled is not None:
            store.sioc_without_aggregation = spec.statsAggregationDisabled
        context.state.sioc_written(store)
        context.state.changed()

    return context.tasks.start(arguments["datastore"], store.description.name, "StorageResourceManager.ConfigureDatastoreIORM", configure)


def _check_iorm(spec: Any) -> None:
    if spec.congestionThresholdMode is not None and str(spec.congestionThresholdMode) not in ("automatic", "manual"):
        raise vmodl.fault.InvalidArgument(invalidProperty="spec.congestionThresholdMode", msg="")
    for name, (least, most) in {"congestionThreshold": _THRESHOLD_MS, "percentOfPeakThroughput": _PERCENT_OF_PEAK}.items():
        value = getattr(spec, name)
        if value is not None and not least <= value <= most:
            raise vmodl.fault.InvalidArgument(invalidProperty=f"spec.{name}", msg="")
    for name in ("reservationEnabled", "reservableIopsThreshold"):
        if getattr(spec, name) is not None:
            raise vmodl.fault.NotSupported(msg=f"The lab's Storage I/O Control does not know {name}.")


def _update_unmap(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Set the priority of space reclamation of a VMFS 6 volume that the host has mounted.

    Source: HostStorageSystem.UpdateVmfsUnmapPriority. That the other hosts of the volume see the new value at once is taken for granted,
    and not verified.
    """
    host, wanted = host_behind(context, this), arguments["unmapPriority"]
    mounted = (store for store in context.state.mounted(host.description.name) if store.description.type == "VMFS")
    store = next((one for one in mounted if vmfs_uuid(one.description.name) == arguments["vmfsUuid"]), None)
    if store is None:
        raise vim.fault.NotFound(msg=f"The volume {arguments['vmfsUuid']} could not be found.")
    if wanted not in ("none", "low") or not store.description.vmfs_version.startswith("6"):
        raise vmodl.fault.InvalidArgument(invalidProperty="unmapPriority", msg="A specified parameter was not correct: unmapPriority")
    store.unmap_priority = wanted
    context.state.changed()


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "UpdateInternetScsiAdvancedOptions": _update_iscsi_options,
        "ConfigureDatastoreIORM_Task": _configure_iorm,
        "QueryIORMConfigOption": _query_iorm_option,
        "UpdateVmfsUnmapPriority": _update_unmap,
        **multipath.OPERATIONS,
        **pods.OPERATIONS,
    }
)
