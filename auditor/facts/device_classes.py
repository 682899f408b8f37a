"""Classes of devices: rows of a view of devices that are the same in all that a rule looks at, judged once for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.catalog import view_columns
from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ClassSteps:
    """The steps that a view with classes is made of.

    Attributes:
        classes: a row per class: its columns, `keys`, and `devices`, how many rows of the view are of it.
        rows: the view, with `keys` beside its columns.
        keys: what tells a class from the others.
    """

    classes: str
    rows: str
    keys: tuple[str, ...] = ("class_number",)


CLASSIFIED: Mapping[str, ClassSteps] = {
    "device": ClassSteps("step_device_class", "step_device_of_class"),
    "device_demand": ClassSteps("step_demand_class", "step_demand_of_class", ("class_number", "outstanding")),
    "device_load": ClassSteps("step_load_class", "step_load_of_class", ("class_number", "load_key")),
    "path_policy": ClassSteps("step_path_class", "step_path_of_class", ("class_key",)),
    "device_claim": ClassSteps("step_claim_class", "step_claim_of_class", ("class_key",)),
}
"""The views whose rows have classes, by name."""


@dataclass(frozen=True, slots=True)
class DeviceClasses:
    """The classes of a view that exist on a connection; `columns` are those of the view that are the same for all rows of a class."""

    steps: ClassSteps
    columns: frozenset[str]


def device_classes(connection: duckdb.DuckDBPyConnection) -> Mapping[str, DeviceClasses]:
    """The classes that exist on this connection, by view; views that were not created by facts/views.py have none."""
    tables = {row[0] for row in execute(connection, "SELECT table_name FROM duckdb_tables()").fetchall()}
    found = {}
    for view, steps in CLASSIFIED.items():
        if steps.classes in tables:
            columns = {row[0] for row in execute(connection, f"DESCRIBE {steps.classes}").fetchall()}
            found[view] = DeviceClasses(steps, frozenset(columns & view_columns()[view].keys()))
    return found
