"""Views: fact tables joined and aggregated into the rows that rules judge.

Each view is one SQL file in facts/views/, named `<order>_<view>.sql`; a view may use only those before it. A view whose name begins with
`step_` is an intermediate one that rules cannot range over. Every other view begins with the columns of RESOURCE_COLUMNS. A column that
rests on something unread is NULL, never false or zero: a view asks the table `reading` before it counts.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.facts.schema import create_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

RESOURCE_COLUMNS = ("endpoint", "resource_id", "resource_name", "cluster", "host")
"""The columns every judged view begins with; with the view's name they make a model.Resource."""


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view over the schema `fact` of `connection`, in the schema `main`."""
    for _, text in _sources():
        connection.execute(text)


@cache
def view_columns() -> Mapping[str, Mapping[str, str]]:
    """Every judged view: its columns in order, each with its DuckDB type."""
    import duckdb

    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection)
        return {
            name: {row[0]: row[1] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()}
            for name, _ in _sources()
            if not name.startswith("step_")
        }


def seal(connection: duckdb.DuckDBPyConnection, writable: Path | None = None) -> None:
    """Cut `connection` off from files and the network for good; `writable` stays open for writing results.

    Rules are read from files that users exchange, so what they say must not reach anything but the facts.
    """
    if writable is not None:
        connection.execute("SET allowed_directories = ?", [[f"{writable}/"]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@cache
def _sources() -> tuple[tuple[str, str], ...]:
    folder = resources.files("auditor.facts") / "views"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple((file.name.partition("_")[2].removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files)
