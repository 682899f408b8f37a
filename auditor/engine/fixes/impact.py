"""Predicts what a fix would do to rules over other views that are about the same setting.

evaluate.py predicts what a fix does to rules over its own view. A baseline has views of its own, and wants settings that lessons are about
as well: a setting that drifted from the baseline may be as a lesson wants it. Here each of the two rules is judged with the value that the
other wants, so that no change settles one failure and makes another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.engine.rules.params import bindings_of, scopes
from auditor.engine.rules.rule import DRIFT
from auditor.engine.verdict_sql import verdict_sql
from auditor.errors import RuleError
from auditor.facts.snapshot_files import snapshot_fault
from auditor.sql.names import named, quoted

if TYPE_CHECKING:
    from auditor.engine.rules.params import ParamValues, Scope
    from auditor.engine.rules.rule import FixRule, Rule, RuleSet
    from auditor.engine.verdicts import Evaluation


@dataclass(frozen=True, slots=True)
class _Pair:
    """A rule whose fix is proposed, and one over another view that looks at the same setting."""

    fixing: Rule
    other: Rule
    place: FixRule  # how the setting is found in the view of `other`


def predict_fix_impact(evaluation: Evaluation, rules: RuleSet, params: ParamValues, taken_over: Collection[str] = ()) -> None:
    """Mark failures whose fix would make a rule over another view fail that passes now; one of the two compares with a baseline.

    The wanted value is put into the other view's row, and that rule judges it. Where the rule does not look at the setting itself but at
    what the view makes of it, nobody knows what it would be: then the fix is not made either.

    Args:
        evaluation: is changed where it is kept.
        rules: all of them.
        params: what the fleet overrides.
        taken_over: ids of rules whose failures are marked already; no rule that they meet in a pair is judged either.

    Raises:
        RuleError: a rule cannot be computed on what a fix would leave.
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    fixable = f"SELECT DISTINCT rule FROM {evaluation.store}.verdict WHERE verdict = 'fail' AND obstacle IS NULL AND target IS NOT NULL"
    failing = {row[0] for row in evaluation.connection.execute(fixable).fetchall()}.difference(taken_over)
    for pair in _pairs(rules, failing):
        for scope in scopes(pair.other, params):
            _mark(evaluation, pair, scope, rules.views[pair.other.over][pair.place.column])


def pairs_of_rules(rules: RuleSet) -> set[tuple[str, str]]:
    """The ids of each rule whose fix may be predicted on another rule by `predict_fix_impact`, and of that one, whatever fails."""
    return {(pair.fixing.id, pair.other.id) for pair in _pairs(rules, set(rules.rules))}


def _pairs(rules: RuleSet, failing: set[str]) -> Iterator[_Pair]:
    for fixing in rules:
        if fixing.fix is None or fixing.id not in failing:
            continue
        for other in rules:
            if other.over == fixing.over or not ({DRIFT} & {*fixing.tags, *other.tags}):
                continue
            for place in _places(fixing.fix, other, rules):
                yield _Pair(fixing, other, place)


def _places(fix: FixRule, other: Rule, rules: RuleSet) -> Iterator[FixRule]:
    """The ways to find the setting that `fix` changes in the view of `other`, from the fix of any rule over that view: each way once.

    Nothing when `other` is not about it; several where it is about several settings of one kind, as two options of a host.
    """
    seen = set()
    for rule in (other, *(one for one in rules if one.over == other.over)):
        place = rule.fix
        if place is None or place.remediator != fix.remediator or place.target.keys() != fix.target.keys():
            continue
        if any(expression.params for expression in place.target.values()):
            continue
        if place.column in other.weighed or (rule is other and set(place.predicted) & other.weighed):
            way = (place.column, tuple(sorted((key, expression.text) for key, expression in place.target.items())))
            if way not in seen:
                seen.add(way)
                yield place


def _mark(evaluation: Evaluation, pair: _Pair, scope: Scope, column_type: str) -> None:
    import duckdb

    bound = {**scope.bound, **bindings_of(pair.other.judging, scope.values)}
    try:
        evaluation.connection.execute(_mark_sql(evaluation.store, pair, scope, column_type), bound)
    except duckdb.Error as failure:
        fault = snapshot_fault(evaluation.connection, failure)
        if fault is not None:
            raise fault from failure
        if not isinstance(failure, duckdb.DataError | duckdb.ProgrammingError):
            raise
        raise RuleError(
            f"{pair.other.path}:1: {pair.other.id} fails on what the fix of {pair.fixing.id} would leave: {str(failure).splitlines()[0]}",
            why="nothing was judged: which fixes are safe is not known.",
            do=f"guard the expression (try_cast, nullif), then run `auditor rules test {pair.other.id}`.",
        ) from failure


def _target_sql(fix: FixRule) -> str:
    """The remediator's keys as `engine.sql` stores them with a failure; NULL when one of them is."""
    keys = [(name, f"CAST(({expression.text}\n) AS VARCHAR)") for name, expression in sorted(fix.target.items())]
    listed = ", ".join(f"{quoted(name)}, {text}" for name, text in keys)
    return f"CASE WHEN {' OR '.join(f'{text} IS NULL' for _, text in keys)} THEN NULL ELSE CAST(json_object({listed}) AS VARCHAR) END"


def _mark_sql(store: str, pair: _Pair, scope: Scope, column_type: str) -> str:
    verdict, place = verdict_sql(pair.other), pair.place
    proposed = (
        f"SELECT endpoint AS auditor_endpoint, target AS auditor_wanted_target, json_extract_string(after, '$') AS auditor_after "
        f"FROM {store}.verdict WHERE rule = {quoted(pair.fixing.id)} AND verdict = 'fail' AND obstacle IS NULL"
    )
    passing = (
        f"SELECT *, {_target_sql(place)} AS auditor_target FROM {named(pair.other.over)} WHERE {scope.condition} AND {verdict} = 'pass'"
    )
    both = f"SELECT * FROM ({passing}) JOIN ({proposed}) ON auditor_endpoint = endpoint AND auditor_wanted_target = auditor_target"
    changed = {place.column: f"TRY_CAST(auditor_after AS {column_type})"}
    is_plain = place.column in pair.other.weighed
    for column, expression in place.predicted.items():
        if column == place.column:
            continue
        if not is_plain:
            changed[column] = "NULL"
        elif not expression.columns and not expression.params:
            changed[column] = expression.text  # what is true of the setting once it is set at all
    replaced = ", ".join(f"{text} AS {named(column)}" for column, text in changed.items())
    broken = "= 'fail'" if is_plain else "<> 'pass'"
    judged = f"SELECT * REPLACE ({replaced}) FROM ({both})"
    hits = f"SELECT DISTINCT auditor_endpoint, auditor_target FROM ({judged}) WHERE {verdict} {broken}"
    return (
        f"UPDATE {store}.verdict AS v SET obstacle = 'breaks', breaks = {quoted(pair.other.id)} FROM ({hits}) AS b "
        f"WHERE v.rule = {quoted(pair.fixing.id)} AND v.endpoint = b.auditor_endpoint AND v.target = b.auditor_target "
        f"AND v.verdict = 'fail' AND v.obstacle IS NULL"
    )
