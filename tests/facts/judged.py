"""Verdicts of shipped rules over small fleets of facts, through the real views."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from auditor.engine.evaluate import evaluate
from auditor.engine.params import param_values
from auditor.engine.rule import RuleSet
from auditor.fleet import ParamOverride
from auditor.policy import load_rule_set

from .fleets import Facts, whole
from .prepared import connection_with


@cache
def shipped() -> RuleSet:
    """All shipped rules."""
    return load_rule_set()


def judged(rule: str, given: Facts, **params: Any) -> Mapping[str, str]:
    """By resource id, the verdict that `rule` gives over these facts; `params` are a fleet's overrides."""
    rules = shipped().only([rule])
    connection = connection_with({one.over for one in rules}, whole(given))
    overrides = [ParamOverride("fleet.yaml:1", rule, name, value) for name, value in params.items()]
    evaluation = evaluate(connection, rules, param_values(overrides, rules))
    verdicts = {finding.resource.id: finding.verdict.value for finding in evaluation.findings()}
    evaluation.close()
    return verdicts
