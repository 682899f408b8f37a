"""Properties of a host's network as pyVmomi objects: VMkernel adapters and their switches.

Source of the forms: HostNetworkInfo and its parts in the vSphere API. Routes are left out; physical adapters and DNS are in `uplinks`.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.description.hosts import VmknicDescription
from auditor_lab.vcenter.inventory import uplinks
from auditor_lab.vcenter.inventory.hardware import Nic, nics
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.hosts import HostState

SERVICES = ("faultToleranceLogging", "management", "nvmeRdma", "nvmeTcp", "vmotion", "vsan", "vSphereProvisioning", "vSphereReplication")
"""Services of VMkernel adapters. Source: HostVirtualNicManagerNicType in the vSphere API; the lab has no facts for the others."""

_MANAGEMENT = VmknicDescription(device="vmk0", switch="vSwitch0", portgroup="Management Network")


def network(host: HostState) -> Any:
    """HostNetworkInfo."""
    return complete(
        vim.host.NetworkInfo(
            vswitch=standard_switches(host),
            proxySwitch=distributed_switches(host),
            portgroup=portgroups(host),
            vnic=vmknics(host),
            pnic=uplinks.physical(host, physical_nics(host)),
            dnsConfig=uplinks.dns(host),
        )
    )


def network_config(host: HostState) -> Any:
    """HostNetworkConfig: the same as HostNetworkInfo, in the form in which it is configured."""
    switch, proxy, group, nic = vim.host.VirtualSwitch, vim.host.HostProxySwitch, vim.host.PortGroup, vim.host.VirtualNic
    return complete(
        vim.host.NetworkConfig(
            vswitch=[switch.Config(name=one.name, spec=one.spec) for one in standard_switches(host)],
            proxySwitch=[proxy.Config(uuid=one.dvsUuid, spec=one.spec) for one in distributed_switches(host)],
            portgroup=[group.Config(spec=one.spec) for one in portgroups(host)],
            vnic=[nic.Config(device=one.device, portgroup=one.portgroup, spec=one.spec) for one in vmknics(host)],
            pnic=[vim.host.PhysicalNic.Config(device=one.device) for one in physical_nics(host)],
            dnsConfig=uplinks.dns(host),
            ipV6Enabled=False,
        )
    )


def dns(host: HostState) -> Any:
    """HostDnsConfig."""
    return uplinks.dns(host)


def services_info(host: HostState) -> Any:
    """VirtualNicManagerInfo: the configuration of every service."""
    return vim.host.VirtualNicManagerInfo(netConfig=[net_config(host, service) for service in SERVICES])


def net_config(host: HostState, service: str) -> Any:
    """The VMkernel adapters that may serve a service, and those that do.

    vmk0 manages the host. vMotion is on the adapters of its TCP/IP stack; a host without any uses vmk0. Other services have none: the lab
    has no facts for them.
    """
    adapters = vmknics(host)
    serving = {
        "management": [nic for nic in adapters if nic.device == _MANAGEMENT.device],
        "vmotion": [nic for nic in adapters if nic.spec.netStackInstanceKey == "vmotion"] or adapters[:1],
    }
    return vim.host.VirtualNicManager.NetConfig(
        nicType=service, multiSelectAllowed=True, candidateVnic=adapters, selectedVnic=[nic.key for nic in serving.get(service, [])]
    )


def physical_nics(host: HostState) -> list[Nic]:
    """The physical adapters of a host: two for each of its switches."""
    return nics(2 * len(_all_switches(host)))


def _all_switches(host: HostState) -> list[str]:
    return [*_switches(host, distributed=False), *_switches(host, distributed=True)]


def _uplinks(host: HostState, switch: str) -> list[str]:
    """The physical adapters of a switch."""
    first = 2 * _all_switches(host).index(switch)
    return [nic.device for nic in physical_nics(host)[first : first + 2]]


def described(host: HostState) -> tuple[VmknicDescription, ...]:
    """The VMkernel adapters of a host: those of the description, and one for management if it names none of that name."""
    nics = host.description.vmknics
    return nics if any(nic.device == _MANAGEMENT.device for nic in nics) else (_MANAGEMENT, *nics)


def addresses(host: HostState) -> dict[str, str]:
    """The IPv4 address of every VMkernel adapter."""
    return {nic.device: nic.ip or _address(host, place) for place, nic in enumerate(described(host))}


def vmknics(host: HostState) -> list[Any]:
    """HostVirtualNic of every VMkernel adapter."""
    return [_vmknic(host, nic, place) for place, nic in enumerate(described(host))]


def standard_switches(host: HostState) -> list[Any]:
    """HostVirtualSwitch of every standard switch."""
    return [
        vim.host.VirtualSwitch(
            name=name,
            key=f"key-vim.host.VirtualSwitch-{name}",
            numPorts=1536,
            numPortsAvailable=1500,
            mtu=mtu,
            portgroup=[_portgroup_key(nic) for nic in described(host) if nic.switch == name],
            pnic=[uplinks.key(device) for device in _uplinks(host, name)],
            spec=vim.host.VirtualSwitch.Specification(
                numPorts=128, mtu=mtu, bridge=vim.host.VirtualSwitch.BondBridge(nicDevice=_uplinks(host, name))
            ),
        )
        for name, mtu in _switches(host, distributed=False).items()
    ]


def distributed_switches(host: HostState) -> list[Any]:
    """HostProxySwitch of every distributed switch."""
    return [
        vim.host.HostProxySwitch(
            dvsUuid=_dvs_uuid(name),
            dvsName=name,
            key=f"key-vim.host.HostProxySwitch-{name}",
            numPorts=1536,
            numPortsAvailable=1500,
            mtu=mtu,
            pnic=[uplinks.key(device) for device in _uplinks(host, name)],
            spec=vim.host.HostProxySwitch.Specification(backing=uplinks.backing(_uplinks(host, name))),
        )
        for name, mtu in _switches(host, distributed=True).items()
    ]


def portgroups(host: HostState) -> list[Any]:
    """HostPortGroup of every port group on a standard switch."""
    policy = vim.host.NetworkPolicy
    return [
        vim.host.PortGroup(
            key=_portgroup_key(nic),
            vswitch=f"key-vim.host.VirtualSwitch-{nic.switch}",
            computedPolicy=policy(),
            spec=vim.host.PortGroup.Specification(name=nic.portgroup, vlanId=0, vswitchName=nic.switch, policy=policy()),
        )
        for nic in described(host)
        if not nic.distributed
    ]


def _vmknic(host: HostState, nic: VmknicDescription, place: int) -> Any:
    port = vim.dvs.PortConnection(switchUuid=_dvs_uuid(nic.switch), portgroupKey=nic.portgroup, portKey=str(place), connectionCookie=1)
    return vim.host.VirtualNic(
        device=nic.device,
        key=f"key-vim.host.VirtualNic-{nic.device}",
        portgroup="" if nic.distributed else nic.portgroup,
        spec=vim.host.VirtualNic.Specification(
            ip=vim.host.IpConfig(dhcp=False, ipAddress=nic.ip or _address(host, place), subnetMask=nic.subnet_mask),
            mac=f"00:50:56:6{place % 16:x}:{host.number >> 8 & 255:02x}:{host.number & 255:02x}",
            distributedVirtualPort=port if nic.distributed else None,
            portgroup=None if nic.distributed else nic.portgroup,
            mtu=nic.mtu,
            tsoEnabled=True,
            netStackInstanceKey=nic.stack,
        ),
        port=None if nic.distributed else f"key-vim.host.PortGroup.Port-{nic.device}",
    )


def _switches(host: HostState, *, distributed: bool) -> dict[str, int]:
    """The switches by name with their MTU, which is that of the first adapter on each."""
    switches: dict[str, int] = {}
    for nic in described(host):
        if nic.distributed == distributed:
            switches.setdefault(nic.switch, nic.switch_mtu)
    return switches


def _portgroup_key(nic: VmknicDescription) -> str:
    return f"key-vim.host.PortGroup-{nic.portgroup}"


def _dvs_uuid(name: str) -> str:
    """A switch's UUID in vSphere's notation (known): 50 2c 1f 0a 3b 4c 5d 6e-7f 80 91 a2 b3 c4 d5 e6."""
    digits = uuid.uuid5(uuid.NAMESPACE_DNS, name).hex
    pairs = [digits[at : at + 2] for at in range(0, 32, 2)]
    return f"{' '.join(pairs[:8])}-{' '.join(pairs[8:])}"


def _address(host: HostState, place: int) -> str:
    """An address in 198.18.0.0/15, which no real network uses (RFC 2544)."""
    number = host.number
    return f"198.{18 + place % 2}.{number >> 8 & 255}.{number & 255}"
