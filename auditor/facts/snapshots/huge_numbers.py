"""Numbers that no column holds: an endpoint that answers with one has its cell empty, and its topic unread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.facts.schema import TABLES, Batch
from auditor.facts.snapshots.batches import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence


def without_huge_numbers(batch: Batch) -> tuple[Batch, set[tuple[str, str]]]:
    """The batch with None for every number that its column cannot hold, and by endpoint and column which those were."""
    types = {column.name: NUMPY_TYPES.get(column.type) for column in TABLES[batch.table].columns}
    endpoints = batch.columns["endpoint"]
    kept: dict[str, Sequence[Any]] = {}
    huge = set[tuple[str, str]]()
    for name, values in batch.columns.items():
        most = _most(types.get(name))
        beyond = {place for place, value in enumerate(values) if most is not None and value is not None and not -most <= value <= most}
        huge |= {(endpoints[place], name) for place in beyond}
        kept[name] = [None if place in beyond else value for place, value in enumerate(values)] if beyond else values
    return Batch(batch.table, kept), huge


def _most(kind: Any) -> float | None:
    """The largest number of a numpy type; None where it is none of numbers."""
    import numpy

    if kind is None or not numpy.issubdtype(kind, numpy.number):
        return None
    return numpy.iinfo(kind).max if numpy.issubdtype(kind, numpy.integer) else float(numpy.finfo(kind).max)
