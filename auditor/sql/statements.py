"""How statements are run: within a limit of memory, so that a larger fleet takes more disk; interruptible; parsed once in a process."""

from __future__ import annotations

import os
import secrets
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path

    import duckdb

COLLECTING_MIB, JUDGING_MIB, MIB_A_THREAD = 32, 256, 32
"""MiB that DuckDB may use while hosts are read, which only adds rows, and while a snapshot is joined and judged.

Python and its packages take some 120 MiB more.

Source: benchmarks/evaluate.py: 2.5 million devices with four paths each take 640 MiB when nothing holds them back, and no less time.
"""

_INTERRUPT_EVERY_SECONDS = 0.02

_KEPT_STATEMENTS = 512
"""How many statements a process keeps parsed, some 60 kB each: those of an audit by all rules are 300. A fix judges again, and so do tests.

Source: docs/performance.md, "A small audit".
"""


def limit_memory(connection: duckdb.DuckDBPyConnection, spill: Path, *, collecting: bool = False) -> None:
    """Limit `connection` to JUDGING_MIB, or COLLECTING_MIB, and MIB_A_THREAD more for each thread, until `lift_limit`.

    What does not fit goes to a folder of its own, whose name begins as `spill` does. It is made when it is needed and removed with the
    connection. A connection that is sealed later may still use it, and its limit can still be lifted.
    """
    row = connection.execute("SELECT current_setting('threads')").fetchone()
    threads = int(row[0]) if row else 1
    # Never one folder for two: the database that made it clears it when it ends, even if others write there too.
    connection.execute("SET temp_directory = ?", [str(spill.with_name(f"{spill.name}-{secrets.token_hex(4)}"))])
    connection.execute(f"SET memory_limit = '{(COLLECTING_MIB if collecting else JUDGING_MIB) + MIB_A_THREAD * threads}MiB'")
    connection.execute("SET allowed_configs = ['memory_limit']")


def lift_limit(connection: duckdb.DuckDBPyConnection) -> bool:
    """Let `connection` use the memory it wants again. False where that is refused: it was sealed without `limit_memory` before."""
    import duckdb

    try:
        connection.execute("RESET memory_limit")
    except duckdb.InvalidInputException:
        return False
    return True


def run(connection: duckdb.DuckDBPyConnection, text: str, bound: Mapping[str, Any] | None = None) -> None:
    """Run statements as `execute` does."""
    for statement in parsed(connection, text):
        execute(connection, statement, bound)


def execute(
    connection: duckdb.DuckDBPyConnection, statement: str | duckdb.Statement, bound: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Run a statement; where the limit is too small for it, lift the limit and run it again. A Ctrl-C ends it."""
    import duckdb

    if isinstance(statement, str) and len(statements := parsed(connection, statement)) == 1:
        [statement] = statements
    try:
        return _interruptible(connection, statement, bound)
    except duckdb.OutOfMemoryException:
        if not lift_limit(connection):
            raise
        return _interruptible(connection, statement, bound)


_statements: dict[str, Sequence[duckdb.Statement]] = {}
_statements_lock = threading.Lock()


def parsed(connection: duckdb.DuckDBPyConnection, text: str) -> Sequence[duckdb.Statement]:
    """The statements of a text. To parse those of a small audit takes as long as to plan or to run them, and running changes none.

    Raises:
        duckdb.ParserException: it is no SQL.
    """
    with _statements_lock:
        statements = _statements.pop(text, None)
    if statements is None:
        statements = connection.extract_statements(text)
    with _statements_lock:
        _statements[text] = statements  # the last one is the one that was used last
        while len(_statements) > _KEPT_STATEMENTS:
            del _statements[next(iter(_statements))]
    return statements


def _interruptible(
    connection: duckdb.DuckDBPyConnection, statement: str | duckdb.Statement, bound: Mapping[str, Any] | None
) -> duckdb.DuckDBPyConnection:
    """Run a statement beside the main thread, which alone receives signals: DuckDB 2.0 that is signalled in it does not return."""
    if threading.current_thread() is not threading.main_thread():
        return connection.execute(statement, bound)
    job = _Job(connection, statement, bound)
    try:
        return _worker(os.getpid()).submit(job).result()
    finally:
        job.end()


class _Job:
    """One statement for the worker. A Ctrl-C may come at any moment, also before it is known whether the worker has it already."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, statement: str | duckdb.Statement, bound: Mapping[str, Any] | None) -> None:
        self._connection, self._statement, self._bound = connection, statement, bound
        self._lock = threading.Lock()
        self._over = False  # nobody waits for it any more: it must not begin
        self._stopped = threading.Event()
        self._stopped.set()

    def __call__(self) -> duckdb.DuckDBPyConnection:
        """Run the statement, in the worker."""
        with self._lock:
            if self._over:
                return self._connection
            self._stopped.clear()
        try:
            return self._connection.execute(self._statement, self._bound)
        finally:
            self._stopped.set()

    def end(self) -> None:
        """Return when the statement does not run and will not begin; one that runs is interrupted."""
        with self._lock:
            self._over = True
        while not self._stopped.wait(0):  # again and again: an interrupt before the statement began is lost
            self._connection.interrupt()
            self._stopped.wait(_INTERRUPT_EVERY_SECONDS)


@cache
def _worker(_process: int) -> ThreadPoolExecutor:
    """The thread that runs the main thread's statements; a process that was forked has one of its own."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1)
