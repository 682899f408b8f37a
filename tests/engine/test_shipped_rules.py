"""The rules that come with auditor, held to what every rule promises."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.authoring.examples import check_examples
from auditor.authoring.examples import judge_rows as judged_rows
from auditor.engine.rules.message import Slot, parts
from auditor.engine.rules.rule import Rule, RuleSet
from auditor.errors import RuleError
from auditor.facts.views import RESOURCE_COLUMNS, seal
from auditor.model import Verdict
from auditor.pipeline.policy import load_rule_set
from auditor.yaml.reading import load_yaml

RULES = Path(__file__).parents[2] / "rules"
MOST_CHARACTERS = 200
"""Of an expression that decides on a verdict or a fix, on one line."""
IDS = sorted(path.relative_to(RULES).with_suffix("").as_posix() for path in RULES.rglob("*.yaml"))


@cache
def shipped() -> RuleSet:
    """As an audit has them; `test_checked_rules.py` holds that to what a reading of each file gives."""
    return load_rule_set()


def test_there_are_rules_and_every_file_is_one() -> None:
    assert IDS
    assert sorted(shipped().rules) == IDS


@pytest.mark.parametrize("rule_id", IDS)
def test_the_examples_are_what_they_say_and_every_failing_one_is_fixed(rule_id: str) -> None:
    assert [result.detail for result in check_examples(shipped().only([rule_id]), shipped()) if not result.ok] == []


WRITTEN = {
    "id",
    "title",
    "failure_title",
    "severity",
    "tags",
    "over",
    "releases",
    "lesson",
    "sources",
    "holds",
    "observed",
    "desired",
    "message",
}
"""What the loader lets a rule of a fleet leave out, and no shipped one does."""


@pytest.mark.parametrize("rule_id", IDS)
def test_a_shipped_rule_leaves_nothing_out(rule_id: str) -> None:
    data = load_yaml(RULES / f"{rule_id}.yaml", RuleError, why="").data
    assert WRITTEN - data.keys() == set()
    examples = data["examples"]
    wanted = {"passes", "fails", "unknown", *(["not_applicable"] if "applies" in data else [])}
    assert {kind for kind, rows in examples.items() if rows} == wanted
    assert all(row.get("name") for rows in examples.values() for row in rows)


@cache
def sealed() -> duckdb.DuckDBPyConnection:
    """One database for every rule: opening one costs more than judging some rows."""
    connection = duckdb.connect()
    seal(connection)
    return connection


def judge_rows(rule: Rule, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return judged_rows(sealed(), rule, shipped().views[rule.over], rows)


@pytest.mark.parametrize("rule_id", IDS)
def test_a_row_of_which_nothing_was_read_is_never_a_pass(rule_id: str) -> None:
    rule = shipped()[rule_id]
    (judged,) = judge_rows(rule, [dict.fromkeys(RESOURCE_COLUMNS, "x")])
    assert judged["verdict"] in (Verdict.UNKNOWN, Verdict.NOT_APPLICABLE)


LONGEST_MESSAGE = 240
PLACE = dict(zip(RESOURCE_COLUMNS, ("vc-1", "id-1", "naa.6f47acc100000000612e3f4d00000001", "gold", "esx-01.example.net"), strict=True))


def figures(row: Mapping[str, Any]) -> set[str]:
    """The values of a row as a person may write them: 0.4 as 40, 80.0 as 80, in groups of three digits, and bytes as MiB."""
    numbers = [value for value in row.values() if isinstance(value, int | float) and not isinstance(value, bool)]
    written = {f"{one:,}" for one in numbers} | {f"{one * factor:.4g}" for one in numbers for factor in (1, 100)}
    written |= {f"{int(one / 2**20 * 10) / 10:g}" for one in numbers}
    return written | {str(value) for value in row.values() if isinstance(value, str) and value} | set(map(str, numbers))


@pytest.mark.parametrize("rule_id", IDS)
def test_a_failing_example_says_what_is_wrong_with_values_of_its_row(rule_id: str) -> None:
    rule = shipped()[rule_id]
    assert rule.message is not None
    failing = [example for example in rule.examples if example.verdict is Verdict.FAIL]
    spoken = [part for part in parts(rule.message.text) if isinstance(part, Slot) and part.words[1:]]
    for example, judged in zip(failing, judge_rows(rule, [PLACE | dict(example.row) for example in failing]), strict=True):
        message = judged["message"]
        assert message.startswith((f"{judged['resource_name']}: ", f"{judged['resource_name']} on esx-01.example.net: ")), message
        said = message.removeprefix(judged["resource_name"])
        assert not set("{}$") & set(said), message
        assert re.search(r"\b(None|null|NULL|NaN|nan|not read not read)\b|  ", message) is None, message
        assert len(message) <= LONGEST_MESSAGE, message
        words = [word for part in spoken for word in part.words]
        shown = [one for one in (*figures(example.row), *words, "none") if re.search(rf"(?<![\w.]){re.escape(one)}(?![\w])", said)]
        assert shown or rule_id in ONLY_NAMES, (message, example.row)


ONLY_NAMES = {"sioc/deprecation", "sioc/overlap-array-qos", "ontap/lun-space-alloc"}
"""Rules whose message has the name of what fails and no other value: a switch that is on, or a feature that is missing."""


def test_every_param_of_a_shipped_rule_has_bounds_with_a_source() -> None:
    bare = [f"{rule.id} ${name}" for rule in shipped() for name, param in rule.params.items() if not (param.bounds and param.bounds.source)]
    assert bare == []


def test_one_command_at_a_time_is_no_depth_that_a_param_may_ask_for() -> None:
    rules = shipped()
    for rule in ("queue/default-unless-justified", "queue/dsnro-effective", "queue/raise-both", "sioc/dsnro-conflict"):
        bounds = rules[rule].params["stock"].bounds
        assert bounds is not None
        assert bounds.fault(1).startswith("is 1, and may be 8 to 256 (")


@pytest.mark.parametrize("rule_id", IDS)
def test_an_expression_is_as_short_as_a_person_reads_it(rule_id: str) -> None:
    """What is longer is a column of the view, or has parts with names under `let`."""
    rule = shipped()[rule_id]
    deciding = {"applies": rule.applies, "holds": rule.holds, **rule.let}
    if rule.fix is not None:
        deciding |= {"set": rule.fix.value, "when": rule.fix.when, "touches": rule.fix.touches}
    lengths = {name: len(" ".join(expression.shown.split())) for name, expression in deciding.items() if expression is not None}
    assert {name: length for name, length in lengths.items() if length > MOST_CHARACTERS} == {}


def test_a_param_of_one_name_has_one_type() -> None:
    types: dict[str, dict[str, str]] = {}
    for rule in shipped():
        for name, param in rule.params.items():
            first = param.default[0] if isinstance(param.default, tuple) else param.default
            kind = "a number" if isinstance(first, int | float) and not isinstance(first, bool) else type(first).__name__
            types.setdefault(name, {})[rule.id] = f"a list of {kind}" if isinstance(param.default, tuple) else kind
    assert {name: rules for name, rules in types.items() if len(set(rules.values())) > 1} == {}


def test_several_words_of_which_each_may_be_chosen_are_a_list() -> None:
    """A text with | between them would be a list in one rule and a pattern in another."""
    texts = [
        f"{rule.id} ${name}"
        for rule in shipped()
        for name, param in rule.params.items()
        if isinstance(param.default, str) and param.bounds is not None and param.bounds.choices
    ]
    assert texts == []
