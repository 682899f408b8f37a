"""Methods that add and remove iSCSI targets and port bindings of an adapter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.vcenter.context import host_behind
from auditor_lab.vcenter.description.devices import PortalDescription, TargetDescription
from auditor_lab.vcenter.inventory import network
from auditor_lab.vcenter.operations.host_systems import iscsi_adapter

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation

_PORT = 3260

_Key = tuple[str, str, int, str]


def _key(target: TargetDescription) -> _Key:
    return target.kind, target.address, target.port, target.iqn


def _described(kind: str, arguments: Mapping[str, Any]) -> list[TargetDescription]:
    return [
        TargetDescription(kind=kind, address=one.address, port=one.port or _PORT, iqn=getattr(one, "iScsiName", None) or "")
        for one in arguments["targets"]
    ]


def _add(kind: str, context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    """Add targets; one that is there already stays as it is. No discovery follows: hosts see what the lab adds at once."""
    host = host_behind(context, this)
    hba = iscsi_adapter(host, arguments["iScsiHbaDevice"])
    known = {_key(target) for target in hba.targets}
    added = tuple(target for target in _described(kind, arguments) if _key(target) not in known)
    host.hbas[hba.device] = replace(hba, targets=(*hba.targets, *added))
    context.state.changed()


def _remove(kind: str, context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = host_behind(context, this)
    hba = iscsi_adapter(host, arguments["iScsiHbaDevice"])
    gone = {_key(target) for target in _described(kind, arguments)}
    if lost := gone - {_key(target) for target in hba.targets}:
        raise vim.fault.NotFound(msg=f"The targets {sorted(lost)} could not be found.")
    host.hbas[hba.device] = replace(hba, targets=tuple(target for target in hba.targets if _key(target) not in gone))
    context.state.changed()


def _bind(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = host_behind(context, this)
    hba, vmk = iscsi_adapter(host, arguments["iScsiHbaName"]), arguments["vnicDevice"]
    if vmk not in {nic.device for nic in network.described(host)}:
        raise vmodl.fault.InvalidArgument(invalidProperty="vnicDevice", msg="A specified parameter was not correct: vnicDevice")
    if vmk in {portal.vmk for portal in hba.portals}:
        raise vim.fault.IscsiFaultVnicAlreadyBound(vnicDevice=vmk, msg="The VMkernel adapter is already bound.")
    host.hbas[hba.device] = replace(hba, portals=(*hba.portals, PortalDescription(vmk=vmk)))
    context.state.changed()


def _unbind(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = host_behind(context, this)
    hba, vmk = iscsi_adapter(host, arguments["iScsiHbaName"]), arguments["vnicDevice"]
    if vmk not in {portal.vmk for portal in hba.portals}:
        raise vim.fault.IscsiFaultVnicNotBound(vnicDevice=vmk, msg="The VMkernel adapter is not bound.")
    host.hbas[hba.device] = replace(hba, portals=tuple(portal for portal in hba.portals if portal.vmk != vmk))
    context.state.changed()


def _of(kind: str, change: Callable[[str, Context, Any, Mapping[str, Any]], None]) -> Operation:
    return lambda context, this, arguments: change(kind, context, this, arguments)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "AddInternetScsiSendTargets": _of("send", _add),
        "AddInternetScsiStaticTargets": _of("static", _add),
        "RemoveInternetScsiSendTargets": _of("send", _remove),
        "RemoveInternetScsiStaticTargets": _of("static", _remove),
        "BindVnic": _bind,
        "UnbindVnic": _unbind,
    }
)
