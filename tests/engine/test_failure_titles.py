"""Each shipped rule names its failure: not the state that it wants, but what is so where it fails."""

import re

import pytest

from auditor.engine.rules.rule import Rule
from tests.engine.test_shipped_rules import shipped

MOST_CHARACTERS = 90


@pytest.mark.parametrize("rule", list(shipped()), ids=lambda rule: rule.id)
def test_a_rule_says_in_one_sentence_what_is_so_where_it_fails(rule: Rule) -> None:
    said = rule.failure_title
    assert said, rule.id
    assert said[0].isupper() or said[0].isdigit() or said.startswith("iSCSI"), said
    assert len(said) <= MOST_CHARACTERS, said
    assert said[-1] not in ".!", said
    assert said.casefold() != rule.title.casefold()
    assert re.search(r"[{}$]|\\n", said) is None, said


def test_no_two_rules_name_their_failures_alike() -> None:
    named = [rule.failure_title.casefold() for rule in shipped()]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("rule", [rule for rule in shipped() if rule.message is not None], ids=lambda rule: rule.id)
def test_a_message_that_wants_what_a_param_says_names_the_param(rule: Rule) -> None:
    text = rule.message.text if rule.message is not None else ""
    asked = set(re.findall(r"\{\$(\w+)", text)) | (set(rule.desired.params) if "{desired" in text else set())
    asked = {name for name in asked if not isinstance(rule.params[name].default, tuple | list)}
    if asked:
        assert re.search(r"\bparams?\b", text.replace("{$", "{")), f"{rule.id}: {text} shows {sorted(asked)}"


MEANS = ("davg_ms", "davg_median_ms", "kavg_ms", "gavg_ms", "qavg_ms")
"""Columns of one device that are the mean over all commands of all who use it."""


@pytest.mark.parametrize("rule", [rule for rule in shipped() if rule.message is not None], ids=lambda rule: rule.id)
def test_a_mean_over_many_is_not_told_as_each_ones(rule: Rule) -> None:
    text = rule.message.text if rule.message is not None else ""
    if any(f"{{{column}" in text for column in MEANS):
        assert re.search(r"\b(mean|average|median)\b", text), f"{rule.id}: {text}"
