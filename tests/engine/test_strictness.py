from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.authoring.examples import judge_rows
from auditor.engine.evaluate import evaluate
from auditor.engine.rules.expressions import ExpressionChecker
from auditor.engine.rules.rule import Rule
from auditor.engine.rules.strictness import ANSWERS_NULL_TO_NULL
from auditor.engine.sandbox import sandbox
from auditor.errors import RuleError
from auditor.model import Severity
from tests.engine.bench import VIEWS, fleet, pe, rule_text, rules_from

_NUMBERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("+", "-", "*", "/", "//", "%", "^", "**"), ("6", "2")),
    **dict.fromkeys(("abs", "ceil", "ceiling", "floor", "sign", "sqrt", "ln", "log2", "log10"), ("4.0",)),
    **dict.fromkeys(("mod", "pow", "power"), ("7", "2")),
    "round": ("2.55",),
}
_TEXTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("~~", "!~~", "~~*", "!~~*", "~~~"), ("'abc'", "'a%'")),
    **dict.fromkeys(("lower", "upper", "trim", "ltrim", "rtrim", "length", "strlen", "reverse"), ("'abc'",)),
    **dict.fromkeys(("left", "right"), ("'abc'", "2")),
    **dict.fromkeys(("substr", "substring"), ("'abc'", "1", "2")),
    **dict.fromkeys(("starts_with", "prefix", "suffix", "ends_with", "contains", "strpos", "instr"), ("'abc'", "'a'")),
    **dict.fromkeys(("regexp_matches", "regexp_full_match", "regexp_extract"), ("'abc'", "'a'")),
    **dict.fromkeys(("replace", "regexp_replace"), ("'abc'", "'a'", "'b'")),
    "position": ("'abc'", "'a'"),
    "split_part": ("'a.b'", "'.'", "1"),
}
_LISTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("list_contains", "array_contains", "list_has", "array_has"), ("['a', 'b']", "'c'")),
    "len": ("['a']",),
}
SAMPLES = _NUMBERS | _TEXTS | _LISTS


def call(function: str, arguments: Sequence[str]) -> str:
    if function == "position":
        return f"position({arguments[1]} IN {arguments[0]})"
    if function.isidentifier():
        return f"{function}({', '.join(arguments)})"
    return f"({arguments[0]}) {function} ({arguments[1]})"


def test_every_function_let_into_applies_is_asked_about() -> None:
    assert set(SAMPLES) == set(ANSWERS_NULL_TO_NULL)


@pytest.mark.parametrize("function", sorted(SAMPLES))
def test_a_function_let_into_applies_answers_null_as_soon_as_an_argument_is(function: str) -> None:
    with sandbox() as connection:
        types = [
            row[0] for row in connection.execute(f"SELECT unnest([{', '.join(f'typeof({a})' for a in SAMPLES[function])}])").fetchall()
        ]
        whole = connection.execute(f"SELECT {call(function, SAMPLES[function])}").fetchone()
        assert whole is not None
        assert whole[0] is not None
        for position, kind in enumerate(types):
            arguments = [f"NULL::{kind}" if at == position else text for at, text in enumerate(SAMPLES[function])]
            assert connection.execute(f"SELECT {call(function, arguments)}").fetchone() == (None,), (function, position)


SWALLOWING = [
    pytest.param("least(dsnro, 256) > 1", "least()", id="least"),
    pytest.param("greatest(dsnro, 1) > 0", "greatest()", id="greatest"),
    pytest.param("coalesce(dsnro, 1) > 0", "coalesce", id="coalesce"),
    pytest.param("ifnull(dsnro, 1) > 0", "coalesce", id="ifnull"),
    pytest.param("dsnro IS NULL", "IS NULL", id="is null"),
    pytest.param("dsnro IS NOT NULL", "IS NOT NULL", id="is not null"),
    pytest.param("dsnro IS DISTINCT FROM 4", "IS DISTINCT FROM", id="is distinct from"),
    pytest.param("dsnro IS NOT DISTINCT FROM 4", "IS NOT DISTINCT FROM", id="is not distinct from"),
    pytest.param("(dsnro > 4) IS TRUE", "IS NOT DISTINCT FROM or IS TRUE", id="is true"),
    pytest.param("(dsnro > 4) IS NOT FALSE", "IS DISTINCT FROM", id="is not false"),
    pytest.param("CASE WHEN dsnro > 4 THEN true ELSE false END", "CASE", id="case"),
    pytest.param("CASE WHEN dsnro > 4 THEN true END", "CASE", id="case without else"),
    pytest.param("if(dsnro > 4, true, false)", "if()", id="if"),
    pytest.param("nullif(4, dsnro) = 4", "nullif()", id="nullif"),
    pytest.param("concat(dsnro, 'x') = 'x'", "concat()", id="concat"),
    pytest.param("concat_ws('-', dsnro, 'x') = 'x'", "concat_ws()", id="concat with a separator"),
    pytest.param("[1, dsnro][1] = 1", "list_value()", id="a list made of columns"),
    pytest.param("dsnro::VARCHAR || 'x' = 'x'", "||", id="joined text"),
    pytest.param("typeof(dsnro) = 'BIGINT'", "typeof()", id="the type of it"),
    pytest.param("hash(dsnro) > 0", "hash()", id="a hash"),
    pytest.param("try(dsnro + 1) > 0", "try", id="try"),
    pytest.param("NOT (NOT (coalesce(dsnro, 1) > 0))", "coalesce", id="behind two NOTs"),
    pytest.param("family = 'x' OR (per_object_qos AND dsnro + coalesce(dsnro, 1) > 0)", "coalesce", id="deep inside"),
]


