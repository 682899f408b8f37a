"""A mistake in a rule is noticed by an example, or reported with a row that would notice it."""

import json
from functools import cache
from pathlib import Path

import pytest

from auditor.authoring.mutants import Mutant, as_written, mutants_of
from auditor.authoring.mutation import RuleScore, score_rules
from auditor.endpoints.settings import remediator_names
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.params import bindings
from auditor.engine.rules.rule import Rule
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import verdict_sql
from auditor.facts.catalog import view_columns
from auditor.sql.names import named
from tests.engine.bench import VIEWS, changed, rules_from

RULES = Path(__file__).parents[3] / "rules"
RULE = """\
id: vvol/pe-dsnro-headroom
title: The queue is long enough
severity: high
over: protocol_endpoint
lesson: It was not.
sources: [{what: an incident}]
params: {least: {default: 64, unit: commands, why: policy}}
applies: family IN ('solidfire', 'flasharray') AND per_object_qos
holds: dsnro >= $least
observed: dsnro
desired: $least
by_hand: Raise it.
examples:
  passes: [{name: enough, row: {family: solidfire, per_object_qos: true, dsnro: 256}}]
  fails: [{name: too short, row: {family: solidfire, per_object_qos: true, dsnro: 32}}]
  unknown: [{name: not read, row: {family: solidfire, per_object_qos: true}}]
  not_applicable: [{name: no QoS, row: {family: solidfire, per_object_qos: false, dsnro: 32}}]
"""
EXACT = (
    ("passes: [", "passes: [{name: just enough, row: {family: solidfire, per_object_qos: true, dsnro: 64}}, "),
    ("fails: [", "fails: [{name: one short, row: {family: flasharray, per_object_qos: true, dsnro: 63}}, "),
    ("not_applicable: [", "not_applicable: [{name: another family, row: {family: ontap, per_object_qos: true}}, "),
)


@cache
def shipped() -> dict[str, Rule]:
    return dict(load_rules([RULES], view_columns(), remediator_names()).rules)


def rule_of(folder: Path, *changes: tuple[str, str]) -> Rule:
    return rules_from(folder, changed(RULE, *changes))["vvol/pe-dsnro-headroom"]


def score_of(folder: Path, *changes: tuple[str, str]) -> RuleScore:
    (score,) = score_rules(rules_from(folder, changed(RULE, *changes)))
    return score


def mistakes(folder: Path, *changes: tuple[str, str]) -> set[tuple[str, str]]:
    rule = rule_of(folder, *changes)
    return {(mutant.place, mutant.what) for mutant in mutants_of(rule, VIEWS[rule.over])}


@pytest.mark.parametrize(
    ("place", "what"),
    [
        pytest.param("holds", "dsnro >= $least becomes dsnro > $least", id="an operator"),
        pytest.param("params", "the default of $least becomes 65", id="a param one more"),
        pytest.param("params", "the default of $least becomes 63", id="a param one less"),
        pytest.param("applies", "per_object_qos is left out", id="a conjunct left out"),
        pytest.param("applies", "family IN ('solidfire', 'flasharray') AND per_object_qos is joined by OR", id="and for or"),
        pytest.param("applies", "'flasharray' is left out of family IN ('solidfire', 'flasharray')", id="a word of a list"),
        pytest.param("applies", "per_object_qos is negated", id="a negated conjunct"),
        pytest.param("holds", "holds is negated", id="a negated condition"),
        pytest.param("applies", "applies is left out", id="no applies"),
        pytest.param("order", "holds is judged before applies", id="the order of verdicts"),
        pytest.param("may_be_missing", "dsnro may be missing", id="a missing fact let through"),
    ],
)
def test_this_mistake_is_tried(tmp_path: Path, place: str, what: str) -> None:
    assert (place, what) in mistakes(tmp_path)


@pytest.mark.parametrize(
    ("holds", "what"),
    [
        pytest.param("dsnro <= queue_depth + 8", "queue_depth + 8 becomes queue_depth - 8", id="plus for minus"),
        pytest.param("dsnro <= queue_depth + 8", "8 becomes 9", id="a literal one more"),
        pytest.param("dsnro <= queue_depth + 8", "dsnro becomes queue_depth", id="a column of the same type"),
        pytest.param("least(dsnro, 9) > 1", "LEAST(dsnro, 9) becomes GREATEST(dsnro, 9)", id="the larger for the smaller"),
        pytest.param("host_id <> 'a'", "host_id <> 'a' becomes host_id = 'a'", id="equal for different"),
        pytest.param("CASE WHEN dsnro > 1 THEN true ELSE false END", "WHEN dsnro > 1 is left out", id="a branch"),
    ],
)
def test_this_mistake_is_tried_in_holds(tmp_path: Path, holds: str, what: str) -> None:
    found = mistakes(tmp_path, ("holds: dsnro >= $least", f'holds: "{holds}"'))
    assert ("holds", what) in found


def test_words_and_truth_are_not_compared_by_more_and_less(tmp_path: Path) -> None:
    found = mistakes(tmp_path, ("holds: dsnro >= $least", "holds: host_id = 'host-1'"))
    assert not [what for _, what in found if "host_id <=" in what or "host_id >=" in what]


