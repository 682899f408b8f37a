"""Snapshots: the fleet as read at one moment, kept as columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_bytes
from auditor.bounds.limits import MOST_GAPS, STATE_BYTES
from auditor.errors import SnapshotError
from auditor.facts.needs import EVERYTHING, Needs, as_json, from_json
from auditor.facts.schema import TABLES, create_tables
from auditor.facts.snapshot_files import check_files, open_tables, write_tables
from auditor.facts.snapshots.manifest import FORMAT, MANIFEST, PARTITIONED, read_manifest, readings_of
from auditor.facts.snapshots.partitions import gathered, write_partitions
from auditor.facts.snapshots.unanswered import record_unanswered
from auditor.model import EndpointReading, Gap
from auditor.system.files import put_in_place

if TYPE_CHECKING:
    import duckdb

BUGS_FILE = "bugs.txt"
"""Of a saved snapshot: where readings ended in a bug of ours; only where one did."""


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
        """The identity that each endpoint reports, by its name; None where that is not known."""
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
