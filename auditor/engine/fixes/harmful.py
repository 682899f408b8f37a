"""Predicts which fixes would make another rule over the same view fail.

fix_impact.py does so across views, for what a baseline wants. What else a setting of a device does to a host, the next audit finds.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from auditor.engine.rules.params import ParamValues, scopes
from auditor.engine.statements import bound_values, rule_errors
from auditor.engine.verdict_sql import before, changed_columns, fixed_sql, verdict_sql
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model import Verdict
from auditor.sql.names import named, quoted
from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb

    from auditor.engine.judged_view import JudgedView
    from auditor.engine.rules.rule import Rule, RuleSet


def mark_harmful_fixes(
    connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, rules: RuleSet, params: ParamValues, view: JudgedView
) -> None:
    """Mark the failures of `rule` (there are some) whose fix would make another rule over the same view fail that passes now.

    Raises:
        RuleError: a rule cannot be computed on what the fix would leave.
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    others = may_break(rule, rules)
    if rule.fix is None or not others:
        return
    changed = changed_columns(rule.fix)
    types = view.columns
    # Only the columns that the others look at are kept, and their values before: a failure is some forty columns wide.
    kept = sorted({*RESOURCE_COLUMNS, *changed, *(column for other in others for column in other.weighed)} & types.keys())
    columns = [(column, types[column]) for column in kept] + [(before(column), types[column]) for column in sorted(changed)]
    connection.execute(f"CREATE TABLE {store}.fixed ({', '.join(f'{named(column)} {kind}' for column, kind in columns)})")
    for scope in scopes(rule, params):
        with rule_errors(connection, rule):
            select = fixed_sql(rule, types, view.failing(rule, scope), scope.condition, kept)
            execute(connection, f"INSERT INTO {store}.fixed {select}", bound_values(rule, scope))
    for other in others:
        for scope in scopes(other, params):
            with rule_errors(connection, other):
                execute(connection, _mark_sql(store, rule, other, scope.condition, changed), bound_values(other, scope, judging=True))
    connection.execute(f"DROP TABLE {store}.fixed")


def may_break(rule: Rule, rules: RuleSet) -> list[Rule]:
    """The rules over the same view that weigh a column which the fix of `rule` changes."""
    if rule.fix is None:
        return []
    changed = changed_columns(rule.fix)
    return [other for other in rules if other.over == rule.over and other.id != rule.id and changed & other.weighed]


def _mark_sql(store: str, rule: Rule, other: Rule, condition: str, changed: Collection[str]) -> str:
    verdict = verdict_sql(other)
    broken = f"SELECT * FROM {store}.fixed WHERE {condition} AND {verdict} = 'fail'"
    as_before = ", ".join(f"{named(before(column))} AS {named(column)}" for column in sorted(changed))
    passing = f"SELECT DISTINCT endpoint, resource_id FROM (SELECT * REPLACE ({as_before}) FROM ({broken})) WHERE {verdict} = 'pass'"
    return (
        f"UPDATE {store}.verdict AS v SET obstacle = 'breaks', breaks = {quoted(other.id)} FROM ({passing}) AS b "
        f"WHERE v.rule = {quoted(rule.id)} AND v.endpoint = b.endpoint AND v.resource_id = b.resource_id "
        f"AND v.verdict = {quoted(Verdict.FAIL)} AND v.obstacle IS NULL"
    )
