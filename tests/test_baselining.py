"""Which rules a baseline brings, and what is read for them."""

from collections.abc import Collection

import pytest

from auditor.auditing import load_rule_set, needs_for
from auditor.baselining import judged_with
from auditor.errors import ConfigurationError
from auditor.facts.baseline import KINDS, VIEWS

RULES = load_rule_set()
DRIFT = {rule.id for rule in RULES if rule.over in VIEWS}


def judged(held: Collection[str], asked: Collection[str] = ()) -> set[str]:
    return set(judged_with(RULES, held, asked=asked).rules)


def test_rules_of_drift_are_those_over_the_views_of_a_baseline() -> None:
    assert {rule.id for rule in RULES if "drift" in rule.tags} == DRIFT
    assert {RULES[rule].over for rule in DRIFT} == VIEWS


def test_without_a_baseline_no_rule_of_drift_is_judged_and_nothing_is_read_for_one() -> None:
    assert judged(()) == set(RULES.rules) - DRIFT
    assert needs_for(judged_with(RULES, ())) == needs_for(RULES.only(set(RULES.rules) - DRIFT))
    assert "events" not in needs_for(judged_with(RULES, ())).topics


def test_with_one_only_the_kinds_it_holds_are_judged() -> None:
    assert judged(("option", "sioc")) & DRIFT == {"baseline/option", "baseline/option-reboot", "baseline/sioc", "baseline/sioc-threshold"}
    assert judged(KINDS) == set(RULES.rules)


@pytest.mark.parametrize(
    ("held", "asked", "told"),
    [
        pytest.param((), ("drift",), "no baseline is set", id="a tag"),
        pytest.param((), ("baseline/option",), "no baseline is set", id="a rule"),
        pytest.param((), ("baseline/option", "iscsi/mtu"), "no baseline is set", id="a rule among others"),
        pytest.param(("option",), ("baseline/sioc",), "holds nothing that baseline/", id="a kind that it does not hold"),
    ],
)
def test_asking_for_drift_with_nothing_to_compare_with_is_a_mistake(held: Collection[str], asked: Collection[str], told: str) -> None:
    rules = RULES.tagged(asked) if "drift" in asked else RULES.only(asked)
    with pytest.raises(ConfigurationError, match=told):
        judged_with(rules, held, asked=asked)


def test_asking_for_all_rules_is_not_asking_for_drift() -> None:
    assert judged((), asked=("all",)) == set(RULES.rules) - DRIFT
