"""Maintenance windows: when a fleet may be written to. Pure: the moment is an argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from auditor.text.names import fits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""In the order of `date.weekday`."""

MINUTES_A_DAY = 24 * 60
_AHEAD = 8  # days: every window that opens on any weekday begins within them


@dataclass(frozen=True, slots=True)
class MaintenanceWindow:
    """Hours of some weekdays in which a fleet, or a part of it, may be written to.

    Attributes:
        days: numbers of the weekdays on which it begins, Monday is 0.
        begins: minutes after midnight, by the clocks of `time_zone`.
        ends: likewise; not later than `begins`: of the day after.
        time_zone: its IANA name.
        endpoint: glob over names of endpoints; None: all.
        cluster: glob over names of clusters; None: all, and what is in none.
        where: file:line of the entry.
    """

    days: tuple[int, ...]
    begins: int
    ends: int
    time_zone: str
    endpoint: str | None = None
    cluster: str | None = None
    where: str = field(default="fleet.yaml", compare=False)

    @property
    def is_of_all(self) -> bool:
        """Whether it is for the whole fleet."""
        return self.cluster is None and (self.endpoint is None or set(self.endpoint) == {"*"})

    def covers(self, endpoint: str, cluster: str | None) -> bool:
        """Whether it is for what lies in that cluster of that endpoint; `cluster` None: in no cluster."""
        fits_endpoint = self.endpoint is None or fits(endpoint, self.endpoint)
        return fits_endpoint and (self.cluster is None or fits(cluster, self.cluster))

    def openings(self, at: datetime) -> Iterator[tuple[datetime, datetime]]:
        """When it begins and ends, in UTC, from the one that may be open at `at` on, for a week."""
        first = at.astimezone(ZoneInfo(self.time_zone)).date() - timedelta(days=1)
        for ahead in range(_AHEAD + 2):
            day = first + timedelta(days=ahead)
            if day.weekday() in self.days:
                until = day if self.ends > self.begins else day + timedelta(days=1)
                begin, end = self._instant(day, self.begins), self._instant(until, self.ends)
                if begin < end:  # not so where clocks are put forward over all of it
                    yield begin, end

    def _instant(self, day: date, minutes: int) -> datetime:
        day += timedelta(days=minutes // MINUTES_A_DAY)
        hour, minute = divmod(minutes % MINUTES_A_DAY, 60)
        return datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(self.time_zone)).astimezone(UTC)


def minutes_of(clock: str) -> int:
    """Minutes after midnight of a time such as 22:00."""
    hour, _, minute = clock.partition(":")
    return 60 * int(hour) + int(minute)


def is_open(windows: Sequence[MaintenanceWindow], at: datetime, endpoint: str, cluster: str | None) -> bool:
    """Whether what lies in that cluster of that endpoint may be written to at `at`; always, where there are no windows at all."""
    return not windows or any(begin <= at < end for one in windows if one.covers(endpoint, cluster) for begin, end in one.openings(at))


def next_opening(windows: Sequence[MaintenanceWindow], at: datetime, endpoint: str, cluster: str | None) -> str:
    """When that may be written to next, as a sentence's end."""
    begins = [(begin, one.time_zone) for one in windows if one.covers(endpoint, cluster) for begin, _ in one.openings(at) if begin > at]
    if not begins:
        return "no window of fleet.yaml is for it"
    begin, zone = min(begins)
    local = begin.astimezone(ZoneInfo(zone))
    return f"the next one begins on {local:%A, %Y-%m-%d at %H:%M} {zone}"
