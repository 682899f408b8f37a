"""Advanced options of ESXi by build: type, default and range, as fresh installs list them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class OptionDef:
    """One option of one build. `hidden` ones are answered by exact name only and never listed."""

    key: str
    default: int
    minimum: int
    maximum: int
    hidden: bool = False


# Each row: key, then (first version, first build, default, minimum, maximum) in ascending order.
# Recorded from fresh installs of 42 builds (docs/domain/advanced-options.md#options). All are integers, xsd:long on the wire.
_FIRST = ((6, 0, 0), 0)
_TABLE: tuple[tuple[str, tuple[tuple[tuple[tuple[int, int, int], int], int, int, int], ...]], ...] = (
    ("DataMover.HardwareAcceleratedMove", ((_FIRST, 1, 0, 1),)),
    ("DataMover.HardwareAcceleratedInit", ((_FIRST, 1, 0, 1),)),
    ("VMFS3.HardwareAcceleratedLocking", ((_FIRST, 1, 0, 1),)),
    ("VMFS3.UseATSForHBOnVMFS5", ((_FIRST, 1, 0, 1),)),
    ("VMFS3.EnableBlockDelete", ((_FIRST, 0, 0, 1),)),
    ("ISCSI.MaxIoSizeKB", ((_FIRST, 128, 128, 512),)),
    ("Disk.DiskMaxIOSize", ((_FIRST, 32767, 32, 32767),)),
    ("Disk.DelayOnBusy", ((_FIRST, 400, 0, 5000),)),
    ("Disk.QFullSampleSize", ((_FIRST, 0, 0, 64),)),
    ("Disk.QFullThreshold", ((_FIRST, 8, 1, 16),)),
    ("Disk.SchedQuantum", ((_FIRST, 8, 1, 64),)),
    ("Disk.SchedQControlSeqReqs", ((_FIRST, 128, 0, 2048),)),
    ("Disk.SchedQControlVMSwitches", ((_FIRST, 6, 0, 2048),)),
    ("Disk.SchedCostUnit", ((_FIRST, 32768, 4096, 262144),)),
    ("Disk.SchedulerWithReservation", ((_FIRST, 1, 0, 1),)),
    ("Scsi.ScsiVVolPESNRO", ((_FIRST, 128, 32, 4096), (((7, 0, 2), 17630552), 256, 32, 4096))),
    ("NFS.MaxQueueDepth", ((_FIRST, 4294967295, 1, 4294967295),)),
    ("NFS.MaxVolumes", ((_FIRST, 8, 8, 256), (((7, 0, 0), 15843807), 32, 8, 256))),
    ("NFS41.MaxVolumes", ((_FIRST, 8, 8, 256), (((7, 0, 0), 15843807), 32, 8, 256))),
    ("NFS.HeartbeatFrequency", ((_FIRST, 12, 5, 86400),)),
    ("NFS.HeartbeatTimeout", ((_FIRST, 5, 3, 30),)),
    ("NFS.HeartbeatMaxFailures", ((_FIRST, 10, 6, 10),)),
    (
        "Net.TcpipHeapSize",
        ((_FIRST, 0, 0, 32), (((7, 0, 3), 22348816), 8, 0, 128), (((8, 0, 0), 0), 0, 0, 32), (((8, 0, 2), 22380479), 8, 0, 128)),
    ),
    (
        "Net.TcpipHeapMax",
        ((_FIRST, 512, 32, 1536), (((6, 7, 0), 14320388), 1024, 32, 3070), (((8, 0, 2), 22380479), 1024, 32, 16384)),
    ),
    ("SunRPC.MaxConnPerIP", ((_FIRST, 4, 1, 128), (((7, 0, 0), 15843807), 32, 1, 256))),
    ("Misc.APDHandlingEnable", ((_FIRST, 1, 0, 1),)),
    ("Misc.APDTimeout", ((_FIRST, 140, 20, 999999),)),
)

# Default 4096: docs/domain/facts.md#3-7, which also says that no build lists it. Values in use go from 256 to 16384; the range is not
# recorded anywhere, so this one is the lab's own.
_MAX_HW_TRANSFER_SIZE = OptionDef("DataMover.MaxHWTransferSize", 4096, 256, 16384, hidden=True)


def options_of(version: str, build: int) -> Iterator[OptionDef]:
    """Every option that a build of ESXi has, hidden ones included.

    Args:
        version: three numbers, for example "8.0.2".
        build: decides where a patch of the same version changed a default.
    """
    major, minor, update = (int(part) for part in version.split("."))
    for key, steps in _TABLE:
        _, default, minimum, maximum = max(step for step in steps if step[0] <= ((major, minor, update), build))
        yield OptionDef(key, default, minimum, maximum)
    yield _MAX_HW_TRANSFER_SIZE
