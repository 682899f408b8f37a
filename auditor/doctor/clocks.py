"""By how much an endpoint's clock differs from this machine's."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError
from auditor.model import Check, Health

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_SKEW_SECONDS = 60.0
"""Above this the clocks count as different; a policy, not a vendor's number."""


def clock_check(endpoint: str, ask: Callable[[], Any]) -> Check:
    """Compare the time that `ask` gives with the middle between the request and its answer.

    Args:
        endpoint: its name.
        ask: gives an aware datetime, None where the endpoint does not report, or the EndpointError that came instead.
    """
    at = partial(Check, endpoint, "clock")
    before = datetime.now(UTC)
    theirs = ask()
    after = datetime.now(UTC)
    if isinstance(theirs, EndpointError):
        return at(Health.UNKNOWN, theirs.what.removeprefix(f"endpoint {endpoint}: "), "whether its clock is right is not known.", theirs.do)
    if not isinstance(theirs, datetime) or theirs.tzinfo is None:
        return at(Health.OK, "it tells no time; nothing here rests on it")
    uncertain = (after - before).total_seconds() / 2
    ahead = (theirs - before).total_seconds() - uncertain
    facts = {"ahead_seconds": round(ahead, 3), "uncertain_seconds": round(uncertain, 3)}
    if abs(ahead) - uncertain > MOST_SKEW_SECONDS:
        return at(
            Health.WARNING,
            f"{_lasting(ahead)} {'ahead of' if ahead > 0 else 'behind'} this machine",
            "times are compared: what changed since the last run (--since) by events, when a host was started, when a waiver ends.",
            "set both by NTP, this machine first.",
            facts=facts,
        )
    return at(Health.OK, f"within {max(1.0, abs(ahead) + uncertain):.0f} s of this machine", facts=facts)


def _lasting(seconds: float) -> str:
    whole = round(abs(seconds))
    if whole < 120:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 120 else f"{minutes / 60:.1f} h"
