"""What the tests of arrays that keep a past share: a reading of load_history alone, and its rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.facts.needs import needs
from auditor.model import Span
from auditor.model.endpoint_kinds import endpoint_type
from tests.endpoints.arrays import Collected

if TYPE_CHECKING:
    from auditor.model import Endpoint


def read_past(endpoint: Endpoint, hours: float = 24, days_ago: float = 0) -> Collected:
    """What is read of the span of so many hours that ended so many days ago."""
    end = datetime.now(UTC) - timedelta(days=days_ago)
    return _read(replace(endpoint, history=Span(end - timedelta(hours=hours), end)), ("load_history",))


def read_without_span(endpoint: Endpoint) -> Collected:
    """What is read of load_history where no span is given."""
    return _read(endpoint, ())


def _read(endpoint: Endpoint, topics: tuple[str, ...]) -> Collected:
    kind = endpoint_type(endpoint.kind)
    with kind.load(kind.opener)(endpoint) as session:
        return Collected(kind.load(kind.collector)(session, endpoint, needs([("load_history", "")])), topics)


def rows(found: Collected, kind: str, subject: str | None = None) -> list[dict[str, Any]]:
    """The intervals of a kind of subjects, or of one of them, in order."""
    every = [row for row in found.tables["load_history"] if row["subject_kind"] == kind and subject in (None, row["subject"])]
    return sorted(every, key=lambda row: row["begin_at"])


def at(of: list[dict[str, Any]], hour: float) -> dict[str, Any]:
    """The interval that began nearest to an hour of the day that ended now."""
    moment = datetime.now(UTC) - timedelta(hours=24 - hour)
    return min(of, key=lambda row: abs(row["begin_at"] - moment))
