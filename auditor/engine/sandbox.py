"""An empty database that reaches nothing, for rules that are judged apart from a fleet."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from auditor.facts.views import seal

if TYPE_CHECKING:
    import duckdb


def sandbox() -> duckdb.DuckDBPyConnection:
    """A connection of its own to an empty, sealed database.

    Tables have to be temporary: those no other connection sees, and they are gone when it is closed.
    """
    return _database(os.getpid()).cursor()


@cache
def _database(_process: int) -> duckdb.DuckDBPyConnection:
    """To open one takes 20 ms, longer than to check a rule; a process that was forked has one of its own."""
    import duckdb

    connection = duckdb.connect()
    seal(connection)
    return connection
