"""VMkernel adapters and virtual switches, in the forms of public outputs of 6.x to 9.0.

Not verified: what a TCP/IP stack of its own changes, and the numbers of ports, which the lab has no facts for.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from auditor_lab.evidence.forms import Form, Layout, Output, records_of
from auditor_lab.vcenter.inventory.network import described, distributed_switches, standard_switches, vmknics

if TYPE_CHECKING:
    from typing import Any

    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

INTERFACES = Form(
    Layout.RECORDS,
    "NetworkInterface",
    (
        *("Name", "MAC Address", "Enabled", "Portset", "Portgroup", "Netstack Instance", "VDS Name", "VDS UUID", "VDS Port"),
        *("VDS Connection", "Opaque Network ID", "Opaque Network Type", "External ID", "MTU", "TSO MSS", "RXDispQueue Size", "Port ID"),
        "URPF",
    ),
    heading="Name",
    since={"URPF": (9, 0)},
)
ADDRESSES = Form(
    Layout.TABLE,
    "IPv4Interface",
    ("Name", "IPv4 Address", "IPv4 Netmask", "IPv4 Broadcast", "Address Type", "Gateway", "DHCP DNS"),
)
STANDARD = Form(
    Layout.RECORDS,
    "VirtualSwitch",
    (
        *("Name", "Class", "Num Ports", "Used Ports", "Configured Ports", "MTU", "CDP Status", "Beacon Enabled", "Beacon Interval"),
        *("Beacon Threshold", "Beacon Required By", "Uplinks", "Portgroups"),
    ),
    heading="Name",
    lists=frozenset({"Beacon Required By", "Uplinks", "Portgroups"}),
)
DISTRIBUTED = Form(
    Layout.RECORDS,
    "VDSwitch",
    (
        *("Name", "VDS ID", "Class", "Num Ports", "Used Ports", "Configured Ports", "MTU", "CDP Status", "Beacon Timeout", "Uplinks"),
        *("VMware Branded", "DVPort"),
    ),
    heading="Name",
    lists=frozenset({"Uplinks", "DVPort"}),
)


def outputs(_state: VCenterState, host: HostState) -> Iterator[Output]:
    """Every command about VMkernel adapters and switches."""
    version = host.description.version
    standard, distributed, nics = standard_switches(host), distributed_switches(host), vmknics(host)
    by_uuid = {switch.dvsUuid: switch.dvsName for switch in distributed}

    def output(command: str, form: Form, rows: list[dict[str, object]]) -> Output:
        return Output(command, form, records_of(form, rows, version), version)

    switches = {nic.device: nic.switch for nic in described(host)}
    yield output("network ip interface list", INTERFACES, [_interface(nic, by_uuid, switches[nic.device]) for nic in nics])
    yield output("network ip interface ipv4 get", ADDRESSES, [_addresses(nic) for nic in nics])
    yield output("network vswitch standard list", STANDARD, [_standard(switch) for switch in standard])
    yield output("network vswitch dvs vmware list", DISTRIBUTED, [_distributed(switch, nics) for switch in distributed])


def _interface(nic: Any, by_uuid: dict[str, str], switch: str) -> dict[str, object]:
    port = nic.spec.distributedVirtualPort
    return {
        "Name": nic.device,
        "MAC Address": nic.spec.mac,
        "Enabled": True,
        "Portset": "DvsPortset-0" if port else switch,
        "Portgroup": "N/A" if port else nic.portgroup,
        "Netstack Instance": nic.spec.netStackInstanceKey,
        "VDS Name": by_uuid[port.switchUuid] if port else "N/A",
        "VDS UUID": port.switchUuid if port else "N/A",
        "VDS Port": port.portKey if port else "N/A",
        "VDS Connection": port.connectionCookie if port else -1,
        "Opaque Network ID": "N/A",
        "Opaque Network Type": "N/A",
        "External ID": "N/A",
        "MTU": nic.spec.mtu,
        "TSO MSS": 65535,
        "RXDispQueue Size": 4,
        "Port ID": 67108870 + int(nic.device.removeprefix("vmk")),
        "URPF": 0,
    }


def _addresses(nic: Any) -> dict[str, object]:
    address = IPv4Interface(f"{nic.spec.ip.ipAddress}/{nic.spec.ip.subnetMask}")
    return {
        "Name": nic.device,
        "IPv4 Address": str(address.ip),
        "IPv4 Netmask": str(address.netmask),
        "IPv4 Broadcast": str(address.network.broadcast_address),
        "Address Type": "DHCP" if nic.spec.ip.dhcp else "STATIC",
        "Gateway": "0.0.0.0",
        "DHCP DNS": False,
    }


def _uplinks(switch: Any) -> list[str]:
    return [key.removeprefix("key-vim.host.PhysicalNic-") for key in switch.pnic]


def _standard(switch: Any) -> dict[str, object]:
    return {
        "Name": switch.name,
        "Class": "cswitch",
        "Num Ports": switch.numPorts,
        "Used Ports": switch.numPorts - switch.numPortsAvailable,
        "Configured Ports": switch.spec.numPorts,
        "MTU": switch.mtu,
        "CDP Status": "listen",
        "Beacon Enabled": False,
        "Beacon Interval": 1,
        "Beacon Threshold": 3,
        "Beacon Required By": [],
        "Uplinks": _uplinks(switch),
        "Portgroups": [key.removeprefix("key-vim.host.PortGroup-") for key in switch.portgroup],
    }


def _distributed(switch: Any, nics: list[Any]) -> dict[str, object]:
    """The switch with the ports of its uplinks and VMkernel adapters; no fact says which port group the uplinks are in."""
    ports: list[dict[str, str | int | bool]] = [
        {"Client": device, "DVPortgroup ID": "dvportgroup-1", "In Use": True, "Port ID": str(1000 + place)}
        for place, device in enumerate(_uplinks(switch))
    ]
    for nic in nics:
        port = nic.spec.distributedVirtualPort
        if port and port.switchUuid == switch.dvsUuid:
            ports.append({"Client": nic.device, "DVPortgroup ID": port.portgroupKey, "In Use": True, "Port ID": port.portKey})
    return {
        "Name": switch.dvsName,
        "VDS ID": switch.dvsUuid,
        "Class": "cswitch",
        "Num Ports": switch.numPorts,
        "Used Ports": switch.numPorts - switch.numPortsAvailable,
        "Configured Ports": 512,
        "MTU": switch.mtu,
        "CDP Status": "listen",
        "Beacon Timeout": -1,
        "Uplinks": _uplinks(switch),
        "VMware Branded": True,
        "DVPort": ports,
    }
