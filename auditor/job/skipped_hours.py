"""Times that a clock leaves out when it goes forward: they come that much later, as 02:30 in Vienna comes at 03:30.

APScheduler does so too, but not where midnight is left out (Cairo, Santiago, Beirut): there it leaves out the day.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apscheduler.triggers.base import BaseTrigger

_STEP = timedelta(hours=12)
_LEAST = timedelta(microseconds=1)


def with_skipped_hours(trigger: BaseTrigger, wall: BaseTrigger, timezone: str) -> BaseTrigger:
    """`trigger`, which is of `timezone`, with the times that its clock leaves out; `wall` is the same one of UTC."""
    from apscheduler.triggers.base import BaseTrigger as Base

    zone = ZoneInfo(timezone)

    class Trigger(Base):  # type: ignore[misc]
        def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> Any:
            found: datetime | None = trigger.get_next_fire_time(previous_fire_time, now)
            if found is None:
                return None
            return min([found, *(one for one in _left_out(wall, zone, now, found) if one >= now)]).astimezone(zone)

    return Trigger()


def _left_out(wall: BaseTrigger, zone: ZoneInfo, now: datetime, end: datetime) -> Iterator[datetime]:
    """The times of `wall` that the clock of `zone` never shows, from shortly before `now` to `end`, as moments."""
    begin, end = (now - _STEP).astimezone(UTC), end.astimezone(UTC)
    while begin < end:
        after = min(begin + _STEP, end)
        earlier, later = begin.astimezone(zone), after.astimezone(zone)
        if (later.utcoffset() or timedelta()) > (earlier.utcoffset() or timedelta()):
            shown = wall.get_next_fire_time(None, earlier.replace(tzinfo=UTC))
            while shown is not None and shown <= later.replace(tzinfo=UTC):
                moment = shown.replace(tzinfo=zone).astimezone(UTC)
                if moment.astimezone(zone).replace(tzinfo=None) != shown.replace(tzinfo=None):
                    yield moment
                shown = wall.get_next_fire_time(None, shown + _LEAST)
        begin = after
