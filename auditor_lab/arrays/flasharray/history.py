"""The performance of the past, as a FlashArray keeps it: samples of the array and its volumes by resolution.

Source: github.com/pure-shared/go-pure-client, flasharray/FA_2_43/docs: start_time, end_time and resolution in milliseconds, and which
resolutions there are. For how long each is kept is taken from the ranges that the vendor's PowerShell SDK names (1 and 3 hours, 24 hours,
7, 30 and 90 days, a year). Not verified: which range goes with which resolution, and that `time` is the end of a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.flasharray.array import FlashArrayError
from auditor_lab.days import Spell, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor_lab.arrays.flasharray.array import FlashArray
    from auditor_lab.arrays.flasharray.resources import Resource

RESOURCES = ("arrays/performance", "volumes/performance")
PARAMETERS = frozenset({"start_time", "end_time", "resolution"})
KEPT_SECONDS: Mapping[int, int] = MappingProxyType(
    {30: 3 * 3600, 300: 86_400, 1800: 7 * 86_400, 7200: 30 * 86_400, 28_800: 90 * 86_400, 86_400: 365 * 86_400}
)
"""By the seconds of a sample."""


def samples(
    state: FlashArray, name: str, resource: Resource, things: Sequence[Any], query: Mapping[str, str], now: float
) -> list[dict[str, Any]]:
    """The samples of `things`, each thing's oldest first.

    Raises:
        FlashArrayError: a parameter is no number, or there is no such resolution.
    """
    try:
        start, end, resolution = (int(query[each]) for each in ("start_time", "end_time", "resolution"))
    except (KeyError, ValueError):
        raise FlashArrayError("Invalid parameter.", "start_time, end_time, resolution") from None
    seconds = resolution // 1000
    if seconds not in KEPT_SECONDS or resolution % 1000:
        raise FlashArrayError("Invalid resolution.", query["resolution"])
    first = -(-max(start // 1000, int(now) - KEPT_SECONDS[seconds]) // seconds) * seconds
    times = range(first, min(end // 1000, int(now)) + 1, seconds)
    return [_sample(state, resource.record(state, thing), _names(state, name, thing), time, seconds) for thing in things for time in times]


def _names(state: FlashArray, name: str, thing: Any) -> list[str]:
    return [state.description.name] if name.startswith("arrays/") else [thing.name]


def _sample(state: FlashArray, record: dict[str, Any], names: list[str], time: int, seconds: int) -> dict[str, Any]:
    """A record as it was in the interval of so many seconds that ended then."""

    def mean(steady: float, field: str, share: float) -> int:
        spells = [Spell(one.begin, one.end, one.value * share) for one in state.day.spells(names, field)]
        return round(mean_of(steady, spells, time, seconds))

    reads, writes = record["reads_per_sec"], record["writes_per_sec"]
    part = reads / (reads + writes) if reads + writes else 0.5
    changed: dict[str, Any] = {"time": time * 1000}
    for kind, share in (("read", part), ("write", 1 - part)):
        changed[f"{kind}s_per_sec"] = mean(record[f"{kind}s_per_sec"], "iops", share)
        changed[f"{kind}_bytes_per_sec"] = mean(record[f"{kind}_bytes_per_sec"], "bytes", share)
        changed[f"usec_per_{kind}_op"] = mean(record[f"usec_per_{kind}_op"], "latency_ms", 1000)
    return record | changed
