"""Questions in SQL over what a run or a snapshot has read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.engine.asking import FINDING, Question, about_failure, question
from auditor.errors import ConfigurationError, SnapshotError
from auditor.facts.needs import needs
from auditor.facts.snapshot import load_snapshot
from auditor.facts.unread import told_unread
from auditor.facts.views import RESOURCE_COLUMNS, create_views, seal, unreadable

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.snapshot import Snapshot

_CHUNK_ROWS = 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got."""

    columns: tuple[tuple[str, str], ...]  # name and DuckDB type
    rows: Iterator[tuple[Any, ...]]  # read as they are asked for
    gaps: int  # things that could not be read at all
    unread: tuple[str, ...]  # what the question rests on and that run did not ask for, an endpoint each


@contextmanager
def answered(
    text: str, snapshot: Path, spill: Path, findings: Path | None = None, timeout_seconds: float | None = None
) -> Iterator[Answer]:
    """The answer to one SELECT over a saved snapshot, for as long as the block goes on.

    Args:
        text: the SELECT.
        snapshot: the snapshot's directory.
        spill: where joins put what does not fit into memory; gone afterwards.
        findings: the file of a run's findings; None: there is no table `finding`.
        timeout_seconds: from the first step to the last row; None: no end.

    Raises:
        ConfigurationError: the question cannot be asked, or is not answered in that time.
        SnapshotError: what it is asked of cannot be read.
    """
    asked = question(text, findings=findings is not None)
    opened = load_snapshot(snapshot)
    before = len(opened.gaps)
    opened = _as_unread(opened, asked)
    with opened.connection as connection, _ended_after(connection, timeout_seconds) as late:
        with _told(asked, late, timeout_seconds):
            told = _opened_findings(connection, findings) if findings is not None else ()
            create_views(connection, spill, asked.views)
            seal(connection)
        with _told(asked, late, timeout_seconds, told):
            # On the connection itself: what is interrupted is one connection, and a cursor is another.
            cursor = connection.execute(asked.text)
            columns = tuple((row[0], str(row[1])) for row in cursor.description or ())
        unread = tuple(f"{gap.endpoint}: {gap.what}" for gap in opened.gaps[before:])
        yield Answer(columns, _rows(cursor, asked, late, timeout_seconds), before, unread)


def _as_unread(snapshot: Snapshot, asked: Question) -> Snapshot:
    """`snapshot` with what the question rests on and was never asked for counted as unread."""
    from auditor.engine.lineage import rests_on

    rests = rests_on([(view, {*RESOURCE_COLUMNS, *columns}) for view, columns in asked.views.items()])
    return told_unread(snapshot, needs(rests.columns, rests.topics))


def _opened_findings(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, ...]:
    """Open the file of findings as a view; answers its columns."""
    row = connection.execute("SELECT current_setting('allowed_paths')").fetchone()
    place = str(path.resolve()).replace("'", "''")
    try:
        connection.execute(f"CREATE VIEW {FINDING} AS FROM read_parquet('{place}')")
    except _io_error() as failure:
        raise unreadable(failure) from failure
    connection.execute("SET allowed_paths = ?", [[*(row[0] if row else ()), str(path.resolve())]])
    return tuple(found[0] for found in connection.execute(f"DESCRIBE {FINDING}").fetchall())


def _rows(cursor: Any, asked: Question, late: threading.Event, timeout_seconds: float | None) -> Iterator[tuple[Any, ...]]:
    while True:
        with _told(asked, late, timeout_seconds):
            chunk = cursor.fetchmany(_CHUNK_ROWS)
        if not chunk:
            return
        yield from chunk


@contextmanager
def _ended_after(connection: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[threading.Event]:
    """Interrupt whatever `connection` is doing when the time is up; the event tells that it was."""
    late, done = threading.Event(), threading.Event()

    def end() -> None:
        if done.wait(seconds):
            return
        late.set()
        # Again and again: what is interrupted between two steps goes on with the next.
        while not done.wait(0.05):
            connection.interrupt()

    watch = threading.Thread(target=end, name="query-timeout", daemon=True) if seconds is not None else None
    if watch is not None:
        watch.start()
    try:
        yield late
    finally:
        done.set()
        if watch is not None:
            watch.join()


@contextmanager
def _told(asked: Question, late: threading.Event, seconds: float | None, findings: tuple[str, ...] = ()) -> Iterator[None]:
    import duckdb

    if late.is_set():
        raise _too_late(seconds)
    try:
        yield
    except duckdb.Error as failure:
        if late.is_set():
            raise _too_late(seconds) from failure
        if isinstance(failure, duckdb.IOException):
            raise unreadable(failure) from failure
        raise about_failure(failure, asked, findings) from failure
    except SnapshotError as failure:
        if late.is_set():
            raise _too_late(seconds) from failure
        raise
    except RuntimeError as failure:
        # What DuckDB's Python package makes of Ctrl-C while a statement runs.
        if "interrupted" in str(failure).lower():
            raise KeyboardInterrupt from failure
        raise


def _too_late(seconds: float | None) -> ConfigurationError:
    return ConfigurationError(
        f"the query was not answered in {seconds:g} seconds",
        why="it was stopped; rows shown before this are not all.",
        do="ask for less, or give it longer: --timeout SECONDS, 0 for no end.",
    )


def _io_error() -> type[Exception]:
    import duckdb

    return duckdb.IOException
