"""What is at stake: which tables and rules rest on what cannot be read, and which rules are mended by what cannot be written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from auditor.engine.needs import needs_of
from auditor.facts.needs import SOURCES

if TYPE_CHECKING:
    from auditor.engine.rule import RuleSet
    from auditor.model import EndpointKind

_NAMED = 4  # rules and tables that are named before the rest is counted


@dataclass(frozen=True, slots=True)
class Stakes:
    """What the rules that a fleet is judged by rest on.

    Attributes:
        topics: rule -> the topics that have to be read for it.
        fixes: rule -> the remediator that mends its failures.
    """

    topics: Mapping[str, frozenset[str]]
    fixes: Mapping[str, str]

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """What `rules` rest on."""
        return cls(
            {rule.id: needs_of([rule]).topics for rule in rules},
            {rule.id: rule.fix.remediator for rule in rules if rule.fix is not None},
        )

    @property
    def wanted(self) -> frozenset[str]:
        """Every topic that any rule needs."""
        return frozenset().union(*self.topics.values())

    def rules_on(self, topics: Collection[str]) -> list[str]:
        """The rules that need any of `topics`."""
        return [rule for rule, needed in self.topics.items() if needed.intersection(topics)]

    def rules_mended_by(self, remediators: Collection[str]) -> list[str]:
        """The rules whose failures any of `remediators` mends."""
        return [rule for rule, remediator in self.fixes.items() if remediator in remediators]

    def lost_without(self, topics: Collection[str]) -> str:
        """What is not known without `topics`, in a sentence."""
        tables = sorted({table for table, source in SOURCES.items() if source.topic in topics})
        rules = self.rules_on(topics)
        by = f"{len(rules)} of {len(self.topics)} rules rest on it: {named(rules)}" if rules else "no rule rests on it"
        return f"{named(tables)} will be unknown; {by}."

    def wanted_of(self, kind: EndpointKind) -> frozenset[str]:
        """The topics that any rule needs of endpoints of this kind."""
        from auditor.facts.needs import Needs

        return Needs(frozenset(), self.wanted).topics_of(kind)


def named(names: Collection[str], most: int = _NAMED) -> str:
    """Some names, and how many more there are."""
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return f"{', '.join(shown)}{f' and {more} more' if more else ''}"
