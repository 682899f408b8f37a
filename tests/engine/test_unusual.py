"""Values that are nowhere in the fleet yet: usual where a shipped rule wants them by itself, else not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from auditor.engine.fixes.unusual import _in_words, _is_within, unusual_changes
from auditor.engine.rules.params import param_values
from auditor.engine.rules.rule import RuleSet
from auditor.model import Change, FixClass, Plan, Resource, Scalar, Target
from tests.engine.bench import HEADROOM, SOUND, Override, changed, rule_text, rules_from

WANTED = changed(
    SOUND,
    ("params:\n", "params:\n  wanted: {default: 256, unit: commands, why: policy}\n"),
    ("set: least(256, queue_depth)", "set: $wanted"),
)


@pytest.fixture
def rules(tmp_path: Path) -> RuleSet:
    return rules_from(tmp_path, WANTED)


@pytest.fixture
def fleet() -> duckdb.DuckDBPyConnection:
    """Two depths in the whole fleet, 32 and 64; of a third endpoint it was not read."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE protocol_endpoint AS SELECT * FROM (VALUES (32), (64), (64), (NULL)) AS rows(dsnro)")
    return connection


def raising(after: Scalar, number: int = 1, cluster: str = "gold") -> Change:
    resource = Resource("protocol_endpoint", str(number), "naa.1", "vc", cluster, "esx-01")
    target = Target("vc", (("device", "naa.1"), ("host_id", f"host-{number}")))
    return Change("device.dsnro", FixClass.ONLINE, target, 32, after, (HEADROOM,), resource, "why", number=number)


@pytest.mark.parametrize(
    ("overrides", "own", "after", "seen"),
    [
        pytest.param([], (), 256, None, id="a shipped rule's own wish, where the whole fleet is wrong"),
        pytest.param([Override(HEADROOM, "wanted", 48)], (), 48, None, id="within what is seen"),
        pytest.param([Override(HEADROOM, "wanted", 64)], (), 64, None, id="the largest that is seen"),
        pytest.param([Override(HEADROOM, "wanted", 1)], (), 1, "32 to 64", id="below"),
        pytest.param([Override(HEADROOM, "wanted", 512)], (), 512, "32 to 64", id="above"),
        pytest.param([Override(HEADROOM, "wanted", 256)], (), 256, None, id="set to what it is by itself"),
        pytest.param([Override(HEADROOM, "headroom", 9)], (), 256, None, id="another param"),
        pytest.param([Override(HEADROOM, "wanted", 1, "vc", "silver")], (), 256, None, id="set elsewhere"),
        pytest.param([], (HEADROOM,), 256, "32 to 64", id="a rule of the fleet's own"),
    ],
)
def test_a_value_of_a_param_that_is_nowhere_in_the_fleet_is_unusual(
    rules: RuleSet, fleet: duckdb.DuckDBPyConnection, overrides: list[Override], own: tuple[str, ...], after: int, seen: str | None
) -> None:
    plan = Plan((raising(after, 1), raising(after, 2)))
    found = unusual_changes(fleet, plan, rules, param_values(overrides, rules), own)
    assert [(one.rule, one.remediator, one.wanted, one.seen, one.numbers) for one in found] == (
        [] if seen is None else [(HEADROOM, "device.dsnro", after, seen, (1, 2))]
    )


@pytest.mark.parametrize(
    ("wanted", "seen", "is_within"),
    [
        pytest.param(32, [32, 64], True, id="the least"),
        pytest.param(33, [32, 64], True, id="between two"),
        pytest.param(65, [32, 64], False, id="above all"),
        pytest.param(32, ["x"], False, id="a number among words"),
        pytest.param(32, ["x", 32], True, id="a number among words and itself"),
        pytest.param("x", ["x", "y"], True, id="a word"),
        pytest.param("32", [32, 64], False, id="a word among numbers"),
        pytest.param(True, [False, True], True, id="a truth"),
        pytest.param(True, [False], False, id="another truth"),
        pytest.param(True, [1], False, id="a truth among numbers"),
        pytest.param(1, [True], False, id="a number among truths"),
        pytest.param(32, [], False, id="nothing"),
    ],
)
def test_a_value_is_seen_where_numbers_reach_so_far_or_it_is_one_of_them(wanted: Scalar, seen: list[Scalar], is_within: bool) -> None:
    assert _is_within(wanted, seen) is is_within


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ([], "no value"),
        ([5], "5"),
        ([5, 9], "5 to 9"),
        ([5, "x"], "5, x"),
        ([*"abcdefghij"], "a, b, c, d, e, f, g, h, i, j"),
        ([*"abcdefghijkl"], "a, b, c, d, e, f, g, h, i, j and 2 more"),
    ],
)
def test_what_is_seen_is_told_as_a_range_or_by_its_first_words(seen: list[Scalar], words: str) -> None:
    assert _in_words(seen) == words


