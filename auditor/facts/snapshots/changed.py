"""Finds the facts in which two saved snapshots differ; what rests on none of them is unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import TABLES
from auditor.facts.snapshot_files import check_files, literal
from auditor.facts.snapshots.manifest import FORMAT, read_manifest
from auditor.sql.statements import limit_memory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    import duckdb

    from auditor.facts.table import Fact


def changed_facts(before: Path, now: Path, facts: Iterable[Fact], spill: Path) -> frozenset[Fact]:
    """Those of `facts`, each a table and a column, that two saved snapshots differ in; "" as the column is the table's rows as such.

    Rows are matched by the columns that identify them. Of a table whose rows have no identity, all columns have changed as soon as anything
    has that `facts` name of it; of any other, as soon as it lost or got a row. The order of rows does not count.

    Args:
        before: the folder of one snapshot, with one file a table as `Snapshot.save` wrote it; its files are checked by their digests.
        now: the folder of the other one; its files were just written.
        facts: what is compared; nothing else of the tables is read.
        spill: the prefix of the folder for what does not fit into memory.

    Raises:
        ValueError: one of the snapshots is of another form, is not as it was written, or has two rows of one identity in a table that
            differs: joins rest on there being none, also where they take no column of that table.
        OSError, KeyError, SnapshotError, duckdb.Error: one cannot be read.
    """
    import duckdb

    columns: dict[str, set[str]] = {table: set() for table in IDENTITIES}
    for table, column in facts:
        columns.setdefault(table, set()).add(column)
    manifests = [read_manifest(folder) for folder in (before, now)]
    if any(manifest["format"] != FORMAT or "tables" not in manifest for manifest in manifests):
        raise ValueError("a snapshot is not of one file a table with its digest")
    digests: list[Mapping[str, str]] = [manifest["tables"] for manifest in manifests]
    to_compare = {table for table in columns if digests[0].get(table) is None or digests[0].get(table) != digests[1].get(table)}
    check_files(before, digests[0], to_compare)
    changed: set[Fact] = set()
    with duckdb.connect() as connection:
        limit_memory(connection, spill)
        for table in sorted(to_compare):
            changed |= {(table, column) for column in _changed(connection, table, columns[table], before, now)}
    return frozenset(changed)


def _changed(connection: duckdb.DuckDBPyConnection, table: str, columns: Collection[str], before: Path, now: Path) -> set[str]:
    """The columns of a table that differ."""
    files = [f"read_parquet({literal(folder / f'{table}.parquet')})" for folder in (before, now)]
    identity = IDENTITIES.get(table)
    named = [column for column in TABLES[table].names if column in columns]
    if identity is None:
        listed = ", ".join(f'"{column}"' for column in named) or "1"
        rows = [f"SELECT {listed} FROM {file}" for file in files]  # noqa: S608  names are schema.py's
        either = " UNION ALL ".join(f"({one} EXCEPT ALL {other})" for one, other in (rows, reversed(rows)))
        return set(columns) if connection.execute(f"{either} LIMIT 1").fetchall() else set()
    same = " AND ".join(f'a."{column}" IS NOT DISTINCT FROM b."{column}"' for column in identity)
    others = [column for column in named if column not in identity]
    differ = "".join(f', count(*) FILTER (a."{column}" IS DISTINCT FROM b."{column}")' for column in others)
    counts = ", ".join(f"(SELECT count(*) FROM {file})" for file in files)  # noqa: S608  likewise
    listed = ", ".join(f'"{column}"' for column in (*identity, *others))
    a, b = (f"(SELECT {listed}, true AS is_there FROM {file})" for file in files)  # noqa: S608  likewise
    alone = "count(*) FILTER (a.is_there IS NULL OR b.is_there IS NULL)"
    # Where every row has a match, two rows of one identity would make more pairs than there are rows.
    matched = f"SELECT {counts}, count(*), {alone}{differ} FROM {a} AS a FULL JOIN {b} AS b ON {same}"  # noqa: S608  likewise
    rows_before, rows_now, pairs, unmatched, *differing = connection.execute(matched).fetchall()[0]
    if unmatched or not rows_before == rows_now == pairs:
        keys = ", ".join(f'"{column}"' for column in identity)
        twice = [f"(SELECT 1 FROM {file} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1)" for file in files]  # noqa: S608  likewise
        if connection.execute(" UNION ALL ".join(twice)).fetchall():
            raise ValueError(f"{table} has two rows of one identity")
        return set(columns)
    return {column for column, count in zip(others, differing, strict=True) if count}
