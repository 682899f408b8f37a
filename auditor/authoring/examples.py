"""A rule's examples are its tests: judged by the SQL that judges fleets, and every failing one carried all the way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.engine.probing.grid import fill
from auditor.engine.rules.params import bindings_of
from auditor.engine.rules.rule import Example, Expression, Rule, RuleSet
from auditor.engine.rules.types import Family, family_of
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import VERDICT_COLUMNS, changed_columns, fixed_sql, judging_sql, verdict_sql
from auditor.errors import RuleError
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model import FixClass, Verdict
from auditor.sql.names import named
from auditor.sql.statements import parsed

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """The result of one example. A rule whose fix settles none of its failing examples has one more result, without a name."""

    rule: str
    example: str
    wanted: Verdict
    got: Verdict | None  # None: the example could not be judged
    detail: str = ""  # "" when all is well

    @property
    def ok(self) -> bool:
        """The verdict is the one wanted, and the fix would settle a failing row."""
        return not self.detail


def check_examples(rules: RuleSet, among: RuleSet | None = None) -> list[ExampleResult]:
    """Judge every example of every rule; a failing one is planned, its outcome predicted, and that outcome must pass.

    A failing example may stay unfixed only where the fix's own `when` says so, and at least one must be fixed. What it becomes is judged
    by every rule that looks at what was changed: none that passed may fail then.

    Args:
        rules: whose examples.
        among: all rules there are, these included; None: only these.
    """
    with sandbox() as connection:
        return [result for rule in rules for result in _check_rule(connection, rule, among or rules)]


def judge_rows(
    connection: duckdb.DuckDBPyConnection, rule: Rule, view: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What the rule says of rows of its view, in their order: the columns of sql.VERDICT_COLUMNS; params have their defaults.

    Columns left out are NULL, except that those which only say where a setting lives get a name: that has nothing to do with the verdict.

    Raises:
        RuleError: a row does not fit the view, or judging it fails.
    """
    import duckdb

    try:
        fill(connection, "example", view, [_completed(rule, view, row) for row in rows])
        [statement] = parsed(connection, judging_sql(rule, view, "example", "true"))
        judged = connection.execute(statement, _defaults(rule, rule.expressions)).fetchall()
    except duckdb.Error as failure:
        raise RuleError(
            f"{rule.path}:1: {rule.id} cannot judge an example: {str(failure).splitlines()[0]}",
            why="a rule that fails on an example would fail on a fleet too, and then nothing is judged.",
            do="guard the expression (try_cast, nullif) or correct the row.",
        ) from failure
    return [dict(zip(VERDICT_COLUMNS, values, strict=True)) for values in judged]


def _check_rule(connection: duckdb.DuckDBPyConnection, rule: Rule, among: RuleSet) -> list[ExampleResult]:
    view = among.views[rule.over]
    results = []
    fixed = 0
    for example, judged in zip(rule.examples, _judged_examples(connection, rule, view), strict=True):
        if isinstance(judged, RuleError):
            results.append(ExampleResult(rule.id, example.name, example.verdict, None, judged.what))
            continue
        got = Verdict(judged["verdict"])
        detail = _detail(rule, example, judged)
        if got is Verdict.FAIL and judged["obstacle"] is None:
            fixed += 1
            detail = detail or _broken(connection, rule, example, among)
        results.append(ExampleResult(rule.id, example.name, example.verdict, got, detail))
    if rule.fix is not None and rule.fix.fix_class is not FixClass.MANUAL and not fixed:
        detail = f"{rule.path}:1: no failing example is settled by the fix, so nothing shows that it works"
        results.append(ExampleResult(rule.id, "", Verdict.FAIL, None, detail))
    return results


def _judged_examples(connection: duckdb.DuckDBPyConnection, rule: Rule, view: Mapping[str, str]) -> Sequence[Mapping[str, Any] | RuleError]:
    """What the rule says of each of its examples, in order: of all at once, unless one of them cannot be judged."""
    try:
        return judge_rows(connection, rule, view, [example.row for example in rule.examples])
    except RuleError:
        return [_judged_example(connection, rule, view, example) for example in rule.examples]


def _judged_example(
    connection: duckdb.DuckDBPyConnection, rule: Rule, view: Mapping[str, str], example: Example
) -> Mapping[str, Any] | RuleError:
    try:
        return judge_rows(connection, rule, view, [example.row])[0]
    except RuleError as failure:
        return failure


def _detail(rule: Rule, example: Example, judged: Mapping[str, Any]) -> str:
    place = f"{rule.path}:{example.line}"
    if judged["verdict"] != example.verdict:
        missing = f" (missing: {', '.join(judged['missing'])})" if judged["missing"] else ""
        return f'{place}: "{example.name}" should be {example.verdict} and is {judged["verdict"]}{missing}'
    if example.verdict is not Verdict.FAIL or rule.fix is None or judged["obstacle"] in (None, "manual", "when"):
        return ""
    setting = f"{rule.fix.column} {judged['before']} -> {judged['after']}"
    return f'{place}: "{example.name}" is not settled by the fix ({setting}): {judged["obstacle"]}; say in `when` where the fix is meant'


def _broken(connection: duckdb.DuckDBPyConnection, rule: Rule, example: Example, among: RuleSet) -> str:
    """A sentence about a rule that passes on the example and would fail after the fix of the rule judged last; "" when there is none."""
    if rule.fix is None:
        return ""
    changed = changed_columns(rule.fix)
    others = [other for other in among if other.over == rule.over and other.id != rule.id and changed & other.weighed]
    if not others:
        return ""
    view = among.views[rule.over]
    listed = ", ".join(map(named, view))
    fill(connection, "example", view, [_completed(rule, view, example.row)])
    connection.execute("CREATE OR REPLACE TEMP TABLE fixed AS FROM example LIMIT 0")
    [fixed] = parsed(connection, f"INSERT INTO fixed SELECT {listed} FROM ({fixed_sql(rule, view, 'example', 'true', view)})")
    connection.execute(fixed, _defaults(rule, rule.expressions))
    for other in others:
        # TRY: what it cannot judge of an example that is not its own is no failure.
        verdict = f"TRY({verdict_sql(other)})"
        [both] = parsed(connection, f"SELECT (SELECT {verdict} FROM example), (SELECT {verdict} FROM fixed)")
        if connection.execute(both, _defaults(other, other.judging)).fetchone() == (Verdict.PASS, Verdict.FAIL):
            return f'{rule.path}:{example.line}: the fix of "{example.name}" makes {other.id} fail, which passes as it is'
    return ""


def _defaults(rule: Rule, expressions: Sequence[Expression]) -> dict[str, Any]:
    return bindings_of(expressions, {name: param.default for name, param in rule.params.items()})


def _completed(rule: Rule, view: Mapping[str, str], row: Mapping[str, Any]) -> dict[str, Any]:
    targets = {column for expression in (rule.fix.target.values() if rule.fix else ()) for column in expression.columns}
    judging = (rule.applies, rule.holds, rule.observed, rule.desired, *((rule.fix.value, rule.fix.when) if rule.fix else ()))
    weighed = {column for expression in judging if expression is not None for column in expression.columns}
    places = {column for column in {*RESOURCE_COLUMNS, *targets} - weighed if family_of(view[column]) is Family.TEXT}
    return {column: row.get(column, "example" if column in places else None) for column in view}
