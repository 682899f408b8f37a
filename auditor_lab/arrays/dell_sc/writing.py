"""Formats sizes and dates as the Storage Manager does, and parses those of clients."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

_PLAIN_BELOW = 10**7
_ZONE = timezone(timedelta(hours=-6))  # of the recorded answers


def size(count: int) -> str:
    """Bytes in the API's notation: "1.073741824E9 Bytes", "131072.0 Bytes".

    The number is a Java double as text: scientific from ten million on. Source: recorded objects.
    """
    if count < _PLAIN_BELOW:
        return f"{float(count)} Bytes"
    digits = str(count)
    fraction = digits[1:].rstrip("0") or "0"
    return f"{digits[0]}.{fraction}E{len(digits) - 1} Bytes"


def date(moment: datetime) -> str:
    """A date without its time zone: "04/03/2015 12:01:08 AM". Source: recorded dateModified."""
    return moment.astimezone(_ZONE).strftime("%m/%d/%Y %I:%M:%S %p")


def iso_date(moment: datetime) -> str:
    """A date with its time zone: "2015-01-07T14:07:10-06:00". Source: recorded timeStarted; which field has which form follows no rule."""
    return moment.astimezone(_ZONE).isoformat(timespec="seconds")


def parse_moment(text: object) -> datetime | None:
    """The time of a client's StartTime; None when it is not a date. A date without a time zone is in the manager's own."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=_ZONE)).astimezone(UTC)
