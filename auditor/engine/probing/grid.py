"""Makes rows that a rule could be given: every value that could change its verdict, in every column it looks at.

The grid holds, for each column, NULL, true and false, the values it has in the examples, and those that stand in the rules, in their params
and in columns of the same type; numbers also one more and one less, none below zero and none that the column cannot hold. All combinations
are made where they are few (ALL_ROWS); else every example with any two of its columns changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.types import Family, family_of, has_room, suits
from auditor.sql.names import named
from auditor.sql.statements import parsed

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.rules.rule import Expression, ParamValue

ALL_ROWS = 20_000
_MOST_VALUES = 24
_LITERAL = re.compile(r"'((?:[^']|'')*)'|(?<![\w.$])(\d+(?:\.\d+)?)(?![\w.])")


def fill(connection: duckdb.DuckDBPyConnection, table: str, shape: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Make a temporary table of these rows. A column that a row lacks is NULL; a column that the shape lacks is left out."""
    # As one JSON text: a statement a row takes longer than all the judging.
    listed = ", ".join(f"{named(name)} {kind}" for name, kind in shape.items())
    cells = json.dumps([{column: row.get(column) for column in shape} for row in rows])
    [empty] = parsed(connection, f"CREATE OR REPLACE TEMP TABLE {table} ({listed})")
    connection.execute(empty)
    select = "SELECT unnest(from_json_strict($cells, $shape), recursive := true)"
    connection.execute(f"INSERT INTO {table} {select}", {"cells": cells, "shape": json.dumps([dict(shape)])})


def fill_grid(connection: duckdb.DuckDBPyConnection, shape: Mapping[str, str], values: Mapping[str, Sequence[Any]]) -> None:
    """Make the temporary table `grid` of the rows of the table `example` and what they become with these values."""
    for column, kind in shape.items():
        fill(connection, named(f"value_{column}"), {column: kind}, [{column: value} for value in values[column]])
    if prod(len(values[column]) for column in shape) <= ALL_ROWS:
        crossed = " CROSS JOIN ".join(named(f"value_{column}") for column in shape)
        listed = ", ".join(named(column) for column in shape)
        connection.execute(f"CREATE OR REPLACE TEMP TABLE grid AS SELECT {listed} FROM example UNION ALL SELECT {listed} FROM {crossed}")
        return
    connection.execute("CREATE OR REPLACE TEMP TABLE grid AS FROM example")
    for one, other in combinations(shape, 2):
        cells = {one: f"a.{named(one)}", other: f"b.{named(other)}"}
        listed = ", ".join(cells.get(column, f"e.{named(column)}") for column in shape)
        connection.execute(
            f"INSERT INTO grid SELECT {listed} FROM example AS e, {named(f'value_{one}')} AS a, {named(f'value_{other}')} AS b"
        )


def values_of(
    shape: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    expressions: Iterable[Expression],
    params: Iterable[ParamValue],
    most: int = _MOST_VALUES,
) -> dict[str, list[Any]]:
    """The values that each column of `shape` is tried with, at most `most`: of rows, of literals in expressions, and of params."""
    written = [*_literals(expressions), *(item for value in params for item in _items(value))]
    result = {}
    for column, kind in shape.items():
        family = family_of(kind)
        own = [row[column] for row in rows if column in row]
        kin = [row[c] for c, k in shape.items() if k == kind and c != column for row in rows if c in row]
        tried = [value for value in (*own, *written, *kin) if value is not None and suits(value, family)]
        if family is Family.TRUTH:
            tried = [True, False]
        elif family is Family.TEXT:
            tried.append("")
        elif family in (Family.WHOLE, Family.NUMBER):
            tried = [near for value in tried for near in (value, value - 1, value + 1) if near >= 0 and has_room(kind, near)]
        distinct = {json.dumps(value): value for value in tried}
        result[column] = [None, *distinct.values()][:most]
    return result


def _items(value: ParamValue) -> Iterator[Any]:
    yield from value if isinstance(value, tuple) else (value,)


def _literals(expressions: Iterable[Expression]) -> Iterator[Any]:
    for expression in expressions:
        for match in _LITERAL.finditer(expression.text):
            if match[2] is None:
                yield match[1].replace("''", "'")
            else:
                yield float(match[2]) if "." in match[2] else int(match[2])
