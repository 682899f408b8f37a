"""Changes to a value that is nowhere in the fleet yet, and that no shipped rule wants by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from auditor.engine.rules.params import bindings_of, values_at
from auditor.engine.rules.rule import DECLARED
from auditor.engine.verdict_sql import value_now
from auditor.model import SETTING_KEYS, Unusual
from auditor.sql.names import named

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import duckdb

    from auditor.engine.rules.params import ParamValues
    from auditor.engine.rules.rule import Rule, RuleSet
    from auditor.model import Change, Plan, Scalar

_MOST_SHOWN = 10


def unusual_changes(
    connection: duckdb.DuckDBPyConnection, plan: Plan, rules: RuleSet, params: ParamValues, custom_rules: Collection[str] = ()
) -> tuple[Unusual, ...]:
    """The changes of `plan` that move a setting out of what is seen of it anywhere in the fleet; those to one value together.

    What a shipped rule wants by its own params counts as usual: where the whole fleet is wrong, nobody has the right value. What a param
    of fleet.yaml wants, a rule of the fleet's own, or settings.yaml does not: there a slip would reach every host.

    Args:
        connection: with the views that were judged.
        plan: its changes have numbers.
        rules: that were judged by.
        params: what the fleet overrides.
        custom_rules: ids of rules that are not shipped.
    """
    groups: dict[tuple[str, str, tuple[tuple[str, str], ...], str], list[Change]] = {}
    for change in plan.changes:
        if not any(_is_usual(rules.rules.get(one), change, params, custom_rules) for one in change.rules):
            setting = tuple(pair for pair in change.target.keys if pair[0] in SETTING_KEYS)
            groups.setdefault((change.rules[0], change.remediator, setting, repr(change.after)), []).append(change)
    found = []
    for (rule, remediator, setting, _), changes in groups.items():
        seen = _seen(connection, rules, rules.rules[rule], dict(setting)) if rule in rules.rules else []
        wanted = changes[0].after
        if not _is_within(wanted, seen):
            numbers = tuple(change.number for change in changes)
            found.append(Unusual(rule, remediator, setting, wanted, _in_words(seen), numbers))
    return tuple(found)


def _is_usual(rule: Rule | None, change: Change, params: ParamValues, custom_rules: Collection[str]) -> bool:
    """Whether a shipped rule wants this by the params it came with."""
    if rule is None or rule.fix is None or rule.id in custom_rules or DECLARED in rule.tags:
        return False
    values = values_at(rule, params, (change.target.endpoint, change.resource.cluster))
    return all(values[name] == rule.params[name].default for name in rule.fix.value.params)


def _seen(connection: duckdb.DuckDBPyConnection, rules: RuleSet, rule: Rule, setting: dict[str, str]) -> list[Scalar]:
    """Every value that the fleet has for a setting, once."""
    if rule.fix is None:
        return []
    value, targets = value_now(rule.fix, rules.views[rule.over]), rule.fix.target
    same = [(f"CAST(({targets[key].text}) AS VARCHAR) = $auditor_{key}", targets[key], value) for key, value in setting.items()]
    bound: dict[str, Any] = {f"auditor_{key}": value for key, value in setting.items()}
    bound |= bindings_of([target for _, target, _ in same], {name: param.default for name, param in rule.params.items()})
    conditions = " AND ".join([f"({value}) IS NOT NULL", *(text for text, _, _ in same)])
    rows = connection.execute(f"SELECT DISTINCT {value} FROM {named(rule.over)} WHERE {conditions} ORDER BY ALL", bound).fetchall()
    return [value for (value,) in rows]


def _is_within(wanted: Scalar, seen: Sequence[Scalar]) -> bool:
    numbers = [one for one in seen if _is_number(one)]
    if _is_number(wanted) and numbers:
        return min(numbers) <= wanted <= max(numbers)
    return any(type(one) is type(wanted) and one == wanted for one in seen)


def _is_number(value: Scalar) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_words(seen: Sequence[Scalar]) -> str:
    if not seen:
        return "no value"
    if len(seen) > 1 and all(map(_is_number, seen)):
        return f"{seen[0]} to {seen[-1]}"
    more = f" and {len(seen) - _MOST_SHOWN} more" if len(seen) > _MOST_SHOWN else ""
    return f"{', '.join(map(str, seen[:_MOST_SHOWN]))}{more}"
