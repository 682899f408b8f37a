"""The one SQL statement that judges a rule: verdict, evidence, proposed change and predicted outcome of every row of a view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from auditor.engine.rules.lexing import renamed_params
from auditor.engine.rules.message import DESIRED, OBSERVED
from auditor.engine.rules.message_sql import SHOWN, message_sql, shows
from auditor.engine.rules.rule import Expression, FixRule, Rule
from auditor.engine.rules.types import Family, family_of
from auditor.facts.device_classes import ClassSteps
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model import FixClass, Verdict
from auditor.sql.names import named, quoted

VERDICT_COLUMNS: Mapping[str, str] = {
    "rule": "VARCHAR",
    "verdict": "VARCHAR",
    "endpoint": "VARCHAR",
    "resource_id": "VARCHAR",
    "resource_name": "VARCHAR",
    "cluster": "VARCHAR",
    "host": "VARCHAR",
    "observed": "VARCHAR",  # JSON scalar, so that 1, true and "1" stay three things; NULL is null
    "desired": "VARCHAR",  # likewise
    "evidence": "VARCHAR",  # JSON object; of a row the rule does not apply to, only what `applies` names
    "missing": "VARCHAR[]",  # of an unknown verdict: the columns that were not read
    "target": "VARCHAR",  # JSON object of the remediator's keys; NULL unless a fix is at hand
    "before": "VARCHAR",  # JSON scalar; NULL: the setting is absent, or `obstacle` says that it was not read
    "after": "VARCHAR",  # JSON scalar
    "obstacle": "VARCHAR",  # of a failure whose rule has a fix: why it is not proposed, a name of FIX_BLOCKERS; NULL when it is
    "breaks": "VARCHAR",  # of such a failure: a rule over the same view that passes now and would fail after the fix; obstacle says so too
    "touches": "VARCHAR",  # of such a failure: what else a change reaches than it is meant for; '' where nothing
    "retunes": "BOOLEAN",  # of such a failure: the fix reverts what somebody tuned, or may; NULL where there is none
    "waits": "VARCHAR",  # of such a failure: JSON list of what has to come first, as fix_order.Wait; NULL where nothing ever has to
    "message": "VARCHAR",  # of a failure: what is wrong with the row, as a sentence; NULL where the rule has no message
}

NOT_KNOWN = "not known"
"""What a change touches besides where that was not read."""

FIX_BLOCKERS = ("manual", "target", "when", "unread", "type", "after", "same", "unsettled", "breaks")
"""Why a failure with a fix is left to a person, first reason first; `fix_blockers.blocker_text` says each in words."""


def judging_sql(rule: Rule, view: Mapping[str, str], source: str, condition: str) -> str:
    """A SELECT that answers VERDICT_COLUMNS for each row of `source` that meets `condition`.

    Everything but `applies` is strict: it is NULL as soon as a column it names is, unless the rule lists that column under may_be_missing.
    Each expression is evaluated only where the one before it let it, so that a cast that a rule guards by `applies` cannot fail elsewhere.
    """
    values = {name: f"auditor_{name}" for name in VERDICT_COLUMNS}
    values |= {"rule": quoted(rule.id), "obstacle": _obstacle(rule), "breaks": "NULL"}
    listed = ", ".join(f"{text} AS {name}" for name, text in values.items())
    return f"SELECT {listed} FROM ({_predicted(rule, view, source, condition)})"


def tally_sql(rule: Rule, view: Mapping[str, str], source: str, condition: str, counted: str = "count(*)") -> str:
    """A SELECT that answers each verdict on the rows of `source` that meet `condition`, and how many rows got it, which is `counted`.

    What `judging_sql` computes of a row is computed here too where it could fail: a verdict that is counted can be read later.
    """
    computed = ", ".join(f"count({text})" for text in _fallible(rule, view))
    judged = f"SELECT *, {verdict_sql(rule)} AS auditor_verdict FROM {source} WHERE {condition}"
    return f"SELECT auditor_verdict, {counted}{', ' if computed else ''}{computed} FROM ({judged}) GROUP BY auditor_verdict"


def tallied_columns(rule: Rule, view: Mapping[str, str]) -> set[str]:
    """The columns that `tally_sql` looks at, besides those of its condition."""
    shown = {column for expression in (*rule.judging, rule.observed, rule.desired) for column in expression.columns}
    return shown | {column for column in rule.columns if family_of(view[column]) is Family.TIME}


def failing_sql(rule: Rule, steps: ClassSteps, view: Mapping[str, str]) -> str:
    """A SELECT of the rows of a view that `rule` fails, by their classes; it binds what makes the verdict."""
    failing = f"SELECT {', '.join(steps.keys)} FROM {steps.classes} WHERE {verdict_sql(rule)} = {quoted(Verdict.FAIL)}"
    same = " AND ".join(f"r.{key} IS NOT DISTINCT FROM k.{key}" for key in steps.keys)
    return f"SELECT {', '.join(f'r.{named(column)}' for column in view)} FROM {steps.rows} AS r SEMI JOIN ({failing}) AS k ON {same}"


def deferred_form(rule: Rule, prefix: str) -> Rule:
    """The rule without its fix and its message, for rows that did not fail.

    Its params are $<prefix><name>, since many such stand in one statement.
    """

    def renamed(expression: Expression) -> Expression:
        return replace(
            expression, text=renamed_params(expression.text, prefix), params=tuple(f"{prefix}{name}" for name in expression.params)
        )

    return replace(
        rule,
        applies=None if rule.applies is None else renamed(rule.applies),
        holds=renamed(rule.holds),
        observed=renamed(rule.observed),
        desired=renamed(rule.desired),
        fix=None,
        message=None,
        evidence=rule.columns,
    )


def fixed_sql(rule: Rule, view: Mapping[str, str], source: str, condition: str, columns: Iterable[str]) -> str:
    """A SELECT of every row whose failure the fix would settle: `columns` as they will be read afterwards.

    `rule` has a fix; beside them are the columns that it changes as they are read now, called `before(column)`.
    """
    settled = f"auditor_verdict = 'fail' AND ({_obstacle(rule)}) IS NULL"
    changed = [before(column) for column in sorted(changed_columns(rule.fix))] if rule.fix is not None else []
    return f"SELECT {', '.join(map(named, [*columns, *changed]))} FROM ({_predicted(rule, view, source, condition)}) WHERE {settled}"


def before(column: str) -> str:
    """What `fixed_sql` calls a column as it is read now."""
    return f"auditor_before_{column}"


def verdict_sql(rule: Rule) -> str:
    """An expression that is the verdict of a row, as text."""
    verdict = f"CASE ({rule.holds.text}\n) WHEN true THEN 'pass' WHEN false THEN 'fail' ELSE 'unknown' END"
    strict = [column for column in rule.holds.columns if column not in rule.may_be_missing]
    if strict:
        verdict = f"CASE WHEN {_any_null(strict)} THEN 'unknown' ELSE {verdict} END"
    if rule.applies is not None:
        verdict = f"CASE ({rule.applies.text}\n) WHEN true THEN {verdict} WHEN false THEN 'not_applicable' ELSE 'unknown' END"
    return verdict


def _predicted(rule: Rule, view: Mapping[str, str], source: str, condition: str) -> str:
    """A SELECT of every row: its verdict as read, with all that belongs to it (auditor_...), and its columns as a fix would leave them."""
    judged = f"SELECT *, {verdict_sql(rule)} AS auditor_verdict FROM {source} WHERE {condition}"
    weighed = f"SELECT *, {_weighed(rule, view)} FROM ({judged})"
    if rule.fix is None:
        return weighed
    as_read = ", ".join(f"{named(column)} AS {named(before(column))}" for column in sorted(changed_columns(rule.fix)))
    return f"SELECT * REPLACE ({_fixed_columns(rule.fix)}), {as_read} FROM ({weighed})"


def _obstacle(rule: Rule) -> str:
    """Why the fix is not proposed, for a row of `_predicted`: it is judged again as the fix would leave it."""
    if rule.fix is None:
        return "NULL"
    known = "auditor_verdict <> 'fail' OR auditor_obstacle IS NOT NULL"
    return f"CASE WHEN {known} THEN auditor_obstacle WHEN {verdict_sql(rule)} <> 'pass' THEN 'unsettled' END"


def json_sql(text: str, duckdb_type: str) -> str:
    """`text` as JSON: numbers, truth and text keep their type; times become ISO 8601 in UTC; what JSON cannot say becomes text."""
    match family_of(duckdb_type):
        case Family.NUMBER if not duckdb_type.startswith("DECIMAL"):
            return f"CASE WHEN isfinite({text}) THEN to_json({text}) ELSE to_json(CAST({text} AS VARCHAR)) END"
        case Family.TRUTH | Family.WHOLE | Family.NUMBER:
            return f"to_json({text})"
        case Family.TIME if duckdb_type.startswith("TIMESTAMP"):
            return f"to_json(strftime(make_timestamp(epoch_us({text})), '%Y-%m-%dT%H:%M:%SZ'))"
        case _:
            return f"to_json(CAST({text} AS VARCHAR))"


def _weighed(rule: Rule, view: Mapping[str, str]) -> str:
    """The parts of a row's verdict as it was read, each under its own name."""
    applies = f"auditor_verdict <> {quoted(Verdict.NOT_APPLICABLE)}"
    applying = rule.applies.columns if rule.applies is not None else ()
    parts = {name: named(name) for name in RESOURCE_COLUMNS}
    for name, expression in (("observed", rule.observed), ("desired", rule.desired)):
        parts[name] = f"CASE WHEN {applies} THEN {json_sql(_strict(expression, rule.may_be_missing), expression.type)} END"
    parts["evidence"] = f"CASE WHEN {applies} THEN {_evidence(rule.columns, view)} ELSE {_evidence(applying, view)} END"
    parts["missing"] = f"CASE WHEN auditor_verdict = 'unknown' THEN {_missing(rule)} END"
    parts |= _fix_parts(rule, view)
    parts |= _message_parts(rule, view)
    return ", ".join(f"{text} AS auditor_{name}" for name, text in parts.items())


