"""The inventory of a saved snapshot: hosts, adapters, devices, paths, datastores, disks and arrays, sheet by sheet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor import __version__
from auditor.facts.snapshot_files import snapshot_fault
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.report.inventory.contents import Contents
from auditor.report.inventory.sheet import needed
from auditor.report.inventory.sheets import SHEETS
from auditor.sql.statements import execute, limit_memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.report.inventory.sheet import Sheet

_ROWS_AT_ONCE = 2_000


@contextmanager
def inventory_of(directory: Path, spill: Path) -> Iterator[Contents]:
    """The inventory of the snapshot in `directory`, for as long as the block goes on.

    Args:
        directory: of a saved snapshot.
        spill: where sorting puts what does not fit into memory; its folder has to be there.

    Raises:
        SnapshotError: the snapshot cannot be read.
    """
    snapshot = _with_all_gaps(load_snapshot(directory))
    limit_memory(snapshot.connection, spill)
    try:
        yield Contents(_about(snapshot), _sheets(snapshot))
    finally:
        snapshot.connection.close()


def _with_all_gaps(read: Snapshot) -> Snapshot:
    """`read` with what it was not asked for as unread, and as gaps among its facts."""
    snapshot = with_unread_gaps(read, needed(SHEETS))
    for gap in snapshot.gaps[len(read.gaps) :]:
        snapshot.connection.execute("INSERT INTO fact.gap (endpoint, what, why) VALUES (?, ?, ?)", [gap.endpoint, gap.what, gap.why])
    return snapshot


def _about(snapshot: Snapshot) -> tuple[tuple[str, Any, str], ...]:
    return (
        ("Made by", f"auditor {__version__}", ""),
        ("Read from (UTC)", snapshot.started, "when reading began"),
        ("Read to (UTC)", snapshot.finished, "when reading ended"),
        ("Endpoints", len(snapshot.readings), "of fleet.yaml, whether they answered or not"),
        ("Gaps", len(snapshot.gaps), "things that could not be read, or were not asked for: the sheet Gaps"),
        ("Empty cells", "not known, or none", "the column Note says which, and why; an empty cell is never 0"),
        ("Sizes", "GiB", "1,073,741,824 bytes"),
    )


def _sheets(snapshot: Snapshot) -> Iterator[tuple[Sheet, Iterator[tuple[Any, ...]]]]:
    for sheet in SHEETS:
        yield sheet, _rows(snapshot.connection, sheet)


def _rows(connection: duckdb.DuckDBPyConnection, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet, fetched as they are iterated.

    Raises:
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    import duckdb

    try:
        answer = execute(connection, sheet.select)
        while rows := answer.fetchmany(_ROWS_AT_ONCE):
            yield from rows
    except duckdb.Error as failure:
        fault = snapshot_fault(connection, failure)
        if fault is None:
            raise
        raise fault from failure
