"""Small mistakes made in a rule on purpose: what an author could have written instead, one slip at a time.

Relations are replaced as by Kaminski, Ammann and Offutt, "Better predicate testing" (AST 2011): `<` by `<=` and `<>`, and so on; a test
that notices these notices every other relation there, once the whole condition has been negated and left out as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.let import lets_put_in, put_in
from auditor.engine.rules.rule import Expression, Param, ParamValue, Rule
from auditor.engine.rules.types import Family, family_of
from auditor.engine.verdict_sql import verdict_sql

if TYPE_CHECKING:
    from sqlglot import exp

NO_WORD = "auditor-mutant"
"""Stands for a word that no fleet has."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule with one mistake in what judges."""

    place: str  # applies | holds | let | params | may_be_missing | order
    what: str  # the mistake, in words
    verdict: str  # SQL: the verdict it gives a row
    columns: tuple[str, ...]  # all that its verdict names
    bound: Mapping[str, ParamValue]  # params of its own, besides those of the rule


def mutants_of(rule: Rule, view: Mapping[str, str]) -> list[Mutant]:
    """Every mistake that is tried, each once: its verdict is written differently from the rule's own."""
    seen = {verdict_sql(one): None for one in (as_written(rule), _put_together(rule, {}), rule)}
    result = []
    for mutant in (*_in_expressions(rule, view), *_in_params(rule), *_in_exemptions(rule), *_in_order(rule)):
        if mutant.verdict not in seen or mutant.bound:
            seen[mutant.verdict] = None
            result.append(mutant)
    return result


def _mutant(place: str, what: str, rule: Rule, bound: Mapping[str, ParamValue] | None = None) -> Mutant:
    columns = tuple(dict.fromkeys(column for expression in rule.judging for column in expression.columns))
    return Mutant(place, what, verdict_sql(rule), columns, bound or {})


def _in_expressions(rule: Rule, view: Mapping[str, str]) -> Iterator[Mutant]:
    kin, types = _kin(rule, view), {**view, **{name: let.type for name, let in rule.let.items()}}
    written = {"applies": rule.applies, "holds": rule.holds, **rule.let}
    for name, expression in written.items():
        if expression is None:
            continue
        is_let = name in rule.let
        tree = _parsed(expression.shown)
        for at, node in enumerate(tree.walk()):
            for what, mistaken in _mistakes(node, rule.params, kin, types):
                judged = _put_together(rule, {name: _replaced(tree, at, mistaken)})
                yield _mutant("let" if is_let else name, f"{name}: {what}" if is_let else what, judged)
    for place, expression in (("applies", rule.applies), ("holds", rule.holds)):
        if expression is None:
            continue
        negated = _parsed(f"NOT ({expression.text}\n)")
        yield _mutant(place, f"{place} is negated", _with(rule, place, _expression(negated, expression)))
    if rule.applies is not None:
        yield _mutant("applies", "applies is left out", replace(rule, applies=None))


def _put_together(rule: Rule, mistaken: Mapping[str, exp.Expr]) -> Rule:
    """The rule with other expressions for these names (also "applies" and "holds"); a name under `let` changes wherever it is used."""
    texts = {name: _sql(mistaken[name]) if name in mistaken else _sql(_parsed(let.shown)) for name, let in rule.let.items()}
    lets, _ = lets_put_in(texts)

    def whole(name: str, expression: Expression) -> Expression:
        tree = mistaken[name] if name in mistaken else _parsed(expression.shown)
        return _expression(_parsed(put_in(_sql(tree), lets)) if lets else tree, expression)

    return replace(rule, applies=None if rule.applies is None else whole("applies", rule.applies), holds=whole("holds", rule.holds))


def _with(rule: Rule, place: str, expression: Expression) -> Rule:
    return replace(rule, applies=expression) if place == "applies" else replace(rule, holds=expression)


def _mistakes(
    node: exp.Expr, params: Mapping[str, Param], kin: Mapping[str, tuple[str, ...]], view: Mapping[str, str]
) -> Iterator[tuple[str, exp.Expr]]:
    """What can be written wrong at one place of an expression: in words, and what stands there then."""
    from sqlglot import exp

    if isinstance(node, exp.And | exp.Or) and type(node.parent) is not type(node):
        yield from _of_operands(node)
    if isinstance(node, exp.EQ | exp.NEQ | exp.LT | exp.LTE | exp.GT | exp.GTE):
        yield from _of_relation(node, params, view)
    elif isinstance(node, exp.In) and len(node.expressions) > 1:
        for at, item in enumerate(node.expressions):
            yield f"{item.sql('duckdb')} is left out of {_sql(node)}", _without(node, "expressions", at)
    elif isinstance(node, exp.Case):
        for at, branch in enumerate(node.args["ifs"]):
            yield f"WHEN {_sql(branch.this)} is left out", _without_branch(node, at)
    elif isinstance(node, exp.Column):
        for other in kin.get(node.name.lower(), ()):
            yield f"{node.name} becomes {other}", exp.column(other)
    elif isinstance(node, exp.Literal) and node.find_ancestor(exp.DataType) is None:
        yield from _of_literal(node)
    else:
        yield from _of_arithmetic(node)


