"""The files of a saved snapshot: one Parquet file a table, and how a damaged file is distinguished from a bug."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import SnapshotError
from auditor.facts.schema import TABLES
from auditor.sql import query_planning as few
from auditor.sql.statements import run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import duckdb

_COPIED = frozenset({"declared", "declared_nfs_server", "declared_setting", "gap", "listed_endpoint", "reading"})


def write_tables(connection: duckdb.DuckDBPyConnection, directory: Path) -> dict[str, str]:
    """Write one file a table into `directory`, and return the digest of each.

    Raises:
        OSError: a file cannot be written.
    """
    digests = {}
    for name in TABLES:
        path = directory / f"{name}.parquet"
        run(connection, f'COPY fact."{name}" TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)')
        digests[name] = digest_of(path)
    return digests


def check_files(directory: Path, digests: Mapping[str, str], tables: Collection[str]) -> None:
    """Refuse files that are not as they were written: most damaged bytes of a Parquet file read as other values, without an error.

    An older auditor wrote no digests; its files are taken as they are.

    Raises:
        ValueError: a file was changed, or is gone.
    """
    for name in digests.keys() & TABLES.keys() & set(tables):
        fault = _fault(directory / f"{name}.parquet", digests[name])
        if fault:
            raise ValueError(fault)


def open_tables(connection: duckdb.DuckDBPyConnection, directory: Path, tables: Collection[str], digests: Mapping[str, str]) -> None:
    """Put the files of a snapshot in the place of the empty tables, and keep a list of them for `snapshot_fault`.

    Small ones are copied: those whose order counts, and those that unread.py may correct. All are copied where the snapshot has few facts:
    a hundred views read these tables some hundred times, and each time DuckDB opens the file.

    Source: docs/performance.md, "A small audit".
    """
    # Columns are only ever added: a table or column that an older auditor did not write stays empty.
    files = {name: str(path) for name in tables if (path := directory / f"{name}.parquet").exists()}
    if not files:
        return
    described = set(connection.execute("SELECT file_name, name FROM parquet_schema(?)", [list(files.values())]).fetchall())
    counted = connection.execute("SELECT file_name, num_rows FROM parquet_file_metadata(?)", [list(files.values())]).fetchall()
    rows: dict[str, int] = dict(counted)
    copied = files.keys() if sum(rows.values()) <= few.FEW_ROWS else _COPIED
    statements = []
    for name, file in files.items():
        if name in copied and not rows[file]:
            continue
        columns = TABLES[name].columns
        known = [column for column in columns if (file, column.name) in described]
        source = f"read_parquet({literal(file)})"
        if name in copied:
            listed = ", ".join(f'"{column.name}"' for column in known)
            statements.append(f'INSERT INTO fact."{name}" ({listed}) SELECT {listed} FROM {source}')  # noqa: S608  names are schema.py's
            continue
        cells = {
            column: f'CAST("{column.name}" AS {column.type})' if column in known else f"CAST(NULL AS {column.type})" for column in columns
        }
        listed = ", ".join(f'{cell} AS "{column.name}"' for column, cell in cells.items())
        statements += [f'DROP TABLE fact."{name}"', f'CREATE VIEW fact."{name}" AS SELECT {listed} FROM {source}']  # noqa: S608  likewise
    read_later = {file: digests.get(name) for name, file in files.items() if name not in copied}
    statements += ["CREATE SCHEMA snapshot", "CREATE TABLE snapshot.file (path VARCHAR, digest VARCHAR)"]
    connection.execute(";\n".join(statements))  # in one go, in half the time
    if read_later:
        connection.executemany("INSERT INTO snapshot.file VALUES (?, ?)", [list(row) for row in read_later.items()])
    connection.execute("SET allowed_paths = ?", [list(read_later)])


def snapshot_fault(connection: duckdb.DuckDBPyConnection, failure: duckdb.Error) -> SnapshotError | None:
    """The error to raise when a statement over the facts failed because of the snapshot's files; None when it did not (a bug).

    DuckDB reports damaged Parquet files by errors of many classes, the same as for bad SQL. So the files themselves are checked: whether
    one is gone, is not as it was written, or has no digest and cannot be read. An error of the operating system's is the files' in any
    case.
    """
    import duckdb

    if isinstance(failure, duckdb.OutOfMemoryException | duckdb.InterruptException):
        return None
    is_damaged = isinstance(failure, duckdb.IOException) or any(
        _fault(Path(path), digest) or (digest is None and not _is_readable(path)) for path, digest in _files(connection)
    )
    return unreadable(failure) if is_damaged else None


def unreadable(failure: Exception) -> SnapshotError:
    """The error to raise when the files behind the facts cannot be read any more."""
    return SnapshotError(
        f"the snapshot cannot be read: {str(failure).splitlines()[0]}",
        why="nothing was judged: a snapshot that is read in part reports a clean fleet in part.",
        do="leave a snapshot where it is while it is judged; if it is damaged, collect again.",
    )


def literal(path: Path | str) -> str:
    """A path as an SQL text."""
    return "'" + str(path).replace("'", "''") + "'"


def _files(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str | None]]:
    """The files that the tables of `connection` are read from, each with its digest; [] where all is in memory."""
    if not connection.execute("SELECT 1 FROM duckdb_tables() WHERE schema_name = 'snapshot'").fetchall():
        return []
    return connection.execute("SELECT path, digest FROM snapshot.file").fetchall()


def _is_readable(path: str) -> bool:
    """Whether all of a Parquet file can be read: for files of an older auditor, which wrote no digests."""
    import duckdb

    with duckdb.connect() as connection:
        try:
            connection.execute("SELECT sum(hash(COLUMNS(*))) FROM read_parquet(?)", [path]).fetchall()
        except duckdb.Error:
            return False
    return True


def _fault(path: Path, digest: str | None) -> str | None:
    """What is wrong with a file; None when it is as it was written, or has no digest."""
    if not path.exists():
        return f"{path.name} is gone"
    if digest is not None and digest_of(path) != digest:
        return f"{path.name} is not as it was written"
    return None


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
