"""Laws of judging, each as a question to a bench: what breaks it; nothing, where it holds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import TABLES
from tests.mutation.bench import Bench, Judged, Key


@dataclass(frozen=True, slots=True)
class Breach:
    """A verdict that a law forbids."""

    key: Key
    before: str
    after: str | None  # None: the resource is gone

    def __str__(self) -> str:
        return f"{' / '.join(self.key)}: {self.before} becomes {self.after}"


def forgetting_a_column(table: str, column: str, share: str = "true") -> str:
    """The statement by which a fact is not known any more of the rows that a condition chooses."""
    return f'UPDATE fact."{table}" SET "{column}" = NULL WHERE {share}'


def forgetting_a_topic(topic: str, share: str = "true") -> str:
    """The statement by which nobody can say any more that a topic was read whole."""
    return f"DELETE FROM fact.reading WHERE topic = '{topic}' AND {share}"


def columns_that_may_be_missing() -> Iterator[tuple[str, str]]:
    """Every column of a fact table but those that tell rows apart."""
    for name, table in TABLES.items():
        if name in ("reading", "listed_endpoint", "gap", "baseline"):
            continue
        yield from ((name, column) for column in table.names if column != "endpoint" and column not in IDENTITIES.get(name, ()))


def less_knowledge(bench: Bench, statement: str) -> list[Breach]:
    """The verdicts that are neither as they were nor unknown once a fact is not known any more."""
    with bench.altered(statement) as changed:
        return list(_helped(bench.before(changed), bench.judged(changed)))


def _helped(before: Mapping[Key, Judged], after: Mapping[Key, Judged]) -> Iterator[Breach]:
    for key, judged in before.items():
        now = after.get(key)
        if now is None or now.verdict not in (judged.verdict, "unknown"):
            yield Breach(key, judged.verdict, None if now is None else now.verdict)
