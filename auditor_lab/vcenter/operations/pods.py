"""Methods of Storage DRS."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vmodl

from auditor_lab.vcenter.inventory.pods import NESTED
from auditor_lab.vcenter.state.pods import default_config, enforce_sioc

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation

# Source: the descriptions of StorageDrsPodConfigInfo, StorageDrsIoLoadBalanceConfig and StorageDrsSpaceLoadBalanceConfig.
_RANGES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "loadBalanceInterval": (60, 43200),
        "ioLatencyThreshold": (5, 100),
        "ioLoadImbalanceThreshold": (1, 100),
        "reservablePercentThreshold": (30, 100),
        "spaceUtilizationThreshold": (50, 100),
        "minSpaceUtilizationDifference": (1, 50),
    }
)
_BEHAVIORS = ("manual", "automated")


def _configure_pod(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """Configure Storage DRS. With `modify`, fields that the spec leaves out stay; without it they return to their defaults.

    What the lab does not store (rules, advanced settings, overrides of single machines) is refused. A spec without podConfigSpec and with
    `modify` changes nothing.
    """
    pod = context.state.pods.get(arguments["pod"]._GetMoId())  # noqa: SLF001  pyVmomi's accessor
    if pod is None:
        raise vmodl.fault.ManagedObjectNotFound(obj=arguments["pod"], msg="no such datastore cluster")
    spec = arguments["spec"]
    if spec.vmConfigSpec or (spec.podConfigSpec is not None and (spec.podConfigSpec.rule or spec.podConfigSpec.option)):
        raise vmodl.fault.NotSupported(msg="The lab's Storage DRS knows neither rules nor options nor overrides of single machines.")
    changes = {} if spec.podConfigSpec is None else _changes(spec.podConfigSpec)

    def configure() -> None:
        pod.config = _merged(pod.config if arguments["modify"] else default_config(), changes)
        enforce_sioc(context.state.datastores, pod)
        context.state.changed()

    return context.tasks.start(arguments["pod"], pod.description.name, "StorageResourceManager.configureStorageDrsForPod", configure)


def _changes(spec: Any) -> dict[str, Any]:
    """The fields that a spec sets; nested specs as mappings.

    Raises:
        vmodl.fault.InvalidArgument: a value is outside its range.
    """
    changes = {}
    for info in spec._GetPropertyList():  # noqa: SLF001  pyVmomi's only way to enumerate fields
        value = getattr(spec, info.name)
        if value is None or isinstance(value, list):
            continue
        if info.name in NESTED:
            value = _changes(value)
        elif not _good(info.name, value):
            raise vmodl.fault.InvalidArgument(
                invalidProperty=f"spec.{info.name}", msg=f"A specified parameter was not correct: {info.name}"
            )
        changes[info.name] = value
    return changes


def _good(name: str, value: Any) -> bool:
    if name in _RANGES:
        least, most = _RANGES[name]
        return least <= value <= most  # type: ignore[no-any-return]
    return value in _BEHAVIORS if name == "defaultVmBehavior" or name.endswith("AutomationMode") else True


def _merged(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {**config, **{name: {**config.get(name, {}), **value} if name in NESTED else value for name, value in changes.items()}}


OPERATIONS: Mapping[str, Operation] = MappingProxyType({"ConfigureStorageDrsForPod_Task": _configure_pod})
