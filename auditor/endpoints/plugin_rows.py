"""Checks the rows of a plugin's collector: only its own endpoint, known tables and columns. Other rows would change others' verdicts."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError
from auditor.facts.schema import TABLES, Batch
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from auditor.model import Endpoint
    from auditor.model.endpoint_kinds import EndpointType

_READING, _ARRAY = "reading", "array"
_TYPES: Mapping[str, type | tuple[type, ...]] = {"VARCHAR": str, "BIGINT": int, "DOUBLE": (int, float), "BOOLEAN": bool}
_LARGEST = {"BIGINT": 2**63 - 1, "DOUBLE": sys.float_info.max}
"""A larger number would become NULL, which may mean "no limit"; and one that is none (NaN) is greater than all others in SQL."""


def own_items(items: Iterable[Any], endpoint: Endpoint, kind: EndpointType) -> Iterator[Batch | Gap]:
    """The batches and gaps of a plugin's collector, one after the other.

    Raises:
        EndpointError: one of them is about another endpoint, of a table or a family that is not the plugin's, or of values that its columns
            do not hold. No value is shown, as it may be a secret.
    """
    for item in items:
        wrong = _wrong(item, endpoint, kind)
        if wrong is not None:
            raise EndpointError(
                f"endpoint {endpoint.name}: {kind.plugin} gave {wrong}; tell the author of that package",
                why="what it read after that is not known.",
                do=f"install another release of {kind.plugin.rpartition(' ')[0]}, or tell its author.",
            )
        yield item


def _wrong(item: Any, endpoint: Endpoint, kind: EndpointType) -> str | None:
    """What is wrong with one item, in words that follow "gave"; None: nothing."""
    if isinstance(item, Gap):
        is_text = all(_fits(text, "VARCHAR") and text is not None for text in (item.what, item.why))
        return None if is_text and item.endpoint == endpoint.name else "a gap of another endpoint, or without text"
    if not isinstance(item, Batch):
        return f"a {type(item).__name__}, which is neither a batch of rows nor a gap"
    table = TABLES.get(item.table) if isinstance(item.table, str) else None
    if table is None or (table.name != _READING and (not table.topic or table.topic not in kind.topics)):
        return f"rows of the table {str(item.table)[:40]!r}, which is of none of its topics"
    types = {column.name: column.type for column in table.columns}
    for name, values in item.columns.items():
        if name not in types or not isinstance(values, list | tuple) or not all(_fits(value, types[name]) for value in values):
            held = types.get(name, "value of it")
            return f"a column {str(name)[:40]!r} of the table {table.name} that is unknown, or holds what is no {held}"
    if len({len(values) for values in item.columns.values()}) > 1:
        return f"columns of the table {table.name} that differ in length"
    return _foreign(item, endpoint, kind)


def _foreign(item: Batch, endpoint: Endpoint, kind: EndpointType) -> str | None:
    columns = item.columns
    if set(columns.get("endpoint", ())) - {endpoint.name} or ("endpoint" not in columns and any(columns.values())):
        return f"rows of the table {item.table} of another endpoint"
    if item.table == _READING and (set(columns.get("topic", ())) - set(kind.topics) or set(columns.get("scope", ())) - {""}):
        return "a reading of a topic that is none of its own"
    family = kind.family and kind.family.name
    if item.table == _ARRAY and set(columns.get("family", ())) - {family, None}:
        return "an array of another family"
    return None


def _fits(value: Any, column_type: str) -> bool:
    """Whether a column of that type holds it: text has to be such that a file can be written of it, and a time has its zone."""
    if value is None:
        return True
    wanted = _TYPES.get(column_type, datetime)
    if not isinstance(value, wanted) or (isinstance(value, bool) and column_type != "BOOLEAN"):
        return False
    if isinstance(value, int | float) and column_type in _LARGEST:
        return abs(value) <= _LARGEST[column_type]
    if isinstance(value, datetime):
        return value.utcoffset() is not None
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= one <= "\udfff" for one in value)
