"""Properties of a host's network as pyVmomi objects: VMkernel adapters and their switches.

Source of the forms: HostNetworkInfo and its parts in the vSphere API. Physical adapters, routes and DNS are left out.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor.lab.vcenter.description.hosts import VmknicDescription
from auditor.lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from auditor.lab.vcenter.state.hosts import HostState

_MANAGEMENT = VmknicDescription(device="vmk0", switch="vSwitch0", portgroup="Management Network")


def network(host: HostState) -> Any:
    """HostNetworkInfo."""
    return complete(
        vim.host.NetworkInfo(
            vswitch=standard_switches(host),
            proxySwitch=distributed_switches(host),
            portgroup=portgroups(host),
            vnic=vmknics(host),
        )
    )


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
            spec=vim.host.VirtualSwitch.Specification(numPorts=128, mtu=mtu),
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
            spec=vim.host.HostProxySwitch.Specification(),
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
            mac=f"00:50:56:6{place % 16:x}:{int(host.moid[5:]) >> 8 & 255:02x}:{int(host.moid[5:]) & 255:02x}",
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
    number = int(host.moid[5:])
    return f"198.{18 + place % 2}.{number >> 8 & 255}.{number & 255}"
