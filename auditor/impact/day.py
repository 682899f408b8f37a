"""A day of one thing on one axis of time: its curves, its episodes, and what ran beside them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from auditor.impact.saved_rows import Ask

VIEWS = ("episode", "episode_interval", "episode_cause")
"""The views that a day is made of."""
MOST_BANDS = 6
_CURVES = (
    ("host", "latency_max_ms", "host, ms"),
    ("array", "latency_max_ms", "array, ms"),
    ("host", "iops", "host, IOPS"),
    ("array", "iops", "array, IOPS"),
    ("host", "sioc_active_percent", "SIOC active, %"),
)
"""Side and column of each curve, and what it is called."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One quantity over the day.

    Attributes:
        name: what it is, with its unit.
        points: begin of each interval and its value, in order; an interval that was not read has none.
    """

    name: str
    points: tuple[tuple[datetime, float], ...]

    def highest_in(self, begin: datetime, end: datetime, parts: int) -> list[float | None]:
        """The highest value of each of so many equal parts of a time; None where nothing was read."""
        found: list[float | None] = [None] * parts
        for at, value in self.points:
            place = _place(at, begin, end, parts)
            if 0 <= place < parts:
                found[place] = max(value, found[place] or 0.0)
        return found


@dataclass(frozen=True, slots=True)
class Band:
    """What ran in some spans of the day; a moment is a span without length."""

    name: str
    spans: tuple[tuple[datetime, datetime], ...]

    def parts_of(self, begin: datetime, end: datetime, parts: int) -> list[bool]:
        """Whether it ran in each of so many equal parts of a time."""
        found = [False] * parts
        for first, last in self.spans:
            low, high = (_place(at, begin, end, parts) for at in (first, max(first, last - timedelta(microseconds=1))))
            for place in range(max(0, low), min(parts - 1, high) + 1):
                found[place] = True
        return found


@dataclass(frozen=True, slots=True)
class Day:
    """All of it; `seconds` is the length of an interval, `more_bands` how many were left out."""

    name: str
    begin: datetime
    end: datetime
    seconds: int
    curves: tuple[Curve, ...]
    bands: tuple[Band, ...]
    more_bands: int = 0


def day_of(ask: Ask, endpoint: str, subject_kind: str, subject: str) -> Day | None:
    """The day of a thing that has episodes; None where it has no history.

    Args:
        ask: rows of VIEWS.
        endpoint: of the thing, as load_history has it.
        subject_kind: likewise.
        subject: likewise.
    """
    wanted = {"endpoint": endpoint, "subject_kind": subject_kind, "subject": subject}
    sides = {side: ask("episode_interval", {**wanted, "side": side}) for side in ("host", "array")}
    rows = [*sides["host"], *sides["array"]]
    if not rows:
        return None
    curves = (
        Curve(name, tuple(sorted((row["begin_at"], row[column]) for row in sides[side] if row[column] is not None)))
        for side, column, name in _CURVES
    )
    begin, end = min(row["begin_at"] for row in rows), max(row["begin_at"] + timedelta(seconds=row["seconds"]) for row in rows)
    bands = [
        Band("episodes", tuple((row["begin_at"], row["end_at"]) for row in ask("episode", wanted))),
        *_causes(ask("episode_cause", wanted), begin, end),
    ]
    return Day(
        rows[0]["resource_name"],
        begin,
        end,
        max(row["seconds"] for row in rows),
        tuple(curve for curve in curves if any(value for _, value in curve.points)),
        tuple(bands[: MOST_BANDS + 1]),
        max(0, len(bands) - MOST_BANDS - 1),
    )


def _causes(rows: Sequence[Any], day_begin: datetime, day_end: datetime) -> list[Band]:
    """A band for each cause that ran in the day, in the order of their names; a restart is the moment at which its ten minutes end.

    An array may list only the newest run of a job, which may be months old.
    """
    spans: dict[str, list[tuple[datetime, datetime]]] = {}
    for row in rows:
        begin = row["end_at"] if row["cause"] == "restart" else row["begin_at"]
        if begin < day_end and row["end_at"] >= day_begin:
            spans.setdefault(row["cause_name"], []).append((begin, row["end_at"]))
    return [Band(name, tuple(sorted(of_name))) for name, of_name in sorted(spans.items())]


def _place(at: datetime, begin: datetime, end: datetime, parts: int) -> int:
    return (at - begin) * parts // (end - begin)  # floats would put some of what begins with a part into the one before it
