"""Finds out whether a rule's examples would notice a mistake in it: they are judged by each mutant, and unnoticed mutants are reported.

A mutant that gives every row the verdict of the rule is not counted, since no example could notice it. To find such a row, both judge every
row of a grid (grid.py) over the columns that either of them names. A mutant that no example notices is reported with one of these rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.authoring.mutants import Mutant, mutants_of
from auditor.engine.probing.grid import fill, fill_grid, values_of
from auditor.engine.rules.params import bindings
from auditor.engine.rules.rule import ParamValue, Rule, RuleSet
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import verdict_sql

if TYPE_CHECKING:
    import duckdb


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
    alike: int  # mistakes that change the verdict of no row: not counted

    @property
    def percent(self) -> float:
        """Of the mistakes that could be noticed, 0 to 100; 100 when there are none."""
        return percent(self.noticed, len(self.missed))


def percent(noticed: int, missed: int) -> float:
    """The share of `noticed` in both, 0 to 100."""
    return 100.0 * noticed / (noticed + missed) if noticed + missed else 100.0


def score_rules(rules: RuleSet) -> Iterator[RuleScore]:
    """Try every mutant of every rule on the rule's examples."""
    with sandbox() as connection:
        for rule in rules:
            yield _score(connection, rule, rules.views[rule.over])


def _score(connection: duckdb.DuckDBPyConnection, rule: Rule, view: Mapping[str, str]) -> RuleScore:
    mutants = mutants_of(rule, view)
    columns = sorted({column for mutant in mutants for column in mutant.columns} | {c for e in rule.judging for c in e.columns})
    shape = {column: view[column] for column in columns}
    rows = [example.row for example in rule.examples]
    fill(connection, "example", shape, rows)
    unseen = _not_noticed(connection, rule, mutants)
    if not unseen:
        return RuleScore(rule.id, len(mutants), (), 0)
    fill_grid(connection, shape, values_of(shape, rows, rule.judging, [param.default for param in rule.params.values()]))
    missed = [one for mutant in unseen if (one := _missed(connection, rule, mutant, columns)) is not None]
    return RuleScore(rule.id, len(mutants) - len(unseen), tuple(missed), len(unseen) - len(missed))


def _not_noticed(connection: duckdb.DuckDBPyConnection, rule: Rule, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Those that give every example the verdict that the rule gives it."""
    if not mutants:
        return []
    noticing, bound = [], _bound(rule, [])
    for number, mutant in enumerate(mutants):
        prefix = f"m{number}_"
        verdict = mutant.verdict
        for name, value in bindings(mutant.bound).items():
            verdict = verdict.replace(f"${name}", f"${prefix}{name}")
            bound[f"{prefix}{name}"] = value
        noticing.append(f"coalesce(bool_or(auditor_verdict IS DISTINCT FROM TRY({verdict})), false)")
    # TRY: a mutant that cannot be judged at all is noticed.
    select = f"SELECT {', '.join(noticing)} FROM (SELECT *, {verdict_sql(rule)} AS auditor_verdict FROM example)"
    row = connection.execute(select, _named_in(select, bound)).fetchone() or ()
    return [mutant for mutant, noticed in zip(mutants, row, strict=True) if not noticed]


def _missed(connection: duckdb.DuckDBPyConnection, rule: Rule, mutant: Mutant, columns: Sequence[str]) -> Missed | None:
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
