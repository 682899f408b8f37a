"""Every rule over every row of its view, in SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.engine.fix_blockers import blocker_text, by_hand_text
from auditor.engine.lexing import renamed_params
from auditor.engine.params import ParamValues, Scope, bindings_of, scopes
from auditor.engine.rule import Rule, RuleSet
from auditor.engine.sql import (
    FIX_BLOCKERS,
    before,
    changed_columns,
    deferred_form,
    failing_sql,
    fixed_sql,
    judging_sql,
    named,
    quoted,
    tallied_columns,
    tally_sql,
    verdict_sql,
)
from auditor.engine.verdicts import DeferredVerdicts, Evaluation, JudgedRule, load_evaluation, new_store
from auditor.errors import RuleError, SnapshotError
from auditor.facts.device_classes import CLASS_TABLE, VIEW, DeviceClasses, device_classes
from auditor.facts.memory import execute
from auditor.facts.snapshot_files import snapshot_fault
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model import FixClass, Verdict

if TYPE_CHECKING:
    import duckdb

__all__ = ["Evaluation", "evaluate", "load_evaluation"]

SMALL_VIEW_ROWS = 1_000
"""Up to so many rows of a view, all verdicts over it are kept at once, half a kilobyte each: a second statement to read them later would
cost more than the rows."""


def evaluate(
    connection: duckdb.DuckDBPyConnection,
    rules: RuleSet,
    params: ParamValues | None = None,
    *,
    only: Iterable[str] | None = None,
) -> Evaluation:
    """Judge every row of every rule's view.

    Failures, and all verdicts over a small view, are worked out in full. The rest is counted, and read from the views when somebody wants
    it: the connection has to stay open for as long as the answer is used, and its facts as they are.

    Args:
        connection: holds the views in its schema `main`; sealed, as `facts.views.seal` leaves it.
        rules: what to judge by.
        params: what the fleet overrides; None: the rules' defaults.
        only: ids of the rules to use; None: all.

    Raises:
        ConfigurationError: `only` names a rule that does not exist.
        RuleError: there are no rules, or one failed while running (a cast, an overflow, a division by zero); no verdict is kept then.
        SnapshotError: a file of the snapshot went away, or is damaged.
    """
    chosen = rules if only is None else rules.only(only)
    params = params or ParamValues()
    if not len(chosen):
        raise RuleError("there is no rule to judge by", why="a fleet judged by no rule has no failures.", do="see `auditor rules list`.")
    judged = {rule.id: _judged_rule(rule) for rule in chosen}
    store = new_store(connection, judged)
    classes, small = device_classes(connection), _small_views(connection)
    views = {
        rule.over: _View(rule.over, chosen.views[rule.over], classes if rule.over == VIEW else None, rule.over in small) for rule in chosen
    }
    try:
        deferred = [_judge(connection, store, rule, views[rule.over], scopes(rule, params), number) for number, rule in enumerate(chosen)]
        for rule in chosen:
            _mark_harmful_fixes(connection, store, rule, chosen, params, views[rule.over])
    except (RuleError, SnapshotError):
        connection.execute(f"DETACH {store}")
        raise
    return Evaluation(connection, store, judged, tuple(verdicts for verdicts in deferred if verdicts.counts))


def _small_views(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """The views whose rows are there already, and few."""
    few = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main' AND estimated_size <= ?"
    return frozenset(row[0] for row in connection.execute(few, [SMALL_VIEW_ROWS]).fetchall())


@dataclass(frozen=True, slots=True)
class _View:
    """What a rule ranges over.

    Attributes:
        classes: where its rows are of few classes, which are then judged in their place.
        is_small: its rows are there already, and at most SMALL_VIEW_ROWS.
    """

    name: str
    columns: Mapping[str, str]
    classes: DeviceClasses | None
    is_small: bool

    def counted(self, rule: Rule, scope: Scope) -> tuple[str, str]:
        """The table that is judged to count the verdicts of a scope, and the SQL for how many rows of the view a verdict stands for."""
        if self._is_judged_by_class(rule, scope):
            return named(CLASS_TABLE), "CAST(sum(devices) AS BIGINT)"
        return named(self.name), "count(*)"

    def failing(self, rule: Rule, scope: Scope) -> str:
        """A source of rows that holds the failures of a scope, alone or among other rows."""
        return f"({failing_sql(rule)})" if self._is_judged_by_class(rule, scope) else named(self.name)

    def _is_judged_by_class(self, rule: Rule, scope: Scope) -> bool:
        """Whether the columns of a class make the whole verdict; a scope that binds something depends on where a row is."""
        return self.classes is not None and not scope.bound and tallied_columns(rule, self.columns) <= self.classes.columns


def _judge(
    connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, view: _View, parts: Sequence[Scope], number: int
) -> DeferredVerdicts:
    """Keep the failures, or all verdicts of a small view, and answer what was only counted."""
    counts: dict[Verdict, int] = {}
    for scope in parts:
        with _as_rule_error(connection, rule):
            if view.is_small:
                _keep_verdicts(connection, store, rule, view, scope)
                continue
            source, rows = view.counted(rule, scope)
            tally = tally_sql(rule, view.columns, source, scope.condition, rows)
            for verdict, count, *_ in execute(connection, tally, _bound(rule, scope, shown=True)).fetchall():
                if verdict == Verdict.FAIL:
                    _keep_verdicts(connection, store, rule, view, scope, f"WHERE auditor_verdict = {quoted(Verdict.FAIL)}")
                else:
                    counts[Verdict(verdict)] = counts.get(Verdict(verdict), 0) + int(count)
    select, bound = _deferred_select(rule, view.columns, parts, f"auditor_{number}_")
    return DeferredVerdicts(rule.id, str(rule.severity), counts, select, bound)


def _keep_verdicts(connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, view: _View, scope: Scope, which: str = "") -> None:
    """Put the verdicts on the rows of a scope into the store."""
    judging = judging_sql(rule, view.columns, view.failing(rule, scope) if which else named(view.name), scope.condition)
    kept = f"SELECT *, {quoted(rule.severity)}, NULL, NULL FROM ({judging} {which})"
    execute(connection, f"INSERT INTO {store}.verdict {kept}", _bound(rule, scope))


def _deferred_select(rule: Rule, view: Mapping[str, str], parts: Sequence[Scope], prefix: str) -> tuple[str, Mapping[str, object]]:
    """A SELECT of the verdict on any row of the rule's view but failures; its params have names of their own among all statements."""
    selects, bound = [], dict[str, object]()
    for index, scope in enumerate(parts):
        own = f"{prefix}{index}_"
        selects.append(judging_sql(deferred_form(rule, own), view, named(rule.over), renamed_params(scope.condition, own)))
        bound |= {f"{own}{name}": value for name, value in _bound(rule, scope, shown=True).items()}
    return " UNION ALL ".join(selects), bound


