"""The rows of a view over facts, from one database for each process, in which only what the facts changed is made anew.

A new database, all tables and all steps cost each test 0.2 s of processor time, and the facts of two tests differ in a few rows.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import Any

import duckdb

from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.device_classes import CLASSIFIED
from auditor.facts.macros import create_macros
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.views import view_sql
from auditor.sql.query_planning import plan_for_few_facts
from auditor.sql.statements import parsed

_Rows = list[dict[str, Any]]


class FactTables:
    """A database of facts that is filled again and again."""

    def __init__(self) -> None:
        self._builder = SnapshotBuilder()
        self._connection = self._builder.so_far()
        self._filling = 0
        self._texts: dict[str, str] = {}
        self._of: dict[str, int] = {}

    def holding(self, facts: dict[str, _Rows]) -> duckdb.DuckDBPyConnection:
        """The database with these facts and no others; every row of them is whole."""
        self._fill(facts)
        return self._connection

    def _fill(self, facts: dict[str, _Rows]) -> None:
        """Fill the fact tables whose rows are not those they have."""
        self._filling += 1
        for table in sorted(facts.keys() | self._texts.keys()):
            rows = facts.get(table, [])
            if repr(rows) != self._texts.get(table, "[]"):
                self._connection.execute(f'DELETE FROM fact."{table}"')
                columns = sorted({column for row in rows for column in row})
                if rows:
                    self._builder.add(Batch(table, {column: [row.get(column) for row in rows] for column in columns}))
                self._texts[table] = repr(rows)
                self._of[f"fact.{table}"] = self._filling
        self._builder.so_far()


class _Prepared(FactTables):
    """Besides the facts the views that were asked for so far, each with the number of the filling that it is of."""

    def __init__(self) -> None:
        super().__init__()
        create_macros(self._connection)
        plan_for_few_facts(self._connection)

    def connection(self, views: Collection[str], facts: dict[str, _Rows]) -> duckdb.DuckDBPyConnection:
        self._fill(facts)
        classes = {CLASSIFIED["device"].classes} if "device" in views else set()
        for view in with_dependencies({*views, *classes}):
            self._make(view)
        return self._connection

    def _make(self, view: str) -> None:
        """Make a view or step where it is older than what it reads: as a table, as auditor does where facts are few (`create_views`)."""
        about, sql = catalog().views[view], view_sql(view)
        newest = max((self._of.get(source, 0) for source in (*about.rests_on, *_facts(sql))), default=0)
        if view not in self._of or self._of[view] < newest:
            [statement] = parsed(self._connection, f"CREATE OR REPLACE TABLE {view} AS\n{sql}")
            self._connection.execute(statement)
        self._of[view] = newest


@cache
def _database() -> _Prepared:
    return _Prepared()


@cache
def _facts(sql: str) -> frozenset[str]:
    return frozenset(re.findall(r"\bfact\.\w+", sql))


def connection_with(views: Collection[str], facts: dict[str, _Rows]) -> duckdb.DuckDBPyConnection:
    """The database with these views over these facts, each row of them whole; as it is until it is asked for again."""
    try:
        return _database().connection(views, facts)
    except BaseException:  # raised again; whatever it was, what is filled and made is not known
        _database.cache_clear()
        raise


def rows_of_view(name: str, facts: dict[str, _Rows]) -> _Rows:
    """The rows of the view in the order of their resources, over these facts, each row of them whole."""
    return listed(connection_with({name}, facts).execute(f'SELECT * FROM "{name}" ORDER BY endpoint, resource_id'))


def listed(answer: duckdb.DuckDBPyConnection) -> _Rows:
    """The rows of an answer, by column."""
    columns = [column[0] for column in answer.description or []]
    return [dict(zip(columns, row, strict=True)) for row in answer.fetchall()]
