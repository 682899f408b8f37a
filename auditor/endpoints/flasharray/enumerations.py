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

PROMOTIONS: Mapping[str, str] = MappingProxyType(
    {"promoted": "takes writes of hosts", "demoted": "takes none", "promoting": "may take them soon"}
)
"""Pod.promotion_status and Volume.promotion_status, which REST has from 2.2 on; a volume is never promoting."""

IN_POD: Mapping[str, str] = MappingProxyType(
    {
        "online": "handles I/O to the pod",
        "offline": "cannot handle it",
        "resyncing": "cannot handle it yet",
        "suspended": "is about to be online or offline",
        "unknown": "nobody knows: only the other array of the pod can be",
    }
)
"""PodArrayStatus.status, of one array in a pod."""

REALM_DATA: Mapping[str, str] = MappingProxyType(
    {"unsealed": "data can be served", "sealed": "the key of its data is away, which prevents access"}
)
"""Realm.data_availability_status of a realm with keys of its own, from REST 2.55 on; null of any other (not verified)."""

CONTROLLER_KINDS: Mapping[str, str] = MappingProxyType(
    {"array_controller": "of the array", "shelf_controller": "of a shelf, which serves no host"}
)
"""Controller.type, which early versions leave out."""