def _mark_harmful_fixes(
    connection: duckdb.DuckDBPyConnection, store: str, rule: Rule, rules: RuleSet, params: ParamValues, view: _View
) -> None:
    """Mark the failures whose fix would make another rule over the same view fail that passes now.

    fix_impact.py does so across views, for what a baseline wants. What else a setting of a device does to a host, the next audit finds.
    """
    if rule.fix is None:
        return
    changed = changed_columns(rule.fix)
    others = [other for other in rules if other.over == rule.over and other.id != rule.id and changed & other.weighed]
    failed = connection.execute(f"SELECT 1 FROM {store}.verdict WHERE rule = ? AND verdict = 'fail' LIMIT 1", [rule.id]).fetchone()
    if not others or failed is None:
        return
    types = view.columns
    # Only the columns that the others look at are kept, and their values before: a failure is some forty columns wide.
    kept = sorted({*RESOURCE_COLUMNS, *changed, *(column for other in others for column in other.weighed)} & types.keys())
    columns = [(column, types[column]) for column in kept] + [(before(column), types[column]) for column in sorted(changed)]
    connection.execute(f"CREATE TABLE {store}.fixed ({', '.join(f'{named(column)} {kind}' for column, kind in columns)})")
    for scope in scopes(rule, params):
        with _as_rule_error(connection, rule):
            select = fixed_sql(rule, types, view.failing(rule, scope), scope.condition, kept)
            execute(connection, f"INSERT INTO {store}.fixed {select}", _bound(rule, scope))
    for other in others:
        for scope in scopes(other, params):
            with _as_rule_error(connection, other):
                execute(connection, _mark_sql(store, rule, other, scope.condition, changed), _bound(other, scope, judging=True))
    connection.execute(f"DROP TABLE {store}.fixed")


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


def _bound(rule: Rule, scope: Scope, *, judging: bool = False, shown: bool = False) -> dict[str, object]:
    """The values that a statement about `rule` binds.

    `judging`: it names only what makes the verdict; `shown`: also what is observed and desired. Otherwise it names every expression.
    """
    named_there = rule.judging if judging else (*rule.judging, rule.observed, rule.desired) if shown else rule.expressions
    return {**scope.bound, **bindings_of(named_there, scope.values)}


@contextmanager
def _as_rule_error(connection: duckdb.DuckDBPyConnection, rule: Rule) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as failure:
        fault = snapshot_fault(connection, failure)
        if fault is not None:
            raise fault from failure
        if not isinstance(failure, duckdb.DataError | duckdb.ProgrammingError | duckdb.PermissionException):
            raise
        raise RuleError(
            f"{rule.path}:1: {rule.id} fails while judging: {str(failure).splitlines()[0]}",
            why="nothing was judged: a rule set that runs in part reports a clean fleet in part.",
            do=f"if fleet.yaml sets params of {rule.id}, look at these; if not, guard the expression (try_cast, nullif) and run "
            f"`auditor rules test {rule.id}`; or judge by other rules with --only.",
        ) from failure


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
        obstacles={} if fix is None else {name: blocker_text(rule, fix, name) for name in FIX_BLOCKERS},
    )