def test_a_change_of_a_rule_that_is_not_judged_by_is_unusual(rules: RuleSet, fleet: duckdb.DuckDBPyConnection) -> None:
    other = replace(raising(256), rules=("local/gone",))
    [found] = unusual_changes(fleet, Plan((other,)), rules, param_values([], rules))
    assert (found.rule, found.seen, found.numbers) == ("local/gone", "no value", (1,))


def test_a_number_that_is_read_as_text_is_seen_as_a_number(tmp_path: Path) -> None:
    text = rule_text(
        "local/option",
        over="option",
        holds="TRY_CAST(value AS BIGINT) = 64",
        fix="{remediator: host.option, target: {option: option}, column: value, class: online, set: 64}",
    )
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE option AS SELECT * FROM (VALUES ('A', '32'), ('A', '128'), ('A', 'x'), ('B', '9')) AS rows(option, value)"
    )
    target = Target("vc", (("option", "A"),))
    changes = tuple(
        Change(
            "host.option",
            FixClass.ONLINE,
            target,
            32,
            after,
            ("local/option",),
            Resource("option", "1", "A", "vc", None, "esx-1"),
            "why",
            number=number,
        )
        for number, after in ((1, 64), (2, 256))
    )
    rules = rules_from(tmp_path, text)
    found = unusual_changes(connection, Plan(changes), rules, param_values([], rules), ("local/option",))
    assert [(one.wanted, one.seen, one.numbers) for one in found] == [(256, "32 to 128", (2,))]


def test_each_option_has_a_range_of_its_own(tmp_path: Path) -> None:
    text = (
        WANTED.replace("over: protocol_endpoint", "over: option")
        .replace("family = 'solidfire' AND per_object_qos", "true")
        .replace("least(dsnro, queue_depth) >= $headroom * deepest_disk_queue", "CAST(value AS BIGINT) = $headroom")
        .replace("least(dsnro, queue_depth)", "value")
        .replace("$headroom * deepest_disk_queue", "$headroom")
        .replace("device.dsnro", "host.option")
        .replace("{host_id: host_id, device: device}", "{host_id: host_id, option: option}")
        .replace("column: dsnro", "column: value")
        .replace("set: $wanted", "set: CAST($wanted AS VARCHAR)")
    )
    rules = rules_from(tmp_path, text[: text.index("examples:")] + EXAMPLES)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE option AS SELECT * FROM (VALUES ('A', 'x'), ('B', 'y')) AS rows(option, value)")
    changes = []
    for number, (name, value) in enumerate([("A", "x"), ("A", "y"), ("B", "y"), ("C", "x")], 1):
        resource = Resource("option", str(number), name, "vc", None, "esx-01")
        target = Target("vc", (("host_id", "host-1"), ("option", name)))
        changes.append(Change("host.option", FixClass.ONLINE, target, "z", value, (HEADROOM,), resource, "why", number=number))
    found = unusual_changes(connection, Plan(tuple(changes)), rules, param_values([], rules), (HEADROOM,))
    assert [(dict(one.setting)["option"], one.wanted, one.seen, one.numbers) for one in found] == [
        ("A", "y", "x", (2,)),
        ("C", "x", "no value", (4,)),
    ]


EXAMPLES = """examples:
  passes: [{name: four, row: {value: "4"}}]
  fails: [{name: five, row: {value: "5"}}]
  unknown: [{name: not read, row: {option: x}}]
  not_applicable: [{name: none, row: {value: "4"}}]
"""
