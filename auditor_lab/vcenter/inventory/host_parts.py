"""A host's configuration in parts: only the requested parts are built, and long lists are serialised once for all hosts that share them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.sax.saxutils import escape

from pyVmomi import vim

from auditor_lab.vcenter.inventory import hosts, network, storage
from auditor_lab.vcenter.soap import envelope
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

Builder: TypeAlias = Callable[[], Any]
Writer: TypeAlias = Callable[[str], str | None]
"""The `val` element of a property for a version of the API, as pyVmomi's serialiser would write it; None when it is unset."""

_ROWS_KEPT = 4096  # entries of 1 to 4 KiB each; enough for the devices of some clusters


@dataclass(frozen=True, slots=True)
class InParts:
    """A property that can be built, or serialised, in parts; a part's key is its path below the property."""

    whole: Builder
    parts: Mapping[str, Builder]
    written: Mapping[str, Writer]

    def __call__(self) -> Any:
        """The whole property."""
        return self.whole()


def config(state: VCenterState, moid: str, reference: Any) -> InParts:
    """HostConfigInfo of a host; every part equals that part of the whole."""

    def of_host(build: Callable[[HostState], Any]) -> Builder:
        def built() -> Any:
            host = state.hosts[moid]
            return build(host) if host.reachable else None

        return built

    def writing(write: Callable[[HostState, str], str]) -> Writer:
        def written(version: str) -> str | None:
            host = state.hosts[moid]
            return write(host, version) if host.reachable else None

        return written

    return InParts(
        lambda: hosts.config(state, state.hosts[moid], reference),
        {
            "product": of_host(lambda host: complete(hosts.product(host.description.version, host.description.build))),
            "option": of_host(hosts.option_values),
            "vsanHostConfig.enabled": of_host(lambda host: host.description.vsan_enabled),
            "storageDevice.softwareInternetScsiEnabled": of_host(hosts.software_iscsi),
            "storageDevice.hostBusAdapter": of_host(hosts.adapters),
            "storageDevice.scsiLun": of_host(hosts.luns),
            "storageDevice.multipathInfo": of_host(hosts.multipath_info),
            "fileSystemVolume.mountInfo": of_host(lambda host: hosts.volumes(state, host).mountInfo),
            "multipathState.path": of_host(hosts.path_states_of),
            "network.vnic": of_host(network.vmknics),
            "network.vswitch": of_host(network.standard_switches),
            "network.proxySwitch": of_host(network.distributed_switches),
            "network.portgroup": of_host(network.portgroups),
        },
        {
            "storageDevice.scsiLun": writing(_luns),
            "storageDevice.multipathInfo": writing(_units),
        },
    )


def _luns(host: HostState, version: str) -> str:
    rows = [_lun(device, host.queue_depth(device), host.perennially_reserved(device), version) for device in host.devices.values()]
    return f'<val xsi:type="ArrayOfScsiLun">{"".join(rows)}</val>'


@lru_cache(maxsize=_ROWS_KEPT)
def _lun(device: DeviceDescription, queue_depth: int, reserved: bool, version: str) -> str:
    return envelope.element(
        complete(storage.scsi_lun(device, queue_depth, perennially_reserved=reserved)), "ScsiLun", vim.host.ScsiLun, version
    )


def _units(host: HostState, version: str) -> str:
    # Only the initiators differ between the hosts of a cluster: the shared rows have placeholders for them.
    initiators: dict[str, str] = {}
    rows = []
    for device in host.devices.values():
        about = hosts.unit(host, device)
        ports = tuple(port._replace(initiator=f"@{port.key}@") for port in about.ports)
        initiators.update((sign.initiator, port.initiator) for sign, port in zip(ports, about.ports, strict=True))
        rows.append(_unit(about._replace(ports=ports), version))
    text = "".join(rows)
    for sign, initiator in initiators.items():
        text = text.replace(sign, escape(initiator))
    return f'<val xsi:type="HostMultipathInfo">{text}</val>'


@lru_cache(maxsize=_ROWS_KEPT)
def _unit(about: storage.Unit, version: str) -> str:
    return envelope.element(complete(storage.logical_unit(about)), "lun", vim.host.MultipathInfo.LogicalUnit, version)
