"""Checks how far an endpoint's clock is from this machine's."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.clocks import DO, WHY, difference
from auditor.errors import EndpointError
from auditor.model import Check, Health

if TYPE_CHECKING:
    from collections.abc import Callable


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
        return at(Health.OK, "it reports no time; nothing here rests on it")
    found = difference(theirs, before, after)
    facts = {"ahead_seconds": round(found.ahead_seconds, 3), "uncertain_seconds": round(found.uncertain_seconds, 3)}
    if found.is_certain:
        return at(Health.WARNING, found.text(), WHY, DO, facts=facts)
    return at(Health.OK, f"within {max(1.0, abs(found.ahead_seconds) + found.uncertain_seconds):.0f} s of this machine", facts=facts)