def _of_operands(node: exp.And | exp.Or) -> Iterator[tuple[str, exp.Expr]]:
    from sqlglot import exp

    kind, other, word = (exp.And, exp.Or, "OR") if isinstance(node, exp.And) else (exp.Or, exp.And, "AND")
    operands = list(node.flatten(unnest=False))
    yield f"{_sql(node)} is joined by {word}", _joined(other, operands)
    for at, operand in enumerate(operands):
        yield f"{_sql(operand)} is left out", _joined(kind, [one for index, one in enumerate(operands) if index != at])
        turned = [exp.Not(this=exp.Paren(this=one.copy())) if one is operand else one for one in operands]
        yield f"{_sql(operand)} is negated", _joined(kind, turned)


def _of_relation(node: exp.Expr, params: Mapping[str, Param], view: Mapping[str, str]) -> Iterator[tuple[str, exp.Expr]]:
    from sqlglot import exp

    others: Mapping[type, tuple[type[exp.Expr], ...]] = {
        exp.LT: (exp.LTE, exp.NEQ),
        exp.GT: (exp.GTE, exp.NEQ),
        exp.LTE: (exp.LT, exp.EQ),
        exp.GTE: (exp.GT, exp.EQ),
        exp.EQ: (exp.LTE, exp.GTE),
        exp.NEQ: (exp.LT, exp.GT),
    }
    chosen = others[type(node)]
    if any(_is_a_word(side, params, view) for side in (node.this, node.expression)):
        chosen = (exp.NEQ,) if isinstance(node, exp.EQ) else (exp.EQ,)
    for kind in chosen:
        mistaken = kind(this=node.this.copy(), expression=node.expression.copy())
        yield f"{_sql(node)} becomes {_sql(mistaken)}", mistaken


def _of_arithmetic(node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    from sqlglot import exp

    others: Mapping[type, type[exp.Expr]] = {
        exp.Add: exp.Sub,
        exp.Sub: exp.Add,
        exp.Mul: exp.Add,
        exp.Div: exp.Mul,
        exp.Least: exp.Greatest,
        exp.Greatest: exp.Least,
    }
    if type(node) in others:
        mistaken = others[type(node)](**node.copy().args)
        yield f"{_sql(node)} becomes {_sql(mistaken)}", mistaken


def _of_literal(node: exp.Literal) -> Iterator[tuple[str, exp.Expr]]:
    from sqlglot import exp

    if not node.is_string:
        for other in _beside(float(node.name) if "." in node.name or "e" in node.name.lower() else int(node.name)):
            yield f"{node.name} becomes {other}", exp.Literal.number(other)
    elif not isinstance(node.parent, exp.In) or len(node.parent.expressions) == 1:  # else it is left out, which says as much
        yield f"'{node.name}' becomes another word", exp.Literal.string(NO_WORD)


def _in_params(rule: Rule) -> Iterator[Mutant]:
    named = {name for expression in rule.judging for name in expression.params}
    for name in sorted(named):
        for number, other in enumerate(_beside(rule.params[name].default)):
            own = f"other{number}_{name}"
            applies = None if rule.applies is None else _with_param(rule.applies, name, own)
            judged = replace(rule, applies=applies, holds=_with_param(rule.holds, name, own))
            yield _mutant("params", f"the default of ${name} becomes {other}", judged, {own: other})


def _in_exemptions(rule: Rule) -> Iterator[Mutant]:
    """A column that may be missing must not be, and the other way round."""
    for column in rule.holds.columns:
        exempt = dict(rule.may_be_missing)
        if column in exempt:
            del exempt[column]
            yield _mutant("may_be_missing", f"{column} may not be missing", replace(rule, may_be_missing=exempt))
        else:
            exempt[column] = "a mistake"
            yield _mutant("may_be_missing", f"{column} may be missing", replace(rule, may_be_missing=exempt))


def _in_order(rule: Rule) -> Iterator[Mutant]:
    """The verdict with `holds` before `applies`: only where the rule does not hold, it matters whether it applies."""
    if rule.applies is None:
        return
    held = verdict_sql(replace(rule, applies=None))
    failed = f"CASE ({rule.applies.text}\n) WHEN true THEN 'fail' WHEN false THEN 'not_applicable' ELSE 'unknown' END"
    mutant = _mutant("order", "holds is judged before applies", rule)
    yield replace(mutant, verdict=f"CASE {held} WHEN 'fail' THEN {failed} WHEN 'pass' THEN 'pass' ELSE 'unknown' END")


def _beside(value: ParamValue) -> list[Any]:
    """The values next to one: one more and one less of a whole number, a tenth of another; a list without one of its items."""
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, *([value - 1] if value > 0 else [])]
        case float():
            return [value * 1.1, value * 0.9] if value else [0.1]
        case str():
            return [NO_WORD]
        case _:
            return [value[:at] + value[at + 1 :] for at in range(len(value))] if len(value) > 1 else []


