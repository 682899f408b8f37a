"""Rules that come with plugins: those of each kind in a topic of their own, fixed by that kind's own settings alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.errors import RuleError
from auditor.facts.plugin_views import plugin_views
from auditor.model.endpoint_kinds import Fault, plugin_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.engine.rules.rule import Rule
    from auditor.model.endpoint_kinds import EndpointType


@dataclass(frozen=True, slots=True)
class PluginRules:
    """The rules of all plugins by id, and what is wrong with those that were left out."""

    rules: Mapping[str, Rule]
    faults: tuple[Fault, ...]


@cache
def plugin_rules() -> PluginRules:
    """The rules of every installed plugin. One that is wrong, or a view, costs the rules of its plugin, and no others."""
    rules: dict[str, Rule] = {}
    faults = []
    of_views = plugin_views().faults
    for kind in plugin_types():
        found = of_views.get(kind.kind.value) or (_rules_of(kind) if kind.rules else {})
        if isinstance(found, Fault):
            faults.append(found)
        else:
            rules |= found
    return PluginRules(MappingProxyType(rules), tuple(faults))


def _rules_of(kind: EndpointType) -> Mapping[str, Rule] | Fault:
    from auditor.engine.rules.checked import checked_rules
    from auditor.engine.rules.loading import load_rules
    from auditor.facts.catalog import view_columns

    folder = Path(str(resources.files(kind.package))) / kind.rules
    own = {name: view.columns for name, view in plugin_views().views.items() if view.kind == kind.kind}
    try:
        rules = load_rules([folder], {**view_columns(), **own}, list(kind.settings)).rules
    except RuleError as error:
        return _fault(kind, error.what)
    if foreign := [rule for rule in rules if not rule.startswith(f"{kind.kind}/")]:
        return _fault(kind, f"they are called {kind.kind}/NAME, and these are not: {', '.join(foreign)}")
    if taken := sorted(set(rules).intersection(checked_rules())):
        return _fault(kind, f"auditor itself has rules of these names: {', '.join(taken)}")
    return rules


def _fault(kind: EndpointType, what: str) -> Fault:
    return Fault(
        f"the rules of {kind.plugin} cannot be used: {what}",
        "none of its rules is judged; all others are, and its endpoints are read.",
        f"install another release of {kind.plugin.rpartition(' ')[0]}, or tell its author.",
    )
