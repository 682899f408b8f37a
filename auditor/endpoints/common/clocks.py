"""How far an endpoint's clock is from this machine's, as the times of a request and its answer show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_SKEW_SECONDS = 60.0
"""Above this the clocks count as different; a policy, not a vendor's number."""

WHY = "times are compared: what changed since the last run (--since) by events, when a host was started, when a waiver ends."
DO = "set both by NTP, this machine first."


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two clocks.

    Attributes:
        ahead_seconds: by how much the endpoint's is ahead; negative: it is behind.
        uncertain_seconds: by how much that may be wrong either way: half the time between the request and its answer.
    """

    ahead_seconds: float
    uncertain_seconds: float

    @property
    def is_certain(self) -> bool:
        """Whether it is more than MOST_SKEW_SECONDS, however long the answer was under way."""
        return abs(self.ahead_seconds) - self.uncertain_seconds > MOST_SKEW_SECONDS

    def text(self) -> str:
        """The difference, for people."""
        return f"{_lasting(self.ahead_seconds)} {'ahead of' if self.ahead_seconds > 0 else 'behind'} this machine"


def difference(theirs: datetime, before: datetime, after: datetime) -> Difference:
    """How far `theirs` is from the middle of `before`, when it was asked for, and `after`, when the answer was there; all are aware."""
    uncertain = (after - before).total_seconds() / 2
    return Difference((theirs - before).total_seconds() - uncertain, uncertain)


def clock_notes(endpoint: str, found: Difference | None) -> tuple[str, ...]:
    """The note on an endpoint whose clock is off, for every report; none where it is not, or where that is not certain or not known."""
    if found is None or not found.is_certain:
        return ()
    return (f"{endpoint}: its clock is {found.text()}: {WHY} To correct it, {DO}",)


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """What time an HTTP answer says it is, UTC, to the second; None where it does not.

    Source: RFC 9110 section 6.6.1, Date: when the message was originated, by the clock of who answers.
    """
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _lasting(seconds: float) -> str:
    whole = round(abs(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 120 else f"{minutes / 60:.1f} h"
