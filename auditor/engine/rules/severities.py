"""A fleet's own severities of rules, in place of the rule author's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Protocol

from auditor.engine.rules.rule import RuleSet
from auditor.errors import ConfigurationError
from auditor.model import Severity
from auditor.yaml.reading import did_you_mean

_OF_A_TOPIC = "/*"


class Override(Protocol):
    """One line below `severity:` in fleet.yaml (`fleet.SeverityOverride`)."""

    @property
    def where(self) -> str: ...  # noqa: D102  file:line

    @property
    def rules(self) -> str: ...  # noqa: D102  an id, or TOPIC/*

    @property
    def severity(self) -> Severity: ...  # noqa: D102


def with_severities(rules: RuleSet, overrides: Iterable[Override]) -> RuleSet:
    """`rules` with the severities of a fleet; the severity of a rule goes before that of its topic.

    Raises:
        ConfigurationError: an override names a rule or topic that does not exist, judged by or not.
    """
    given = list(overrides)
    known = {*rules.rules, *rules.left_out}
    for override in given:
        _check(override, known)
    by_rules = {override.rules: override.severity for override in given}
    weighed = {}
    for rule in rules:
        severity = by_rules.get(rule.id, by_rules.get(rule.id.partition("/")[0] + _OF_A_TOPIC))
        weighed[rule.id] = rule if severity is None else replace(rule, severity=severity)
    return RuleSet(weighed, rules.views, rules.left_out)


def severity_notices(before: RuleSet, after: RuleSet, where: str) -> tuple[str, ...]:
    """A sentence about the rules that weigh something else in this fleet, for the readers of the report; none when none does.

    Args:
        before: as their authors have them.
        after: the same rules as `with_severities` answers them.
        where: the file that says so.
    """
    changed = [
        f"{rule.id} {after[rule.id].severity} instead of {rule.severity}" for rule in before if rule.severity != after[rule.id].severity
    ]
    return (f"{where} sets severities of its own: {', '.join(changed)}.",) if changed else ()


def _check(override: Override, known: Collection[str]) -> None:
    topics = sorted({rule.partition("/")[0] + _OF_A_TOPIC for rule in known})
    if override.rules in known or override.rules in topics:
        return
    what = "topic has rules" if override.rules.endswith(_OF_A_TOPIC) else "rule is called"
    nearest = did_you_mean(override.rules, topics if override.rules.endswith(_OF_A_TOPIC) else known)
    raise ConfigurationError(
        f'{override.where}: no {what} "{override.rules}"{nearest}',
        why="nothing was judged: failures would weigh, and exit codes be, what nobody asked for.",
        do=f"correct {override.where}; `auditor rules list` lists them. One rule's id, or TOPIC/* for all of a topic.",
    )
