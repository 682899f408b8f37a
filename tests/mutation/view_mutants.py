"""Small mistakes made in the SQL of a view on purpose: what an author could have written instead, one slip at a time.

The slips are those that views are prone to: a key left out of a join, a guard left out, the other aggregate of a pair, a default left out,
a branch left out, a boundary on the wrong side, a filter turned round, a row counted that is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class ViewMutant:
    """A view with one mistake in it.

    Attributes:
        kind: join | guard | filter | aggregate | default | branch | boundary | relation | null | word | number | distinct | union
        what: the mistake, in words; unlike those of all other mutants of the view.
        sql: the whole SELECT.
    """

    kind: str
    what: str
    sql: str


def mutants_of_view(sql: str) -> list[ViewMutant]:
    """Every mistake that is tried in a view's text, each once."""
    tree = _parsed(sql)
    seen, named = {tree.sql("duckdb")}, dict[str, int]()
    result = []
    for node in list(tree.walk()):
        for kind, what, mistaken in list(_mistakes(node)):
            text = _replaced(tree, node, mistaken)
            if text in seen:
                continue
            seen.add(text)
            where = f"{_place(node)}: {what}"
            named[where] = named.get(where, 0) + 1
            result.append(ViewMutant(kind, where if named[where] == 1 else f"{where} ({named[where]})", text))
    return result


def as_written(sql: str) -> str:
    """The view as this module writes it, without a mistake: comment, layout and letters' case of keywords left out."""
    return _parsed(sql).sql("duckdb")


def _parsed(sql: str) -> exp.Expr:
    import sqlglot

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    for node in tree.walk():
        node.pop_comments()
    return tree


def _replaced(tree: exp.Expr, node: exp.Expr, mistaken: exp.Expr | None) -> str:
    """The text of `tree` with something else in the place of `node`; None: with nothing there. The tree is as it was afterwards."""
    from sqlglot import exp

    if node is tree:
        return "" if mistaken is None else mistaken.sql("duckdb")
    other: exp.Expr = exp.Placeholder() if mistaken is None else mistaken.copy()
    node.replace(other)
    if mistaken is None:
        above, key, at = other.parent, other.arg_key, other.index
        other.pop()
        text = tree.sql("duckdb")
        assert above is not None
        assert key is not None
        if at is None:
            above.set(key, node)
        else:
            above.args[key].insert(at, node)
            above.set(key, above.args[key])
        return text
    text = tree.sql("duckdb")
    other.replace(node)
    return text


def _place(node: exp.Expr) -> str:
    """The common table expression a node is in and the column it is for, as far as it has them."""
    from sqlglot import exp

    table = node.find_ancestor(exp.CTE)
    parts = [table.alias] if table is not None else []
    above: exp.Expr | None = node
    while above is not None and not isinstance(above, exp.Select):
        if isinstance(above, exp.Alias):
            parts.append(above.alias)
            break
        above = above.parent
    return ".".join(parts) or "rows"


_Mistakes = Iterator[tuple[str, str, "exp.Expr | None"]]


def _mistakes(node: exp.Expr) -> _Mistakes:
    """What can be written wrong at one place: the kind, the mistake in words, and what stands there then."""
    from sqlglot import exp

    of_kind: Mapping[type, Callable[[Any], _Mistakes]] = {
        exp.And: _of_operands,
        exp.Or: _of_operands,
        exp.Join: _of_join,
        exp.Case: _of_case,
        exp.Not: _of_negation,
        exp.Union: _of_union,
        exp.In: _of_list,
    }
    if type(node) in of_kind:
        yield from of_kind[type(node)](node)
    elif isinstance(node, exp.Where | exp.Having | exp.Qualify):
        yield "filter", f"{_sql(node)} is left out", None
    elif isinstance(node, exp.Filter):
        yield "filter", f"{_sql(node)} loses its filter", node.this
    elif isinstance(node, exp.Coalesce):
        yield "default", f"{_sql(node)} becomes {_sql(node.this)}", node.this
    elif isinstance(node, exp.Is):
        yield "null", f"{_sql(node)} is negated", exp.Not(this=exp.Paren(this=node.copy()))
    else:
        yield from _of_calls(node)


def _of_list(node: exp.In) -> _Mistakes:
    for index, item in enumerate(node.expressions if len(node.expressions) > 1 else ()):
        yield "word", f"{_sql(item)} is left out of {_sql(node)}", _without(node, "expressions", index)


def _of_union(node: exp.Union) -> _Mistakes:
    yield "union", f"the second part of a union is left out: {_sql(node.expression)}", node.this
    yield "union", f"the first part of a union is left out: {_sql(node.this)}", _with_clauses_of(node, node.expression)