def test_examples_on_both_sides_of_every_bound_notice_everything(tmp_path: Path) -> None:
    score = score_of(tmp_path, *EXACT)
    assert score.missed == ()
    assert score.percent == 100


def test_what_no_example_notices_is_told_with_a_row_that_would(tmp_path: Path) -> None:
    score = score_of(tmp_path)
    missed = {one.mutant.what: one for one in score.missed}
    bound = missed["dsnro >= $least becomes dsnro > $least"]
    assert bound.row["dsnro"] == 64
    assert (bound.by_rule, bound.by_mutant) == ("pass", "fail")
    assert score.percent < 90
    assert score.noticed + len(score.missed) + score.alike == len(mistakes(tmp_path))


def test_the_rows_that_are_told_are_the_examples_that_were_missing(tmp_path: Path) -> None:
    keys = {"pass": "passes", "fail": "fails", "unknown": "unknown", "not_applicable": "not_applicable"}
    more = dict.fromkeys(keys.values(), "")
    for number, one in enumerate(score_of(tmp_path).missed):
        more[keys[one.by_rule]] += f"{{name: told {number}, row: {json.dumps(dict(one.row))}}}, "
    assert score_of(tmp_path, *((f"  {key}: [", f"  {key}: [{rows}") for key, rows in more.items())).missed == ()


def test_a_mistake_that_no_row_can_tell_from_the_rule_is_not_counted(tmp_path: Path) -> None:
    # NULL >= 64 is NULL: letting it through changes nothing. No command count is below 0, so neither does `>= 0` for `<> -1`.
    score = score_of(tmp_path, *EXACT)
    assert score.alike == 1


def test_a_mutant_that_cannot_be_judged_is_noticed(tmp_path: Path) -> None:
    # device holds names: as a number it is an error, and an audit would end there.
    score = score_of(
        tmp_path,
        ("holds: dsnro >= $least", "holds: CAST(host_id AS BIGINT) >= $least"),
        ("observed: dsnro", "observed: device"),
        ("dsnro: 256", "host_id: '256', device: esx"),
        ("row: {family: solidfire, per_object_qos: true, dsnro: 32}}", "row: {family: solidfire, per_object_qos: true, host_id: '32'}}"),
    )
    assert "host_id becomes device" not in {one.mutant.what for one in score.missed}


@pytest.mark.parametrize("rule_id", sorted(path.relative_to(RULES).with_suffix("").as_posix() for path in RULES.rglob("*.yaml")))
def test_a_rule_as_written_for_mutants_judges_its_examples_as_it_does(rule_id: str) -> None:
    """Else every mutant would differ from the rule by more than its mistake."""
    rule = shipped()[rule_id]
    view = view_columns()[rule.over]
    cells = [f"CAST(NULL AS {kind}) AS {named(column)}" for column, kind in view.items()]
    with sandbox() as connection:
        connection.execute(f"CREATE TEMP TABLE example AS SELECT {', '.join(cells)} WHERE false")
        for example in rule.examples:
            listed = ", ".join(named(column) for column in example.row)
            marks = ", ".join("?" for _ in example.row)
            connection.execute(f"INSERT INTO example ({listed}) VALUES ({marks})", list(example.row.values()))
        bound = bindings({name: rule.params[name].default for expression in rule.judging for name in expression.params})
        verdicts = [connection.execute(f"SELECT {verdict_sql(one)} FROM example", bound).fetchall() for one in (rule, as_written(rule))]
    assert verdicts[0] == verdicts[1]
    assert [row[0] for row in verdicts[0]] == [str(example.verdict) for example in rule.examples]


def test_mutants_do_not_share_a_verdict(tmp_path: Path) -> None:
    rule = rule_of(tmp_path)
    mutants: list[Mutant] = mutants_of(rule, VIEWS[rule.over])
    reported = [(mutant.verdict, tuple(mutant.bound.items())) for mutant in mutants]
    assert len(set(reported)) == len(reported)


def test_a_mistake_in_a_named_expression_is_tried_once_for_all_places_that_name_it(tmp_path: Path) -> None:
    rule = rule_of(
        tmp_path,
        ("by_hand:", "may_be_missing: {queue_depth: it may}\nby_hand:"),
        ("applies:", "let: {floor: $least + 1}\napplies:"),
        ("holds: dsnro >= $least", "holds: dsnro > floor - 1 AND (queue_depth IS NULL OR queue_depth > floor - 1)"),
    )
    mutants = mutants_of(rule, VIEWS["protocol_endpoint"])
    of_let = [one for one in mutants if one.place == "let"]
    assert [one.what for one in of_let] == ["floor: $least + 1 becomes $least - 1", "floor: 1 becomes 2", "floor: 1 becomes 0"]
    assert of_let[0].verdict.count("$least - 1") == 2
    assert not [one for one in mutants if one.place == "holds" and "$least" in one.what]


def test_a_named_expression_that_judges_nothing_is_not_mutated(tmp_path: Path) -> None:
    rule = rule_of(tmp_path, ("applies:", "let: {shown: $least + 1}\napplies:"), ("desired: $least", "desired: shown"))
    assert "let" not in {one.place for one in mutants_of(rule, VIEWS["protocol_endpoint"])}
