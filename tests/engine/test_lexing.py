import json

import duckdb
import pytest

from auditor.engine.rules.columns import Names, names_in
from auditor.engine.rules.lexing import plain_names, renamed_params
from auditor.pipeline.policy import load_rule_set


def read(text: str) -> Names | None:
    row = duckdb.execute("SELECT json_serialize_sql(?)", [f"SELECT ({text}\n)"]).fetchone()
    assert row is not None
    tree = json.loads(row[0])
    return None if tree["error"] else plain_names(text, tree["statements"][0]["node"]["select_list"])


@pytest.mark.parametrize(
    ("text", "columns", "params"),
    [
        pytest.param(
            "least(dsnro, queue_depth) >= $headroom * deepest", ("dsnro", "queue_depth", "deepest"), ("headroom",), id="a function"
        ),
        pytest.param("Family IN ('dsnro', 'it''s $x') AND NOT is_pe", ("family", "is_pe"), (), id="words in text are no columns"),
        pytest.param("CASE WHEN a IS NOT NULL THEN b ELSE 1.5e3 END", ("a", "b"), (), id="keywords are no columns"),
        pytest.param("try_cast(value AS INTEGER) = 1 OR value::DOUBLE < .5", ("value",), (), id="types are no columns"),
        pytest.param("a LIKE 'naa.%' AND a BETWEEN $low AND $high", ("a",), ("low", "high"), id="params in their order"),
    ],
)
def test_a_plain_expression_is_read_by_its_words(text: str, columns: tuple[str, ...], params: tuple[str, ...]) -> None:
    assert read(text) == Names(columns, params)
    assert names_in(text) == Names(columns, params)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1) + (dsnro", id="parentheses that close ours"),
        pytest.param("family.upper() = 'A'", id="a column before a dot"),
        pytest.param('"dsnro" > 1', id="a quoted name"),
        pytest.param("dsnro > 1 -- queue_depth", id="a comment"),
        pytest.param("dsnro, queue_depth", id="two expressions"),
        pytest.param("(dsnro, 1) = (1, 2)", id="a row"),
        pytest.param("list_filter(families, lambda f: f = 'a')", id="a lambda"),
        pytest.param("(SELECT dsnro)", id="a subquery"),
        pytest.param("DATE '2026-11-21' > read_at", id="a literal of a type"),
        pytest.param("$1 > dsnro", id="a param by number"),
        pytest.param("E'a' = family", id="text with escapes"),
        pytest.param("family COLLATE nocase = 'a'", id="a collation"),
        pytest.param("families[1] = 'a'", id="a part of a list"),
        pytest.param("{'a': dsnro}.a > 1", id="a structure"),
    ],
)
def test_anything_else_is_left_to_the_parsers(text: str) -> None:
    assert read(text) is None


@pytest.mark.long
def test_the_words_and_sqlglot_agree_on_every_shipped_rule() -> None:
    expressions = [expression for rule in load_rule_set() for expression in rule.expressions]
    assert len(expressions) > 50
    for expression in expressions:
        assert names_in(expression.text) == Names(expression.columns, expression.params)


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        pytest.param("a = $b AND c = '$b'", "a = $at1_b AND c = '$b'", id="text is left alone"),
        pytest.param("a = '''$b' || $b", "a = '''$b' || $at1_b", id="a quote in a text"),
        pytest.param("names[11] = $b", "names[11] = $at1_b", id="part of a text"),
        pytest.param('"a$b" = $b', '"a$b" = $at1_b', id="a name in quotes"),
        pytest.param("a -- $b\n = $b", "a -- $b\n = $at1_b", id="a comment"),
        pytest.param("a /* $b */ = $b", "a /* $b */ = $at1_b", id="a comment within a line"),
        pytest.param("a = $$ $b $$ || $b", "a = $$ $b $$ || $at1_b", id="a text between dollars"),
        pytest.param("a = b", "a = b", id="no param"),
    ],
)
def test_params_are_renamed_and_what_only_looks_like_one_is_not(text: str, renamed: str) -> None:
    assert renamed_params(text, "at1_") == renamed
