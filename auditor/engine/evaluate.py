"""Judges every row of every rule's view, in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.engine.fixes.blockers import blocker_text, by_hand_text
from auditor.engine.fixes.harmful import mark_harmful_fixes
from auditor.engine.judged_view import JudgedView
from auditor.engine.rules.lexing import renamed_params
from auditor.engine.rules.params import ParamValues, Scope, scopes
from auditor.engine.rules.rule import Rule, RuleSet
from auditor.engine.statements import bound_values, rule_errors
from auditor.engine.taken_verdicts import TakenVerdicts, take_over
from auditor.engine.verdict_rows import JudgedRule
from auditor.engine.verdict_sql import FIX_BLOCKERS, deferred_form, judging_sql, tally_sql
from auditor.engine.verdicts import DeferredVerdicts, Evaluation, load_evaluation, new_store
from auditor.errors import RuleError, SnapshotError
from auditor.facts.device_classes import device_classes
from auditor.model import FixClass, Verdict
from auditor.sql.names import named, quoted
from auditor.sql.statements import execute
from auditor.text.counts import Counted, Counts, ShowText, show_nothing

if TYPE_CHECKING:
    import duckdb

__all__ = ["Evaluation", "evaluate", "load_evaluation"]

JUDGING = "judging"
"""What is done while rules are judged."""
SMALL_VIEW_ROWS = 1_000
"""Up to so many rows of a view, all verdicts over it are kept at once, half a kilobyte each: a second statement to read them later would
cost more than the rows."""


def evaluate(
    connection: duckdb.DuckDBPyConnection,
    rules: RuleSet,
    params: ParamValues | None = None,
    *,
    taken: TakenVerdicts | None = None,
    tell: ShowText = show_nothing,
) -> Evaluation:
    """Judge every row of every rule's view.

    Failures, and all verdicts over a small view, are worked out in full. The rest is counted, and read from the views when somebody wants
    it: the connection has to stay open for as long as the answer is used, and its facts as they are.

    Args:
        connection: holds the views in its schema `main`; sealed, as `facts.views.seal` leaves it.
        rules: what to judge by.
        params: what the fleet overrides; None: the rules' defaults.
        taken: the verdicts of some of these rules by an earlier run, which are not worked out again; None: all rules are judged.
        tell: called after each rule with how much is judged.

    Raises:
        RuleError: there are no rules, or one failed while running (a cast, an overflow, a division by zero); no verdict is kept then.
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    params = params or ParamValues()
    if not len(rules):
        raise RuleError("there is no rule to judge by", why="a fleet judged by no rule has no failures.", do="see `auditor rules list`.")
    judged = {rule.id: _judged_rule(rule) for rule in rules}
    store = new_store(connection, judged)
    classes, rows = device_classes(connection), _rows_of_small_views(connection)
    views = {view: JudgedView(view, rules.views[view], classes.get(view), view in rows) for view in {rule.over: None for rule in rules}}
    with_rows = [rule for rule in rules if rows.get(rule.over) != 0 and (taken is None or rule.id not in taken.rules)]
    try:
        deferred, done = [], 0
        for number, rule in enumerate(with_rows):
            verdicts = _judge(connection, store, rule, views[rule.over], scopes(rule, params), number)
            deferred.append(verdicts)
            done += sum(verdicts.counts.values()) or rows.get(rule.over, 0)
            tell(Counted(JUDGING, Counts(steps=number + 1, of_steps=len(with_rows), rows=done)))
        for rule in _failed(connection, store, with_rows):
            mark_harmful_fixes(connection, store, rule, rules, params, views[rule.over])
        deferred += take_over(connection, store, taken, judged) if taken is not None else ()
    except (RuleError, SnapshotError):
        connection.execute(f"DETACH {store}")
        raise
    return Evaluation(connection, store, judged, tuple(verdicts for verdicts in deferred if verdicts.counts))


def _rows_of_small_views(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many rows each view has whose rows are there already, and few."""
    few = "database_name = current_database() AND schema_name = 'main' AND estimated_size <= ?"
    rows = connection.execute(f"SELECT table_name, estimated_size FROM duckdb_tables() WHERE {few}", [SMALL_VIEW_ROWS]).fetchall()
    return dict(rows)  # no row was deleted, so the estimate is the count


def _failed(connection: duckdb.DuckDBPyConnection, store: str, rules: Iterable[Rule]) -> list[Rule]:
    """The rules that a row fails."""
    failed = {row[0] for row in connection.execute(f"SELECT DISTINCT rule FROM {store}.verdict WHERE verdict = 'fail'").fetchall()}
    return [rule for rule in rules if rule.id in failed]


def _judge(
    connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, view: JudgedView, parts: Sequence[Scope], number: int
) -> DeferredVerdicts:
    """Keep the failures, or all verdicts of a small view, and answer what was only counted."""
    counts: dict[Verdict, int] = {}
    for scope in parts:
        with rule_errors(connection, rule):
            if view.is_small:
                _keep_verdicts(connection, store, rule, view, scope)
                continue
            source, rows = view.counted(rule, scope)
            tally = tally_sql(rule, view.columns, source, scope.condition, rows)
            for verdict, count, *_ in execute(connection, tally, bound_values(rule, scope, shown=True)).fetchall():
                if verdict == Verdict.FAIL:
                    _keep_verdicts(connection, store, rule, view, scope, f"WHERE auditor_verdict = {quoted(Verdict.FAIL)}")
                else:
                    counts[Verdict(verdict)] = counts.get(Verdict(verdict), 0) + int(count)
    select, bound = _deferred_select(rule, view.columns, parts, f"auditor_{number}_") if counts else ("", {})
    return DeferredVerdicts(rule.id, str(rule.severity), counts, select, bound)


def _keep_verdicts(connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, view: JudgedView, scope: Scope, which: str = "") -> None:
    """Put the verdicts on the rows of a scope into the store."""
    judging = judging_sql(rule, view.columns, view.failing(rule, scope) if which else named(view.name), scope.condition)
    kept = f"SELECT *, {quoted(rule.severity)}, NULL, NULL, NULL, NULL FROM ({judging} {which})"
    execute(connection, f"INSERT INTO {store}.verdict {kept}", bound_values(rule, scope))


def _deferred_select(rule: Rule, view: Mapping[str, str], parts: Sequence[Scope], prefix: str) -> tuple[str, Mapping[str, object]]:
    """A SELECT of the verdict on any row of the rule's view but failures; its params have names of their own among all statements."""
    selects, bound = [], dict[str, object]()
    for index, scope in enumerate(parts):
        own = f"{prefix}{index}_"
        selects.append(judging_sql(deferred_form(rule, own), view, named(rule.over), renamed_params(scope.condition, own)))
        bound |= {f"{own}{name}": value for name, value in bound_values(rule, scope, shown=True).items()}
    return " UNION ALL ".join(selects), bound


def _judged_rule(rule: Rule) -> JudgedRule:
    fix = rule.fix
    return JudgedRule(
        title=rule.title,
        severity=str(rule.severity),
        kind=rule.over,
        remediator=None if fix is None else fix.remediator,
        fix_class=str(FixClass.MANUAL if fix is None else fix.fix_class),
        by_hand=by_hand_text(rule),
        reason="" if fix is None else fix.reason or rule.title,
        failure_title=rule.failure_title,
        obstacles={} if fix is None else {name: blocker_text(rule, fix, name) for name in FIX_BLOCKERS},
    )
