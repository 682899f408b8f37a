"""The performance counters of the lab's vCenter, as a real vCenter lists them.

Source: keys, names, units, roll-ups and levels as govmomi captured them from a vCenter (simulator/vpx/performance_manager.go). Of several
hundred counters these are the storage counters of docs/domain/facts.md#9-1 and their neighbours; the others are not listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

if TYPE_CHECKING:
    from collections.abc import Mapping

REAL_TIME_SECONDS = 20
REAL_TIME_KEPT_SECONDS = 3600  # one hour of real-time samples (known)

HISTORICAL: tuple[tuple[int, str, int, int, int], ...] = (
    (1, "Past Day", 300, 86400, 1),
    (2, "Past Week", 1800, 604800, 1),
    (3, "Past Month", 7200, 2592000, 1),
    (4, "Past Year", 86400, 31536000, 1),
)
"""Historical intervals: key, name, seconds a sample, seconds stored, statistics level. Source: the same capture (which repeats key 1)."""


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter.

    Attributes:
        level: statistics level from which historical intervals keep the entity's own value.
        per_device_level: the same for the values of its instances.
    """

    key: int
    group: str
    name: str
    rollup: str
    stats: str
    unit: str
    level: int
    per_device_level: int
    label: str
    summary: str

    def stored_at(self, level: int, *, instance: bool) -> bool:
        """Whether a historical interval of this statistics level stores the counter."""
        return (self.per_device_level if instance else self.level) <= level

    def info(self) -> Any:
        """PerfCounterInfo."""
        described = vim.ElementDescription
        unit_label, unit_summary = _UNITS[self.unit]
        group = _GROUPS[self.group]
        return vim.PerformanceManager.CounterInfo(
            key=self.key,
            nameInfo=described(key=self.name, label=self.label, summary=self.summary),
            groupInfo=described(key=self.group, label=group, summary=group),
            unitInfo=described(key=self.unit, label=unit_label, summary=unit_summary),
            rollupType=self.rollup,
            statsType=self.stats,
            level=self.level,
            perDeviceLevel=self.per_device_level,
        )


_GROUPS = {"disk": "Disk", "storageAdapter": "Storage adapter", "virtualDisk": "Virtual disk", "datastore": "Datastore"}
_UNITS = {
    "millisecond": ("ms", "Millisecond"),
    "microsecond": ("µs", "Microsecond"),
    "number": ("num", "Number"),
    "percent": ("%", "Percentage"),
    "kiloBytesPerSecond": ("KBps", "Kilobytes per second"),
}

