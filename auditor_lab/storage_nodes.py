"""Adds a storage node to an Element array while the lab serves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor_lab.vcenter.description.devices import TargetDescription

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.arrays.element.description import NodeDescription
    from auditor_lab.arrays.element.server import ElementServer
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
    from auditor_lab.vcenter.server import VCenterServer
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def add_storage_node(array: ElementServer, vcenters: Iterable[VCenterServer]) -> NodeDescription:
    """Add a node to the array, and its protocol endpoint to every host that already sees a protocol endpoint of the array.

    The new endpoint has the host's default DSNRO, which is the open question of docs/domain/incidents.md#s0. Source:
    docs/domain/facts.md#1-7 and #10-2 (one endpoint a node, created automatically).
    """
    before = {f"naa.{array.cluster.description.pe_naa(node.id)}" for node in array.cluster.description.endpoint_nodes}
    node = array.add_node()
    described = array.cluster.description
    name, target = f"naa.{described.pe_naa(node.id)}", described.pe_iqn(node.id)
    for vcenter in vcenters:
        with vcenter.state.lock:
            _show(vcenter.state, before, name, target)
            vcenter.state.changed()
    return node


def _show(state: VCenterState, before: set[str], name: str, target: str) -> None:
    for moid, host in state.hosts.described.items():
        model = next((device for device in host.devices if device.name in before), None)
        # A node that was added earlier is not in a host's description, but then one from before it is.
        if model is not None:
            _claim(state.hosts[moid], replace(model, name=name, targets=(target,)))
    for store in state.datastores.values():
        if before & set(store.description.endpoints):
            store.description = replace(store.description, endpoints=(*store.description.endpoints, name))


def _claim(host: HostState, device: DeviceDescription) -> None:
    host.claim(device)
    for hba in list(host.hbas.values()):
        if hba.reaches(device):
            host.hbas[hba.device] = _with_target(hba, device.targets[0])


def _with_target(hba: HbaDescription, iqn: str) -> HbaDescription:
    """The adapter with the target that its send target now discovers; without a send target the adapter stays as it is."""
    send = next((one for one in hba.targets if one.kind == "send"), None)
    if send is None:
        return hba
    discovered = TargetDescription(kind="static", address=send.address, port=send.port, iqn=iqn, discovered_at=send.address)
    return replace(hba, targets=(*hba.targets, discovered))
