"""Queries in SQL over the facts of a run or a snapshot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from auditor.bounds.files import json_of
from auditor.bounds.process import too_slow
from auditor.engine.verdicts import STORED
from auditor.errors import ConfigurationError
from auditor.facts.catalog import needs_of_columns
from auditor.facts.plugin_views import create_plugin_views, own_views_below, plugin_views
from auditor.facts.snapshot_files import snapshot_fault
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.views import RESOURCE_COLUMNS, create_views, seal
from auditor.inspect.query_guard import FINDING, Question, about_failure, question
from auditor.report.finding_ids import id_sql, identities_of
from auditor.sql.names import quoted

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.snapshots.snapshot import Snapshot

_CHUNK_ROWS = 1024
_INTERRUPT_EVERY_SECONDS = 0.05
_STOP_SECONDS = 2.0
"""How long a query may go on after it was interrupted; then it is left alone.

DuckDB looks for an interruption between batches of rows: one long expression is computed to its end.
"""
_WORKER_NAME = "auditor-query"
_T = TypeVar("_T")
_Step: TypeAlias = "tuple[Future[Any], Callable[[], Any]]"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query."""

    columns: tuple[tuple[str, str], ...]  # name and DuckDB type
    rows: Iterator[tuple[Any, ...]]  # fetched as they are iterated
    gaps: int  # how many things could not be read at all
    unread: tuple[str, ...]  # facts that the query needs and the run did not read, a sentence for each endpoint


