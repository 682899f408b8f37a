"""Reads an HPE 3PAR into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, once
from auditor.endpoints.common.topics import batch, read_topics
from auditor.facts.needs import EVERYTHING
from auditor_hpe3par import rows
from auditor_hpe3par.enumerations import VVSET
from auditor_hpe3par.exports import Exports
from auditor_hpe3par.lists import Lists, listed, named
from auditor_hpe3par.qos import UNREAD, in_force

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint, Gap
    from auditor_hpe3par.client import Hpe3Par


def collect_hpe3par(array: Hpe3Par, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of the array, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell.
    """
    reading = _Reading(array, endpoint.name, Lists(array, endpoint.name))
    topics = {
        "array": reading.array_itself,
        "nodes": reading.nodes,
        "pools": reading.pools,
        "qos_policies": reading.qos_policies,
        "volumes": reading.volumes,
        "array_hosts": reading.hosts,
        "connections": reading.connections,
    }
    return read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one array; `lists` asks once for what several topics need."""

    array: Hpe3Par
    endpoint: str
    lists: Lists

    def array_itself(self) -> Iterator[Batch | Gap]:
        errors = ParseErrors("GET system")
        yield batch("array", self.endpoint, [rows.array_row(Record(self.array.get("system"), "the array", errors))])
        yield from errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        errors = ParseErrors("GET system")
        yield batch("array_node", self.endpoint, list(rows.node_rows(Record(self.array.get("system"), "the array", errors))))
        yield from errors.gaps(self.endpoint)

    def pools(self) -> Iterator[Batch | Gap]:
        errors = ParseErrors("GET cpgs")
        yield batch("array_pool", self.endpoint, [rows.pool_row(cpg) for cpg in self._named("cpgs", "CPG", errors)])
        yield from errors.gaps(self.endpoint)

    def qos_policies(self) -> Iterator[Batch | Gap]:
        errors = ParseErrors("GET qos")
        rules = yield from self.lists.rules()
        volume_sets = yield from self.lists.sets("volumesets")
        table_rows = []
        for rule in rules.rules:
            members = None if volume_sets is None or rule.target != VVSET else volume_sets.get(rule.name)
            if volume_sets is not None and rule.target == VVSET and members is None:
                errors.add("name", f"rule {rule.name}", "is a set that GET volumesets did not list")
            table_rows.append(rule.row(None if members is None else len(members)))
        yield batch("array_qos_policy", self.endpoint, table_rows)
        yield from errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        """The volumes, with the rules that hold for them; where rules or sets were not listed whole, QoS is not read."""
        errors = ParseErrors("GET volumes")
        rules = yield from self.lists.rules()
        volume_sets = yield from self.lists.sets("volumesets")
        sets_of: dict[str, set[str]] = {}
        for name, members in (volume_sets or {}).items():
            for member in members:
                sets_of.setdefault(member, set()).add(name)
        is_known = rules.is_whole and volume_sets is not None
        table_rows = [
            rows.volume_row(volume, in_force(sets_of.get(volume.value["name"], ()), rules.rules) if is_known else UNREAD)
            for volume in self._named("volumes", "volume", errors)
        ]
        yield batch("array_volume", self.endpoint, table_rows)
        yield from errors.gaps(self.endpoint)

    def hosts(self) -> Iterator[Batch | Gap]:
        """The hosts. An entry without a name and an id is an initiator that no host was made for.

        Source: cinder, hpe_3par_common.py, which asks whether a member of the answer has a name.
        """
        errors = ParseErrors("GET hosts")
        host_sets = yield from self.lists.sets("hostsets")
        table_rows: list[Row] = []
        initiators: list[Row] = []
        for host in self._named("hosts", "host", errors, nameless="id"):
            groups = [name for name, members in (host_sets or {}).items() if host.value["name"] in members]
            table_rows.append(rows.host_row(host, groups))
            initiators.extend(rows.initiator_rows(host))
        yield batch("array_host", self.endpoint, table_rows)
        yield batch("array_initiator", self.endpoint, initiators)
        yield from errors.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        errors = ParseErrors("GET vluns")
        answer = self.array.get("vluns")
        volume_sets = yield from self.lists.sets("volumesets")
        host_sets = yield from self.lists.sets("hostsets")
        exports = Exports()
        for value in listed(answer, errors):
            exports.add(Record(value, f"VLUN of {value.get('volumeName')}", errors), volume_sets, host_sets)
        yield batch("array_connection", self.endpoint, exports.rows())
        yield from errors.gaps(self.endpoint)

    def _named(self, path: str, kind: str, errors: ParseErrors, *, nameless: str = "") -> Iterator[Record]:
        """The records at `path`, each name once."""
        found = named(listed(self.array.get(path), errors), kind, errors, nameless=nameless)
        return once(found, "name", set(), errors)
