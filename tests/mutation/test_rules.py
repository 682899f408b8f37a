"""Which rules have mistakes tried in them."""

from auditor.pipeline.policy import load_rule_set
from tests.mutation.rules import EVERY, digest, to_try

IDS = [f"topic/rule-{number:03}" for number in range(40)]
DIGESTS = {rule: f"digest of {rule}" for rule in IDS}
KEPT = {rule: (text, 95.0) for rule, text in DIGESTS.items()}
SAMPLE = IDS[::EVERY]


def test_where_no_rule_changed_a_few_are_tried() -> None:
    assert to_try(DIGESTS, KEPT) == SAMPLE
    assert 1 < len(SAMPLE) < 5


def test_a_rule_that_changed_that_is_new_or_that_scored_too_low_is_tried() -> None:
    changed, new, low = IDS[5], IDS[7], IDS[9]
    kept = {rule: one for rule, one in KEPT.items() if rule != new}
    kept |= {changed: ("another", 95.0), low: (DIGESTS[low], 89.9)}
    assert to_try(DIGESTS, kept) == sorted({*SAMPLE, changed, new, low})


def test_where_nothing_is_kept_every_rule_is_tried() -> None:
    assert to_try(DIGESTS, {}) == IDS


def test_the_digest_is_of_the_rules_file_and_of_the_columns_of_its_view() -> None:
    rules = load_rule_set()
    first, second = list(rules)[:2]
    assert digest(first, rules) == digest(first, load_rule_set()) != digest(second, rules)
    columns = dict(rules.views[first.over])
    columns.popitem()
    rules = type(rules)(rules.rules, {**rules.views, first.over: columns})
    assert digest(first, rules) != digest(first, load_rule_set())
