"""Esxcli's parameters of iSCSI targets: of those that are found by sending, and of the portals of static ones.

Field names: outputs of real hosts in public source code (Name, Current, Default, Min, Max, Settable, Inherit). Options: VMware's host
profile of iSCSI, which runs both commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.esxcli.command import Arguments, Command, Parameter
from auditor_lab.vcenter.esxcli.executer import CommandFault, Rows, Scalar
from auditor_lab.vcenter.state.hosts import ISCSI_PARAMETERS

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.hosts import HostState, TargetKey
    from auditor_lab.vcenter.state.vcenter import VCenterState

_DELAYED_ACK = "DelayedAck"


def _target(host: HostState, arguments: Arguments) -> TargetKey:
    adapter, portal, name = arguments["adapter"][0], arguments["address"][0], arguments.get("name", [""])[0]
    hba = host.hbas.get(adapter)
    if hba is None or hba.kind != "iscsi":
        raise CommandFault(f"Invalid adapter {adapter}")
    kind = "static" if name else "send"
    for target in hba.targets:
        address = f"[{target.address}]" if ":" in target.address else target.address
        if target.kind == kind and portal in (f"{address}:{target.port}", address) and target.iqn == name:
            return (adapter, kind, target.address, target.port, target.iqn)
    raise CommandFault(f"Unable to find target {portal} {name}".rstrip())


def _get(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    target = _target(host, arguments)
    adapter = target[0]
    own: dict[str, bool | int] = dict(host.target_parameters.get(target, {}))
    if target in host.target_delayed_ack:
        own[_DELAYED_ACK] = host.target_delayed_ack[target]
    of_adapter: dict[str, bool | int] = {_DELAYED_ACK: host.adapter_delayed_ack[adapter], **host.adapter_parameters[adapter]}
    defaults: dict[str, bool | int] = {_DELAYED_ACK: True, **ISCSI_PARAMETERS}
    return Rows(
        "Params",
        [
            {
                "Name": name,
                "Current": str(own.get(name, of_adapter[name])).lower(),
                "Default": str(defaults[name]).lower(),
                "Min": "na",
                "Max": "na",
                "Settable": True,
                "Inherit": name not in own,
            }
            for name in defaults
        ],
    )


def _set(state: VCenterState, host: HostState, arguments: Arguments) -> Scalar:
    target = _target(host, arguments)
    key, value = arguments["key"][0], arguments["value"][0]
    if key == _DELAYED_ACK and value in ("true", "false"):
        host.target_delayed_ack[target] = value == "true"
    elif key in ISCSI_PARAMETERS and value.isdigit():
        host.target_parameters.setdefault(target, {})[key] = int(value)
    else:
        raise CommandFault(f"Unable to set {key} to {value}")
    state.changed()
    return Scalar(True)  # noqa: FBT003  the value


_WHERE = (Parameter("adapter", ("--adapter", "-A"), required=True), Parameter("address", ("--address", "-a"), required=True))
_NAME = Parameter("name", ("--name", "-n"), required=True)
_VALUE = (Parameter("key", ("--key", "-k"), required=True), Parameter("value", ("--value", "-v"), required=True))

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "iscsi.adapter.discovery.sendtarget.param.get": Command(_get, _WHERE),
        "iscsi.adapter.discovery.sendtarget.param.set": Command(_set, (*_WHERE, *_VALUE), writes=True),
        "iscsi.adapter.target.portal.param.get": Command(_get, (*_WHERE, _NAME)),
        "iscsi.adapter.target.portal.param.set": Command(_set, (*_WHERE, _NAME, *_VALUE), writes=True),
    }
)
