"""The numbers that WSAPI gives for words.

Source: hpe-storage/python-3parclient at b7eee9d, hpe3parclient/client.py; HewlettPackard/hpe3par_ruby_sdk at 39a14bb,
lib/Hpe3parSdk/constants.rb.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.endpoints.common.records import Record

PERSONAS: Mapping[int, str] = MappingProxyType(
    {
        1: "Generic",
        2: "Generic-ALUA",
        3: "Generic-legacy",
        4: "HPUX-legacy",
        5: "AIX-legacy",
        6: "Egenera",
        7: "ONTAP-legacy",
        8: "VMware",
        9: "OpenVMS",
        10: "HPUX",
        11: "WindowsServer",
    }
)
"""Host personas. These are WSAPI's own numbers: the command line of the array has others, and there 11 is VMware.

Source: constants HOST_PERSONA_* of both SDKs; cinder, hpe_3par_common.py, "Fix host persona to match WSAPI mapping" (bug 1403997);
HP 3PAR StoreServ Concepts Guide for 3.1.3, table 3, for the numbers of the command line.
"""

STATES: Mapping[int, str] = MappingProxyType({1: "normal", 2: "degraded", 3: "failed", 99: "unknown"})
"""Of volumes. Source: the Ruby SDK, CPGState, which its model of a volume names."""

VVSET, SYSTEM = "vvset", "sys"
TARGETS: Mapping[int, str] = MappingProxyType({1: VVSET, 2: SYSTEM})
"""What a QoS rule is for. Source: TARGET_TYPE_* of the Python SDK; the guide of WSAPI 1.3.1, p. 140. No source has one of a domain."""

PRIORITIES: Mapping[int, str] = MappingProxyType({1: "low", 2: "normal", 3: "high"})
"""Of QoS rules. Source: the guide of WSAPI 1.3.1, table 149."""

RAID_TYPES: Mapping[int, str] = MappingProxyType({1: "RAID 0", 2: "RAID 1", 3: "RAID 5", 4: "RAID 6"})
DISK_TYPES: Mapping[int, str] = MappingProxyType({1: "hdd", 2: "hdd", 3: "ssd"})
"""1: Fibre Channel disks, 2: near line, 3: SSD."""


def word(record: Record, name: str, meanings: Mapping[int, str], *, needed: bool = True) -> str | None:
    """What the number in a field means; None, with a parse error, for one that is not known, and for none where one is `needed`."""
    if record.value.get(name) is None and not needed:
        return None
    number = record.number(name)
    if number is not None and number not in meanings:
        record.parse_errors.add(f"{record.prefix}{name}", record.label, f"is {number}, which is not known")
    return None if number is None else meanings.get(number)
