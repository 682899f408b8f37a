"""Cron expressions as crontab(5) means them, for APScheduler, which means something else in two places.

Its own `CronTrigger.from_crontab` is not used for that reason: 0 would be Monday, and a restricted day of the month would not be enough.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apscheduler.triggers.base import BaseTrigger


TIMEZONE = "UTC"
_FIELDS = (("minute", "minute"), ("hour", "hour"), ("day of month", "day"), ("month", "month"), ("day of week", "day_of_week"))
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WEEKDAY_PART = re.compile(r"(?:\*|(?P<first>[0-7]|[a-z]{3})(?:-(?P<last>[0-7]|[a-z]{3}))?)(?:/(?P<step>[1-7]))?")


def cron_trigger(expression: str, timezone: str = TIMEZONE) -> BaseTrigger:
    """The trigger of a crontab expression, in `timezone` (IANA name).

    Weekday 0 and 7 are Sunday, and when both the day of month and the day of week are restricted either one is enough.

    Raises:
        ConfigurationError: a field is wrong, which is named, or the time never comes.

    Source: crontab(5); APScheduler 3 counts weekdays from Monday and wants both days to match (its issue 286).
    """
    from datetime import UTC, datetime

    from apscheduler.triggers.cron import CronTrigger

    _check_timezone(timezone)
    values = expression.split()
    if len(values) != len(_FIELDS):
        raise _wrong(expression, f"{len(values)} fields instead of five")
    fields: dict[str, str] = {}
    for (label, name), value in zip(_FIELDS, values, strict=True):
        try:
            fields[name] = _weekdays(value.lower()) if name == "day_of_week" else value
            CronTrigger(**{name: fields[name]}, timezone=timezone)
        except ValueError as error:
            raise _wrong(expression, f'{label} "{value}": {error}') from error
    is_either_day = not values[2].startswith("*") and not values[4].startswith("*")
    trigger = _trigger(fields, timezone, is_either_day=is_either_day)
    if trigger.get_next_fire_time(None, datetime.now(UTC)) is None:
        raise _wrong(expression, "no such day ever comes")
    return with_skipped_hours(trigger, _trigger(fields, TIMEZONE, is_either_day=is_either_day), timezone)


def _trigger(fields: dict[str, str], timezone: str, *, is_either_day: bool) -> BaseTrigger:
    from apscheduler.triggers.combining import OrTrigger
    from apscheduler.triggers.cron import CronTrigger

    if not is_either_day:
        return CronTrigger(**fields, timezone=timezone)
    return OrTrigger(
        [CronTrigger(**{**fields, "day_of_week": "*"}, timezone=timezone), CronTrigger(**{**fields, "day": "*"}, timezone=timezone)]
    )


def _check_timezone(timezone: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f'--timezone "{timezone}" is not known here',
            why="nothing was run: the schedule would have meant another hour.",
            do="use an IANA name such as UTC or Europe/Berlin; the system's tzdata package has them.",
        ) from error


def _weekdays(text: str) -> str:
    """``1-5`` or ``sun,3`` as the names APScheduler understands.

    Raises:
        ValueError: not a day, or a range that runs backwards.
    """
    days: set[int] = set()
    for part in text.split(","):
        match = _WEEKDAY_PART.fullmatch(part)
        if match is None:
            raise ValueError("days are 0 to 7 or sun to sat")
        first, last, step = match["first"], match["last"], int(match["step"] or 1)
        low = 0 if first is None else _weekday(first)
        high = 6 if first is None else _weekday(last) if last else 6 if match["step"] else low
        if last == "sun":
            high = 7
        if low > high:
            raise ValueError("the range runs backwards")
        days.update(day % 7 for day in range(low, high + 1, step))
    return "*" if len(days) == len(_WEEKDAYS) else ",".join(_WEEKDAYS[day] for day in sorted(days))


def _weekday(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text not in _WEEKDAYS:
        raise ValueError("days are 0 to 7 or sun to sat")
    return _WEEKDAYS.index(text)


def _wrong(expression: str, what: str) -> ConfigurationError:
    return ConfigurationError(
        f'--cron "{expression}": {what}',
        why="nothing was run or scheduled.",
        do='give minute, hour, day of month, month and day of week, for example --cron "0 2 * * *" for two every night.',
    )


_STEP = timedelta(hours=12)
_LEAST = timedelta(microseconds=1)


def with_skipped_hours(trigger: BaseTrigger, wall: BaseTrigger, timezone: str) -> BaseTrigger:
    """`trigger`, which is of `timezone`, with the times that its clock leaves out; `wall` is the same one of UTC.

    They come that much later, as 02:30 in Vienna comes at 03:30. APScheduler does so too, but not where midnight is left out (Cairo,
    Santiago, Beirut): there it leaves out the day.
    """
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
