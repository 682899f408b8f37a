"""Snapshots: the fleet as read at one moment, kept as columns."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_bytes
from auditor.bounds.limits import MOST_GAPS, STATE_BYTES
from auditor.errors import SnapshotError
from auditor.facts.needs import EVERYTHING, SOURCES, Needs, as_json, from_json
from auditor.facts.schema import TABLES, Batch, create_tables
from auditor.facts.snapshot_files import check_files, literal, open_tables, write_tables
from auditor.facts.snapshots.batches import as_arrays, check, without_huge_numbers
from auditor.facts.snapshots.manifest import FORMAT, MANIFEST, PARTITIONED, read_manifest, readings_of
from auditor.facts.snapshots.partitions import gathered, write_partitions
from auditor.facts.snapshots.parts import Part, filled_table_files, insert_tables
from auditor.facts.snapshots.unanswered import record_unanswered
from auditor.model import EndpointReading, Gap
from auditor.sql.statements import lift_limit, limit_memory, run
from auditor.system.files import put_in_place

if TYPE_CHECKING:
    import duckdb

BUGS_FILE = "bugs.txt"
"""Of a saved snapshot: where readings ended in a bug of ours; only where one did."""


ROWS_AN_INSERT = 20_000
"""What waits in Python's own lists at most, for each table: some 20 MB of paths. Source: `make bench-collect BENCH_ARGS=--tables`."""


class SnapshotBuilder:
    """Takes batches from collectors, from any thread, and holds them as DuckDB columns.

    What does not fit into memory goes to the folder `spill`, see memory.py; None: all stays in memory.
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
        from auditor.facts.snapshots.derived_gaps import is_derived

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

        from auditor.facts.snapshots.derived_gaps import derived_gaps

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
        from auditor.facts.snapshots.stale_hosts import rows_of, stale_hosts, with_notes_of, without_gaps_of

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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Typed fact tables of one moment, plus gaps.

    `connection` is a DuckDB connection whose schema `fact` has every table of facts/schema.py.
    """

    connection: duckdb.DuckDBPyConnection
    readings: tuple[EndpointReading, ...]
    gaps: tuple[Gap, ...]
    started: datetime
    finished: datetime
    asked: Needs = EVERYTHING  # what was requested of the endpoints; the rest was not read, whether it is there or not

    @property
    def hosts(self) -> int:
        """ESXi hosts seen, connected or not."""
        row = self.connection.execute("SELECT count(*) FROM fact.host").fetchone()
        return int(row[0]) if row else 0

    @property
    def guests(self) -> int:
        """Guests that said how their disks are set."""
        row = self.connection.execute("SELECT count(*) FROM fact.guest").fetchone()
        return int(row[0]) if row else 0

    @property
    def hosts_by_cluster(self) -> Mapping[tuple[str, str | None], int]:
        """How many of them are in each cluster, by endpoint and cluster; those of an endpoint that are in none are under None."""
        rows = self.connection.execute("SELECT endpoint, cluster, count(*) FROM fact.host GROUP BY ALL").fetchall()
        return {(endpoint, cluster): int(number) for endpoint, cluster, number in rows}

    @property
    def identities(self) -> Mapping[str, str | None]:
        """Who each endpoint is by what it says of itself, by its name; None where that is not known."""
        return {reading.name: reading.identity for reading in self.readings}

    def save(self, directory: Path) -> None:
        """Write one Parquet file a table, and a manifest last, so that a torn snapshot has none.

        Raises:
            SnapshotError: the directory cannot be written, or already holds a snapshot.
        """
        self._save(directory, lambda: {"format": FORMAT, "tables": write_tables(self.connection, directory)})

    def save_partitioned(self, directory: Path) -> None:
        """Write the rows of each endpoint into a folder of its own, as they are kept on an object store, and a manifest last.

        Raises:
            SnapshotError: as of `save`.
        """
        self._save(directory, lambda: {"format": PARTITIONED, "files": write_partitions(self.connection, directory)})

    def _save(self, directory: Path, write: Callable[[], Mapping[str, Any]]) -> None:
        manifest = directory / MANIFEST
        if manifest.exists():
            raise SnapshotError(
                f"{directory} already holds a snapshot",
                why="overwriting it would mix the tables of two moments.",
                do="name an empty directory.",
            )
        try:
            directory.mkdir(parents=True, exist_ok=True)
            written = write()
            bugs = [reading.bug for reading in self.readings if reading.bug is not None]
            if bugs:
                (directory / BUGS_FILE).write_text("\n\n".join(bugs) + "\n", encoding="utf-8")
            partial = manifest.with_suffix(".partial")
            partial.write_text(json.dumps({**self._manifest(), **written}, indent=1), encoding="utf-8")
            put_in_place(partial, manifest)
        except OSError as error:
            raise SnapshotError(
                f"cannot write {directory}: {error}",
                why="the fleet was read and the result is lost.",
                do="check the path and the space left, then collect again.",
            ) from error

    def _manifest(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "started": self.started.isoformat(),
            "finished": self.finished.isoformat(),
            "asked": as_json(self.asked),
            "endpoints": [{**asdict(r), "started": r.started.isoformat(), "finished": r.finished.isoformat()} for r in self.readings],
        }


