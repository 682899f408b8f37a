"""A search through rows of the rules that come with auditor: no loss of facts makes a pass."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.engine.rules.rule import Rule
from auditor.model import Verdict
from tests.depth import depth
from tests.engine.test_shipped_rules import IDS, judge_rows, shipped


def rows_like(rule: Rule) -> st.SearchStrategy[dict[str, Any]]:
    """Rows made of the values its examples use, each column on its own."""
    values: dict[str, list[Any]] = {column: [None] for column in rule.columns}
    for example in rule.examples:
        for column, value in example.row.items():
            values.setdefault(column, [None]).append(value)
    return st.fixed_dictionaries({column: st.sampled_from(known) for column, known in values.items()})


@cache
def searched(rule_id: str) -> st.SearchStrategy[tuple[list[dict[str, Any]], list[frozenset[str]]]]:
    """Ten rows, and the columns that are lost of each, after those of the rule's examples."""
    rule = shipped()[rule_id]
    facts = sorted({column for expression in rule.judging for column in expression.columns} - set(rule.may_be_missing))
    count = len(rule.examples) + 10
    lost = st.lists(st.frozensets(st.sampled_from(facts)), min_size=count, max_size=count)
    return st.tuples(st.lists(rows_like(rule), min_size=10, max_size=10), lost)


def without(row: Mapping[str, Any], lost: frozenset[str]) -> dict[str, Any]:
    return {column: None if column in lost else value for column, value in row.items()}


def is_left_open(rule: Rule, evidence: Mapping[str, Any]) -> bool:
    """Whether nothing is missing and the bounds that a verdict rests on differ: then it may be unknown, and its evidence says why."""
    if any(evidence[column] is None for column in rule.holds.columns):
        return False
    stems = {column.removesuffix("_at_least").removesuffix("_at_most") for column in rule.holds.columns}
    bounds = [[evidence[name] for name in (f"{stem}_at_least", stem, f"{stem}_at_most") if name in rule.holds.columns] for stem in stems]
    return any(known[0] < known[-1] for known in bounds)


@pytest.mark.parametrize("rule_id", IDS)
@settings(max_examples=depth(3, 20))
@given(data=st.data())
def test_facts_taken_away_never_make_a_pass(rule_id: str, data: st.DataObject) -> None:
    rule = shipped()[rule_id]
    made, lost = data.draw(searched(rule_id), label="rows and what is lost of each")
    rows = [*(dict(example.row) for example in rule.examples), *made]
    judged = judge_rows(rule, [*rows, *(without(row, columns) for row, columns in zip(rows, lost, strict=True))])
    for before, after in zip(judged[: len(rows)], judged[len(rows) :], strict=True):
        assert before["verdict"] == Verdict.PASS or after["verdict"] != Verdict.PASS, after["evidence"]
        assert after["verdict"] in (before["verdict"], Verdict.UNKNOWN), after["evidence"]
    for one in judged:
        assert one["verdict"] != Verdict.UNKNOWN or one["missing"] or is_left_open(rule, json.loads(one["evidence"])), (
            f"an unknown verdict names no fact that was missing: {one['evidence']}"
        )
