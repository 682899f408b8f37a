"""The rules that come with auditor, held to what every rule promises."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

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


@pytest.mark.parametrize("rule_id", IDS)
def test_a_row_of_which_nothing_was_read_is_never_a_pass(rule_id: str) -> None:
    rule = shipped()[rule_id]
    (judged,) = judge_rows(rule, [dict.fromkeys(RESOURCE_COLUMNS, "x")])
    assert judged["verdict"] in (Verdict.UNKNOWN, Verdict.NOT_APPLICABLE)


def test_every_param_of_a_shipped_rule_has_bounds_with_a_source() -> None:
    bare = [f"{rule.id} ${name}" for rule in shipped() for name, param in rule.params.items() if not (param.bounds and param.bounds.source)]
    assert bare == []


def test_one_command_at_a_time_is_no_depth_that_a_param_may_ask_for() -> None:
    rules = shipped()
    for rule in ("queue/default-unless-justified", "queue/dsnro-effective", "queue/raise-both", "sioc/dsnro-conflict"):
        bounds = rules[rule].params["stock"].bounds
        assert bounds is not None
        assert bounds.fault(1).startswith("is 1, and may be 8 to 256 (")
