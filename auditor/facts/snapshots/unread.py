"""Adds gaps for facts that a snapshot's run did not request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.model import EndpointKind, Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.facts.needs import Needs
    from auditor.facts.snapshots.snapshot import Snapshot


def with_unread_gaps(snapshot: Snapshot, needed: Needs) -> Snapshot:
    """`snapshot` with a gap for each endpoint that was not asked for all of `needed`; `snapshot` itself when all was requested.

    Where only some properties of a topic were requested, it counts as not read whole, as if the others had been refused.
    """
    missing = needed.missing_from(snapshot.asked)
    if not missing:
        return snapshot
    holes = sorted(needed.holes_in(snapshot.asked))
    snapshot.connection.execute("UPDATE fact.reading SET complete = false WHERE list_contains(?, topic)", [holes])
    return replace(snapshot, gaps=(*snapshot.gaps, *_gaps(snapshot, needed, missing)))


def _gaps(snapshot: Snapshot, needed: Needs, missing: frozenset[str]) -> Iterator[Gap]:
    for reading in snapshot.readings:
        topics = missing & needed.topics_of(EndpointKind(reading.kind))
        if topics:
            why = "not read in that run: it asked only for what its own rules needed; audit the fleet itself, or collect it whole"
            yield Gap(reading.name, ", ".join(sorted(topics)), why)
