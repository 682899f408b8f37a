"""A fleet may weigh failures as it sees them, never by mistake, and never without saying so."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from auditor.engine.rules.rule import RuleSet
from auditor.engine.rules.severities import severity_notices, with_severities
from auditor.errors import ConfigurationError
from auditor.model import Severity
from tests.engine.bench import bare_rule, rule_text, rules_from


@dataclass(frozen=True)
class Override:
    """As fleet.SeverityOverride."""

    rules: str
    severity: Severity
    where: str = "fleet.yaml:7"


@pytest.fixture
def rules(tmp_path: Path) -> RuleSet:
    return rules_from(tmp_path, rule_text("vvol/one"), rule_text("vvol/two"), rule_text("queue/one", severity="info"))


def severities(rules: RuleSet, *overrides: Override) -> dict[str, str]:
    return {rule.id: str(rule.severity) for rule in with_severities(rules, overrides)}


def test_a_fleet_s_severity_takes_the_place_of_the_author_s(rules: RuleSet) -> None:
    assert severities(rules, Override("queue/one", Severity.CRITICAL)) == {"queue/one": "critical", "vvol/one": "high", "vvol/two": "high"}


@pytest.mark.parametrize("topic_first", [True, False], ids=["topic first", "rule first"])
def test_a_rule_s_own_line_counts_more_than_its_topic_s_wherever_it_stands(rules: RuleSet, topic_first: bool) -> None:
    reported = [Override("vvol/*", Severity.LOW), Override("vvol/two", Severity.MEDIUM)]
    expected = {"queue/one": "info", "vvol/one": "low", "vvol/two": "medium"}
    assert severities(rules, *(reported if topic_first else reversed(reported))) == expected


@pytest.mark.parametrize(
    ("name", "says"),
    [
        pytest.param("vvol/tow", 'fleet.yaml:7: no rule is called "vvol/tow"; did you mean "vvol/two"?', id="misspelt rule"),
        pytest.param("vvols/*", 'fleet.yaml:7: no topic has rules "vvols/*"; did you mean "vvol/*"?', id="misspelt topic"),
        pytest.param("*", 'fleet.yaml:7: no rule is called "*"', id="everything at once"),
    ],
)
def test_a_severity_that_reaches_no_rule_is_refused(rules: RuleSet, name: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        severities(rules, Override(name, Severity.LOW))
    assert caught.value.what.startswith(says)


def test_a_severity_of_a_rule_that_was_left_out_is_no_mistake(rules: RuleSet) -> None:
    assert severities(rules.only(["queue/one"]), Override("vvol/one", Severity.LOW), Override("vvol/*", Severity.LOW)) == {
        "queue/one": "info"
    }


def test_a_reader_of_the_report_is_told_what_weighs_something_else(rules: RuleSet) -> None:
    changed = with_severities(rules, [Override("vvol/one", Severity.INFO), Override("vvol/two", Severity.HIGH)])
    assert severity_notices(rules, changed, "fleet.yaml") == ("fleet.yaml sets severities of its own: vvol/one info instead of high.",)
    assert severity_notices(rules, with_severities(rules, []), "fleet.yaml") == ()


def test_a_rule_weighs_by_itself_or_by_its_topic_and_nothing_else_of_the_rules_changes() -> None:
    ids = ("a/b/c", "a/x", "q/x")
    rules = RuleSet({name: bare_rule(name) for name in ids}, {"view": {}}, frozenset({"left/out"}))
    after = with_severities(rules, [Override("a/*", Severity.LOW), Override("q/x", Severity.INFO), Override("left/*", Severity.INFO)])
    assert {rule.id: rule.severity for rule in after} == {"a/b/c": Severity.LOW, "a/x": Severity.LOW, "q/x": Severity.INFO}
    assert (after.views, after.left_out) == (rules.views, rules.left_out)
    assert with_severities(rules, []).rules == rules.rules
    with pytest.raises(ConfigurationError):
        with_severities(rules, [Override("a/b/*", Severity.LOW)])
