"""Adds readings for topics that a collector never reached, so that an endpoint without an answer counts as not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.schema import HOST_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from auditor.facts.needs import Needs
    from auditor.model import EndpointReading


def record_unanswered(connection: duckdb.DuckDBPyConnection, readings: Sequence[EndpointReading], requested: Needs) -> None:
    """Add every endpoint of `readings` to `listed_endpoint`, and each topic requested of it that has no row in `reading` as not read.

    A collector leaves a row for each topic that it came to. One that never began, because its endpoint could not be reached, leaves none,
    and a count over all endpoints would miss one. Which hosts a vCenter has is not known then, so of topics of hosts only `hosts` is added.
    The snapshots of older auditors are completed in the same way when they are opened.
    Of a kind that no plugin gives any more it is not known which topics it has: one that answered then has those that it answered.
    """
    here = {name for (name,) in connection.execute("SELECT endpoint FROM fact.listed_endpoint").fetchall()}
    answered = set(connection.execute("SELECT DISTINCT endpoint, topic FROM fact.reading WHERE scope = ''").fetchall())
    for reading in readings:
        if reading.name not in here:
            listed = [reading.name, reading.kind, reading.identity]
            connection.execute("INSERT INTO fact.listed_endpoint (endpoint, kind, identity) VALUES (?, ?, ?)", listed)
        kind = EndpointKind(reading.kind)
        is_gone = endpoint_type(kind).fault is not None and any(name == reading.name for name, _ in answered)
        topics = frozenset[str]() if is_gone else requested.topics_of(kind) - frozenset(HOST_TOPICS)
        missed = sorted(topic for topic in topics if (reading.name, topic) not in answered)
        connection.execute(
            "INSERT INTO fact.reading (endpoint, scope, topic, complete) SELECT $endpoint, '', unnest($topics), false",
            {"endpoint": reading.name, "topics": missed},
        )
