"""Finds the parts of an expression that turn a missing fact into an answer.

`applies` follows three-valued logic: one false conjunct settles it, whatever else is missing. That is sound only while everything below
AND, OR and NOT answers NULL to NULL. Here stands what is known to; anything else is refused there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

ParseTree = Mapping[str, Any]
"""One node of what DuckDB's json_serialize_sql answers."""

ANSWERS_NULL_TO_NULL = frozenset(
    (
        *("+", "-", "*", "/", "//", "%", "^", "**"),
        *("~~", "!~~", "~~*", "!~~*", "~~~"),  # LIKE, NOT LIKE, ILIKE, NOT ILIKE, GLOB
        *("abs", "ceil", "ceiling", "floor", "round", "sign", "mod", "pow", "power", "sqrt", "ln", "log2", "log10"),
        *("lower", "upper", "trim", "ltrim", "rtrim", "length", "strlen", "left", "right", "substr", "substring", "replace", "reverse"),
        *("starts_with", "prefix", "suffix", "ends_with", "contains", "strpos", "instr", "position", "split_part"),
        *("regexp_matches", "regexp_full_match", "regexp_extract", "regexp_replace"),
        *("list_contains", "array_contains", "list_has", "array_has", "len"),
    )
)
"""Functions and operators of DuckDB that answer NULL as soon as one argument is NULL.

Source: DuckDB itself; tests/engine/test_strictness.py tries each.
"""

_OPERATORS = frozenset(("OPERATOR_NOT", "COMPARE_IN", "COMPARE_NOT_IN", "ARRAY_EXTRACT", "OPERATOR_CAST", "COMPARE_BETWEEN"))
_COMPARISONS = frozenset(
    f"COMPARE_{name}" for name in ("EQUAL", "NOTEQUAL", "LESSTHAN", "GREATERTHAN", "LESSTHANOREQUALTO", "GREATERTHANOREQUALTO")
)
_CONJUNCTIONS = frozenset(("CONJUNCTION_AND", "CONJUNCTION_OR"))
_WORDS = {
    "OPERATOR_COALESCE": "coalesce",
    "OPERATOR_IS_NULL": "IS NULL",
    "OPERATOR_IS_NOT_NULL": "IS NOT NULL",
    "OPERATOR_TRY": "try",
    "COMPARE_DISTINCT_FROM": "IS DISTINCT FROM",
    "COMPARE_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM or IS TRUE",
    "CASE_EXPR": "CASE",
}


def nodes(tree: Any) -> Iterator[ParseTree]:
    """Every expression node of a DuckDB parse tree, outermost first."""
    if isinstance(tree, dict):
        if "class" in tree:
            yield tree
        for child in tree.values():
            yield from nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from nodes(child)


def columns_of(tree: Any) -> set[str]:
    """Every column a DuckDB parse tree names, in lower case; a name with dots keeps them."""
    return {".".join(node["column_names"]).lower() for node in nodes(tree) if node["class"] == "COLUMN_REF"}


def hidden_columns(tree: Any, may_be_missing: Collection[str]) -> tuple[str, list[str]] | None:
    """The first part that may turn NULL into an answer: what it is called, and the columns it hides; None when there is none.

    Columns in `may_be_missing` may be hidden: the rule gives a reason.
    """
    for node in nodes(tree):
        if _passes_null_on(node):
            continue
        hidden = sorted(columns_of(node) - set(may_be_missing))
        if hidden:
            return _word(node), hidden
    return None


def _passes_null_on(node: ParseTree) -> bool:
    kind = node["type"]
    if node["class"] == "FUNCTION":
        return node["function_name"] in ANSWERS_NULL_TO_NULL
    if node["class"] == "COLUMN_REF":
        return True
    return kind in _OPERATORS or kind in _COMPARISONS or kind in _CONJUNCTIONS


def _word(node: ParseTree) -> str:
    if node["class"] == "FUNCTION":
        name = str(node["function_name"])
        return f"{name}()" if name.isidentifier() else name
    return _WORDS.get(node["type"], str(node["type"]).replace("_", " ").lower())
