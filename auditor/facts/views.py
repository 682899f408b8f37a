"""Views: fact tables joined and aggregated into the rows that rules judge.

Each view is one SQL file in facts/views/, named after it. Files whose name starts with `step_` build intermediate views that rules
cannot range over. Every view a rule ranges over begins with the columns of RESOURCE_COLUMNS. A column that rests on something unread is
NULL, never false or zero: a view asks the table `reading` before it counts.
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
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    # Steps come first; among them, and among the rest, a view may use only those before it: the number says so.
    ordered = sorted(names, key=lambda name: (not name.startswith("step_"), name))
    return tuple((name.removesuffix(".sql"), (folder / name).read_text(encoding="utf-8")) for name in ordered)
