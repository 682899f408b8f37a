"""Whether a rule's examples would notice a mistake in it: each mutant is judged on them, and each that passes unseen is told.

A mutant that no row can tell from the rule is not counted, since no example could notice it. Whether one can is found out by trying: every
row of a grid is judged by both. The grid holds, for each column that either asks of a row, NULL, true and false, the values it has in the
examples, and those that stand in the rule, in its params and in columns of the same type; numbers also one more and one less, none below
zero. All combinations are tried where they are few (ALL_ROWS); else every example with any two of its columns changed. What is told of a
mutant that no example notices is such a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from auditor.engine.checking import bindings
from auditor.engine.mutants import Mutant, mutants_of
from auditor.engine.rule import ParamValue, Rule, RuleSet
from auditor.engine.sql import named, verdict_sql
from auditor.engine.types import Family, family_of, suits
from auditor.facts.views import seal

if TYPE_CHECKING:
    import duckdb

ALL_ROWS = 20_000
_MOST_VALUES = 24
_LITERAL = re.compile(r"'((?:[^']|'')*)'|(?<![\w.$])(\d+(?:\.\d+)?)(?![\w.])")


@dataclass(frozen=True, slots=True)
class Missed:
    """A mistake that no example notices, and a row that would."""

    mutant: Mutant
    row: Mapping[str, Any]  # columns that are not NULL
    by_rule: str  # the verdict of that row
    by_mutant: str | None  # None: it could not be judged


@dataclass(frozen=True, slots=True)
class RuleScore:
    """How many mistakes in a rule its examples notice."""

    rule: str
    noticed: int
    missed: tuple[Missed, ...]
    alike: int  # mistakes that no row can tell from the rule: not counted

    @property
    def percent(self) -> float:
        """Of the mistakes that could be noticed, 0 to 100; 100 when there are none."""
        return percent(self.noticed, len(self.missed))


def percent(noticed: int, missed: int) -> float:
    """The share of `noticed` in both, 0 to 100."""
    return 100.0 * noticed / (noticed + missed) if noticed + missed else 100.0


def score_rules(rules: RuleSet) -> Iterator[RuleScore]:
    """Try every mutant of every rule on the rule's examples."""
    import duckdb

    with duckdb.connect() as connection:
        seal(connection)
        for rule in rules:
            yield _score(connection, rule, rules.views[rule.over])


def _score(connection: duckdb.DuckDBPyConnection, rule: Rule, view: Mapping[str, str]) -> RuleScore:
    mutants = mutants_of(rule, view)
    columns = sorted({column for mutant in mutants for column in mutant.columns} | {c for e in rule.judging for c in e.columns})
    shape = {column: view[column] for column in columns}
    _fill(connection, "example", shape, [example.row for example in rule.examples])
    unseen = _not_noticed(connection, rule, mutants)
    if not unseen:
        return RuleScore(rule.id, len(mutants), (), 0)
    _fill_grid(connection, shape, _values(rule, shape))
    missed = [found for mutant in unseen if (found := _told_apart(connection, rule, mutant, columns)) is not None]
    return RuleScore(rule.id, len(mutants) - len(unseen), tuple(missed), len(unseen) - len(missed))


