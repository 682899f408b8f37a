"""Rows of other endpoints with the same ids and other values: a join that forgets the endpoint takes them for its own."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from .single import Rows

KEYS = frozenset(
    {
        "host_id",
        "vm_id",
        "disk",
        "node",
        "device",
        "hba",
        "datastore_id",
        "volume_id",
        "scope",
        "topic",
        "vvol_id",
        "array_endpoint",
        "known_as",
    }
)
"""Columns that tell things apart: as they are in the rows that are copied."""


def with_namesakes(tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """These rows, and each once more of an endpoint of another name."""
    return {name: [*rows, *({key: _other(key, value) for key, value in row.items()} for row in rows)] for name, rows in tables.items()}


def _other(column: str, value: Any) -> Any:
    if column == "endpoint":
        return f"{value} elsewhere"
    if column in KEYS or value is None or isinstance(value, bool):
        return value
    if isinstance(value, datetime):
        return value + timedelta(days=1)
    return value + 1000 if isinstance(value, int | float) else value