def _message_parts(rule: Rule, view: Mapping[str, str]) -> dict[str, str]:
    """The message of a row as it was read, NULL where it did not fail; and before it the values that it shows several times."""
    message, failed = rule.message, "auditor_verdict = 'fail'"
    if message is None:
        return {"message": "NULL"}
    shown = {OBSERVED: rule.observed, DESIRED: rule.desired}
    parts = {
        place: f"CASE WHEN {failed} THEN {_strict(shown[name], rule.may_be_missing)} END"
        for name, place in SHOWN.items()
        if shows(message, name)
    }
    return {**parts, "message": f"CASE WHEN {failed} THEN {message_sql(rule, message, view)} END"}


def _fallible(rule: Rule, view: Mapping[str, str]) -> list[str]:
    """The parts of a verdict that did not fail and are more than a column as it is: a cast or a sum may have no answer."""
    applies = f"auditor_verdict <> {quoted(Verdict.NOT_APPLICABLE)}"
    shown = [
        f"CASE WHEN {applies} THEN {json_sql(_strict(expression, rule.may_be_missing), expression.type)} END"
        for expression in (rule.observed, rule.desired)
        if expression.text not in view or family_of(expression.type) is Family.TIME
    ]
    return shown + [json_sql(named(column), view[column]) for column in rule.columns if family_of(view[column]) is Family.TIME]


