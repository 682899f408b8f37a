"""The target ports and network interfaces of the array; its two controllers have the same ports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor_lab.arrays.flasharray.array import FlashArray
    from auditor_lab.arrays.flasharray.description import FlashArrayDescription

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
    """A port: Fibre Channel with a `wwn`, iSCSI with an `address`, or neither for management."""

    name: str  # CT0.FC0; of an Ethernet one ct0.eth4
    wwn: str | None = None
    address: str | None = None
    service: str = "management"


def target_ports(described: FlashArrayDescription) -> tuple[Port, ...]:
    """The ports that hosts log in to. Their world wide names follow from the array's id; those of a real array do not."""
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
    """The target ports and the management ports."""
    management = tuple(Port(f"ct{controller}.eth0", address=f"198.51.100.{controller + 1}") for controller in (0, 1))
    return (*management, *target_ports(described))


def target_iqn(described: FlashArrayDescription) -> str:
    """The array's only iSCSI name; the digits of a real array's name are not those of its id."""
    return f"iqn.2010-06.com.purestorage:flasharray.{described.id.replace('-', '')[:16]}"


def port(state: FlashArray, item: Port) -> dict[str, Any]:
    """A port as in GET ports; iSCSI ports by portal."""
    iscsi = item.wwn is None
    return {
        "wwn": item.wwn,
        "name": item.name.upper(),
        "nqn": None,
        "iqn": target_iqn(state.description) if iscsi else None,
        "portal": f"{item.address}:3260" if iscsi else None,
        "failover": None,
    }


def network_interface(_: FlashArray, item: Port) -> dict[str, Any]:
    """A port as in GET network-interfaces; speed in bits a second."""
    if item.wwn is not None:
        ethernet: dict[str, Any] = dict(_NO_ETHERNET)
        kind, speed = "fc", 32_000_000_000
    else:
        kind, speed = "eth", 25_000_000_000
        number = sum(item.name.encode()) % 256
        fields: dict[str, Any] = {
            "subtype": "physical",
            "subinterfaces": [],
            "address": item.address,
            "mac_address": f"24:a9:37:00:00:{number:02x}",
        }
        ethernet = {**_NO_ETHERNET, **fields, "netmask": "255.255.255.0", "gateway": None, "mtu": 9000 if item.service == "iscsi" else 1500}
    return {
        "fc": {"wwn": item.wwn},
        "eth": ethernet,
        "services": [item.service],
        "name": item.name,
        "enabled": True,
        "interface_type": kind,
        "speed": speed,
    }
