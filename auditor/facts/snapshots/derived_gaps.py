"""Gaps that are worked out from a snapshot's own tables once everything was collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.facts.macros import create_macros
from auditor.facts.snapshots.two_readings import is_of_two_readings, two_readings
from auditor.facts.snapshots.unjoined import is_of_the_join, unjoined
from auditor.sql.query_planning import plan_for_few_facts

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.needs import Needs
    from auditor.model import EndpointReading, Gap


def is_derived(gap: Gap) -> bool:
    """Whether `derived_gaps` made it, so that it has to be made anew when any endpoint was read again."""
    return is_of_the_join(gap) or is_of_two_readings(gap)


def derived_gaps(connection: duckdb.DuckDBPyConnection, readings: Sequence[EndpointReading], asked: Needs) -> Iterator[Gap]:
    """Yield a gap for each thing that the arrays do not account for, and for each fact whose two readings differ."""
    plan_for_few_facts(connection)
    create_macros(connection)
    yield from unjoined(connection, readings, asked)
    yield from two_readings(connection, asked)