def _fix_parts(rule: Rule, view: Mapping[str, str]) -> dict[str, str]:
    fix = rule.fix
    if fix is None:
        return dict.fromkeys(("target", "before", "after", "touches", "retunes", "waits"), "NULL")
    failed = "auditor_verdict = 'fail'"
    exempt = rule.may_be_missing
    keys = [(name, f"CAST({_strict(expression, exempt)} AS VARCHAR)") for name, expression in sorted(fix.target.items())]
    target = f"CASE WHEN {' OR '.join(f'{text} IS NULL' for _, text in keys)} THEN NULL ELSE {_object(keys)} END"
    after = f"CAST({_strict(fix.value, exempt)} AS {after_type(fix, view)})"
    before = value_now(fix, view)
    when = "true" if fix.when is None else _strict(fix.when, exempt)
    # Where it is not known which way the change goes, it may revert something.
    retunes = "false" if fix.retunes is None else f"({_strict(fix.retunes, exempt)}) IS DISTINCT FROM false"
    touches = "''" if fix.touches is None else f"coalesce(CAST({_strict(fix.touches, exempt)} AS VARCHAR), {quoted(NOT_KNOWN)})"
    unread = "false" if fix.column in exempt else f"{named(fix.column)} IS NULL"
    obstacle = (
        f"CASE WHEN {'true' if fix.fix_class is FixClass.MANUAL else 'false'} THEN 'manual' WHEN auditor_target IS NULL THEN 'target' "
        f"WHEN ({when}) IS NOT TRUE THEN 'when' WHEN {unread} THEN 'unread' "
        f"WHEN ({before}) IS NULL AND {named(fix.column)} IS NOT NULL THEN 'type' WHEN ({after}) IS NULL THEN 'after' "
        f"WHEN ({before}) IS NOT DISTINCT FROM ({after}) THEN 'same' END"
    )
    # A part may name one above it as auditor_...: spelt out again, these make the statement twice as long, and DuckDB parses slowly.
    parts = {
        "target": f"CASE WHEN {failed} THEN CAST({target} AS VARCHAR) END",
        "before": f"CASE WHEN {failed} THEN {json_sql(before, after_type(fix, view))} END",
        "after": f"CASE WHEN {failed} THEN {json_sql(after, after_type(fix, view))} END",
        "obstacle": f"CASE WHEN {failed} THEN {obstacle} END",
        "touches": f"CASE WHEN {failed} THEN {touches} END",
        "retunes": f"CASE WHEN {failed} THEN {retunes} END",
        "waits": f"CASE WHEN {failed} THEN {_waits(fix, exempt)} END" if fix.after else "NULL",
    }
    changed = {fix.column: fix.value, **fix.predicted}
    possible = f"{failed} AND auditor_obstacle IS NULL"
    for column, expression in changed.items():
        parts[f"predicted_{column}"] = f"CASE WHEN {possible} THEN CAST({_strict(expression, exempt)} AS {view[column]}) END"
    return parts


