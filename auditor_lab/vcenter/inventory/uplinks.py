"""Physical network adapters, DNS and the services of VMkernel adapters as pyVmomi objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim

if TYPE_CHECKING:
    from auditor_lab.vcenter.inventory.hardware import Nic
    from auditor_lab.vcenter.state.hosts import HostState

_SPEED_MB = 25000
_DNS_SERVER = "198.51.100.53"


def key(device: str) -> str:
    """PhysicalNic.key."""
    return f"key-vim.host.PhysicalNic-{device}"


def physical(host: HostState, adapters: list[Nic]) -> list[Any]:
    """PhysicalNic of every physical adapter; every link is up."""
    number = host.number
    speed = vim.host.PhysicalNic.LinkSpeedDuplex(speedMb=_SPEED_MB, duplex=True)
    return [
        vim.host.PhysicalNic(
            key=key(adapter.device),
            device=adapter.device,
            pci=adapter.pci,
            driver="nmlx5_core",
            linkSpeed=speed,
            validLinkSpecification=[speed],
            spec=vim.host.PhysicalNic.Specification(ip=vim.host.IpConfig(dhcp=False), linkSpeed=None),
            wakeOnLanSupported=False,
            mac=f"00:50:56:5{place % 16:x}:{number >> 8 & 255:02x}:{number & 255:02x}",
            resourcePoolSchedulerAllowed=True,
            autoNegotiateSupported=True,
        )
        for place, adapter in enumerate(adapters)
    ]


def dns(host: HostState) -> Any:
    """HostDnsConfig: the host's name in two parts, and an address of a documentation network."""
    name, _, domain = host.description.name.partition(".")
    return vim.host.DnsConfig(dhcp=False, hostName=name, domainName=domain, address=[_DNS_SERVER], searchDomain=[domain] if domain else [])


def backing(devices: list[str]) -> Any:
    """The physical adapters of a distributed switch."""
    return vim.dvs.HostMember.PnicBacking(pnicSpec=[vim.dvs.HostMember.PnicSpec(pnicDevice=device) for device in devices])