def _not_noticed(connection: duckdb.DuckDBPyConnection, rule: Rule, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Those that give every example the verdict that the rule gives it."""
    if not mutants:
        return []
    told, bound = [], _bound(rule, [])
    for number, mutant in enumerate(mutants):
        prefix = f"m{number}_"
        verdict = mutant.verdict
        for name, value in bindings(mutant.bound).items():
            verdict = verdict.replace(f"${name}", f"${prefix}{name}")
            bound[f"{prefix}{name}"] = value
        told.append(f"coalesce(bool_or(auditor_verdict IS DISTINCT FROM TRY({verdict})), false)")
    # TRY: what cannot be judged at all is noticed.
    select = f"SELECT {', '.join(told)} FROM (SELECT *, {verdict_sql(rule)} AS auditor_verdict FROM example)"
    row = connection.execute(select, _named_in(select, bound)).fetchone() or ()
    return [mutant for mutant, noticed in zip(mutants, row, strict=True) if not noticed]


def _told_apart(connection: duckdb.DuckDBPyConnection, rule: Rule, mutant: Mutant, columns: Sequence[str]) -> Missed | None:
    """A row that the mutant judges otherwise than the rule; None: there is none."""
    judged = f"SELECT *, TRY({verdict_sql(rule)}) AS auditor_verdict, TRY({mutant.verdict}) AS auditor_mutant FROM grid"
    differs = "auditor_verdict IS NOT NULL AND auditor_verdict IS DISTINCT FROM auditor_mutant"
    select = f"SELECT * FROM ({judged}) WHERE {differs} LIMIT 1"
    row = connection.execute(select, _named_in(select, _bound(rule, [mutant]))).fetchone()
    if row is None:
        return None
    known = {column: value for column, value in zip(columns, row[: len(columns)], strict=True) if value is not None}
    return Missed(mutant, known, row[-2], row[-1])


def _bound(rule: Rule, mutants: Iterable[Mutant]) -> dict[str, Any]:
    values: dict[str, ParamValue] = {name: param.default for name, param in rule.params.items()}
    for mutant in mutants:
        values |= mutant.bound
    return bindings(values)


def _named_in(select: str, bound: Mapping[str, Any]) -> dict[str, Any]:
    """DuckDB refuses a value that the statement does not name."""
    return {name: value for name, value in bound.items() if re.search(rf"\${name}\b", select)}


def _fill(connection: duckdb.DuckDBPyConnection, table: str, shape: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Make a table of these rows; a column that a row leaves out is NULL, one that the shape has not is left out."""
    listed = ", ".join(f"{named(name)} {kind}" for name, kind in shape.items())
    cells = json.dumps([{column: row.get(column) for column in shape} for row in rows])
    connection.execute(f"CREATE OR REPLACE TABLE {table} ({listed})")
    select = "SELECT unnest(from_json_strict($cells, $shape), recursive := true)"
    connection.execute(f"INSERT INTO {table} {select}", {"cells": cells, "shape": json.dumps([dict(shape)])})


def _fill_grid(connection: duckdb.DuckDBPyConnection, shape: Mapping[str, str], values: Mapping[str, Sequence[Any]]) -> None:
    for column, kind in shape.items():
        _fill(connection, named(f"value_{column}"), {column: kind}, [{column: value} for value in values[column]])
    if prod(len(values[column]) for column in shape) <= ALL_ROWS:
        crossed = " CROSS JOIN ".join(named(f"value_{column}") for column in shape)
        listed = ", ".join(named(column) for column in shape)
        connection.execute(f"CREATE OR REPLACE TABLE grid AS SELECT {listed} FROM example UNION ALL SELECT {listed} FROM {crossed}")
        return
    connection.execute("CREATE OR REPLACE TABLE grid AS FROM example")
    for one, other in combinations(shape, 2):
        cells = {one: f"a.{named(one)}", other: f"b.{named(other)}"}
        listed = ", ".join(cells.get(column, f"e.{named(column)}") for column in shape)
        connection.execute(
            f"INSERT INTO grid SELECT {listed} FROM example AS e, {named(f'value_{one}')} AS a, {named(f'value_{other}')} AS b"
        )


def _values(rule: Rule, shape: Mapping[str, str]) -> dict[str, list[Any]]:
    """What each column is tried with, the likeliest first."""
    written = [*_literals(rule), *(item for param in rule.params.values() for item in _items(param.default))]
    result = {}
    for column, kind in shape.items():
        family = family_of(kind)
        own = [example.row[column] for example in rule.examples if column in example.row]
        kin = [example.row[c] for c, k in shape.items() if k == kind and c != column for example in rule.examples if c in example.row]
        found = [value for value in (*own, *written, *kin) if value is not None and suits(value, family)]
        if family is Family.TRUTH:
            found = [True, False]
        elif family is Family.TEXT:
            found.append("")
        elif family in (Family.WHOLE, Family.NUMBER):
            found = [near for value in found for near in (value, value - 1, value + 1) if near >= 0]
        distinct = {json.dumps(value): value for value in found}
        result[column] = [None, *distinct.values()][:_MOST_VALUES]
    return result


def _items(value: ParamValue) -> Iterator[Any]:
    yield from value if isinstance(value, tuple) else (value,)


def _literals(rule: Rule) -> Iterator[Any]:
    for expression in rule.judging:
        for match in _LITERAL.finditer(expression.text):
            if match[2] is None:
                yield match[1].replace("''", "'")
            else:
                yield float(match[2]) if "." in match[2] else int(match[2])
