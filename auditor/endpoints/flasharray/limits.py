"""What a FlashArray's ceilings mean, for code that reads or writes one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LIMITS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "iops_limit": (100, 100_000_000),  # I/O operations a second
        "bandwidth_limit": (1 << 20, 512 << 30),  # bytes a second
    }
)
"""The lowest and the highest value of each ceiling.

Source: the vendor's OpenAPI definitions FA2.0 to FA2.56 (github.com/PureStorage-OpenConnect/swagger), _qos_iops_limit_type and
_qos_bw_limit_type.
"""

UNSET = ""
"""What lifts a ceiling when it is written; null is not accepted. Source: the same definitions, _qos_patch: "In order to unset use \"\""."""


def ceiling_of(field: str, number: int) -> int | None:
    """`number` as the array reports it for the ceiling `field`; None when that means no ceiling.

    The highest value stands for "no limit": drivers that cannot send an empty string lift a ceiling by writing it.

    Source: OpenStack cinder, pure.py, set_qos; Everpure-Ansible/FlashArray-Collection issue 768. What an array answers after such a write,
    the highest value or null, is not verified against a real system; both are taken for none.
    """
    return None if number >= LIMITS[field][1] else number