def _kin(rule: Rule, view: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each column that judges: the others of its type that judge, or are shown as observed or desired."""
    judging = [column for expression in rule.judging for column in expression.columns]
    shown = list(dict.fromkeys([*judging, *rule.observed.columns, *rule.desired.columns]))
    return {column: tuple(other for other in shown if other != column and view[other] == view[column]) for column in dict.fromkeys(judging)}


def _is_a_word(side: exp.Expr, params: Mapping[str, Param], view: Mapping[str, str]) -> bool:
    """Whether one side of a relation is plainly text or a truth value: no such value is more than another."""
    from sqlglot import exp

    side = side.unnest()
    if isinstance(side, exp.Column):
        return family_of(view[side.name.lower()]) in (Family.TEXT, Family.TRUTH)
    if isinstance(side, exp.Placeholder):
        return isinstance(params[side.name].default, str | bool)
    return isinstance(side, exp.Boolean) or (isinstance(side, exp.Literal) and bool(side.is_string))


def _parsed(text: str) -> exp.Expr:
    """An expression in parentheses, so that all of it may be replaced."""
    import sqlglot
    from sqlglot import exp

    select = sqlglot.parse_one(f"SELECT ({text}\n)", dialect="duckdb")
    tree = select.expressions[0]
    return tree if isinstance(tree, exp.Paren) else exp.Paren(this=tree)


def _replaced(tree: exp.Expr, at: int, mistaken: exp.Expr) -> exp.Expr:
    """A copy of `tree` with something else at its node number `at`."""
    from sqlglot import exp

    copy = tree.copy()
    next(one for index, one in enumerate(copy.walk()) if index == at).replace(exp.Paren(this=mistaken.copy()))
    return copy


def _expression(tree: exp.Expr, of: Expression) -> Expression:
    from sqlglot import exp

    columns = tuple(dict.fromkeys(column.name.lower() for column in tree.find_all(exp.Column)))
    params = tuple(dict.fromkeys(param.name for param in tree.find_all(exp.Placeholder)))
    return Expression(tree.sql("duckdb"), columns, params, of.type)


def as_written(rule: Rule) -> Rule:
    """The rule with its expressions as this module writes them."""
    applies = None if rule.applies is None else _expression(_parsed(rule.applies.text), rule.applies)
    return replace(rule, applies=applies, holds=_expression(_parsed(rule.holds.text), rule.holds))


def _joined(kind: type[exp.Expr], operands: list[exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    joined = operands[0].copy()
    for operand in operands[1:]:
        joined = kind(this=exp.Paren(this=joined), expression=exp.Paren(this=operand.copy()))
    return joined


def _without(node: exp.Expr, key: str, at: int) -> exp.Expr:
    copy = node.copy()
    copy.set(key, [item for index, item in enumerate(copy.args[key]) if index != at])
    return copy


def _without_branch(node: exp.Case, at: int) -> exp.Expr:
    from sqlglot import exp

    if len(node.args["ifs"]) > 1:
        return _without(node, "ifs", at)
    return node.args.get("default") or exp.Null()


def _with_param(expression: Expression, name: str, replacement: str) -> Expression:
    """The expression with another param in the place of one."""
    from sqlglot import exp

    tree = _parsed(expression.text)
    for param in tree.find_all(exp.Placeholder):
        if param.name == name:
            param.replace(exp.Placeholder(this=replacement))
    return _expression(tree, expression)


def _sql(node: exp.Expr) -> str:
    return node.sql("duckdb")
