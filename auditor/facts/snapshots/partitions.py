"""Snapshots of many files a table: one folder an endpoint, as on an object store; gathered into one file a table before they are judged.

`endpoint=NAME/TABLE.parquet` has the rows of one endpoint, `fleet/TABLE.parquet` those of no endpoint. Tables without rows have no file.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.facts.schema import TABLES
from auditor.facts.snapshot_files import digest_of, literal
from auditor.facts.snapshots.manifest import files_listed, table_of
from auditor.sql.statements import execute, limit_memory, run

if TYPE_CHECKING:
    import duckdb

FLEET = "fleet"
_BY_TABLE = "by-table"


@dataclass(frozen=True, slots=True)
class Source:
    """A saved snapshot whose rows are gathered.

    Attributes:
        directory: where its files are.
        digests: of each file, by its name relative to `directory`; None where an older auditor wrote none.
        left_out: names of endpoints whose rows are not wanted.
    """

    directory: Path
    digests: Mapping[str, str | None]
    left_out: Collection[str] = ()

    def files_of(self, table: str) -> list[Path]:
        """The files that have rows of a table."""
        return [path for name in self.digests if table_of(name) == table and (path := self.directory / name).is_file()]


def private_folder(name: str) -> Path:
    """A new folder of this name, for this account only and as long as this process lives."""
    outer = tempfile.mkdtemp(prefix="auditor-snapshot-")
    atexit.register(shutil.rmtree, outer, ignore_errors=True)
    folder = Path(outer) / (name or "snapshot")
    folder.mkdir()
    return folder


def write_partitions(connection: duckdb.DuckDBPyConnection, directory: Path) -> dict[str, str]:
    """Write the rows of every table into `directory`, by endpoint, and return the digest of each file.

    Raises:
        OSError: a file cannot be written.
    """
    names = []
    for name, table in TABLES.items():
        source = f'fact."{name}"'
        if not connection.execute(f"SELECT 1 FROM {source} LIMIT 1").fetchall():  # noqa: S608  names are schema.py's
            continue
        if "endpoint" not in table.names:
            (directory / FLEET).mkdir(exist_ok=True)
            names.append(f"{FLEET}/{name}.parquet")
            run(connection, f"COPY {source} TO {literal(directory / names[-1])} (FORMAT parquet, COMPRESSION zstd)")
            continue
        by_table = directory / _BY_TABLE
        by_table.mkdir()
        options = "FORMAT parquet, COMPRESSION zstd, PARTITION_BY (endpoint), WRITE_PARTITION_COLUMNS true"
        run(connection, f"COPY {source} TO {literal(by_table)} ({options})")
        names += _by_endpoint(by_table, directory, name)
        by_table.rmdir()
    return {name: digest_of(directory / name) for name in names}


def _by_endpoint(by_table: Path, directory: Path, table: str) -> Iterator[str]:
    """Move the files of one table to the folders of their endpoints; yield their names."""
    for folder in sorted(by_table.iterdir()):
        (directory / folder.name).mkdir(exist_ok=True)
        for number, file in enumerate(sorted(folder.iterdir())):
            name = f"{folder.name}/{table}{f'-{number}' if number else ''}.parquet"
            file.rename(directory / name)
            yield name
        folder.rmdir()


def gathered(directory: Path, manifest: Mapping[str, Any], tables: Collection[str] = TABLES) -> tuple[Path, dict[str, str]]:
    """A private folder with one file a table in place of a partitioned snapshot, and the digest of each.

    Raises:
        OSError, ValueError, duckdb.Error: a file is not as it was written, or cannot be read.
    """
    import duckdb

    source = Source(directory, files_listed(manifest))
    check_source(source, tables)
    folder = private_folder(directory.name)
    with duckdb.connect() as connection:
        limit_memory(connection, folder / "spilled")
        return folder, gather(connection, [source], folder, tables)


def check_source(source: Source, tables: Collection[str] = TABLES) -> None:
    """Refuse files that are not as they were written.

    Raises:
        ValueError: a file was changed, or is gone.
    """
    for name, digest in source.digests.items():
        path = source.directory / name
        if table_of(name) not in tables or digest is None:
            continue
        if not path.is_file():
            raise ValueError(f"{name} is gone")
        if digest_of(path) != digest:
            raise ValueError(f"{name} is not as it was written")


def gather(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], target: Path, tables: Collection[str] = TABLES
) -> dict[str, str]:
    """Write the rows of all `sources` into `target`, one file a table that has any, and return the digest of each.

    A row that belongs to no endpoint is written once, however many sources have it. Columns that one source lacks are NULL in its rows.

    Raises:
        OSError: a file cannot be written.
        duckdb.Error: a file cannot be read.
    """
    digests = {}
    for name in tables:
        parts = [part for source in sources if (part := _rows_of(source, name))]
        if not parts:
            continue
        path = target / f"{name}.parquet"
        union = " UNION ALL BY NAME ".join(parts)
        text = union if "endpoint" in TABLES[name].names or len(parts) == 1 else _once(union)
        copied = execute(connection, f"COPY ({text}) TO {literal(path)} (FORMAT parquet, COMPRESSION zstd)").fetchone()
        if copied and copied[0]:
            digests[name] = digest_of(path)
        else:
            path.unlink()
    return digests


def _rows_of(source: Source, table: str) -> str:
    """A SELECT of the rows of a source's table that are wanted; "" where it has none."""
    files = source.files_of(table)
    if not files:
        return ""
    listed = ", ".join(literal(file) for file in files)
    unwanted = ", ".join(literal(name) for name in source.left_out)
    chosen = f" WHERE coalesce(endpoint, '') NOT IN ({unwanted})" if unwanted and "endpoint" in TABLES[table].names else ""
    return f"SELECT * FROM read_parquet([{listed}], union_by_name = true, hive_partitioning = false){chosen}"  # noqa: S608  quoted


def _once(union: str) -> str:
    """The rows of a union, each once, in the order in which they come first."""
    numbered = f"SELECT *, row_number() OVER () AS place FROM ({union})"  # noqa: S608  our own statement
    return f"SELECT COLUMNS(* EXCLUDE (place)) FROM ({numbered}) GROUP BY ALL ORDER BY min(place)"  # noqa: S608  likewise
