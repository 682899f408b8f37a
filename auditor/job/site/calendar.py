"""The calendar of a job's index, a cell for each day, and the points of its trend."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from auditor.model import TrendPoint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from auditor.job.published import PublishedRun

WEEKS = 26
"""The most weeks that the calendar shows."""
_WORST_FIRST = ("failed", "drift", "incomplete", "clean")


@dataclass(frozen=True, slots=True)
class Day:
    """One cell. `runs` are those of the day, newest first; the cell shows the worst of their states."""

    date: date
    runs: tuple[PublishedRun, ...] = ()
    to_come: bool = False

    @property
    def state(self) -> str | None:
        """The worst state of the day; None where nothing ran."""
        states = {run.state for run in self.runs}
        return next((state for state in _WORST_FIRST if state in states), None)

    @property
    def shown(self) -> PublishedRun | None:
        """The newest run of that state, which the cell leads to."""
        return next((run for run in self.runs if run.state == self.state), None)


def weeks_of(runs: Sequence[PublishedRun], now: datetime, timezone: str) -> list[list[Day]]:
    """The weeks from the oldest of `runs` (newest first) to `now`, each from Monday to Sunday, newest week first.

    A run belongs to the day on which it began in `timezone`, an IANA name. At most WEEKS weeks.
    """
    zone = ZoneInfo(timezone)
    days: dict[date, list[PublishedRun]] = {}
    for run in runs:
        days.setdefault(run.started.astimezone(zone).date(), []).append(run)
    today = now.astimezone(zone).date()
    first = min([*days, today])
    monday = max(today, *days, today) - timedelta(days=max(today, *days, today).weekday())
    weeks: list[list[Day]] = []
    while monday + timedelta(days=6) >= first and len(weeks) < WEEKS:
        dates = [monday + timedelta(days=place) for place in range(7)]
        weeks.append([Day(one, tuple(days.get(one, ())), to_come=one > today) for one in dates])
        monday -= timedelta(days=7)
    return weeks


def trend_points(runs: Sequence[PublishedRun]) -> list[TrendPoint]:
    """The failures of `runs` (newest first), oldest first; without runs that judged nothing: their 0 failures look like a good day."""
    return [TrendPoint(run.started, run.fail, run.by_severity) for run in reversed(runs) if run.has_verdicts]
