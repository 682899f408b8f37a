"""The rows and gaps of one endpoint as a value: a worker sends it, and the client adds it to its snapshot."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES
from auditor.facts.snapshot_files import literal
from auditor.model import EndpointReading, Gap
from auditor.sql.statements import run

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Part:
    """The facts, gaps and reading of one endpoint; holds no secret.

    Attributes:
        tables: Parquet files by the name of their fact table. Tables without rows are left out, and so is `gap`, which is made of `gaps`.
        huge: (endpoint, table, column) of numbers that no column holds, see batches.py.
    """

    reading: EndpointReading
    gaps: tuple[Gap, ...] = ()
    tables: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    huge: frozenset[tuple[str, str, str]] = frozenset()

    def with_bug(self, gap: Gap, report: str) -> Part:
        """The part of an endpoint whose reading a bug of ours ended; see endpoints/bugs.py."""
        return replace(self, reading=replace(self.reading, complete=False, bug=report), gaps=(gap,))


def filled_table_files(connection: duckdb.DuckDBPyConnection) -> dict[str, bytes]:
    """Parquet files of all fact tables that have rows, by name; without the gaps."""
    return table_files(connection, [name for name in TABLES if name != "gap" and _has_rows(connection, name)])


def table_files(connection: duckdb.DuckDBPyConnection, tables: Iterable[str], endpoint: str | None = None) -> dict[str, bytes]:
    """Parquet files of fact tables, by name; with `endpoint` only its rows."""
    chosen = "" if endpoint is None else f" WHERE endpoint = {literal(endpoint)}"
    files = {}
    with tempfile.TemporaryDirectory(prefix="auditor-part-") as folder:
        path = Path(folder) / "rows.parquet"
        for name in tables:
            run(connection, f'COPY (SELECT * FROM fact."{name}"{chosen}) TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)')  # noqa: S608  names are schema.py's
            files[name] = path.read_bytes()
    return files


def insert_tables(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, bytes]) -> None:
    """Add the rows of Parquet files to the fact tables of their names, one table at a time: no more than one lies in memory twice.

    Raises:
        KeyError: facts/schema.py has no such table (another version of auditor made it).
    """
    with tempfile.TemporaryDirectory(prefix="auditor-part-") as folder:
        path = Path(folder) / "rows.parquet"
        for name, content in tables.items():
            path.write_bytes(content)
            names = ", ".join(f'"{column}"' for column in TABLES[name].names)
            run(connection, f'INSERT INTO fact."{name}" ({names}) SELECT {names} FROM read_parquet({literal(path)})')  # noqa: S608  names are schema.py's


def _has_rows(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    return connection.execute(f'SELECT 1 FROM fact."{table}" LIMIT 1').fetchone() is not None  # noqa: S608  names are schema.py's
