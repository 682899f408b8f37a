"""The managers of a host, each an object of its own: options, storage, network, kernel modules, power, iSCSI, datastores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory import hardware, hosts, network
from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

_NAMES: Mapping[str, tuple[type, str]] = {
    "advancedOption": (vim.option.OptionManager, "EsxHostAdvSettings"),
    "storageSystem": (vim.host.StorageSystem, "storageSystem"),
    "kernelModuleSystem": (vim.host.KernelModuleSystem, "kernelModuleSystem"),
    "networkSystem": (vim.host.NetworkSystem, "networkSystem"),
    "virtualNicManager": (vim.host.VirtualNicManager, "virtualNicManager"),
    "iscsiManager": (vim.host.IscsiManager, "iscsiManager"),
    "powerSystem": (vim.host.PowerSystem, "powerSystem"),
    "datastoreSystem": (vim.host.DatastoreSystem, "datastoreSystem"),
    "vsanSystem": (vim.host.VsanSystem, "vsanSystem"),
}
"""Type and name of each manager by its field in HostConfigManager; the id of one is its name and the last part of its host's id."""


def references(moid: str) -> Any:
    """HostConfigManager of a host: its managers."""
    return vim.host.ConfigManager(**{field: kind(f"{name}-{moid.rpartition('-')[2]}") for field, (kind, name) in _NAMES.items()})


def managers(state: VCenterState, moid: str) -> list[tuple[type, str, dict[str, Callable[[], Any]]]]:
    """Type, id and properties of every manager of a host; properties are unset while vCenter cannot reach it."""

    def reading(build: Callable[[HostState], Any]) -> Callable[[], Any]:
        return partial(_while_reachable, state, moid, build)

    properties = {
        "advancedOption": {"setting": reading(hosts.option_values), "supportedOption": reading(supported_options)},
        "storageSystem": {
            "storageDeviceInfo": reading(hosts.storage_device),
            "fileSystemVolumeInfo": reading(partial(hosts.volumes, state)),
        },
        "networkSystem": {
            "networkInfo": reading(network.network),
            "networkConfig": reading(network.network_config),
            "dnsConfig": reading(network.dns),
        },
        "virtualNicManager": {"info": reading(network.services_info)},
        "powerSystem": {"capability": reading(lambda _host: hardware.power_capability()), "info": reading(hardware.power_info)},
    }
    return [(kind, f"{name}-{moid.rpartition('-')[2]}", properties.get(field, {})) for field, (kind, name) in _NAMES.items()]


def _while_reachable(state: VCenterState, moid: str, build: Callable[[Any], Any]) -> Any:
    host = state.hosts[moid]
    return complete(build(host)) if host.reachable else None


def supported_options(host: HostState) -> list[Any]:
    """OptionDef of every listed advanced option. Numbers are LongOption, as their values are long."""
    return [
        vim.option.OptionDef(key=key, label=key, summary="", optionType=_option_type(host, key))
        for key in sorted(host.options)
        if key not in host.definitions or not host.definitions[key].hidden
    ]


def _option_type(host: HostState, key: str) -> Any:
    held, known = host.options[key], host.definitions.get(key)
    if isinstance(held, bool):
        return vim.option.BoolOption(valueIsReadonly=False, supported=True, defaultValue=held)
    if isinstance(held, str):
        return vim.option.StringOption(valueIsReadonly=False, defaultValue=held)
    least, most, usual = (0, 2**63 - 1, held) if known is None else (known.minimum, known.maximum, known.default)
    return vim.option.LongOption(valueIsReadonly=False, min=long(least), max=long(most), defaultValue=long(usual))
