"""Rows of one table on their way into a snapshot: checked, and as columns that DuckDB reads without a copy for each row."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.facts.schema import TABLES, TOPICS, Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy

NUMPY_TYPES = {"BIGINT": "int64", "DOUBLE": "float64", "BOOLEAN": "bool"}


def check(batch: Batch) -> None:
    """Refuse a batch that facts/schema.py does not have.

    Raises:
        KeyError, ValueError: the batch names another table, column or topic, or its columns are of different lengths (a bug).
    """
    unknown = set(batch.columns) - set(TABLES[batch.table].names)
    lengths = {len(values) for values in batch.columns.values()}
    if unknown or len(lengths) > 1:
        raise ValueError(f"table {batch.table}: unknown columns {sorted(unknown)} or ragged lengths {sorted(lengths)}")
    if batch.table == "reading" and not TOPICS.issuperset(batch.columns["topic"]):
        raise ValueError(f"unknown topics {sorted(set(batch.columns['topic']) - TOPICS)}")


def as_arrays(batch: Batch) -> dict[str, numpy.ndarray[Any, Any]] | None:
    """The batch as numpy columns, masked where a cell is None, which DuckDB reads without a copy per row; None when it has no rows."""
    import numpy

    table = TABLES[batch.table]
    check(batch)
    if not any(batch.columns.values()):
        return None
    arrays: dict[str, numpy.ndarray[Any, Any]] = {}
    for column in table.columns:
        values = batch.columns.get(column.name)
        if values is None:
            continue
        kind = NUMPY_TYPES.get(column.type)
        holes = None in values
        if kind is not None and holes:
            values = [0 if value is None else value for value in batch.columns[column.name]]
        elif column.type.startswith("TIMESTAMP"):
            values = [value.isoformat() if isinstance(value, datetime) else value for value in values]
        array = numpy.array(values, dtype=kind or object)
        arrays[column.name] = numpy.ma.array(array, mask=[value is None for value in batch.columns[column.name]]) if holes else array
    return arrays


def without_huge_numbers(batch: Batch) -> tuple[Batch, set[tuple[str, str]]]:
    """The batch with None for every number that its column cannot hold, and by endpoint and column which those were.

    An endpoint that answers with one has its cell empty, and its topic unread.
    """
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
    """The largest number of a numpy type; None where it is not a type of numbers."""
    import numpy

    if kind is None or not numpy.issubdtype(kind, numpy.number):
        return None
    return numpy.iinfo(kind).max if numpy.issubdtype(kind, numpy.integer) else float(numpy.finfo(kind).max)
