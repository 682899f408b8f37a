"""When ONTAP starts things: schedules, the grammar of efficiency schedules, and that of RAID scrubs.

All times are those of the cluster's own time zone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from auditor.endpoints.common.records import Record

_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?", re.IGNORECASE)
_RUN = re.compile(r"(?:(\d+)([hm]?)@)?([a-z]{3})@(\d{1,2})", re.IGNORECASE)
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
EVERY_DAY = tuple(range(len(_DAYS)))
_DAY_SECONDS = 86400
_DAY_MINUTES = 1440
_MONTH_DAYS = 365.25 / 12
_NO_SCHEDULE = frozenset({"", "-", "none", "manual"})
SCRUB_DEFAULT_HOUR = 1
_SCRUB_DEFAULT_NIGHTLY_MINUTES = 4 * 60  # on other days than Sunday, where the node is not all flash
_SCRUB_DEFAULT_MINUTES = {False: 12 * 60, True: 6 * 60}  # by whether the node is all flash: the longest run of the default schedule


@dataclass(frozen=True, slots=True)
class Timetable:
    """What a schedule asks for.

    Attributes:
        interval_seconds: mean time between two starts; None when not understood.
        start_minutes: minutes of the day, 0 to 1439; None for an interval, which counts from an unknown moment, and when not understood.
        days: days of the week, 0 is Sunday, on which it starts; all of them where it goes by days of the month.
    """

    interval_seconds: int | None
    start_minutes: tuple[int, ...] | None
    days: tuple[int, ...] = EVERY_DAY

    @property
    def as_json(self) -> str | None:
        """The minutes as the fact tables hold them."""
        return numbers_json(self.start_minutes)

    @property
    def days_json(self) -> str | None:
        """The days as the fact tables hold them; None where the minutes are not known."""
        return None if self.start_minutes is None else numbers_json(self.days)


def numbers_json(numbers: Iterable[int] | None) -> str | None:
    """A JSON list of minutes of the day, or of days of the week, sorted and each once; None for None."""
    return None if numbers is None else json.dumps(sorted(set(numbers)))


def duration_seconds(text: str) -> int | None:
    """The length of an ISO 8601 duration such as PT8H35M42S, a fraction of a second left out; None when it is not a duration."""
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds


def timetable(schedule: Record) -> Timetable:
    """What a record of cluster/schedules asks for; what is not understood is reported as a parse error.

    Source: netapp-ontap, Schedule and ScheduleCron: an empty list is "all"; minutes are required.
    """
    kind = schedule.text("type")
    if kind == "interval":
        text = schedule.text("interval")
        seconds = duration_seconds(text) if text is not None else None
        if text is not None and not seconds:
            schedule.parse_errors.add("interval", schedule.label, "is not a length of time")
        return Timetable(seconds or None, None)
    if kind != "cron":
        if kind is not None:
            schedule.parse_errors.add("type", schedule.label, "is neither cron nor interval")
        return Timetable(None, None)
    cron = schedule.inner("cron")
    return Timetable(None, None) if cron is None else _cron(cron)


def _cron(cron: Record) -> Timetable:
    minutes, hours = _numbers(cron, "minutes", 0, 59), _numbers(cron, "hours", 0, 23)
    weekdays, days, months = _numbers(cron, "weekdays", 0, 6), _numbers(cron, "days", 1, 31), _numbers(cron, "months", 1, 12)
    if minutes is None or hours is None or weekdays is None or days is None or months is None:
        return Timetable(None, None)
    if not minutes or (weekdays and days):
        why = "names no minute" if not minutes else "names days of the week and of the month: which of them count is not known"
        cron.parse_errors.add("cron", cron.label, why)
        return Timetable(None, None)
    starts = tuple(sorted({hour * 60 + minute for hour in hours or range(24) for minute in minutes}))
    share = len(set(weekdays)) / 7 if weekdays else len(set(days)) / _MONTH_DAYS if days else 1.0
    share *= len(set(months)) / 12 if months else 1.0
    return Timetable(round(_DAY_SECONDS / (len(starts) * share)), starts, tuple(weekdays) or EVERY_DAY)


def _numbers(cron: Record, name: str, least: int, most: int) -> list[int] | None:
    """A list of numbers of a cron; one that is left out, or null, is empty. None when it is not understood."""
    value = cron.value.get(name)
    if value is None:
        return []
    numbers = [int(each) for each in value if str(each).isascii() and str(each).isdecimal()] if isinstance(value, list) else []
    if not isinstance(value, list) or len(numbers) != len(value) or not all(least <= each <= most for each in numbers):
        cron.parse_errors.add(f"cron.{name}", cron.label, f"is not a list of numbers from {least} to {most}")
        return None
    return numbers


def has_schedule(text: str | None) -> bool:
    """Whether an efficiency schedule is one."""
    return text is not None and text.strip().lower() not in _NO_SCHEDULE


def is_automatic(text: str) -> bool:
    """Whether dedup starts by how much was written, "auto" or "auto@20", and so at no known minute."""
    return text.strip().lower().partition("@")[0] == "auto"


def efficiency_times(text: str) -> Timetable | None:
    """What "sun-sat@0" names, with an unknown interval; None when it is not understood.

    The grammar is day_list@hour_list, hour_list@day_list or one of them; without hours it is midnight, without days every day.

    Source: docs/domain/facts.md#7-2, ontap-cli volume efficiency modify; the printed example of a volume's efficiency.schedule in
    netapp-ontap.
    """
    parts = text.strip().lower().split("@")
    if len(parts) > 2 or not all(parts):
        return None
    of_days = [part for part in parts if _days(part)]
    of_hours = [hours for part in parts if (hours := _hours(part)) is not None]
    if len(of_days) + len(of_hours) != len(parts) or len(of_days) > 1 or len(of_hours) > 1:
        return None
    days = _days(of_days[0]) if of_days else EVERY_DAY
    return Timetable(None, tuple(hour * 60 for hour in (of_hours[0] if of_hours else (0,))), days or EVERY_DAY)


def _days(text: str) -> tuple[int, ...]:
    """The days that "mon-fri,sun" names; a range may pass Saturday. Empty where it names none."""
    days: set[int] = set()
    for each in text.split(","):
        first, _, last = each.partition("-")
        if first not in _DAYS or (last or first) not in _DAYS:
            return ()
        begin, length = _DAYS.index(first), (_DAYS.index(last or first) - _DAYS.index(first)) % len(_DAYS)
        days.update((begin + after) % len(_DAYS) for after in range(length + 1))
    return tuple(sorted(days))


def _hours(text: str) -> tuple[int, ...] | None:
    listed: list[int] = []
    for each in text.split(","):
        first, _, last = each.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal() or "-" in last:
            return None
        hours = range(int(first), int(last or first) + 1)
        if not hours or hours[-1] > 23:
            return None
        listed += hours
    return tuple(sorted(set(listed)))


@dataclass(frozen=True, slots=True)
class Scrub:
    """When a node's RAID scrubs start, and how many minutes the longest of them may take; None when not reported.

    Attributes:
        runs: day of the week (0 is Sunday), minute of the day, and minutes it may take, None when not reported.
    """

    start_minutes: tuple[int, ...]
    duration_minutes: int | None
    runs: tuple[tuple[int, int, int | None], ...] = ()

    def is_open(self, local: datetime) -> bool | None:
        """Whether one may run at this time of the node's own clock; None where it began in the day before, and its length is not known."""
        now = (local.isoweekday() % 7) * _DAY_MINUTES + local.hour * 60 + local.minute
        since = [((now - day * _DAY_MINUTES - minute) % (7 * _DAY_MINUTES), minutes) for day, minute, minutes in self.runs]
        if any(minutes is not None and passed < minutes for passed, minutes in since):
            return True
        return None if any(minutes is None and passed < _DAY_MINUTES for passed, minutes in since) else False