# fmt: off
_TABLE: tuple[Counter, ...] = (
    Counter(125, "disk", "usage", "average", "rate", "kiloBytesPerSecond", 1, 3,
            "Usage",
            "Disk I/O rate of the host, or of a device"),
    Counter(130, "disk", "read", "average", "rate", "kiloBytesPerSecond", 2, 3,
            "Read rate",
            "Rate of reading from the disk"),
    Counter(131, "disk", "write", "average", "rate", "kiloBytesPerSecond", 2, 3,
            "Write rate",
            "Rate of writing to the disk"),
    Counter(132, "disk", "totalLatency", "average", "absolute", "millisecond", 3, 3,
            "Command latency",
            "Average amount of time taken during the collection interval to process a SCSI command issued by the guest OS to the"
            " virtual machine"),
    Counter(133, "disk", "maxTotalLatency", "latest", "absolute", "millisecond", 1, 3,
            "Highest latency",
            "Highest latency value across all disks used by the host"),
    Counter(134, "disk", "commandsAborted", "summation", "delta", "number", 2, 3,
            "Commands aborted",
            "Number of SCSI commands aborted during the collection interval"),
    Counter(135, "disk", "busResets", "summation", "delta", "number", 2, 3,
            "Bus resets",
            "Number of SCSI-bus reset commands issued during the collection interval"),
    Counter(136, "disk", "numberReadAveraged", "average", "rate", "number", 1, 3,
            "Average read requests per second",
            "Read commands issued per second to the disk"),
    Counter(137, "disk", "numberWriteAveraged", "average", "rate", "number", 1, 3,
            "Average write requests per second",
            "Write commands issued per second to the disk"),
    Counter(140, "disk", "scsiReservationConflicts", "summation", "delta", "number", 2, 2,
            "Disk SCSI Reservation Conflicts",
            "Number of SCSI reservation conflicts for the LUN during the collection interval"),
    Counter(161, "storageAdapter", "commandsAveraged", "average", "rate", "number", 2, 2,
            "Average commands issued per second",
            "Average number of commands issued per second by the storage adapter during the collection interval"),
    Counter(162, "storageAdapter", "numberReadAveraged", "average", "rate", "number", 2, 2,
            "Average read requests per second",
            "Read commands issued per second by the adapter"),
    Counter(163, "storageAdapter", "numberWriteAveraged", "average", "rate", "number", 2, 2,
            "Average write requests per second",
            "Write commands issued per second by the adapter"),
    Counter(164, "storageAdapter", "read", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Read rate",
            "Rate of reading by the adapter"),
    Counter(165, "storageAdapter", "write", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Write rate",
            "Rate of writing by the adapter"),
    Counter(166, "storageAdapter", "totalReadLatency", "average", "absolute", "millisecond", 2, 2,
            "Read latency",
            "The average time a read by the adapter takes"),
    Counter(167, "storageAdapter", "totalWriteLatency", "average", "absolute", "millisecond", 2, 2,
            "Write latency",
            "The average time a write by the adapter takes"),
    Counter(171, "virtualDisk", "numberReadAveraged", "average", "rate", "number", 1, 3,
            "Average read requests per second",
            "Average number of read commands issued per second to the virtual disk during the collection interval"),
    Counter(172, "virtualDisk", "numberWriteAveraged", "average", "rate", "number", 1, 3,
            "Average write requests per second",
            "Average number of write commands issued per second to the virtual disk during the collection interval"),
    Counter(173, "virtualDisk", "read", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Read rate",
            "Rate of reading data from the virtual disk"),
    Counter(174, "virtualDisk", "write", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Write rate",
            "Rate of writing data to the virtual disk"),
    Counter(175, "virtualDisk", "totalReadLatency", "average", "absolute", "millisecond", 1, 3,
            "Read latency",
            "The average time a read from the virtual disk takes"),
    Counter(176, "virtualDisk", "totalWriteLatency", "average", "absolute", "millisecond", 1, 3,
            "Write latency",
            "The average time a write to the virtual disk takes"),
    Counter(178, "datastore", "numberReadAveraged", "average", "rate", "number", 1, 3,
            "Average read requests per second",
            "Average number of read commands issued per second to the datastore during the collection interval"),
    Counter(179, "datastore", "numberWriteAveraged", "average", "rate", "number", 1, 3,
            "Average write requests per second",
            "Average number of write commands issued per second to the datastore during the collection interval"),
    Counter(180, "datastore", "read", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Read rate",
            "Rate of reading from the datastore"),
    Counter(181, "datastore", "write", "average", "rate", "kiloBytesPerSecond", 2, 2,
            "Write rate",
            "Rate of writing to the datastore"),
    Counter(182, "datastore", "totalReadLatency", "average", "absolute", "millisecond", 1, 3,
            "Read latency",
            "The average time a read from the datastore takes"),
    Counter(183, "datastore", "totalWriteLatency", "average", "absolute", "millisecond", 1, 3,
            "Write latency",
            "The average time a write to the datastore takes"),
    Counter(184, "datastore", "maxTotalLatency", "latest", "absolute", "millisecond", 3, 3,
            "Highest latency",
            "Highest latency value across all datastores used by the host"),
    Counter(185, "datastore", "datastoreIops", "average", "absolute", "number", 1, 3,
            "Storage I/O Control aggregated IOPS",
            "Storage I/O Control aggregated IOPS"),
    Counter(186, "datastore", "sizeNormalizedDatastoreLatency", "average", "absolute", "microsecond", 1, 3,
            "Storage I/O Control normalized latency",
            "Storage I/O Control size-normalized I/O latency"),
    Counter(189, "datastore", "busResets", "summation", "delta", "number", 2, 2,
            "busResets",
            "busResets"),
    Counter(190, "datastore", "commandsAborted", "summation", "delta", "number", 2, 2,
            "commandsAborted",
            "commandsAborted"),
    Counter(191, "datastore", "siocActiveTimePercentage", "average", "absolute", "percent", 1, 3,
            "Storage I/O Control active time percentage",
            "Percentage of time Storage I/O Control actively controlled datastore latency"),
    Counter(195, "virtualDisk", "commandsAborted", "summation", "delta", "number", 2, 4,
            "Virtual Disk Number of Terminations",
            "Number of terminations to a virtual disk"),
    Counter(196, "virtualDisk", "busResets", "summation", "delta", "number", 2, 4,
            "Virtual Disk Number of Resets",
            "Number of resets to a virtual disk"),
    Counter(197, "storageAdapter", "outstandingIOs", "average", "absolute", "number", 2, 2,
            "Storage Adapter Outstanding I/Os",
            "The number of I/Os that have been issued but have not yet completed"),
    Counter(198, "storageAdapter", "queued", "average", "absolute", "number", 2, 2,
            "Storage Adapter Number Queued",
            "The current number of I/Os that are waiting to be issued"),
    Counter(199, "storageAdapter", "queueDepth", "average", "absolute", "number", 2, 2,
            "Storage Adapter Queue Depth",
            "The maximum number of I/Os that can be outstanding at a given time"),
    Counter(200, "storageAdapter", "queueLatency", "average", "absolute", "millisecond", 2, 2,
            "Storage Adapter Queue Command Latency",
            "Average amount of time spent in the VMkernel queue, per SCSI command, during the collection interval"),
    Counter(344, "virtualDisk", "readOIO", "latest", "absolute", "number", 2, 2,
            "Average number of outstanding read requests",
            "Average number of outstanding read requests to the virtual disk during the collection interval"),
    Counter(345, "virtualDisk", "writeOIO", "latest", "absolute", "number", 2, 2,
            "Average number of outstanding write requests",
            "Average number of outstanding write requests to the virtual disk during the collection interval"),
    Counter(359, "datastore", "datastoreVMObservedLatency", "latest", "absolute", "microsecond", 1, 3,
            "Datastore latency observed by VMs",
            "The average datastore latency as seen by virtual machines"),
    Counter(446, "disk", "commands", "summation", "delta", "number", 2, 3,
            "Commands issued",
            "Number of SCSI commands issued during the collection interval"),
    Counter(455, "disk", "deviceLatency", "average", "absolute", "millisecond", 1, 3,
            "Physical device command latency",
            "Average amount of time, in milliseconds, to complete a SCSI command from the physical device"),
    Counter(456, "disk", "kernelLatency", "average", "absolute", "millisecond", 2, 3,
            "Kernel command latency",
            "Average amount of time, in milliseconds, spent by VMkernel to process each SCSI command"),
    Counter(457, "disk", "queueLatency", "average", "absolute", "millisecond", 2, 3,
            "Queue command latency",
            "Average amount of time spent in the VMkernel queue, per SCSI command, during the collection interval"),
    Counter(458, "disk", "maxQueueDepth", "average", "absolute", "number", 1, 3,
            "Maximum queue depth",
            "Maximum queue depth"),
    Counter(459, "disk", "commandsAveraged", "average", "rate", "number", 2, 3,
            "Average commands issued per second",
            "Average number of SCSI commands issued per second during the collection interval"),
    Counter(537, "datastore", "datastoreMaxQueueDepth", "latest", "absolute", "number", 1, 3,
            "Storage I/O Control datastore maximum queue depth",
            "Storage I/O Control datastore maximum queue depth"),
)
# fmt: on

COUNTERS: Mapping[int, Counter] = MappingProxyType({counter.key: counter for counter in _TABLE})
"""Every counter by its key."""

_BY_NAME = {f"{counter.group}.{counter.name}": counter.key for counter in _TABLE}


def key_of(name: str) -> int:
    """The key of a counter such as "disk.kernelLatency"."""
    return _BY_NAME[name]
