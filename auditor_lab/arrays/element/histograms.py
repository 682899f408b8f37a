"""Histograms of the states of the lab's volumes, in the shape of the recorded ListVolumeQoSHistograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.element.records import LAB_TIME

if TYPE_CHECKING:
    from auditor_lab.arrays.element.cluster import Volume

SEEN = 7200  # samples: one every half second, for an hour

_PERCENTS = {"Bucket1To19": 1, "Bucket20To39": 20, "Bucket40To59": 40, "Bucket60To79": 60, "Bucket80To100": 80}
_SIZES = {
    "Bucket512To4095": 512,
    "Bucket4096To8191": 4096,
    "Bucket8192To16383": 8192,
    "Bucket16384To32767": 16384,
    "Bucket32768To65535": 32768,
    "Bucket65536To131071": 65536,
    "Bucket131072Plus": 131072,
}


def histogram(volume: Volume) -> dict[str, Any]:
    """A qosHistogram object: the volume has had its current load for an hour, all of it writes, which is the lab's choice."""
    percent = round(volume.load.utilization * 100)
    under, over = _PERCENTS, _PERCENTS | {"Bucket101Plus": 101}
    operations = volume.load.actual_iops * 3600
    histograms = {
        "belowMinIopsPercentages": _counted(under, 0),
        "minToMaxIopsPercentages": _counted(over, percent),
        "readBlockSizes": _counted(_SIZES, 0),
        "targetUtilizationPercentages": _counted({"Bucket0": 0} | over, percent),
        "throttlePercentages": _counted({"Bucket0": 0} | under, 0),
        "writeBlockSizes": _counted(_SIZES, volume.load.average_io_bytes, operations),
    }
    return {"histograms": histograms, "timestamp": LAB_TIME, "volumeID": volume.id}


def _counted(floors: dict[str, int], value: int, count: int = SEEN) -> dict[str, int]:
    """All of `count` in the highest bucket whose lower bound `value` reaches, if there is one."""
    reached = [name for name, floor in floors.items() if floor <= value]
    return {name: count if reached and name == reached[-1] else 0 for name in floors}
