"""Classes of devices: rows of the view `device` that are the same in all that a rule looks at, judged once for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.catalog import view_columns
from auditor.facts.memory import execute

if TYPE_CHECKING:
    import duckdb

VIEW = "device"
CLASS_TABLE = "step_device_class"
"""A row per class: its columns, `class_number`, and `devices`, how many rows of the view are of it."""

CLASSIFIED_ROWS = "step_device_of_class"
"""The view `device` with `class_number` beside its columns."""


@dataclass(frozen=True, slots=True)
class DeviceClasses:
    """The classes that exist on a connection; `columns` are those of the view that are the same for all rows of a class."""

    columns: frozenset[str]


def device_classes(connection: duckdb.DuckDBPyConnection) -> DeviceClasses | None:
    """The classes of devices on this connection; None where `device` was not created by facts/views.py."""
    if not execute(connection, "SELECT 1 FROM duckdb_tables() WHERE table_name = $name", {"name": CLASS_TABLE}).fetchall():
        return None
    columns = {row[0] for row in execute(connection, f"DESCRIBE {CLASS_TABLE}").fetchall()}
    return DeviceClasses(frozenset(columns & view_columns()[VIEW].keys()))
