"""Whether two snapshots say the same, in whatever order and by which reader they were read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    import duckdb

TIMES_OF_READING = frozenset({"read_at", "sampled_at", "window_begin"})
"""Columns that say when something was read or sampled: two readings of an unchanged fleet differ in these."""

_ROWS_AT_ONCE = 10_000


def content_digest(connection: duckdb.DuckDBPyConnection) -> str:
    """`sha256:` and 64 hex digits over all rows of all fact tables of a snapshot, but for TIMES_OF_READING.

    The order of rows does not count, and how often one is there does. Each row is hashed as JSON, and its table's hashes in their order;
    tables without rows do not count. DuckDB's own `hash` is not used: it may differ between releases. Two snapshots can be compared that
    the same version of auditor made: a column that is added is another content.
    """
    whole = hashlib.sha256()
    for name in sorted(TABLES):
        columns = ", ".join(f'"{column}"' for column in TABLES[name].names if column not in TIMES_OF_READING)
        rows = connection.cursor().execute(
            f'SELECT sha256(CAST(to_json(row) AS VARCHAR)) AS digest FROM (SELECT {columns} FROM fact."{name}") AS row ORDER BY digest'
        )
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            whole.update("".join(f"{name} {digest}\n" for (digest,) in some).encode())
    return f"sha256:{whole.hexdigest()}"
