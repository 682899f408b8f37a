"""Laws of judging, each as a question to a bench: what breaks it; nothing, where it holds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from auditor.engine.rules.rule import Rule
from auditor.engine.verdict_sql import verdict_sql
from auditor.facts.catalog import catalog
from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import HOST_TOPICS, TABLES
from tests.mutation.bench import Bench, Judged, Key, bound

NAMES: Mapping[str, str] = {
    "iscsi_target": "host_id hba kind address port iqn",
    "iscsi_option": "host_id hba target key",
    "path": "host_id device hba path",
    "satp_rule": "host_id satp device vendor model driver transport options rule_group claim_options default_psp psp_options",
    "iscsi_portal": "host_id hba vmk",
    "vmfs_lockmode": "host_id volume_name vmfs_uuid",
    "datastore_extent": "datastore_id device partition",
    "vvol_mount": "datastore_id host_id device",
    "vm_disk": "vm_id disk datastore_id backing_object_id",
    "tagged": "object_type object_id category tag",
    "change_event": "entity_kind entity_id happened_at",
    "array": "family array_id",
    "array_node": "node_id",
    "array_volume_histogram": "volume_id kind bucket",
    "array_protocol_endpoint": "protocol_endpoint_id device",
    "vvol_binding": "binding_id vvol_id protocol_endpoint_id array_host_id device",
    "array_initiator": "array_host_id initiator",
    "array_connection": "volume_id array_host_id",
    "array_session": "session_id volume_id node_id initiator",
    "array_scrub": "node_id",
    "declared": "devices",
}
"""Columns that tell rows apart, or say what a row is about, besides needs.IDENTITIES; in a claim rule NULL is "any"."""


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
    """The statement by which nobody can say any more that a topic was read whole.

    Of a host there is no row then. Of an endpoint there always is one (`record_unanswered` of auditor/facts/snapshots/unanswered.py).
    """
    what = f"topic = '{topic}' AND {share}"
    return f"DELETE FROM fact.reading WHERE {what}" if topic in HOST_TOPICS else f"UPDATE fact.reading SET complete = false WHERE {what}"


def columns_that_may_be_missing() -> Iterator[tuple[str, str]]:
    """Every column of a fact table but those that tell rows apart."""
    for name, table in TABLES.items():
        if name in ("reading", "listed_endpoint", "gap", "baseline"):
            continue
        yield from (
            (name, column)
            for column in table.names
            if column != "endpoint" and column not in (*IDENTITIES.get(name, ()), *NAMES.get(name, "").split())
        )


def less_knowledge(bench: Bench, *statements: str) -> list[Breach]:
    """The verdicts that are neither as they were nor unknown once statements have made that facts are not known any more."""
    with bench.altered(*statements) as changed:
        return list(_helped(bench.before(changed), bench.judged(changed)))


def _helped(before: Mapping[Key, Judged], after: Mapping[Key, Judged]) -> Iterator[Breach]:
    for key, judged in before.items():
        now = after.get(key) or after.get(_under_no_name(key))
        if now is None or now.verdict not in (judged.verdict, "unknown"):
            yield Breach(key, judged.verdict, None if now is None else now.verdict)


def _under_no_name(key: Key) -> Key:
    """What a resource becomes that is named by the fact that is missing: of a host's driver or family, or of a vCenter's port, "?"."""
    rule, endpoint, resource = key
    host, slash, _ = resource.rpartition("/")
    return rule, endpoint, f"{host}{slash}?"


_WORSE = {
    "more": ("{column} + 1", "{column} * 16 + 1"),
    "less": ("{column} - 1", "{column} // 2", "0"),
    True: ("true",),
    False: ("false",),
}
"""What a column becomes, by the way in which it gets worse; a number that is worse when it is less is never below nought."""


def worse_rows(bench: Bench, rule: Rule) -> list[str]:
    """The failing rows of a rule that pass once one of their columns is worse."""
    found = []
    for column, direction in rule.worse.items():
        for value in _WORSE[direction]:
            changed = f'CASE WHEN "{column}" IS NOT NULL THEN {_not_below_nought(value.format(column=column), direction)} END'
            failing = f'SELECT *, {verdict_sql(rule)} AS auditor_before FROM "{rule.over}"'
            again = f"SELECT * REPLACE ({changed} AS \"{column}\") FROM ({failing}) WHERE auditor_before = 'fail'"
            select = f"SELECT endpoint, resource_id FROM ({again}) WHERE {verdict_sql(rule)} = 'pass'"
            rows = bench.connection.execute(select, bound(rule, select)).fetchall()
            found += [f"{rule.id}: {column} {direction} ({value}): {' '.join(row)}" for row in rows]
    return found


def worse_facts(rule: Rule) -> Iterator[str]:
    """Statements that make the facts worse that a column of a rule hands on unchanged."""
    for column, direction in rule.worse.items():
        plain = catalog().views[rule.over].columns[column].plain
        if plain is None:
            continue
        table, _, fact = plain.partition(".")
        for value in _WORSE[direction]:
            worse = _not_below_nought(value.format(column=f'"{fact}"'), direction)
            yield f'UPDATE fact."{table}" SET "{fact}" = {worse} WHERE "{fact}" IS NOT NULL'


def passing_after(bench: Bench, rule: Rule, statement: str) -> list[str]:
    """The failures of a rule that pass once the facts are changed."""
    with bench.altered(statement, only=rule.over) as changed:
        before, after = bench.before(changed & {rule.over}), bench.judged(changed & {rule.over})
    return [
        " / ".join(key)
        for key, judged in before.items()
        if key[0] == rule.id and judged.verdict == "fail" and key in after and after[key].verdict == "pass"
    ]


def _not_below_nought(value: str, direction: bool | str) -> str:
    return f"greatest({value}, 0)" if direction == "less" else value
