"""An earlier run's facts of one endpoint, as a value for another process; see earlier.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.schema import create_tables
from auditor.facts.snapshots.earlier import RESTED_ON, Earlier
from auditor.facts.snapshots.parts import insert_tables, table_files
from auditor.facts.snapshots.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from auditor.facts.needs import Needs
    from auditor.model import EndpointReading


@dataclass(frozen=True, slots=True)
class EarlierPart:
    """An `Earlier`, as far as it is about one endpoint.

    Attributes:
        readings: that of the endpoint; empty where the earlier run did not know it.
        tables: Parquet files of all tables of RESTED_ON, also of those without rows.
        run, not_before, not_after, touched: as of an `Earlier`.
        asked, started, finished: as of its snapshot.
    """

    run: str
    readings: tuple[EndpointReading, ...]
    tables: Mapping[str, bytes]
    asked: Needs
    started: datetime
    finished: datetime
    not_before: datetime
    not_after: datetime
    touched: frozenset[tuple[str, str]]


def earlier_part(earlier: Earlier, endpoint: str) -> EarlierPart:
    """What `earlier` knows of the endpoint of that name."""
    snapshot = earlier.snapshot
    return EarlierPart(
        run=earlier.run,
        readings=tuple(reading for reading in snapshot.readings if reading.name == endpoint),
        tables=table_files(snapshot.connection.cursor(), RESTED_ON, endpoint),
        asked=snapshot.asked,
        started=snapshot.started,
        finished=snapshot.finished,
        not_before=earlier.not_before,
        not_after=earlier.not_after,
        touched=frozenset(one for one in earlier.touched if one[0] == endpoint),
    )


def earlier_in(part: EarlierPart, directory: Path) -> Earlier:
    """The earlier run as it is rested on here; its files are in `directory`, which has to be there for as long."""
    import duckdb

    directory.mkdir()
    for name, content in part.tables.items():
        (directory / f"{name}.parquet").write_bytes(content)
    connection = duckdb.connect()
    create_tables(connection)
    insert_tables(connection, part.tables)
    snapshot = Snapshot(connection, part.readings, (), part.started, part.finished, part.asked)
    return Earlier(part.run, directory, snapshot, part.not_before, part.not_after, part.touched)
