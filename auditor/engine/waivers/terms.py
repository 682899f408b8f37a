"""The common parts of entries of waivers.yaml: names or globs, and the end."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import Meta

if TYPE_CHECKING:
    from auditor.model import Scalar

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CLOSED = re.compile(r"\[!?+\]?+[^\]]*\]")
"""A bracket with all that one character may be; "]" in front is one of these. Source: Python's fnmatch; DuckDB's GLOB reads it so, too."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)")
EXPIRES = "an instant such as 2027-03-31T18:00Z, or a day such as 2027-03-31, whose end in UTC is meant"


class Entry:
    """One entry, as far as it could be read: who answers for it, why, and until when. Its own class has the fields."""

    __slots__ = ()
    where: str
    owner: str
    reason: str
    ticket: str
    expires: datetime | None
    mistake: str

    def lapsed(self, at: datetime) -> str:
        """Why it takes no effect at that instant (aware); empty when it is in force."""
        if self.mistake or self.expires is None:
            return f"is malformed: {self.mistake}"
        return f"expired at {utc(self.expires)}" if at >= self.expires else ""

    def ends_within(self, at: datetime, days: int) -> bool:
        """Whether it has expired at `at` (aware), or will have so many days later; one that is malformed never does."""
        return self.expires is not None and not self.mistake and self.expires <= at + timedelta(days=days)

    def as_reported(self) -> dict[str, Scalar]:
        """The fields of it that reports show."""
        expires = utc(self.expires) if self.expires else None
        return {"owner": self.owner, "reason": self.reason, "ticket": self.ticket, "expires": expires, "where": self.where}


Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Globs: TypeAlias = Annotated[
    Name | Annotated[tuple[Name, ...], Meta(min_length=1)], Meta(description="a name or glob, or a list of them, as text")
]
End: TypeAlias = Annotated[str, Meta(min_length=1, description=EXPIRES)]


def listed_globs(globs: Globs, wrong: list[str]) -> tuple[str, ...]:
    """The globs as a tuple; () where one cannot be used, and `wrong` says why."""
    listed = (globs,) if isinstance(globs, str) else globs
    unclosed = [one for one in listed if "[" in _CLOSED.sub("", one)]
    wrong += [f'"{one}" opens a bracket and never closes it; a bracket itself is [[]' for one in unclosed]
    return () if unclosed else listed


def end_instant(text: str, wrong: list[str]) -> datetime | None:
    """The first instant after `text`, or at it; None when it is not a date or time, and `wrong` says why."""
    if not text:
        return None
    try:
        if _DATE.fullmatch(text):
            return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC) + timedelta(days=1)
        if _INSTANT.fullmatch(text):
            return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        wrong.append(f'expires is "{text}", which no calendar has')
        return None
    wrong.append(f'expires is "{text}", and must be {EXPIRES}')
    return None


def one_line(text: str) -> str:
    """`text` with single spaces and no line breaks."""
    return " ".join(text.split())


def utc(when: datetime) -> str:
    """ISO 8601 in UTC, with a Z."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
