"""The rows of one view over rows of the tables and steps that it reads: a test of its own SQL, and of nothing below it.

A view of `fleets.view` is computed from facts through every step; here the rows of the steps are put in as they are, so that any
combination of them takes one row and not a fleet. What is put in has to be what the step can give.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import duckdb

from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from auditor.facts.views import view_sql
from auditor.sql.statements import parsed

Rows = list[dict[str, Any]]
ByName = dict[str, dict[str, Any]]
Keyed = dict[tuple[Any, ...], dict[str, Any]]


class _Empty:
    """A database with the fact tables and, as they are needed, tables in the form of steps and views; all of them without rows."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.execute("PRAGMA disable_optimizer")  # planning takes longer than a few rows do
        create_tables(self.connection)
        create_macros(self.connection)
        self._made = set[str]()
        self._filled = set[str]()

    def fill(self, view: str, tables: Mapping[str, Rows]) -> None:
        """Leave nothing but these rows in what a view reads."""
        for name in with_dependencies(set(catalog().views[view].rests_on)):
            if name not in self._made:
                self.connection.execute(f"CREATE TABLE {name} AS {view_sql(name).strip().removesuffix(';')}\nWITH NO DATA")
                self._made.add(name)
        for name in self._filled:
            self.connection.execute(f"DELETE FROM {name}")
        self._filled = set(tables)
        for name, rows in tables.items():
            self._insert(name, rows)

    def _insert(self, name: str, rows: Rows) -> None:
        columns = sorted({column for row in rows for column in row})
        if columns:
            places = ", ".join(f"({', '.join('?' * len(columns))})" for _ in rows)
            values = [row.get(column) for row in rows for column in columns]
            self.connection.execute(f"INSERT INTO {name} ({', '.join(columns)}) VALUES {places}", values)


@cache
def _database() -> _Empty:
    return _Empty()


def rows_over(view: str, tables: Mapping[str, Rows]) -> Rows:
    """The rows of a view in the order of their resources, over these rows of fact tables ("fact.host") and steps ("step_volume")."""
    database = _database()
    try:
        database.fill(view, tables)
    except BaseException:  # raised again; whatever it was, what is filled and made is not known
        _database.cache_clear()
        raise
    return _computed(database.connection, view)


def _computed(connection: duckdb.DuckDBPyConnection, view: str) -> Rows:
    order = "endpoint, resource_id" if not view.startswith("step_") else "ALL"
    [statement] = parsed(connection, f"SELECT * FROM ({view_sql(view).strip().removesuffix(';')}) ORDER BY {order}")
    answer = connection.execute(statement)
    columns = [column[0] for column in answer.description or []]
    return [dict(zip(columns, row, strict=True)) for row in answer.fetchall()]


def shown(rows: Rows, expected: ByName) -> ByName:
    """By resource, the columns that are expected of it; its endpoint goes before its id where that is not "vc". Every row counts."""
    answer: ByName = {}
    for row in rows:
        name = row["resource_id"] if row["endpoint"] == "vc" else f"{row['endpoint']}/{row['resource_id']}"
        while name in answer:
            name += " again"
        answer[name] = {column: row[column] for column in expected.get(name, ())}
    return answer


def by(view: str, keys: str, tables: Mapping[str, Rows]) -> Keyed:
    """The rows of a step by these columns, and without them; each key comes once."""
    rows = rows_over(view, tables)
    names = keys.split()
    keyed = {tuple(row[name] for name in names): {column: value for column, value in row.items() if column not in names} for row in rows}
    assert len(keyed) == len(rows)
    return keyed


def chained(view: str, tables: Mapping[str, Rows], *steps: str) -> Rows:
    """As `rows_over`, where the rows of `steps` are computed first, one after the other, from these tables."""
    found = dict(tables)
    for name in (*steps, view):
        below = with_dependencies(set(catalog().views[name].rests_on))
        rows = rows_over(name, {table: rows for table, rows in found.items() if table.startswith("fact.") or table in below})
        found[name] = rows
    return found[view]


def of_vc(*rows: dict[str, Any]) -> Rows:
    """These rows; those that name no endpoint are of the vCenter "vc"."""
    return [{"endpoint": "vc", **row} for row in rows]