def _of_calls(node: exp.Expr) -> _Mistakes:
    from sqlglot import exp

    relations: Mapping[type, tuple[str, type[exp.Expr]]] = {
        exp.LT: ("boundary", exp.LTE),
        exp.LTE: ("boundary", exp.LT),
        exp.GT: ("boundary", exp.GTE),
        exp.GTE: ("boundary", exp.GT),
        exp.EQ: ("relation", exp.NEQ),
        exp.NEQ: ("relation", exp.EQ),
        exp.NullSafeEQ: ("null", exp.EQ),
        exp.NullSafeNEQ: ("null", exp.NEQ),
        exp.Max: ("aggregate", exp.Min),
        exp.Min: ("aggregate", exp.Max),
        exp.LogicalOr: ("aggregate", exp.LogicalAnd),
        exp.LogicalAnd: ("aggregate", exp.LogicalOr),
        exp.ArgMax: ("aggregate", exp.ArgMin),
        exp.ArgMin: ("aggregate", exp.ArgMax),
        exp.Sum: ("aggregate", exp.Max),
        exp.Least: ("aggregate", exp.Greatest),
        exp.Greatest: ("aggregate", exp.Least),
        exp.Add: ("number", exp.Sub),
        exp.Sub: ("number", exp.Add),
        exp.Mul: ("number", exp.Div),
        exp.Div: ("number", exp.Mul),
    }
    if type(node) in relations and not _is_of_join(node):
        kind, other = relations[type(node)]
        mistaken = other(**{key: value for key, value in node.copy().args.items() if key in other.arg_types})
        yield kind, f"{_sql(node)} becomes {_sql(mistaken)}", mistaken
    elif isinstance(node, exp.Count) and not isinstance(node.this, exp.Star | exp.Distinct) and node.this is not None:
        mistaken = exp.Count(this=exp.Star())
        yield "aggregate", f"{_sql(node)} becomes {_sql(mistaken)}", mistaken
    elif isinstance(node, exp.Distinct):
        if isinstance(node.parent, exp.Select):
            yield "distinct", "DISTINCT is left out", None
        elif isinstance(node.parent, exp.Count) and node.expressions:
            yield "distinct", f"{_sql(node.parent)} counts repetitions", node.expressions[0]
    elif isinstance(node, exp.Literal) and not node.is_string and _is_compared(node):
        other_number = str(int(node.name) + 1) if node.name.isdecimal() else str(float(node.name) * 1.1)
        yield "number", f"{node.name} becomes {other_number} in {_sql(node.parent)}", exp.Literal.number(other_number)
    elif isinstance(node, exp.Literal) and node.is_string and _is_compared(node) and node.name:
        yield "word", f"'{node.name}' becomes another word in {_sql(node.parent)}", exp.Literal.string("auditor-mutant")


def _of_operands(node: exp.And | exp.Or) -> _Mistakes:
    """One of two sides is left out; every operand of a chain is one side of some node of it."""
    kind = "join" if _is_of_join(node) else "guard"
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        if type(side.unnest()) is not type(node) or side is not node.this:
            yield kind, f"{_sql(side)} is left out", other


def _of_negation(node: exp.Not) -> _Mistakes:
    from sqlglot import exp

    inner = node.this.unnest()
    kind = "null" if isinstance(inner, exp.Is) else "guard"
    yield kind, f"{_sql(node)} becomes {_sql(node.this)}", node.this


def _of_join(node: exp.Join) -> _Mistakes:

    if (node.kind or "").upper() in ("CROSS", "ANTI", "SEMI"):
        return
    joined = _sql(node.this)
    outer = (node.side or "").upper() == "LEFT"
    other = node.copy()
    other.set("side", None if outer else "LEFT")
    condition = f" on {_sql(node.args['on'])}" if node.args.get("on") is not None else ""
    if outer or node.args.get("on") is not None or node.args.get("using"):
        yield "join", f"LEFT JOIN {joined}{condition} becomes JOIN" if outer else f"JOIN {joined}{condition} becomes LEFT JOIN", other
    using = node.args.get("using") or []
    if len(using) > 1:
        for index, key in enumerate(using):
            yield "join", f"{key.name} is left out of USING for {joined}", _without(node, "using", index)


def _of_case(node: exp.Case) -> _Mistakes:
    from sqlglot import exp

    branches = node.args["ifs"]
    for index, branch in enumerate(branches):
        mistaken = _without(node, "ifs", index) if len(branches) > 1 else node.args.get("default") or exp.Null()
        yield "branch", f"WHEN {_sql(branch.this)} THEN {_sql(branch.args['true'])} is left out", mistaken
        if len(branches) == 1 and node.args.get("default") is None:
            yield "guard", f"CASE WHEN {_sql(branch.this)} is left out", branch.args["true"]
    if node.args.get("default") is not None and not isinstance(node.args["default"], exp.Null):
        mistaken = node.copy()
        mistaken.set("default", None)
        yield "branch", f"ELSE {_sql(node.args['default'])} is left out", mistaken


def _is_of_join(node: exp.Expr) -> bool:
    """Whether a node is a condition of a join, or one of its conjuncts."""
    from sqlglot import exp

    above = node.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Join)


def _is_compared(node: exp.Literal) -> bool:
    """Whether a literal is one side of a relation, or of a sum, rather than part of a text."""
    from sqlglot import exp

    return isinstance(node.parent, exp.LT | exp.LTE | exp.GT | exp.GTE | exp.EQ | exp.NEQ | exp.Mul | exp.Div | exp.Add | exp.Sub)


def _with_clauses_of(union: exp.Union, part: exp.Expr) -> exp.Expr:
    mistaken = part.copy()
    for key in ("with", "with_"):
        if union.args.get(key) is not None and mistaken.args.get(key) is None:
            mistaken.set(key, union.args[key].copy())
    left: exp.Expr = union.this
    for key in ("with", "with_"):
        if left.args.get(key) is not None and mistaken.args.get(key) is None:
            mistaken.set(key, left.args[key].copy())
    return mistaken


def _without(node: exp.Expr, key: str, at: int) -> exp.Expr:
    copy = node.copy()
    copy.set(key, [item for index, item in enumerate(copy.args[key]) if index != at])
    return copy


def _sql(node: exp.Expr | None) -> str:
    return "" if node is None else " ".join(node.sql("duckdb").split())
