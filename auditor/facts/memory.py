"""DuckDB held to an amount of memory, so that a larger fleet takes more of a disk and not of the machine."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import duckdb

COLLECTING_MIB, HELD_MIB, HELD_MIB_A_THREAD = 32, 256, 32
"""What DuckDB may hold while hosts are read, which only adds rows, and while a snapshot is joined and judged; Python and its packages come
on top, some 120 MiB.

Source: benchmarks/evaluate.py: 2.5 million devices with four paths each take 640 MiB when nothing holds them back, and no less time.
"""


def hold(connection: duckdb.DuckDBPyConnection, spill: Path, *, collecting: bool = False) -> None:
    """Hold `connection` to HELD_MIB, or COLLECTING_MIB, and HELD_MIB_A_THREAD more for each thread, until `let_go`.

    What does not fit goes to a folder of its own, whose name begins as `spill` does. It is made when it is needed and gone with the
    connection. A connection that is sealed later may still use it, and be let go.
    """
    row = connection.execute("SELECT current_setting('threads')").fetchone()
    threads = int(row[0]) if row else 1
    # Never one folder for two: the database that made it clears it when it ends, whoever else writes there.
    connection.execute("SET temp_directory = ?", [str(spill.with_name(f"{spill.name}-{secrets.token_hex(4)}"))])
    connection.execute(f"SET memory_limit = '{(COLLECTING_MIB if collecting else HELD_MIB) + HELD_MIB_A_THREAD * threads}MiB'")
    connection.execute("SET allowed_configs = ['memory_limit']")


def let_go(connection: duckdb.DuckDBPyConnection) -> bool:
    """Let it have what it wants again; what is on disk is read from there. Whether it could be done: sealed, it must have been held."""
    import duckdb

    try:
        connection.execute("RESET memory_limit")
    except duckdb.InvalidInputException:
        return False
    return True


def run(connection: duckdb.DuckDBPyConnection, text: str, bound: Mapping[str, Any] | None = None) -> None:
    """Run statements as `execute` does."""
    for statement in connection.extract_statements(text):
        execute(connection, statement, bound)


def execute(
    connection: duckdb.DuckDBPyConnection, statement: str | duckdb.Statement, bound: Mapping[str, Any] | None = None
) -> duckdb.DuckDBPyConnection:
    """Run a statement; one that cannot do with the memory it is held to gets all there is, as do those after it."""
    import duckdb

    try:
        return connection.execute(statement, bound)
    except duckdb.OutOfMemoryException:
        if not let_go(connection):
            raise
        return connection.execute(statement, bound)
