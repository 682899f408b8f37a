"""Views: fact tables joined and aggregated into the rows that rules judge.

Each view is one SELECT in facts/views/<domain>/<view>.sql. The file begins with `-- materialize: table` (computed once and kept) or
`-- materialize: view` (computed for each statement that reads it; kept too where facts are few), and says what one row is. A view whose
name begins with `step_` is an intermediate one: rules cannot range over it. Every other view is judged; it begins with the columns of
RESOURCE_COLUMNS, and the YAML file beside it says what its columns are. A column that rests on something unread is NULL, never false or
zero: a view asks the table `reading` before it counts.

What the files determine (order, columns, types, lineage) stands in facts/catalog.json.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from auditor.facts import device_classes
from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.macros import create_macros
from auditor.facts.own_catalog import RESOURCE_COLUMNS
from auditor.facts.snapshot_files import snapshot_fault
from auditor.sql.query_planning import plan_for_few_facts
from auditor.sql.statements import execute, limit_memory, run

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    import duckdb

__all__ = ["RESOURCE_COLUMNS", "create_views", "seal", "view_sql"]


def create_views(connection: duckdb.DuckDBPyConnection, spill: Path | None = None, views: Collection[str] | None = None) -> None:
    """Create `views` and all they rest on over the schema `fact` of `connection`, in the schema `main`, with the facts as they are now.

    A materialised step that nothing reads any more is dropped again. A view that can have no row, because a fact table has none, is made
    without running its SQL.

    Args:
        connection: holds the facts; not sealed yet.
        spill: the folder for what does not fit into the memory that the connection is limited to from here on, until `memory.lift_limit`;
            None: all stays in memory.
        views: names of judged views or steps; None: every judged view.

    Raises:
        SnapshotError: a file of the snapshot went away, or is damaged.
        duckdb.Error: a view cannot be computed although all files are whole (a bug).
    """
    import duckdb

    if spill is not None:
        limit_memory(connection, spill)
    wanted = {name for name in catalog().views if not name.startswith("step_")} if views is None else set(views)
    create_macros(connection)
    try:
        are_few = plan_for_few_facts(connection)
        if not are_few:
            wanted |= {steps.classes for view, steps in device_classes.CLASSIFIED.items() if view in wanted}
        empty = _empty_views(connection, with_dependencies(wanted))
        for name in sorted(empty):
            connection.execute(f"CREATE TABLE {name} ({_listed_columns(name)})")
        _compute(connection, wanted, empty, all_tables=are_few)
    except duckdb.Error as failure:
        fault = snapshot_fault(connection, failure)
        if fault is None:
            raise
        raise fault from failure


def _empty_views(connection: duckdb.DuckDBPyConnection, views: Collection[str]) -> set[str]:
    """Those of `views` that have no row because a fact table has none. To plan their statements would be most of their cost."""
    by_view = {name: set(catalog().views[name].empty_without) for name in views if catalog().views[name].materialize == "table"}
    tables = sorted(set[str]().union(*by_view.values()))
    if not tables:
        return set()
    listed = " UNION ALL ".join(f"SELECT '{table}' WHERE NOT EXISTS (FROM fact.\"{table}\")" for table in tables)
    empty = {row[0] for row in execute(connection, listed).fetchall()}
    return {name for name, needed in by_view.items() if needed & empty}


def _listed_columns(view: str) -> str:
    """The columns of a judged view with their types, as CREATE TABLE has them."""
    return ", ".join(f'"{column}" {about.type}' for column, about in catalog().views[view].columns.items())


def _compute(connection: duckdb.DuckDBPyConnection, wanted: Collection[str], present: Collection[str], *, all_tables: bool) -> None:
    """Create `wanted` and all they rest on, each after what it rests on, but for what is `present` already.

    A view of few facts is a table too (`all_tables`): whatever reads a view plans its statement anew, which takes longer than its rows do.
    """
    order = with_dependencies(wanted, present)
    last_reader = _last_readers(order, wanted)
    for name in order:
        kind = "table" if all_tables else catalog().views[name].materialize
        run(connection, f"CREATE {kind} {name} AS\n{view_sql(name)}")
        for step in last_reader.get(name, ()):
            connection.execute(f"DROP TABLE {step}")


def _last_readers(order: Sequence[str], wanted: Collection[str]) -> dict[str, list[str]]:
    """By name, the tables of `order` that nothing reads any more once it is created: only other tables rest on them, and it is the last."""
    read_by: dict[str, set[str]] = {name: _tables_read(name) for name in order if catalog().views[name].materialize == "table"}
    kept = set(wanted).union(*(_tables_read(name) for name in wanted if catalog().views[name].materialize == "view"))
    last = {step: name for name, steps in read_by.items() for step in steps if step not in kept}
    by_reader: dict[str, list[str]] = {}
    for step, name in last.items():
        by_reader.setdefault(name, []).append(step)
    return by_reader


def _tables_read(name: str) -> set[str]:
    """The tables that a statement over the SQL of a view reads, directly or through views that are not materialised."""
    found, todo = set[str](), list(catalog().views[name].rests_on)
    while todo:
        below = todo.pop()
        if catalog().views[below].materialize == "table":
            found.add(below)
        else:
            todo += catalog().views[below].rests_on
    return found


@cache
def view_sql(name: str) -> str:
    """The SELECT of a view or step, read once in a process."""
    return (resources.files("auditor.facts") / "views" / catalog().views[name].domain / f"{name}.sql").read_text(encoding="utf-8")


def seal(connection: duckdb.DuckDBPyConnection, writable: Path | None = None) -> None:
    """Cut `connection` off from files and the network for good; `writable` stays open for writing results.

    Rules are read from files that users exchange, so they must not reach anything but the facts.
    """
    if writable is not None:
        connection.execute("SET allowed_directories = ?", [[f"{writable}/"]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
