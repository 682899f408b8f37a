"""What the ceilings of NimbleOS mean, for code that reads or writes one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

UNLIMITED = -1
"""The array's word for no ceiling."""

LIMITS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "limit_iops": (256, 4_294_967_294),  # I/O operations a second
        "limit_mbps": (1, 4_294_967_294),  # MiB a second
    }
)
"""The lowest and the highest value of each ceiling, of a volume and of a folder.

Source: hpe-storage/nimble-python-sdk at f7f6030, nimbleclient/v1/api/volumes.py and folders.py: limit_iops, limit_mbps, "-1 for unlimited".
That one of limit_mbps is 2^20 bytes stands there as well, and in the GUI Administration Guide 6.0.x, "IOPS and MiB/s Limits on Volumes and
Folders". How large one operation of limit_iops is, no source says.
"""

MIB = 1 << 20
