"""What the values of a FlashArray's enumerations mean, of those that are judged by; a value that is not here is not known.

Source: py-pure-client 1.96.0, made from the vendor's OpenAPI definitions; the model that is named at each.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KINDS: Mapping[str, str] = MappingProxyType({"regular": "lun", "protocol_endpoint": "protocol_endpoint"})
"""Volume.subtype; a release that leaves it out has regular ones alone."""

PERSONALITIES: Mapping[str, str] = MappingProxyType(
    {
        "aix": "AIX",
        "esxi": "ESXi",
        "hitachi-vsp": "another vendor's array",
        "hpux": "HP-UX",
        "oracle-vm-server": "Oracle VM Server",
        "solaris": "Solaris",
        "vms": "OpenVMS",
    }
)
"""Host.personality, the same list in each version; null: none is set."""

SEVERITIES: Mapping[str, str] = MappingProxyType({"critical": "critical", "warning": "warning", "info": "info", "hidden": "info"})
"""Alert.severity."""

CONTROLLER_KINDS: Mapping[str, str] = MappingProxyType(
    {"array_controller": "of the array", "shelf_controller": "of a shelf, which serves no host"}
)
"""Controller.type, which early versions leave out."""
