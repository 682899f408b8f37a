"""The usage history of volumes: one sample for every five minutes, all equal, because a described load does not change.

Source: the requests and the decoded fields of public exporters. The interval and the order of the samples are not verified.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.dell_sc import records
from auditor_lab.arrays.dell_sc.writing import iso_date, parse_moment

if TYPE_CHECKING:
    from auditor_lab.arrays.dell_sc.center import Center, Volume

_INTERVAL = timedelta(minutes=5)
_MOST = 288  # a day's samples


def io_usage(center: Center, volume: Volume, payload: Any) -> list[dict[str, Any]]:
    """The samples since HistoricalFilter.StartTime, the newest last; without a start only the newest."""
    wanted = payload.get("HistoricalFilter") if isinstance(payload, dict) else None
    wanted = wanted if isinstance(wanted, dict) else {}
    now, start = center.now(), parse_moment(wanted.get("StartTime"))
    count = 1 if start is None else max(0, int((now - start) / _INTERVAL))
    limit = wanted.get("MaxCountReturn")
    count = min(count, limit if type(limit) is int and limit > 0 else _MOST, _MOST)
    moments = [now - _INTERVAL * before for before in range(count - 1, -1, -1)]
    return [records.volume_io_usage(center, volume, iso_date(moment)) for moment in moments]


def latest_io_usage(center: Center) -> list[dict[str, Any]]:
    """The newest sample of every volume."""
    now = iso_date(center.now())
    return [records.volume_io_usage(center, volume, now) for volume in center.volumes.values()]
