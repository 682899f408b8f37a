"""What the vendor of an array family asks of its hosts: the one registry, each value with its source.

Views and rules go by it through SQL macros (facts/macros.py). What a family has no source for is not judged, and nothing is written for its
sake: 'none' is an answer. Of 'other' nobody here knows anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TypeAlias

Sourced: TypeAlias = tuple[str, str]
"""A value as SQL has it, and where it stands."""

DEFAULT = "default"
"""Leave the queue as it is installed."""

OWN = "own"
"""The vendor names a value of its own, which no rule here judges."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is asked of the hosts of one family; None: no source was found.

    Attributes:
        dsnro: of DSNRO of its LUNs: DEFAULT or OWN.
        depth: of the queue depth of the adapter's driver: likewise.
        offload: 'on' where a source says that its arrays bear hardware offload of SCSI; it says nothing of NVMe namespaces.
        block_delete: of VMFS3.EnableBlockDelete: '0' or '1'.
    """

    dsnro: Sourced | None = None
    depth: Sourced | None = None
    offload: Sourced | None = None
    block_delete: Sourced | None = None


_VENDORS = "docs/domain/facts.md#5"

ADVICE: Mapping[str, Advice] = MappingProxyType(
    {
        "flasharray": Advice(
            dsnro=(DEFAULT, f"{_VENDORS}: leave defaults; docs/domain/incidents.md#s2"),
            depth=(DEFAULT, f"{_VENDORS}: leave defaults; docs/domain/incidents.md#s2"),
            offload=("on", f"{_VENDORS}: VAAI all 1"),
            block_delete=("1", "docs/domain/facts.md#3-9: codyhosterman/powercli, best practice checker"),
        ),
        "solidfire": Advice(
            # But for protocol endpoints whose virtual volumes are capped one by one (docs/domain/incidents.md#s0).
            dsnro=(DEFAULT, f"{_VENDORS}: ESXi 6.5 and later require no special tuning"),
            depth=(DEFAULT, f"{_VENDORS}: ESXi 6.5 and later require no special tuning"),
            offload=("on", "docs/domain/facts.md#3-7: the vendor's script sizes XCOPY"),
        ),
        "ontap": Advice(
            dsnro=(DEFAULT, "docs/domain/facts.md#2-5: similar depths on all hosts, 32 on small and medium systems"),
            depth=(DEFAULT, "docs/domain/facts.md#2-5: similar depths on all hosts, 32 on small and medium systems"),
            offload=("on", f"{_VENDORS}: HardwareAcceleratedLocking 1; docs/domain/facts.md#3-10"),
            block_delete=("0", "docs/domain/facts.md#3-9"),
        ),
        "dell-sc": Advice(
            dsnro=(DEFAULT, f"{_VENDORS}: only increase or decrease the queue depth if necessary"),
            depth=(OWN, f"{_VENDORS}: 255"),
            offload=("on", "docs/domain/facts.md#3-10: 2060-M-BP-V 16.3"),
            block_delete=("1", "docs/domain/facts.md#3-9: 2060-M-BP-V 16.3.6"),
        ),
        "datera": Advice(depth=(OWN, f"{_VENDORS}: 16")),
        "blockbridge": Advice(
            dsnro=(OWN, f"{_VENDORS}: 64 or 192, by the number of hosts"), depth=(OWN, f"{_VENDORS}: 192 or 128, by the number of hosts")
        ),
        "huawei": Advice(block_delete=("1", "docs/domain/facts.md#3-9: the vendor's plug-in for vCenter, best practices")),
        "xtremio": Advice(dsnro=(OWN, f"{_VENDORS}: the device's maximum"), depth=(OWN, f"{_VENDORS}: 256")),
        "kaminario": Advice(
            dsnro=(DEFAULT, f"{_VENDORS}: 32"),
            depth=(OWN, f"{_VENDORS}: 256"),
            offload=("on", f"{_VENDORS}: VAAI on"),
            block_delete=("1", "docs/domain/facts.md#3-9: the vendor's checker"),
        ),
    }
)

TOPICS = tuple(field.name for field in fields(Advice))


def advice_sql(topic: str, family: str = "family") -> str:
    """SQL: what is asked for by the column of the family; 'none' without a source, NULL where the family is not known."""
    asked = ((name, getattr(advice, topic)) for name, advice in ADVICE.items())
    branches = " ".join(f"WHEN {family} = '{name}' THEN '{value[0]}'" for name, value in asked if value is not None)
    return f"CASE WHEN {family} IS NULL THEN NULL {branches} ELSE 'none' END"
