"""Statements that need not wait for each other, several at once on one database."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    import duckdb

T = TypeVar("T")

MOST = 4
"""Statements at once. DuckDB spreads a large one over all cores by itself, but plans each on one core, and runs a small one on one.

Source: benchmarks/evaluate.py: on two cores two at once took a fifth less time than one.
"""


def at_once(connection: duckdb.DuckDBPyConnection, tasks: Sequence[Callable[[duckdb.DuckDBPyConnection], T]]) -> list[T]:
    """What each task answers, in their order; each has a cursor of its own. Of several that fail, the first one's error is raised."""

    def done(task: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        with side.cursor() as cursor:
            return task(cursor)

    with _sides(connection) as side:
        return list(side.pool.map(done, tasks))


def as_they_rest(
    connection: duckdb.DuckDBPyConnection,
    rests_on: Mapping[str, set[str]],
    make: Callable[[duckdb.DuckDBPyConnection, str], None],
    by_itself: Callable[[duckdb.DuckDBPyConnection, str], None],
    largest: Collection[str] = (),
) -> None:
    """Make everything that `rests_on` names, nothing before all that it rests on is made; each with a cursor of its own.

    What runs out of memory beside others is made once more `by_itself`, when they are done; `largest` are so from the start. Where one
    fails otherwise, none is begun any more, and its error is raised.

    Raises:
        ValueError: something rests on what `rests_on` does not name (a bug).
    """
    from concurrent.futures import FIRST_COMPLETED, wait
    from graphlib import TopologicalSorter

    import duckdb

    def made(name: str) -> tuple[str, bool]:
        if name in largest:
            return name, False
        with side.cursor() as cursor:
            try:
                make(cursor, name)
            except duckdb.OutOfMemoryException:
                return name, False
        return name, True

    strangers = set[str]().union(*rests_on.values()) - rests_on.keys()
    if strangers:
        raise ValueError(f"nobody says what these rest on: {sorted(strangers)}")
    order = TopologicalSorter(rests_on)
    order.prepare()
    running: set[Future[tuple[str, bool]]] = set()
    left: list[str] = []
    with _sides(connection) as side:
        while order.is_active():
            running |= {side.pool.submit(made, name) for name in order.get_ready()}
            if not running:
                with side.cursor() as cursor:
                    by_itself(cursor, left[0])
                order.done(left.pop(0))
                continue
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for name, is_made in [future.result() for future in ended]:
                if is_made:
                    order.done(name)
                else:
                    left.append(name)


class _Sides:
    """Threads, and the cursors that they use just now."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, pool: ThreadPoolExecutor) -> None:
        self.pool = pool
        self._connection = connection
        self._in_use: list[duckdb.DuckDBPyConnection] = []
        self._moment = Event()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._connection.cursor() as cursor:
            self._in_use.append(cursor)
            try:
                yield cursor
            finally:
                self._in_use.remove(cursor)

    def stop(self) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)
        while in_use := list(self._in_use):
            for cursor in in_use:
                cursor.interrupt()
            self._moment.wait(0.02)  # one that was between two statements begins the next


@contextmanager
def _sides(connection: duckdb.DuckDBPyConnection) -> Iterator[_Sides]:
    """What fails, or a Ctrl-C, ends the statements of all: DuckDB itself looks out for signals in the main thread only."""
    from concurrent.futures import ThreadPoolExecutor

    row = connection.execute("SELECT current_setting('threads')").fetchone()
    with ThreadPoolExecutor(min(MOST, int(row[0]) if row else 1)) as pool:
        side = _Sides(connection, pool)
        try:
            yield side
        except BaseException:
            side.stop()
            raise