@pytest.mark.parametrize(("applies", "part"), SWALLOWING)
def test_applies_may_not_turn_a_missing_fact_into_an_answer(tmp_path: Path, applies: str, part: str) -> None:
    quoted = applies.replace("'", "''")
    with pytest.raises(RuleError) as caught:
        rules_from(tmp_path, rule_text("vvol/sample", applies=f"'{quoted}'"))
    assert f"'applies' uses {part}" in caught.value.what
    assert '"dsnro"' in caught.value.what


@pytest.mark.parametrize(("applies", "part"), SWALLOWING)
def test_applies_may_do_so_for_a_column_whose_absence_says_something(tmp_path: Path, applies: str, part: str) -> None:
    quoted = applies.replace("'", "''")
    rules = rules_from(tmp_path, rule_text("vvol/sample", applies=f"'{quoted}'", may_be_missing="{dsnro: NULL is the default}"))
    assert rules["vvol/sample"].may_be_missing == {"dsnro": "NULL is the default"}


@pytest.mark.parametrize("applies", ["lower(family) = 'x'", "abs(dsnro) + 1 > queue_depth", "family LIKE 'solid%' AND dsnro % 2 = 0"])
def test_applies_may_use_what_answers_null_to_null(tmp_path: Path, applies: str) -> None:
    quoted = applies.replace("'", "''")
    assert rules_from(tmp_path, rule_text("vvol/sample", applies=f"'{quoted}'"))["vvol/sample"].may_be_missing == {}


def test_one_column_with_a_reason_does_not_cover_another(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match='turns a missing "queue_depth" into an answer'):
        rules_from(tmp_path, rule_text("vvol/sample", applies="least(dsnro, queue_depth) > 1", may_be_missing="{dsnro: reason}"))


_COLUMNS = ("dsnro", "queue_depth", "deepest_disk_queue", "iops_limit")
_ATOMS = st.one_of(
    st.builds(
        lambda a, op, b: f"({a} {op} {b})", st.sampled_from(_COLUMNS), st.sampled_from(("=", "<", ">=", "<>")), st.sampled_from(_COLUMNS)
    ),
    st.builds(lambda a, n: f"({a} + {n} > 3)", st.sampled_from(_COLUMNS), st.integers(0, 4)),
    st.builds(lambda a, n: f"({a} BETWEEN {n} AND 4)", st.sampled_from(_COLUMNS), st.integers(0, 4)),
    st.builds(lambda a, b: f"({a} IN (1, {b}, 3))", st.sampled_from(_COLUMNS), st.sampled_from(_COLUMNS)),
    st.builds(lambda a, b: f"({a} NOT IN (1, {b}))", st.sampled_from(_COLUMNS), st.sampled_from(_COLUMNS)),
)
# What `applies` refuses; `holds` may use it, because there no named column may be missing.
_SWALLOWING = st.one_of(
    st.builds(
        lambda f, a, b: f"({f}({a}, {b}) > 2)",
        st.sampled_from(("least", "greatest", "coalesce")),
        st.sampled_from(_COLUMNS),
        st.sampled_from(_COLUMNS),
    ),
    st.builds(lambda a, n: f"({a} IS {n} NULL)", st.sampled_from(_COLUMNS), st.sampled_from(("", "NOT"))),
    st.builds(lambda a: f"(CASE WHEN {a} > 2 THEN true ELSE false END)", st.sampled_from(_COLUMNS)),
)


def _predicates(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.builds(lambda a, op, b: f"({a} {op} {b})", inner, st.sampled_from(("AND", "OR", "=")), inner),
            st.builds(lambda a: f"(NOT {a})", inner),
        ),
        max_leaves=6,
    )


_VALUES = st.one_of(st.none(), st.integers(0, 4))
_ROWS = st.lists(st.fixed_dictionaries(dict.fromkeys(_COLUMNS, _VALUES)), min_size=4, max_size=12)


@cache
def checker() -> ExpressionChecker:
    return ExpressionChecker(VIEWS)


@pytest.mark.long
@settings(max_examples=50)
@given(applies=_predicates(_ATOMS), holds=_predicates(_ATOMS | _SWALLOWING), rows=_ROWS, lost=st.sampled_from(_COLUMNS))
def test_a_lost_fact_never_makes_a_pass(applies: str, holds: str, rows: list[dict[str, Any]], lost: str) -> None:
    view = "protocol_endpoint"
    checker().check_strict(applies, ())
    read = [checker().read(text, view, {}) for text in (applies, holds, "1")]
    rule = Rule("any/rule", "", Severity.LOW, view, "", (), read[1], read[2], read[2], Path("any/rule.yaml"), applies=read[0])
    with sandbox() as connection:
        judged = [row["verdict"] for row in judge_rows(connection, rule, VIEWS[view], [*rows, *({**row, lost: None} for row in rows)])]
    for before, after in zip(judged[: len(rows)], judged[len(rows) :], strict=True):
        assert before == "pass" or after != "pass"
        # Nor may a loss settle what was open, or turn one answer into another.
        assert after in (before, "unknown")


def test_the_rule_of_s0_does_not_pass_an_endpoint_whose_dsnro_was_never_read(tmp_path: Path) -> None:
    text = rule_text("vvol/pe", holds="least(dsnro, queue_depth) >= 256", observed="least(dsnro, queue_depth)")
    (finding,) = evaluate(fleet([pe(dsnro=None, queue_depth=256)]), rules_from(tmp_path, text)).findings()
    assert (finding.verdict, finding.missing, finding.observed) == ("unknown", ("dsnro",), None)
