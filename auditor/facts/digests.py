"""Rows told apart by digests: whether a host's rows of a table are those of another snapshot, whatever their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    import duckdb
    import numpy

    from auditor.facts.schema import Batch

Digest = tuple[int, int]
"""(how many rows, the sum of their hashes); DuckDB's hash, so comparable within one process only."""

NO_ROWS: Digest = (0, 0)


def digests_by_host(connection: duckdb.DuckDBPyConnection, table: str, endpoint: str) -> Mapping[str, Digest]:
    """The digest of the rows of each host of `endpoint`; a host without rows is left out."""
    columns = TABLES[table].names
    query = f'SELECT host_id, count(*), sum({_hash(table, columns)}) FROM fact."{table}" WHERE endpoint = ? GROUP BY host_id'  # noqa: S608  names are schema.py's
    return {host: (int(count), int(total)) for host, count, total in connection.execute(query, [endpoint]).fetchall()}


def digest_of(scratch: duckdb.DuckDBPyConnection, table: str, batches: Iterable[Batch]) -> Digest:
    """The digest of all rows of `batches`, which are of `table`; `scratch` may hold anything."""
    from auditor.facts.snapshot import as_arrays

    count = total = 0
    for batch in batches:
        rows = as_arrays(batch)
        if rows is None:
            continue
        scratch.register("batch", rows)
        try:
            ((found, hashes),) = scratch.execute(f"SELECT count(*), sum({_hash(table, tuple(rows))}) FROM batch").fetchall()  # noqa: S608  likewise
        finally:
            scratch.unregister("batch")
        count, total = count + int(found), total + int(hashes)
    return count, total


def texts_by_host(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], endpoint: str
) -> Mapping[str, numpy.ndarray[tuple[int], numpy.dtype[numpy.uint64]]]:
    """A hash of `columns` for every row of each host of `endpoint`: eight bytes a row, where the text would be a hundred."""
    import numpy

    listed = ", ".join(f'"{column}"' for column in columns)
    query = f'SELECT host_id, hash({listed}) AS row FROM fact."{table}" WHERE endpoint = ? ORDER BY host_id'  # noqa: S608  likewise
    found = connection.execute(query, [endpoint]).fetchnumpy()
    hosts, rows = found["host_id"], found["row"]
    names, starts = numpy.unique(hosts.astype(str), return_index=True)
    return dict(zip(names.tolist(), numpy.split(rows, starts[1:]), strict=True)) if len(hosts) else {}


def text_hashes(
    scratch: duckdb.DuckDBPyConnection, rows: Sequence[tuple[str, ...]]
) -> numpy.ndarray[tuple[int], numpy.dtype[numpy.uint64]]:
    """The hash of each of `rows`, as `texts_by_host` has them; there must be one at least."""
    import numpy

    columns = {f"c{place}": numpy.array(values, dtype=object) for place, values in enumerate(zip(*rows, strict=True))}
    scratch.register("batch", columns)
    try:
        found: numpy.ndarray[tuple[int], numpy.dtype[numpy.uint64]] = scratch.execute(
            f"SELECT hash({', '.join(columns)}) AS row FROM batch"  # noqa: S608  the names are ours
        ).fetchnumpy()["row"]
    finally:
        scratch.unregister("batch")
    return found


def _hash(table: str, told: Sequence[str]) -> str:
    """Over every column of the table in its own type; one that is not `told` is NULL."""
    cells = (f'CAST("{c.name}" AS {c.type})' if c.name in told else f"CAST(NULL AS {c.type})" for c in TABLES[table].columns)
    return f"hash({', '.join(cells)})"