def holds_snapshot(directory: Path) -> bool:
    """Whether `directory` holds a snapshot that was saved to its end."""
    return (directory / MANIFEST).is_file()


def snapshot_digest(directory: Path) -> str | None:
    """The digest of a saved snapshot, `sha256:` and 64 hex digits: its manifest has one for each table. None where there is none."""
    manifest = directory / MANIFEST
    return f"sha256:{hashlib.sha256(read_bytes(manifest, STATE_BYTES)).hexdigest()}" if manifest.is_file() else None


def load_snapshot(directory: Path, tables: Collection[str] = TABLES) -> Snapshot:
    """Open a saved snapshot. Its tables stay in their files, which have to be there for as long as it is used.

    Those of a partitioned one are gathered into a private folder, one file a table: rules read each table some hundred times.

    The connection may read these files even when it is sealed, and no others. Tables that are not among `tables`, and the views over them,
    must not be used: they are empty.

    Raises:
        SnapshotError: there is none, it is torn, a file is not as it was written, or a newer auditor wrote it.
    """
    import duckdb

    try:
        manifest = read_manifest(directory)
        if manifest["format"] == PARTITIONED:
            directory, digests = gathered(directory, manifest, tables)
        else:
            digests = manifest.get("tables", {})
            check_files(directory, digests, tables)
        connection = duckdb.connect()
        create_tables(connection)
        open_tables(connection, directory.resolve(), tables, digests)
        readings = readings_of(manifest)
        gaps = _saved_gaps(connection)
        started = datetime.fromisoformat(manifest["started"])
        finished = datetime.fromisoformat(manifest["finished"])
        asked = from_json(manifest.get("asked"))
        record_unanswered(connection, readings, asked)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, duckdb.Error) as error:
        raise SnapshotError(
            f"{directory} is not a whole snapshot: {error}",
            why="a snapshot that loads in part reports a clean fleet in part.",
            do="collect again with `auditor collect --fleet PATH --out DIR`.",
        ) from error
    return Snapshot(connection, readings, gaps, started, finished, asked)


def _saved_gaps(connection: duckdb.DuckDBPyConnection) -> tuple[Gap, ...]:
    """The gaps of a saved snapshot, which alone of its tables is held in memory.

    Raises:
        ValueError: there are more, or longer ones, than of any fleet.
    """
    row = connection.execute("SELECT count(*), sum(strlen(endpoint) + strlen(what) + strlen(why)) FROM fact.gap").fetchone()
    count, size = row or (0, 0)
    if count > MOST_GAPS or (size or 0) > STATE_BYTES:
        raise ValueError(f"it lists more than {MOST_GAPS:,} things that could not be read, or {STATE_BYTES >> 20} MiB of them")
    return tuple(Gap(*row) for row in connection.execute("SELECT endpoint, what, why FROM fact.gap").fetchall())
