"""Verdicts of shipped rules over small fleets of facts, through the real views."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from auditor.engine.evaluate import evaluate
from auditor.engine.params import param_values
from auditor.engine.rule import RuleSet
from auditor.facts.views import create_views
from auditor.fleet import ParamOverride
from auditor.policy import load_rule_set

from .fleets import WHEN, Facts, builder


@cache
def shipped() -> RuleSet:
    """All shipped rules."""
    return load_rule_set()


def judged(rule: str, given: Facts, **params: Any) -> Mapping[str, str]:
    """By resource id, the verdict that `rule` gives over these facts; `params` are a fleet's overrides."""
    rules = shipped().only([rule])
    connection = builder(given).finish((), started=WHEN, finished=WHEN).connection
    create_views(connection, views={one.over for one in rules})
    overrides = [ParamOverride("fleet.yaml:1", rule, name, value) for name, value in params.items()]
    evaluation = evaluate(connection, rules, param_values(overrides, rules))
    return {finding.resource.id: finding.verdict.value for finding in evaluation.findings()}
