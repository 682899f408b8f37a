"""The facts and topics that have to be read for some rules, and what has to be requested for them.

A collector asks for a topic only when a fact of it is needed, and within a topic only for the properties that needed facts come from. What
was not requested is not read: it has no row in the table `reading`, so nothing takes it for absent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.facts.schema import HOST_TOPICS, ON_DEMAND_TOPICS, TABLES, TOPICS
from auditor.facts.table import Fact
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from auditor.facts.table import Table
    from auditor.model import EndpointKind

IDENTITIES: Mapping[str, tuple[str, ...]] = MappingProxyType({name: one.key for name, one in TABLES.items() if one.key})
"""The columns that distinguish the rows of a table; tables that are not here may hold two rows that say the same."""

SOURCES: Mapping[str, Table] = MappingProxyType({name: one for name, one in TABLES.items() if one.topic})
"""Every table that is read from an endpoint; `reading` and `gap` are about the reading, `declared`,
`declared_nfs_server`, `declared_setting` and
`listed_endpoint` fleet.yaml's, `baseline` an earlier run's."""

NULL_IS_UNREAD: frozenset[Fact] = frozenset((name, column) for name, one in TABLES.items() for column in one.always)
"""Facts without which a row was not read whole: every row has a value there."""


def _rests_on() -> Mapping[str, frozenset[Fact]]:
    found: dict[str, set[Fact]] = {topic: {("host", "")} for topic in HOST_TOPICS}  # the hosts to read
    for one in SOURCES.values():
        found.setdefault(one.topic, set()).update(one.rests_on)
    return MappingProxyType({topic: frozenset(facts) for topic, facts in found.items()})


RESTS_ON = _rests_on()
"""What a collector has to know before it can read a topic."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be read: facts, and topics whose reading itself is looked at."""

    facts: frozenset[Fact]
    topics: frozenset[str]

    def __or__(self, other: Needs) -> Needs:
        """Both."""
        return Needs(self.facts | other.facts, self.topics | other.topics)

    def wants(self, table: str) -> bool:
        """Whether anything of a table is needed."""
        return any(of == table for of, _ in self.facts)

    def properties(self, topic: str) -> tuple[str, ...]:
        """The properties and methods to request for a topic, each once, in the order of SOURCES."""
        found: list[str] = []
        for table, source in SOURCES.items():
            if source.topic != topic or topic not in self.topics:
                continue
            wanted = {column for of, column in self.facts if of == table}
            found += source.rows if wanted else ()
            found += [name for column, name in source.properties.items() if column in wanted]
            if topic == "hosts":
                found += [other.asked_of for other in SOURCES.values() if other.asked_of and other.topic in self.topics]
        return tuple(dict.fromkeys(found))

    def topics_of(self, kind: EndpointKind) -> frozenset[str]:
        """The topics to read from an endpoint of this kind."""
        return self.topics.intersection(endpoint_type(kind).topics)

    def reads(self, fact: Fact) -> bool:
        """Whether `fact` is read where these needs are; a request without properties of its own is answered with all its columns."""
        return self._reads(fact, frozenset(self.properties(SOURCES[fact[0]].topic)))

    def _reads(self, fact: Fact, requested: frozenset[str]) -> bool:
        """`reads`, where `requested` are the properties of the fact's topic."""
        source = SOURCES[fact[0]]
        own = source.properties.get(fact[1])
        return source.topic in self.topics and requested.issuperset(source.rows) and (own is None or own in requested)

    def missing_from(self, requested: Needs) -> frozenset[str]:
        """The topics that are needed beside what is read where `requested` is."""
        properties = {topic: frozenset(requested.properties(topic)) for topic in {SOURCES[table].topic for table, _ in self.facts}}
        unread = {SOURCES[fact[0]].topic for fact in self.facts if not requested._reads(fact, properties[SOURCES[fact[0]].topic])}
        return frozenset(unread | (self.topics - requested.topics))

    def holes_in(self, requested: Needs) -> frozenset[str]:
        """Those of `missing_from` whose tables, filled as `requested`, would show an unread fact as an absent one."""
        return Needs(self.facts - NULL_IS_UNREAD, self.topics).missing_from(requested)


def needs(facts: Iterable[Fact], topics: Collection[str] = ()) -> Needs:
    """What has to be read for `facts`, and for knowing whether `topics` were read whole; facts of no endpoint are left out.

    A topic whose completeness is looked at is read with all its rows, although with no more of their columns.
    """
    wanted = {fact for fact in facts if fact[0] in SOURCES}
    known: set[str] = set()
    while True:
        wanted |= {(table, "") for table, _ in wanted}
        found = known | set(topics) | {SOURCES[table].topic for table, _ in wanted}
        if found == known:
            return Needs(frozenset(wanted), frozenset(known))
        for topic in found - known:
            wanted |= RESTS_ON.get(topic, frozenset())
            wanted.add(next((table, "") for table, source in SOURCES.items() if source.topic == topic))
        known = found


EVERYTHING = Needs(
    frozenset(
        (name, column) for name, source in SOURCES.items() if source.topic not in ON_DEMAND_TOPICS for column in ("", *TABLES[name].names)
    ),
    TOPICS - frozenset(ON_DEMAND_TOPICS),
)
"""A whole reading."""


def as_json(requested: Needs) -> Mapping[str, Any] | None:
    """What was requested, as a manifest has it; None is everything."""
    if requested == EVERYTHING:
        return None
    return {"topics": sorted(requested.topics), "facts": sorted(f"{table}.{column}" for table, column in requested.facts)}


def from_json(entry: Mapping[str, Any] | None) -> Needs:
    """What was requested, from a manifest's entry; without one, everything was.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it says something else.
    """
    if entry is None:
        return EVERYTHING
    facts = []
    for fact in entry["facts"]:
        table, _, column = fact.partition(".")
        facts.append((table, column))
    return Needs(frozenset(facts), frozenset(entry["topics"]))
