"""The target ports of the array and its network interfaces: two controllers with the same ports each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.lab.arrays.flasharray.array import FlashArray
    from auditor.lab.arrays.flasharray.description import FlashArrayDescription

_NO_ETHERNET = {
    "subtype": None,
    "subinterfaces": None,
    "address": None,
    "vlan": None,
    "mac_address": None,
    "netmask": None,
    "gateway": None,
    "mtu": None,
    "subnet": {"name": None},
}
_FIRST_ISCSI = 4  # ETH4, as recorded


@dataclass(frozen=True, slots=True)
class Port:
    """A target port: `wwn` of a Fibre Channel one, `address` of an iSCSI one, or neither for management."""

    name: str  # CT0.FC0; of an Ethernet one ct0.eth4
    wwn: str | None = None
    address: str | None = None
    service: str = "management"


def target_ports(described: FlashArrayDescription) -> tuple[Port, ...]:
    """The ports hosts log in to. Their world wide names follow from the array's id; a real array's do not."""
    code = described.id[:5]
    stem = f"52:4A:93:7{code[0]}:{code[1:3]}:{code[3:5]}".upper()
    fibre = [
        Port(f"CT{controller}.FC{number}", f"{stem}:00:{controller}{number:X}", service="scsi-fc")
        for controller in (0, 1)
        for number in range(described.fibre_channel_ports)
    ]
    iscsi = [
        Port(f"ct{place % 2}.eth{_FIRST_ISCSI + place // 2}", address=address, service="iscsi")
        for place, address in enumerate(described.iscsi_portals)
    ]
    return (*fibre, *iscsi)


def interfaces(described: FlashArrayDescription) -> tuple[Port, ...]:
    """Target ports and those for management."""
    management = tuple(Port(f"ct{controller}.eth0", address=f"198.51.100.{controller + 1}") for controller in (0, 1))
    return (*management, *target_ports(described))


def target_iqn(described: FlashArrayDescription) -> str:
    """The one iSCSI name of the array; a real array's digits are not those of its id."""
    return f"iqn.2010-06.com.purestorage:flasharray.{described.id.replace('-', '')[:16]}"


def port(state: FlashArray, found: Port) -> dict[str, Any]:
    """A port as GET ports tells it; iSCSI ones by portal."""
    iscsi = found.wwn is None
    return {
        "wwn": found.wwn,
        "name": found.name.upper(),
        "nqn": None,
        "iqn": target_iqn(state.description) if iscsi else None,
        "portal": f"{found.address}:3260" if iscsi else None,
        "failover": None,
    }


def network_interface(_: FlashArray, found: Port) -> dict[str, Any]:
    """A port as GET network-interfaces tells it; speed in bits a second."""
    if found.wwn is not None:
        ethernet: dict[str, Any] = dict(_NO_ETHERNET)
        kind, speed = "fc", 32_000_000_000
    else:
        kind, speed = "eth", 25_000_000_000
        number = sum(found.name.encode()) % 256
        told: dict[str, Any] = {
            "subtype": "physical",
            "subinterfaces": [],
            "address": found.address,
            "mac_address": f"24:a9:37:00:00:{number:02x}",
        }
        ethernet = {**_NO_ETHERNET, **told, "netmask": "255.255.255.0", "gateway": None, "mtu": 9000 if found.service == "iscsi" else 1500}
    return {
        "fc": {"wwn": found.wwn},
        "eth": ethernet,
        "services": [found.service],
        "name": found.name,
        "enabled": True,
        "interface_type": kind,
        "speed": speed,
    }
