"""Rows of views over a saved snapshot, for one machine, device or finding at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from auditor.facts.catalog import catalog, needs_of_columns, view_columns
from auditor.facts.snapshot_files import snapshot_fault
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.views import create_views, seal
from auditor.impact.stations import Row

if TYPE_CHECKING:
    import duckdb

Ask: TypeAlias = Callable[[str, Mapping[str, object]], Sequence[Row]]
"""The rows of a view whose columns have these values, in the order of their ids."""

MOST_ROWS = 2_000
"""Rows of one answer: the disks of a host, or the devices of an adapter."""


@contextmanager
def opened_views(snapshot: Path, views: Collection[str]) -> Iterator[Ask]:
    """Open `views` of the snapshot in the directory `snapshot` until the block ends; gives a function that reads their rows.

    Raises:
        SnapshotError: the snapshot cannot be read.
    """
    opened = load_snapshot(snapshot)
    opened = with_unread_gaps(opened, needs_of_columns((view, view_columns()[view]) for view in views))
    connection = opened.connection
    try:
        with tempfile.TemporaryDirectory(prefix="auditor-explain-", ignore_cleanup_errors=True) as spill:
            create_views(connection, Path(spill) / "spilled", set(views))
            tables = {view: _table(connection, view) for view in views}
            seal(connection)
            yield lambda view, wanted: _rows(connection, view, tables[view], wanted)
    finally:
        connection.close()


def _table(connection: duckdb.DuckDBPyConnection, view: str) -> str:
    """The table with the rows of a view. One that is computed for each statement is computed once: rows are asked for hundreds of times."""
    if catalog().views[view].materialize == "table":
        return view
    connection.execute(f"CREATE TABLE asked_{view} AS FROM {view}")
    return f"asked_{view}"


def _rows(connection: duckdb.DuckDBPyConnection, view: str, table: str, wanted: Mapping[str, object]) -> list[Row]:
    import duckdb

    unknown = wanted.keys() - view_columns()[view].keys()
    if unknown:
        raise KeyError(f"{view} has no column {sorted(unknown)}")
    where = " AND ".join(f'"{column}" = ?' for column in wanted) or "true"
    # The names are the catalogue's; the values are bound.
    text = f"SELECT * FROM {table} WHERE {where} ORDER BY endpoint, resource_id LIMIT {MOST_ROWS}"  # noqa: S608
    cursor = connection.cursor()
    try:
        cursor.execute(text, list(wanted.values()))
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except duckdb.Error as failure:
        raise snapshot_fault(connection, failure) or failure from failure
