"""Groups of rules that are judged together: whether a fix of one harms another is part of its verdict."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.engine.fixes.harmful import may_break
from auditor.engine.fixes.impact import pairs_of_rules
from auditor.facts.catalog import facts_of_columns
from auditor.facts.views import RESOURCE_COLUMNS

if TYPE_CHECKING:
    from auditor.engine.rules.params import ParamValues
    from auditor.engine.rules.rule import RuleSet
    from auditor.facts.table import Fact


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules whose verdicts rest on no rule outside of the group.

    Attributes:
        rules: their ids.
        key: the digest of all that their files say, their severities and the fleet's own params: `sha256:` and 64 hex digits.
        facts: all that their verdicts, evidence and fixes rest on.
    """

    rules: frozenset[str]
    key: str
    facts: frozenset[Fact]


def rule_groups(rules: RuleSet, params: ParamValues) -> tuple[RuleGroup, ...]:
    """`rules` in groups as small as they can be; every rule is in exactly one."""
    # As they were loaded: a file may have been edited while the fleet was read.
    texts = {rule.id: repr(replace(rule, path=Path())) for rule in rules}
    places = {rule.id: sorted(map(repr, params.overrides.get(rule.id, {}).items())) for rule in rules}
    groups = []
    for together in _together(rules):
        parts = [[rule, texts[rule], places[rule]] for rule in sorted(together)]
        key = f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"
        facts = (facts_of_columns(rules[rule].over, {*RESOURCE_COLUMNS, *rules[rule].columns}) for rule in together)
        groups.append(RuleGroup(frozenset(together), key, frozenset().union(*facts)))
    return tuple(groups)


def _together(rules: RuleSet) -> list[set[str]]:
    """The ids of rules that are linked, directly or by others."""
    links = {(rule.id, other.id) for rule in rules for other in may_break(rule, rules)} | pairs_of_rules(rules)
    of: Mapping[str, set[str]] = {rule.id: {rule.id} for rule in rules}
    groups = dict(of)
    for one, other in links:
        if groups[one] is not groups[other]:
            groups[one] |= groups[other]
            for member in groups[other]:
                groups[member] = groups[one]
    return list({id(group): group for group in groups.values()}.values())
