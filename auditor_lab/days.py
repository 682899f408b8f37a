"""A day before the lab was started: when something was slower, busier or held back than it is now.

The day ends when the server starts, so 00:00 is 24 hours before that, and 24:00 is the start. A scenario says of each subject what differs
from its steady load, and between which times; everything else of the day is as it is now.
"""

from __future__ import annotations

import re

# msgspec resolves the annotations when it decodes, so this import is needed at run time.
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DAY_SECONDS = 86_400
_TIME = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySpanDescription:
    """What differs between two times of the day.

    Attributes:
        begin, end: HH:MM since the day began; 24:00 is its end.
        latency_ms: of a command; None: as it is now.
        iops: commands a second, of all hosts together, or of all of `hosts`; None: as it is now.
        bytes: a second, likewise.
        sioc_active_percent: of a datastore, as in its load; None: as it is now.
        hosts: the hosts for which it differs, by name; empty: all.
        every_minutes: it comes again every so many minutes of the clock, at `at_minute` UTC at first; None: it is once from begin to end.
        at_minute: minutes past the hour, less than every_minutes.
        for_minutes: how long it takes each time.
    """

    begin: str
    end: str
    latency_ms: float | None = None
    iops: float | None = None
    bytes: float | None = None
    sioc_active_percent: float | None = None
    hosts: tuple[str, ...] = ()
    every_minutes: int | None = None
    at_minute: int = 0
    for_minutes: int = 5

    def __post_init__(self) -> None:
        if self.every_minutes is not None and not 0 <= self.at_minute < self.every_minutes > self.for_minutes > 0:
            raise ValueError(f"nothing comes again every {self.every_minutes} minutes at {self.at_minute} for {self.for_minutes}")
        if not _seconds(self.begin) < _seconds(self.end) <= DAY_SECONDS:
            raise ValueError(f"a day has no span from {self.begin!r} to {self.end!r}")


DayDescription = Mapping[str, tuple[DaySpanDescription, ...]]
"""What differed, by the name of the datastore, device, volume or pool."""


def _seconds(text: str) -> int:
    """Seconds since the day began.

    Raises:
        ValueError: it is no time.
    """
    time = _TIME.fullmatch(text)
    if time is None:
        raise ValueError(f"{text!r} is no time of a day such as 02:30")
    return 3600 * int(time[1]) + 60 * int(time[2])


@dataclass(frozen=True, slots=True)
class Spell:
    """A time, in seconds since 1970, in which a quantity had another value."""

    begin: float
    end: float
    value: float

    def share(self, end: float, seconds: float) -> float:
        """Which share of an interval of so many seconds, that ends then, is in this time."""
        return max(0.0, min(self.end, end) - max(self.begin, end - seconds)) / seconds


class Day:
    """The day of one server; `ended` in seconds since 1970."""

    def __init__(self, description: DayDescription, ended: float) -> None:
        self._description = description
        self._began = ended - DAY_SECONDS

    def __bool__(self) -> bool:
        return bool(self._description)

    def spells(self, names: Iterable[str], field: str, *, host: str = "", hosts: int = 1, factor: float = 1.0) -> tuple[Spell, ...]:
        """When a field of any of the subjects `names` differs, as `host` sees it; the values of `field` times `factor`.

        Of iops and bytes a host has its share: one of `hosts`, or of those that the span names.
        """
        found = []
        for name in names if self._description else ():
            for span in self._description.get(name, ()):
                value = getattr(span, field)
                if value is None or (span.hosts and host and host not in span.hosts):
                    continue
                share = 1 / (len(span.hosts) or hosts) if host and field in ("iops", "bytes") else 1.0
                found += [Spell(begin, end, value * factor * share) for begin, end in self._times(span)]
        return tuple(found)

    def _times(self, span: DaySpanDescription) -> list[tuple[float, float]]:
        """From when to when it differs, each time."""
        begin, end = (self._began + _seconds(time) for time in (span.begin, span.end))
        if span.every_minutes is None:
            return [(begin, end)]
        period, first = 60 * span.every_minutes, 60 * span.at_minute
        runs = (period * number + first for number in range(int(begin // period), int(end // period) + 1))
        return [(run, run + 60 * span.for_minutes) for run in runs if begin <= run and run + 60 * span.for_minutes <= end]


def mean_of(steady: float, spells: Iterable[Spell], end: float, seconds: float) -> float:
    """The mean over an interval of so many seconds that ends then, of a quantity that is `steady` but for `spells`."""
    for spell in spells:
        share = spell.share(end, seconds)
        if share:
            steady = steady * (1 - share) + spell.value * share
    return steady