@contextmanager
def run_query(
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
        ConfigurationError: the query is refused, or not answered in that time.
        SnapshotError: the snapshot or the findings cannot be read.
    """
    query = question(text, findings=findings is not None)
    opened = load_snapshot(snapshot)
    before = len(opened.gaps)
    opened = _with_unread(opened, query)
    unread = tuple(f"{gap.endpoint}: {gap.what}" for gap in opened.gaps[before:])
    with _working(opened.connection, timeout_seconds) as work:
        connection = work.connection

        def prepare() -> None:
            own, of_plugins = own_views_below(query.views)
            create_views(connection, spill, own)
            seal(connection)
            for name, why in create_plugin_views(connection, of_plugins).items():
                raise ConfigurationError(
                    f"the view {name} of {plugin_views().views[name].plugin} cannot be computed: {why}",
                    why="the query was not run.",
                    do="ask the views of auditor alone, and tell the author of the plugin.",
                )

        def begin() -> tuple[tuple[str, str], ...]:
            # On the connection itself: what is interrupted is one connection, and a cursor is another.
            connection.execute(query.text)
            return tuple((row[0], str(row[1])) for row in connection.description or ())

        if findings is not None:
            with _explained(query, connection):
                _open_findings(connection, findings, identities_of(opened.identities.items()))
        work.done(prepare)  # a view that cannot be computed is no fault of the query
        with _explained(query, connection):
            columns = work.done(begin)
        yield Answer(columns, _rows(connection, query, work), before, unread)


def is_left_running() -> bool:
    """Whether DuckDB is at a query that could not be interrupted and was left alone; the process must not wait for it."""
    return any(thread.name == _WORKER_NAME for thread in threading.enumerate())


@contextmanager
def _working(connection: duckdb.DuckDBPyConnection, timeout_seconds: float | None) -> Iterator[_Work]:
    """A thread for the work of the block. The connection is closed afterwards, but for one that is still at work."""
    steps: SimpleQueue[_Step | None] = SimpleQueue()
    # No executor: Python waits for the threads of those when it ends.
    worker = threading.Thread(target=_do, args=(steps,), name=_WORKER_NAME, daemon=True)
    worker.start()
    try:
        yield _Work(connection, steps, timeout_seconds, time.monotonic())
    finally:
        steps.put(None)
        worker.join(_STOP_SECONDS)
        if not worker.is_alive():
            connection.close()


def _do(steps: SimpleQueue[_Step | None]) -> None:
    """Do each step that is put into the queue, up to None."""
    while (step := steps.get()) is not None:
        future, act = step
        try:
            future.set_result(act())
        except BaseException as error:  # noqa: BLE001  it is raised where the step was asked for
            future.set_exception(error)


@dataclass(frozen=True, slots=True)
class _Work:
    """Does what DuckDB does beside this thread, which so hears Ctrl-C whatever DuckDB is at, and knows when its time is up."""

    connection: duckdb.DuckDBPyConnection
    steps: SimpleQueue[_Step | None]
    timeout_seconds: float | None
    started: float  # time.monotonic

    def done(self, step: Callable[[], _T]) -> _T:
        """What `step` answers.

        Raises:
            ConfigurationError: the time is up; `step` was interrupted.
        """
        left = None if self.timeout_seconds is None else max(0.0, self.started + self.timeout_seconds - time.monotonic())
        future: Future[_T] = Future()
        self.steps.put((future, step))
        try:
            if not wait([future], left).done:
                raise too_slow(self.timeout_seconds or 0.0)
        finally:
            # Again and again: what is interrupted between two statements goes on with the next.
            give_up = time.monotonic() + _STOP_SECONDS
            while not future.done() and time.monotonic() < give_up:
                self.connection.interrupt()
                wait([future], _INTERRUPT_EVERY_SECONDS)
        return future.result()


def _with_unread(snapshot: Snapshot, query: Question) -> Snapshot:
    """`snapshot` with the facts that the query needs, and the run did not read, marked as unread."""
    return with_unread_gaps(snapshot, needs_of_columns((view, {*RESOURCE_COLUMNS, *columns}) for view, columns in query.views.items()))


def _open_findings(connection: duckdb.DuckDBPyConnection, path: Path, identities: Mapping[str, str]) -> None:
    """Open the file of findings as a view that may be read when the connection is sealed.

    A column that an older auditor did not write is NULL. `id` is what reports show and `auditor explain` takes; it is never kept, so it is
    made of the others, of `identities` (auditor/report/finding_ids.py) and of the view that the rule was judged over.
    """
    row = connection.execute("SELECT current_setting('allowed_paths')").fetchone()
    place = str(path.resolve())
    written = {name for name, *_ in connection.execute(f"DESCRIBE FROM read_parquet({quoted(place)})").fetchall()}
    added = "".join(f", CAST(NULL AS {kind}) AS {name}" for name, kind in STORED.items() if name not in written)
    for name, pairs in (("rule_kind", _kinds(connection, place)), ("endpoint_who", identities)):
        connection.execute(f"CREATE TEMP TABLE auditor_{name} AS SELECT unnest(?) AS a, unnest(?) AS b", [[*pairs], [*pairs.values()]])
    made = id_sql("f.rule", "coalesce(w.b, f.endpoint)", "k.b", "f.resource_id")
    connection.execute(
        f"CREATE TEMP VIEW {FINDING} AS SELECT f.*{added}, {made} AS id FROM read_parquet({quoted(place)}) AS f "  # noqa: S608  our names
        "LEFT JOIN auditor_rule_kind AS k ON k.a = f.rule LEFT JOIN auditor_endpoint_who AS w ON w.a = f.endpoint"
    )
    connection.execute("SET allowed_paths = ?", [[*(row[0] if row else ()), place]])


def _kinds(connection: duckdb.DuckDBPyConnection, place: str) -> dict[str, str]:
    """The view that each rule was judged over, by the rule; none where the file does not name it."""
    row = connection.execute("SELECT value FROM parquet_kv_metadata(?) WHERE key = 'auditor'", [place]).fetchone()
    rules = json_of(row[0])["rules"] if row else {}
    return {rule: about["kind"] for rule, about in rules.items()}


def _rows(connection: duckdb.DuckDBPyConnection, query: Question, work: _Work) -> Iterator[tuple[Any, ...]]:
    while True:
        with _explained(query, connection):
            chunk = work.done(lambda: connection.fetchmany(_CHUNK_ROWS))
        if not chunk:
            return
        yield from chunk


@contextmanager
def _explained(query: Question, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Raise what DuckDB refuses as errors of ours: the snapshot's files are damaged, or else the query is wrong."""
    import duckdb

    try:
        yield
    except duckdb.Error as failure:
        raise snapshot_fault(connection, failure) or about_failure(failure, query) from failure
