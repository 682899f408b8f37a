"""Builds a snapshot: takes batches and gaps from collectors, and closes with a `Snapshot` that is only read from then on."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import SnapshotError
from auditor.facts.needs import EVERYTHING, SOURCES, Needs
from auditor.facts.schema import TABLES, Batch, create_tables
from auditor.facts.snapshot_files import literal
from auditor.facts.snapshots.batches import as_arrays, check, without_huge_numbers
from auditor.facts.snapshots.derived_gaps import derived_gaps, is_derived
from auditor.facts.snapshots.parts import Part, filled_table_files, insert_tables
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.facts.snapshots.stale_hosts import rows_of, stale_hosts, with_notes_of, without_gaps_of
from auditor.facts.snapshots.unanswered import record_unanswered
from auditor.model import EndpointReading, Gap
from auditor.sql.statements import lift_limit, limit_memory, run

if TYPE_CHECKING:
    import duckdb

ROWS_AN_INSERT = 20_000
"""What waits in Python's own lists at most, for each table: some 20 MB of paths. Source: `make bench-collect BENCH_ARGS=--tables`."""


class SnapshotBuilder:
    """Takes batches from collectors, from any thread, and holds them as DuckDB columns.

    What does not fit into memory goes to the folder `spill` (auditor/sql/statements.py); None: all stays in memory.
    """

    def __init__(self, spill: Path | None = None) -> None:
        import duckdb

        self._connection = duckdb.connect()
        if spill is not None:
            limit_memory(self._connection, spill, collecting=True)
        self._lock = threading.Lock()
        self._gaps: list[Gap] = []
        self._waiting: dict[tuple[str, frozenset[str]], dict[str, list[Any]]] = {}
        self._huge = set[tuple[str, str, str]]()
        create_tables(self._connection)

    def add(self, item: Batch | Gap) -> None:
        """Keep some rows, or a gap.

        Raises:
            KeyError, ValueError: the batch names a table, column or topic that facts/schema.py does not have (a bug).
        """
        if isinstance(item, Gap):
            with self._lock:
                self._gaps.append(item)
            item = Batch("gap", {"endpoint": [item.endpoint], "what": [item.what], "why": [item.why]})
        check(item)
        # An INSERT costs the same for a host's rows as for a thousand hosts', so rows wait for company.
        with self._lock:
            shape = (item.table, frozenset(item.columns))
            held = self._waiting.setdefault(shape, {name: [] for name in item.columns})
            for name, values in item.columns.items():
                held[name] += values
            if len(next(iter(held.values()), ())) >= ROWS_AN_INSERT:
                self._insert(Batch(item.table, self._waiting.pop(shape)))

    def so_far(self) -> duckdb.DuckDBPyConnection:
        """What was added until now, to be read only."""
        self._insert_all()
        return self._connection.cursor()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps that were added until now."""
        return tuple(self._gaps)

    @property
    def huge(self) -> frozenset[tuple[str, str, str]]:
        """(endpoint, table, column) of numbers that no column holds, of the rows that `so_far` gave."""
        return frozenset(self._huge)

    def part(self, reading: EndpointReading) -> Part:
        """All that was added, of one endpoint only."""
        files = filled_table_files(self.so_far())
        return Part(reading, self.gaps, files, self.huge)

    def add_part(self, part: Part) -> None:
        """Keep what another process read of one endpoint."""
        for gap in part.gaps:
            self.add(gap)
        with self._lock:
            insert_tables(self._connection, part.tables)
            self._huge |= part.huge

    def _insert(self, batch: Batch) -> None:
        """Needs the lock."""
        try:
            rows = as_arrays(batch)
        except OverflowError:
            batch, huge = without_huge_numbers(batch)
            self._huge |= {(endpoint, batch.table, column) for endpoint, column in huge}
            rows = as_arrays(batch)
        if rows is None:
            return
        names = ", ".join(f'"{name}"' for name in rows)
        self._connection.register("batch", rows)
        try:
            insert = f'INSERT INTO fact."{batch.table}" ({names}) SELECT {names} FROM batch'  # noqa: S608  names are schema.py's
            run(self._connection, insert)
        finally:
            self._connection.unregister("batch")

    def take_over(self, other: Snapshot, endpoints: Sequence[str]) -> None:
        """Copy what `other` knows of `endpoints`, gaps included; what no array accounts for is left for `finish` to find anew."""
        chosen = list(endpoints)
        for gap in other.gaps:
            if gap.endpoint in endpoints and not is_derived(gap):
                self.add(gap)
        for name, table in TABLES.items():
            if "endpoint" not in table.names or name == "gap":
                continue
            query = f'SELECT * FROM fact."{name}" WHERE list_contains(?, endpoint)'  # noqa: S608  names are schema.py's
            rows = other.connection.cursor().execute(query, [chosen]).fetchnumpy()
            if not len(next(iter(rows.values()))):
                continue
            with self._lock:
                self._connection.register("batch", rows)
                try:
                    self._connection.execute(f'INSERT INTO fact."{name}" SELECT * FROM batch')  # noqa: S608  as above
                finally:
                    self._connection.unregister("batch")

    def take_over_hosts(self, directory: Path, endpoint: str, hosts: Collection[str], topics: Collection[str]) -> None:
        """Copy from the saved snapshot in `directory` what it knows of `hosts` by `topics`, with the time it was read.

        Raises:
            SnapshotError: its files are gone or damaged.
        """
        import duckdb

        if not hosts:
            return
        copied = [(name, "true") for name, source in SOURCES.items() if source.topic in topics]
        try:
            for name, also in (*copied, ("reading", "list_contains($topics, topic)")):
                host = "scope" if name == "reading" else "host_id"
                listed = ", ".join(f'"{column}"' for column in TABLES[name].names)
                source = f"read_parquet({literal(directory / f'{name}.parquet')})"
                chosen = f"endpoint = $endpoint AND {also} AND {host} IN (SELECT unnest($hosts))"
                bound = {"endpoint": endpoint, "hosts": list(hosts), **({"topics": sorted(topics)} if name == "reading" else {})}
                with self._lock:
                    run(
                        self._connection,
                        f'INSERT INTO fact."{name}" ({listed}) SELECT {listed} FROM {source} WHERE {chosen}',  # noqa: S608  names are schema.py's
                        bound,
                    )
        except duckdb.Error as error:
            raise SnapshotError(
                f"{directory}: cannot be read any more ({error})",
                why="the answers that were to be reused are missing.",
                do="audit again without --since.",
            ) from error

    def finish(
        self, readings: tuple[EndpointReading, ...], *, started: datetime, finished: datetime, asked: Needs = EVERYTHING
    ) -> Snapshot:
        """Close the books: a value that is only read from here on.

        What was requested and never answered was not read. What the hosts see and no array accounts for is a gap.
        """
        import duckdb

        self._insert_all()
        readings = self._without_whole_topics_of_huge_numbers(readings)
        readings = self._without_stale_hosts(readings)
        record_unanswered(self._connection, readings, asked)
        try:
            gaps = list(derived_gaps(self._connection, readings, asked))
        except duckdb.OutOfMemoryException:
            lift_limit(self._connection)
            gaps = list(derived_gaps(self._connection, readings, asked))
        for gap in gaps:
            self.add(gap)
        self._insert_all()
        return Snapshot(self._connection, readings, tuple(self._gaps), started, finished, asked)

    def _without_stale_hosts(self, readings: tuple[EndpointReading, ...]) -> tuple[EndpointReading, ...]:
        """The readings, with a note for each old entry of a host that was registered anew; its rows and its gap are left out."""
        stale = stale_hosts(self._connection)
        if not stale:
            return readings
        for name, of_these in rows_of(self._connection, stale):
            self._connection.execute(f'DELETE FROM fact."{name}" WHERE {of_these}')  # noqa: S608  words of stale_hosts.py
        kept = without_gaps_of(self._gaps, stale)
        self._connection.execute("DELETE FROM fact.gap")
        self._gaps.clear()
        for gap in kept:
            self.add(gap)
        return with_notes_of(readings, stale, kept)

    def _without_whole_topics_of_huge_numbers(self, readings: tuple[EndpointReading, ...]) -> tuple[EndpointReading, ...]:
        """The readings, with a gap and an incomplete topic where a number was left out that no column holds."""
        for endpoint, table, column in sorted(self._huge):
            topic = SOURCES[table].topic
            self.add(Gap(endpoint, f"{topic}: {column} of {table}", "a number in the answer is too large for its column"))
            update = "UPDATE fact.reading SET complete = false WHERE endpoint = ? AND topic = ?"
            self._connection.execute(update, [endpoint, topic])
        astray = {endpoint for endpoint, _, _ in self._huge}
        return tuple(replace(reading, complete=False) if reading.name in astray else reading for reading in readings)

    def _insert_all(self) -> None:
        with self._lock:
            for (table, _), columns in self._waiting.items():
                self._insert(Batch(table, columns))
            self._waiting.clear()
