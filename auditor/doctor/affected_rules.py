"""The rules that are affected where something cannot be read or written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from auditor.engine.rules.needs import needs_of
from auditor.facts.catalog import all_view_columns
from auditor.facts.families import kinds_of_families
from auditor.facts.needs import SOURCES
from auditor.model import FixClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from auditor.engine.rules.rule import Rule, RuleSet
    from auditor.model import EndpointKind


_NAMED = 4  # rules and tables that are named before the rest is counted


@dataclass(frozen=True, slots=True)
class AffectedRules:
    """What each rule that a fleet is judged by needs.

    Attributes:
        topics: rule -> the topics that have to be read for it.
        fixes: rule -> the remediator that fixes its failures.
        rules: the rules themselves.
    """

    topics: Mapping[str, frozenset[str]]
    fixes: Mapping[str, str]
    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """The needs of `rules`."""
        return cls(
            {rule.id: needs_of([rule]).topics for rule in rules},
            {rule.id: rule.fix.remediator for rule in rules if rule.fix is not None and rule.fix.fix_class is not FixClass.MANUAL},
            tuple(rules),
        )

    @property
    def all_topics(self) -> frozenset[str]:
        """Every topic that any rule needs."""
        return frozenset().union(*self.topics.values())

    def rules_on(self, topics: Collection[str]) -> list[str]:
        """The rules that need any of `topics`."""
        return [rule for rule, needed in self.topics.items() if needed.intersection(topics)]

    def rules_fixed_by(self, remediators: Collection[str]) -> list[str]:
        """The rules whose failures any of `remediators` fixes."""
        return [rule for rule, remediator in self.fixes.items() if remediator in remediators]

    def lost_without(self, topics: Collection[str], kind: EndpointKind) -> str:
        """A sentence on the tables that are unknown without `topics` of an endpoint, and the rules on its kind that need them."""
        tables = sorted({table for table, source in SOURCES.items() if source.topic in topics})
        about = rules_that_may_apply(self.rules, kind)
        rules = [rule for rule in self.rules_on(topics) if rule in about]
        by = f"{len(rules)} of {len(self.topics)} rules rest on it: {named(rules)}" if rules else "no rule rests on it"
        return f"{named(tables)} will be unknown; {by}."

    def topics_of(self, kind: EndpointKind) -> frozenset[str]:
        """The topics that any rule needs of endpoints of this kind."""
        from auditor.facts.needs import Needs

        return Needs(frozenset(), self.all_topics).topics_of(kind)


def named(names: Collection[str], most: int = _NAMED) -> str:
    """Some names, and how many more there are."""
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return f"{', '.join(shown)}{f' and {more} more' if more else ''}"


_FAMILY = frozenset({"family", "families"})


def rules_that_may_apply(rules: Iterable[Rule], kind: EndpointKind) -> frozenset[str]:
    """The ids of `rules` but for those whose `applies` is false of every row of this kind of array, whatever else the row says.

    A rule that does not look at the family may apply to any.
    """
    import duckdb

    family = next((name for name, of in kinds_of_families().items() if of is kind), None)
    with duckdb.connect() as connection:
        return frozenset(rule.id for rule in rules if family is None or not _is_ruled_out(connection, rule, family))


def _is_ruled_out(connection: duckdb.DuckDBPyConnection, rule: Rule, family: str) -> bool:
    """By three-valued logic: with nothing known but the family, `applies` is false."""
    if rule.applies is None or not _FAMILY.intersection(rule.applies.columns):
        return False
    types = all_view_columns()[rule.over]
    columns = ", ".join(
        f"""CAST({f"'{family}'" if name in _FAMILY else "NULL"} AS {types[name]}) AS "{name}\"""" for name in rule.applies.columns
    )
    given = {name: rule.params[name].default for name in rule.applies.params}
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    found = connection.execute(f"SELECT {rule.applies.text} FROM (SELECT {columns})", values).fetchone()  # noqa: S608  a rule's own words
    return found is not None and found[0] is False
