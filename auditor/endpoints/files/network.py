"""A host's VMkernel adapters from what esxcli printed, in the shapes of the vSphere API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.bulk.shapes import (
    IpConfig,
    PortGroup,
    PortGroupSpec,
    ProxySwitch,
    SwitchPort,
    VirtualNic,
    VirtualNicSpec,
    VirtualSwitch,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Record

INTERFACES, ADDRESSES = "network ip interface list", "network ip interface ipv4 get"
STANDARD, DISTRIBUTED = "network vswitch standard list", "network vswitch dvs vmware list"

_NONE = frozenset({"", "n/a", "none"})


def network_values(host: HostFiles) -> dict[str, Any]:
    """What `network_of` looks at, by the paths of the API; the path of an output that is not there is left out."""
    values: dict[str, Any] = {}
    interfaces, standard, distributed = (host.records(command) for command in (INTERFACES, STANDARD, DISTRIBUTED))
    if interfaces is not None:
        addresses = {name: record for record in host.records(ADDRESSES) or () if (name := _text(record, "name"))}
        values["config.network.vnic"] = [_adapter(record, addresses) for record in interfaces]
    if standard is not None:
        switches = list(standard)
        values["config.network.vswitch"] = [
            VirtualSwitch(name=_text(record, "name"), mtu=record.number("mtu", needed=False)) for record in switches
        ]
        values["config.network.portgroup"] = [group for record in switches for group in _portgroups(record)]
    if distributed is not None:
        values["config.network.proxySwitch"] = [
            ProxySwitch(dvs_uuid=_text(record, "vdsid"), dvs_name=_text(record, "name"), mtu=record.number("mtu", needed=False))
            for record in distributed
        ]
    return values


def _text(record: Record, field: str) -> str | None:
    text = record.text(field, needed=False) or ""
    return None if text.lower() in _NONE else text


def _adapter(record: Record, addresses: dict[str, Record]) -> VirtualNic:
    name, switch = _text(record, "name"), _text(record, "vdsuuid")
    address = addresses.get(name or "")
    ip = _text(address, "ipv4address") if address is not None else None
    mask = _text(address, "ipv4netmask") if address is not None else None
    return VirtualNic(
        device=name,
        portgroup=None if switch else _text(record, "portgroup"),
        spec=VirtualNicSpec(
            ip=IpConfig(ip_address=None if ip == "0.0.0.0" else ip, subnet_mask=None if ip == "0.0.0.0" else mask),  # noqa: S104  has none
            mtu=record.number("mtu", needed=False),
            net_stack_instance_key=_text(record, "netstackinstance"),
            distributed_virtual_port=SwitchPort(switch_uuid=switch) if switch else None,
        ),
    )


def _portgroups(record: Record) -> Iterator[PortGroup]:
    """The port groups of a switch, which are printed as one list with commas."""
    for text in record.texts("portgroups", needed=False) or ():
        for name in text.split(","):
            if name.strip():
                yield PortGroup(spec=PortGroupSpec(name=name.strip(), vswitch_name=_text(record, "name")))
