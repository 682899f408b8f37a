"""How DuckDB runs statements where a fleet has few facts: then planning two hundred of them is most of what judging takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb

FEW_ROWS = 20_000
"""Up to some thousand devices with their paths. Judging takes four fifths of the time there; with 12,000 devices it takes a tenth longer.

Source: docs/performance.md, "A small audit".
"""

ONE_THREAD_ROWS = 500_000
"""Up to so many rows in the largest tables one thread joins and judges. With a second one statements take no less time, and a seventh
more of the processor. Beyond, a machine of many cores may gain.

Source: docs/performance.md, "One thread".
"""

_KEPT = ("filter_pushdown",)
"""What DuckDB goes on to do for a better plan: it makes a join of two lists and a condition in WHERE, as a user's query may have them."""

_LARGEST = ("device", "path", "host_option", "vm_disk", "array_volume")


def plan_for_few_facts(connection: duckdb.DuckDBPyConnection) -> bool:
    """Where `connection` holds few facts, plan statements as they are written. Answers whether it does.

    One thread runs the statements of few facts, and of some more (ONE_THREAD_ROWS). The views name what has one row a resource first, so
    their order of joins is a good one; to search for a better plan takes a third of the time of joining a small fleet. With millions of
    devices the search gains more than it costs. To be called before the connection is sealed.

    Source: docs/performance.md, "A small audit".
    """
    counts = ", ".join(f"(SELECT count(*) FROM fact.{table})" for table in _LARGEST)  # noqa: S608  names are ours
    rows = int(sum(execute(connection, f"SELECT {counts}").fetchall()[0]))
    if rows <= ONE_THREAD_ROWS:
        connection.execute("SET threads = 1")
    are_few = rows <= FEW_ROWS
    if are_few:
        searches = [name for (name,) in execute(connection, "SELECT name FROM duckdb_optimizers()").fetchall() if name not in _KEPT]
        connection.execute(f"SET disabled_optimizers = '{','.join(sorted(searches))}'")
    return are_few
