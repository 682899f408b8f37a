"""Compares a host's rows of a table with another snapshot's by digests, in any order.

One statement covers all hosts: a statement for each host costs more than reading that host again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES
from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb
    import numpy

    Hashes = numpy.ndarray[tuple[int], numpy.dtype[numpy.uint64]]

Digest = tuple[int, int]
"""(how many rows, the sum of their hashes); DuckDB's hash, so comparable within one process only."""

NO_ROWS: Digest = (0, 0)


def digests_by_host(connection: duckdb.DuckDBPyConnection, table: str, endpoint: str) -> Mapping[str, Digest]:
    """The digest of the rows of each host of `endpoint`; a host without rows is left out."""
    cells = ", ".join(f'"{column}"' for column in TABLES[table].names)
    query = f'SELECT host_id, count(*), sum(hash({cells})) FROM fact."{table}" WHERE endpoint = $endpoint GROUP BY host_id'  # noqa: S608  names are schema.py's
    return {host: (int(count), int(total)) for host, count, total in execute(connection, query, {"endpoint": endpoint}).fetchall()}


def texts_by_host(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], endpoint: str) -> Mapping[str, Hashes]:
    """A hash of `columns` for every row of each host of `endpoint`: eight bytes a row, where the text would be a hundred."""
    listed = ", ".join(f'"{column}"' for column in columns)
    query = f'SELECT host_id, list(hash({listed})) AS rows FROM fact."{table}" WHERE endpoint = ? GROUP BY host_id'  # noqa: S608  likewise
    found = connection.execute(query, [endpoint]).fetchnumpy()
    return dict(zip(found["host_id"].tolist(), found["rows"], strict=True))


def text_hashes(scratch: duckdb.DuckDBPyConnection, rows: Sequence[tuple[str, ...]]) -> Hashes:
    """The hash of each of `rows`, as `texts_by_host` has them; there must be one at least. `scratch` may hold anything."""
    import numpy

    columns = {f"c{place}": numpy.array(values, dtype=object) for place, values in enumerate(zip(*rows, strict=True))}
    scratch.register("batch", columns)
    try:
        found: Hashes = scratch.execute(
            f"SELECT hash({', '.join(columns)}) AS row FROM batch"  # noqa: S608  the names are ours
        ).fetchnumpy()["row"]
    finally:
        scratch.unregister("batch")
    return found
