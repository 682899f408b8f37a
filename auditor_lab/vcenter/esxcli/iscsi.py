"""Esxcli's iscsi networkportal: the VMkernel adapters that an iSCSI adapter is bound to.

Field names: as public PowerCLI scripts read them (Adapter, Vmknic, IPv4, IPv4SubnetMask, MTU, PortGroup, PortGroupKey, CompliantStatus
"compliant", PathStatus "active"); the others are the display names without blanks, and not verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.esxcli.command import Arguments, Command, Parameter
from auditor_lab.vcenter.esxcli.executer import Rows
from auditor_lab.vcenter.inventory.network import addresses, described

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import HbaDescription, PortalDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def _portal_list(_state: VCenterState, host: HostState, arguments: Arguments) -> Rows:
    """The bindings; empty where there are none, because the adapter then follows the routing table."""
    requested = arguments.get("adapter", [""])[0]
    adapters = [hba for hba in host.hbas.values() if requested in ("", hba.device)]
    return Rows("NetworkPortal", [_portal(host, hba, portal) for hba in adapters for portal in hba.portals])


def _portal(host: HostState, hba: HbaDescription, portal: PortalDescription) -> dict[str, object]:
    nic = next(nic for nic in described(host) if nic.device == portal.vmk)
    return {
        "Adapter": hba.device,
        "Vmknic": nic.device,
        "MACAddressValid": True,
        "IPv4": addresses(host)[nic.device],
        "IPv4SubnetMask": nic.subnet_mask,
        "IPv6": "",
        "MTU": nic.mtu,
        "MTUSupported": True,
        "LinkUp": portal.path_status == "active",
        "CompliantStatus": portal.compliant_status,
        "NonCompliantMessage": "",
        "NonCompliantRemedy": "",
        "Vswitch": "" if nic.distributed else nic.switch,
        "PortGroup": "" if nic.distributed else nic.portgroup,
        "PortGroupKey": nic.portgroup if nic.distributed else "",
        "PathStatus": portal.path_status,
    }


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {"iscsi.networkportal.list": Command(_portal_list, (Parameter("adapter", ("--adapter", "-A")),))}
)
