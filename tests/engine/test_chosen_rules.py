"""Rules that are named by globs, excluded, or of a severity or worse; what fits nothing is a mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.engine.rules.chosen import at_least, with_globs, without
from auditor.engine.rules.rule import RuleSet
from auditor.errors import ConfigurationError
from auditor.model import Severity
from tests.engine.bench import VIEWS, bare_rule

RULES = RuleSet(
    {
        rule_id: bare_rule(rule_id, severity=severity)
        for rule_id, severity in [("baseline/a", "info"), ("baseline/b", "low"), ("queue/depth", "high"), ("vvol/pe-count", "medium")]
        for severity in [Severity(severity)]
    },
    VIEWS,
)


def test_a_glob_stands_for_the_rules_it_fits_and_an_id_for_itself() -> None:
    assert with_globs(RULES, ["queue/depth", "baseline/*", "*/depth", "gone/rule"]) == (
        "queue/depth",
        "baseline/a",
        "baseline/b",
        "gone/rule",
    )


def test_excluded_rules_are_left_out_and_still_known() -> None:
    left = without(RULES, ["baseline/*", "queue/depth"])
    assert list(left.rules) == ["vvol/pe-count"]
    assert left.left_out == {"baseline/a", "baseline/b", "queue/depth"}
    assert without(left, ["queue/*"]) == left, "what is not judged anyway may be excluded as well"
    assert without(RULES, []) is RULES


@pytest.mark.parametrize(
    ("excluded", "error"),
    [
        pytest.param(["baseline"], '"baseline/\\*"', id="a topic without its rules"),
        pytest.param(["queue/dept"], 'did you mean "queue/depth"', id="misspelt"),
        pytest.param(["vvvol/*"], 'did you mean "vvol/\\*"', id="a topic misspelt"),
        pytest.param(["*"], "leaves no rule", id="everything"),
    ],
)
def test_what_excludes_nothing_or_everything_is_refused(excluded: list[str], error: str) -> None:
    with pytest.raises(ConfigurationError, match=error):
        without(RULES, excluded)
    if excluded != ["*"] and "*" in excluded[0]:
        with pytest.raises(ConfigurationError, match=f"--only .*{error}"):
            with_globs(RULES, excluded)


@pytest.mark.parametrize(("severity", "left"), [(None, 4), (Severity.INFO, 4), (Severity.MEDIUM, 2), (Severity.HIGH, 1)])
def test_a_severity_leaves_the_rules_that_are_as_bad_or_worse(severity: Severity | None, left: int) -> None:
    assert len(at_least(RULES, severity)) == left


def test_a_severity_that_no_rule_has_is_refused_and_the_worst_is_named() -> None:
    with pytest.raises(ConfigurationError) as raised:
        at_least(replace(RULES), Severity.CRITICAL)
    assert raised.value.do.startswith("--severity high")