def scrub_of(text: str) -> Scrub | None:
    """What raid.scrub.schedule asks for, "240m@tue@2,8h@sat@22"; None when it is not understood.

    Source: the grammar duration[h|m]@weekday@start_hour of the option's manual page (7-mode; docs/domain/facts.md#7-3). Not verified on
    ONTAP 9.
    """
    starts: set[int] = set()
    longest: int | None = 0
    runs: list[tuple[int, int, int | None]] = []
    for each in text.strip().split(","):
        match = _RUN.fullmatch(each.strip())
        if match is None or match[3].lower() not in _DAYS or int(match[4]) > 23:
            return None
        starts.add(int(match[4]) * 60)
        minutes = None if match[1] is None else int(match[1]) * (60 if match[2].lower() == "h" else 1)
        runs.append((_DAYS.index(match[3].lower()), int(match[4]) * 60, minutes))
        # Without a length of its own it has that of raid.scrub.duration, which was not asked.
        longest = None if minutes is None or longest is None else max(longest, minutes)
    return Scrub(tuple(sorted(starts)), longest, tuple(runs))


def scrub_by_default(*, all_flash: bool | None) -> Scrub:
    """What an empty raid.scrub.schedule means: it is not "off". All flash: Sunday 01:00, 6 h; else daily 01:00 for 4 h, Sunday 12 h.

    Source: NetApp KB "What are the important changes to RAID scrub in Data ONTAP 8.3.x or later": "If no specific value is defined, the
    default schedule will apply".
    """
    start, longest = SCRUB_DEFAULT_HOUR * 60, None if all_flash is None else _SCRUB_DEFAULT_MINUTES[all_flash]
    weekdays = () if all_flash else EVERY_DAY[1:]
    nightly = None if all_flash is None else _SCRUB_DEFAULT_NIGHTLY_MINUTES
    return Scrub((start,), longest, ((0, start, longest), *((day, start, nightly) for day in weekdays)))