def _waits(fix: FixRule, exempt: Mapping[str, str]) -> str:
    """What has to come before a fix, for one row; a key about which nothing is known is null."""
    listed = []
    for after in fix.after:
        keys = [(name, f"CAST({_strict(expression, exempt)} AS VARCHAR)") for name, expression in sorted(after.where.items())]
        wait = _object([("change", quoted(after.change)), ("where", _object(keys)), ("required", str(after.required).lower())])
        # Where it is not known whether they come first, they do.
        unless = "true" if after.when is None else f"({_strict(after.when, exempt)}) IS DISTINCT FROM false"
        listed.append(f"CASE WHEN {unless} THEN CAST({wait} AS VARCHAR) END")
    return f"'[' || concat_ws(', ', {', '.join(listed)}) || ']'"


def after_type(fix: FixRule, view: Mapping[str, str]) -> str:
    """The type of a change's before and after.

    The column's own, except that a text column may hold a setting of any type as the wire has it: then the type of `set` counts, and the
    text is read as that.
    """
    column = view[fix.column]
    return fix.value.type if family_of(column) is Family.TEXT else column


def changed_columns(fix: FixRule) -> set[str]:
    """The columns of the view that will read differently once the fix is in effect."""
    return {fix.column, *fix.predicted}


def value_now(fix: FixRule, view: Mapping[str, str]) -> str:
    """What a row has of the setting that a fix changes, in the type that it would write (`after_type`); NULL where it is not of that."""
    wanted, column = after_type(fix, view), named(fix.column)
    if family_of(wanted) is family_of(view[fix.column]):
        return column
    read = f"TRY_CAST({column} AS {wanted})"
    if family_of(wanted) is not Family.WHOLE:
        return read
    # DuckDB reads '1.7' as 2; such a text is no whole number.
    return f"CASE WHEN CAST({read} AS VARCHAR) = {column} THEN {read} END"


def _fixed_columns(fix: FixRule) -> str:
    """The columns as they will be read once the fix is in effect; rows without a change stay as they are."""
    changed = (fix.column, *(column for column in fix.predicted if column != fix.column))
    possible = "auditor_verdict = 'fail' AND auditor_obstacle IS NULL"
    return ", ".join(
        f"CASE WHEN {possible} THEN auditor_predicted_{column} ELSE {named(column)} END AS {named(column)}" for column in changed
    )


def _missing(rule: Rule) -> str:
    strict = [column for column in rule.holds.columns if column not in rule.may_be_missing]
    of_holds = _null_names(rule.holds.columns)
    if strict and len(strict) < len(rule.holds.columns):
        of_holds = f"CASE WHEN {_any_null(strict)} THEN {_null_names(strict)} ELSE {of_holds} END"
    if rule.applies is None:
        return of_holds
    return f"CASE WHEN ({rule.applies.text}\n) IS NULL THEN {_null_names(rule.applies.columns)} ELSE {of_holds} END"


def _strict(expression: Expression, exempt: Mapping[str, str]) -> str:
    """The expression, NULL where a column it names is, unless `exempt` has that column."""
    if (expression.text,) == expression.columns:
        return named(expression.text)
    needed = [column for column in expression.columns if column not in exempt]
    return f"CASE WHEN {_any_null(needed)} THEN NULL ELSE ({expression.text}\n) END" if needed else f"({expression.text}\n)"


def _any_null(columns: Iterable[str]) -> str:
    return "(" + " OR ".join(f"{named(column)} IS NULL" for column in columns) + ")"


def _null_names(columns: Iterable[str]) -> str:
    listed = ", ".join(f"CASE WHEN {named(column)} IS NULL THEN {quoted(column)} END" for column in columns)
    return f"list_filter(CAST([{listed}] AS VARCHAR[]), lambda name: name IS NOT NULL)"


def _evidence(columns: Iterable[str], view: Mapping[str, str]) -> str:
    return f"CAST({_object([(column, _cell(column, view[column])) for column in columns])} AS VARCHAR)"


def _cell(column: str, duckdb_type: str) -> str:
    """A column as the value of a JSON object, which takes text, truth and whole numbers as they are."""
    plain = family_of(duckdb_type) in {Family.TEXT, Family.TRUTH, Family.WHOLE}
    return named(column) if plain else json_sql(named(column), duckdb_type)


def _object(pairs: Iterable[tuple[str, str]]) -> str:
    listed = ", ".join(f"{quoted(name)}, {text}" for name, text in pairs)
    return f"json_object({listed})"
