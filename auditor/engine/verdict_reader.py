"""Reads verdicts one by one, in the order of their places, without sorting millions of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from auditor.errors import SnapshotError

if TYPE_CHECKING:
    import duckdb

PLACE = "endpoint, cluster, host, resource_name, resource_id"
BY_IMPACT = "impact_rank DESC NULLS LAST"
SORTED_AT_ONCE = 100_000
"""Rows beyond which an endpoint is sorted at a time: a row with its evidence is half a kilobyte while it is sorted."""
_CHUNK_ROWS = 2_000


def in_order(connection: duckdb.DuckDBPyConnection, select: str, bound: Mapping[str, object], count: int) -> Iterator[tuple[Any, ...]]:
    """The rows of `select`, which has a column `endpoint`, in the order of BY_IMPACT and PLACE; `count` is how many they are.

    Those of more than SORTED_AT_ONCE rows come in that order of each endpoint, one endpoint after the other by name.

    Raises:
        SnapshotError: the files behind them went away, or are damaged.
    """
    if count <= SORTED_AT_ONCE:
        yield from fetched(connection, f"{select} ORDER BY {BY_IMPACT}, {PLACE}", bound)
        return
    for (endpoint,) in list(fetched(connection, f"SELECT DISTINCT endpoint FROM ({select}) ORDER BY endpoint", bound)):
        # A plain comparison, so that a file can leave out what its statistics rule out.
        here, also = ("IS NULL", {}) if endpoint is None else ("= $auditor_part", {"auditor_part": endpoint})
        yield from fetched(connection, f"SELECT * FROM ({select}) WHERE endpoint {here} ORDER BY {BY_IMPACT}, {PLACE}", {**bound, **also})


def fetched(connection: duckdb.DuckDBPyConnection, query: str, bound: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, a chunk at a time.

    Raises:
        SnapshotError: the files behind them went away, or are damaged.
    """
    import duckdb

    # A cursor of its own: the reader of findings may ask the connection for something else meanwhile.
    cursor = connection.cursor()
    try:
        cursor.execute(query, bound)
        while chunk := cursor.fetchmany(_CHUNK_ROWS):
            yield from chunk
    except duckdb.Error as failure:
        raise SnapshotError(
            f"the verdicts cannot be read: {str(failure).splitlines()[0]}",
            why="the files they rest on went away or are damaged; what was shown before this is not all.",
            do="leave a run and a snapshot where they are while they are read; if they are damaged, audit again.",
        ) from failure
