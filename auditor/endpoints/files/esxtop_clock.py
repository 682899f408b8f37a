"""The times of the rows of a file of esxtop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

_OWN_TIME = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?")
_ANY_TIME = re.compile(
    r"[0-9]{1,4}\D{1,2}[0-9]{1,2}\D{1,2}[0-9]{1,4}\D+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?( ?[AaPp][Mm])?"
)


class Clock:
    """Reads the times of rows.

    A form that is not esxtop's own has an order of day and month that nobody knows: then only the time of day is read, and where rows
    have no seconds not even that.
    """

    def __init__(self, zone: str | None, minutes: str | None) -> None:
        self._behind = None if zone is None or minutes is None else timedelta(minutes=int(minutes))
        self._last: float | None = None
        self._time: datetime | None = None
        self._foreign = self._without_seconds = self._unread = self.torn = 0
        self._backwards = 0
        self.went_back = False

    def read(self, text: str) -> tuple[float | None, float | None]:
        """A row's time in seconds, and how many have passed since the row before."""
        before, self._last = self._last, self._seconds(text.strip())
        self.went_back = False
        if self._last is None or before is None:
            return self._last, None
        if self._time is None and self._last < before - 43_200:
            self._last += 86_400 * round((before - self._last) / 86_400)  # midnight, by the time of day
        passed = self._last - before
        if passed <= 0:
            self.went_back = passed < 0
            self._backwards += self.went_back
            return self._last, None
        return self._last, passed

    def newest(self) -> datetime | None:
        """When the last row was taken, in UTC. The number in the first title is what has to be added to local time, in minutes."""
        return None if self._time is None or self._behind is None else self._time.replace(tzinfo=UTC) + self._behind

    def problems(self) -> Iterator[str]:
        """A sentence's rest for each thing that cannot be known of the times that were read."""
        if self._behind is None:
            yield "its first title does not say the time zone, so it is not known when its samples were taken"
        if self._foreign:
            yield "its times are not as esxtop writes them (a spreadsheet saved it again), so it is not known when its samples were taken"
        if self._without_seconds:
            yield "its times have no seconds, so it is not known what its rates and means are of"
        if self._unread:
            yield f"the time of {self._unread:,} rows cannot be read"
        if self._backwards:
            yield "its times go backwards, so only what comes after that is looked at"
        if self.torn:
            yield f"{self.torn:,} rows have another number of cells than there are titles, so they are left out"

    def _seconds(self, text: str) -> float | None:
        self._time = None
        if _OWN_TIME.fullmatch(text):
            try:
                self._time = datetime.strptime(text[:19], "%m/%d/%Y %H:%M:%S").replace(tzinfo=UTC)
            except ValueError:
                self._unread += 1
                return None
            return self._time.timestamp()
        found = _ANY_TIME.fullmatch(text)
        if found is None:
            self._unread += 1
            return None
        self._foreign += 1
        if found[3] is None:
            self._without_seconds += 1
            return None
        half = found[4].strip().lower() if found[4] else ""
        hour = int(found[1]) % 12 + 12 * (half == "pm") if half else int(found[1])
        return float(hour * 3600 + int(found[2]) * 60 + int(found[3]))
