"""The rules that come with auditor, held to what every rule promises."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.authoring.examples import _judge_rows, check_examples
from auditor.endpoints.settings import remediator_names
from auditor.engine.loading import load_rules
from auditor.engine.rule import Rule, RuleSet
from auditor.facts.catalog import view_columns
from auditor.facts.views import RESOURCE_COLUMNS, seal
from auditor.model import Verdict

RULES = Path(__file__).parents[2] / "rules"
IDS = sorted(path.relative_to(RULES).with_suffix("").as_posix() for path in RULES.rglob("*.yaml"))


@cache
def shipped() -> RuleSet:
    return load_rules([RULES], view_columns(), remediator_names())


def test_there_are_rules_and_every_file_is_one() -> None:
    assert IDS
    assert sorted(shipped().rules) == IDS


@pytest.mark.parametrize("rule_id", IDS)
def test_the_examples_are_what_they_say_and_every_failing_one_is_fixed(rule_id: str) -> None:
    assert [result.detail for result in check_examples(shipped().only([rule_id]), shipped()) if not result.ok] == []


@cache
def sealed() -> duckdb.DuckDBPyConnection:
    """One database for every rule: opening one costs more than judging some rows."""
    connection = duckdb.connect()
    seal(connection)
    return connection


def judge_rows(rule: Rule, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return _judge_rows(sealed(), rule, shipped().views[rule.over], rows)


def rows_like(rule: Rule) -> st.SearchStrategy[dict[str, Any]]:
    """Rows made of the values its examples use, each column on its own."""
    values: dict[str, list[Any]] = {column: [None] for column in rule.columns}
    for example in rule.examples:
        for column, value in example.row.items():
            values.setdefault(column, [None]).append(value)
    return st.fixed_dictionaries({column: st.sampled_from(known) for column, known in values.items()})


def without(row: Mapping[str, Any], lost: frozenset[str]) -> dict[str, Any]:
    return {column: None if column in lost else value for column, value in row.items()}


@pytest.mark.parametrize("rule_id", IDS)
@settings(max_examples=5)
@given(data=st.data())
def test_facts_taken_away_never_make_a_pass(rule_id: str, data: st.DataObject) -> None:
    rule = shipped()[rule_id]
    rows = [dict(example.row) for example in rule.examples]
    rows += data.draw(st.lists(rows_like(rule), min_size=10, max_size=10), label="rows")
    facts = sorted({column for expression in rule.judging for column in expression.columns} - set(rule.may_be_missing))
    lost = [data.draw(st.frozensets(st.sampled_from(facts)), label="lost") for _ in rows]
    judged = judge_rows(rule, [*rows, *(without(row, columns) for row, columns in zip(rows, lost, strict=True))])
    for before, after in zip(judged[: len(rows)], judged[len(rows) :], strict=True):
        assert before["verdict"] == Verdict.PASS or after["verdict"] != Verdict.PASS, after["evidence"]
        assert after["verdict"] in (before["verdict"], Verdict.UNKNOWN), after["evidence"]
        assert after["verdict"] != Verdict.UNKNOWN or after["missing"], "an unknown verdict names no fact that was missing"


@pytest.mark.parametrize("rule_id", IDS)
def test_a_row_of_which_nothing_was_read_is_never_a_pass(rule_id: str) -> None:
    rule = shipped()[rule_id]
    (judged,) = judge_rows(rule, [dict.fromkeys(RESOURCE_COLUMNS, "x")])
    assert judged["verdict"] in (Verdict.UNKNOWN, Verdict.NOT_APPLICABLE)
