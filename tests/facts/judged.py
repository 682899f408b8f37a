"""Verdicts of shipped rules over small fleets of facts, through the real views."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from auditor.engine.evaluate import evaluate
from auditor.engine.rules.params import param_values
from auditor.engine.rules.rule import RuleSet
from auditor.engine.verdicts import Evaluation
from auditor.fleet.loading import ParamOverride
from auditor.pipeline.policy import load_rule_set

from .fleets import Facts, whole
from .prepared import connection_with


@cache
def shipped() -> RuleSet:
    """All shipped rules."""
    return load_rule_set()


def evaluated(given: Facts, *rules: str, **params: Any) -> Evaluation:
    """What these rules say of these facts, readable until facts are judged again; `params` are a fleet's overrides, of every rule."""
    chosen = shipped().only(rules)
    overrides = [ParamOverride("fleet.yaml:1", rule, name, value) for rule in rules for name, value in params.items()]
    connection = connection_with({rule.over for rule in chosen}, whole(given))
    return evaluate(connection, chosen, param_values(overrides, chosen))


def judged(rule: str, given: Facts, **params: Any) -> Mapping[str, str]:
    """By resource id, the verdict that `rule` gives over these facts; `params` are a fleet's overrides."""
    evaluation = evaluated(given, rule, **params)
    verdicts = {finding.resource.id: finding.verdict.value for finding in evaluation.findings()}
    evaluation.close()
    return verdicts
