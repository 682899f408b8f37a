"""Reads an array of the Dot Hill family into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.dothill import rows
from auditor.endpoints.dothill.client import RefusedCommandError
from auditor.endpoints.dothill.hosts import Known, connection_rows, known_hosts
from auditor.errors import EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.dothill.answers import Answer
    from auditor.endpoints.dothill.client import DotHillArray
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

_ROWS_A_BATCH = 1000
OLD_SAMPLES = (
    "{name}: the load of {count} of its volumes or pools is not read: their newest samples are older, or took longer, than "
    f"{rows.LONGEST_SAMPLE_SECONDS} s, and an average over that time says nothing of now."
)


def collect_dothill(array: DotHillArray, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of an array, and one row of `reading` for each topic of it.

    A command answers a whole list: no public client or record knows of pages, and an answer that does not say how the command ended is
    refused. A record that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell.

    Source: docs/domain/arrays.md#dothill.
    """
    reading = _Reading(array, endpoint.name, wants_disks="storage/disks" in needs.properties("pools"))
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": reading.alerts,
        "nodes": reading.nodes,
        "pools": reading.pools,
        "pool_load": reading.pool_load,
        "volumes": reading.volumes,
        "volume_load": reading.volume_load,
        "array_hosts": reading.hosts,
        "connections": reading.connections,
    }
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one array; later topics build on what earlier ones saw."""

    array: DotHillArray
    endpoint: str
    wants_disks: bool = True
    tiers: dict[str, int | None] | None = None  # how many hold data, by the pool's id; None: pools not read
    volume_ids: set[str] | None = None  # None: not all of them read
    known: Known | None = None
    hosts_error: EndpointError | None = None

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show system")
        systems = list(self._listed("system", "system", "midplane-serial-number", parse_errors, labelled="system-name"))
        versions = yield from optional(self.endpoint, "show versions", lambda: _all(self.array.show("versions")[0], "versions"))
        if len(systems) != 1:
            parse_errors.add("system", "the answer", f"holds {len(systems)} systems where one was expected")
        yield batch("array", self.endpoint, [rows.array_row(one, versions or ()) for one in systems[:1]])
        yield from parse_errors.gaps(self.endpoint)

    def alerts(self) -> Iterator[Batch | Gap]:
        """Those that are not resolved. Where the firmware has no such command, the health of the array is all that is known, and a gap."""
        parse_errors = ParseErrors("show alerts")
        try:
            listed = list(self._listed("alerts", "alerts", "id", parse_errors, labelled="component"))
        except RefusedCommandError as error:
            system = self._listed("system", "system", "midplane-serial-number", parse_errors)
            found = [rows.health_row(one) for one in system]
            yield batch("array_alert", self.endpoint, [row for row in found if row is not None])
            yield Gap(self.endpoint, "show alerts", error.what)
        else:
            open_ones = [one for one in listed if one.value.get("resolved") != "Yes"]
            yield batch("array_alert", self.endpoint, [rows.fault_row(one) for one in open_ones])
        yield from parse_errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show controllers")
        listed = self._listed("controllers", "controllers", "durable-id", parse_errors)
        yield batch("array_node", self.endpoint, [rows.node_row(one) for one in listed])
        yield from parse_errors.gaps(self.endpoint)

    def pools(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show pools")
        listed = list(self._listed("pools", "pools", "serial-number", parse_errors, labelled="name"))
        tiers = [rows.data_tiers(one) for one in listed]
        self.tiers = _counted(listed, tiers)
        slowest: dict[str, int] | None = None
        if self.wants_disks:
            slowest = yield from optional(self.endpoint, "show disks, by which the speed of a pool's disks is known", self._slowest)
        table_rows = [
            rows.pool_row(one, held, (slowest or {}).get(str(one.value.get("name")))) for one, held in zip(listed, tiers, strict=True)
        ]
        yield batch("array_pool", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def _slowest(self) -> dict[str, int]:
        """Revolutions a minute of the slowest disk that spins, by the pool's name; reported in thousands (recorded: 15; 0 for an SSD)."""
        found: dict[str, int] = {}
        for one in _all(self.array.show("disks")[0], "drives"):
            pool, rpm = str(one.get("storage-pool-name") or ""), str(one.get("rpm", ""))
            if pool and rpm.isdecimal() and 0 < int(rpm) < 100:
                found[pool] = min(found.get(pool, 1_000_000), int(rpm) * 1000)
        return found

    def pool_load(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show pool-statistics")
        listed = list(self._listed("pool-statistics", "pool-statistics", "serial-number", parse_errors, labelled="pool"))
        table_rows = [row for one in listed if (row := rows.pool_load_row(one)) is not None]
        yield from self._current("array_pool_load", table_rows, len(listed) - len(table_rows))
        yield from parse_errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show volumes")
        listed = list(self._listed("volumes", "volumes", "serial-number", parse_errors, labelled="volume-name"))
        tiers = self.tiers
        if tiers is None:
            what = "show pools, by which it is known between how many tiers a volume's blocks move"
            tiers = yield from optional(self.endpoint, what, lambda: self._tiers(parse_errors))
        table_rows = [rows.volume_row(one, tiers or {}) for one in listed]
        for first in range(0, max(len(table_rows), 1), _ROWS_A_BATCH):
            yield batch("array_volume", self.endpoint, table_rows[first : first + _ROWS_A_BATCH])
        self.volume_ids = {row["volume_id"] for row in table_rows} if not parse_errors.any else None
        yield from parse_errors.gaps(self.endpoint)

    def volume_load(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show volume-statistics")
        answer, status = self.array.show("volume-statistics")
        listed = list(_records(answer, "volume-statistics", "serial-number", parse_errors, "volume-name"))
        current = [rows.is_of_now(one, status.time) for one in listed]
        table_rows = [rows.load_row(one, is_current=is_current) for one, is_current in zip(listed, current, strict=True)]
        yield from self._current("array_volume_load", table_rows, current.count(False))
        if self.volume_ids is None:
            parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
        for missing in sorted((self.volume_ids or set()) - {str(one.identifier("serial-number")) for one in listed}):
            parse_errors.add("the record", f"volume {missing}", "was not in the answer")
        yield from parse_errors.gaps(self.endpoint)

    def _current(self, table: str, table_rows: list[Row], old: int) -> Iterator[Batch]:
        if old:
            note = OLD_SAMPLES.format(name=self.endpoint, count=old)
            if note not in self.array.notes:
                self.array.add_note(note)
        for first in range(0, max(len(table_rows), 1), _ROWS_A_BATCH):
            yield batch(table, self.endpoint, table_rows[first : first + _ROWS_A_BATCH])

    def hosts(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show host-groups and show initiators")
        known = self._read_hosts(parse_errors)
        yield batch("array_host", self.endpoint, list(known.hosts.values()))
        yield batch("array_initiator", self.endpoint, known.initiators)
        yield from parse_errors.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show maps")
        maps = self.array.show("maps")[0]
        known = self._read_hosts(parse_errors)
        yield batch("array_connection", self.endpoint, list(connection_rows(maps, known, parse_errors)))
        yield from parse_errors.gaps(self.endpoint)

    def _read_hosts(self, parse_errors: ParseErrors) -> Known:
        """Asked once for both topics that need them.

        Raises:
            EndpointError: they are not known.
        """
        if self.hosts_error is not None:
            raise self.hosts_error
        if self.known is None:
            try:
                groups, initiators = self.array.show("host-groups")[0], self.array.show("initiators")[0]
            except EndpointError as error:
                self.hosts_error = error
                raise
            self.known = known_hosts(groups, initiators, parse_errors)
        return self.known

    def _tiers(self, parse_errors: ParseErrors) -> dict[str, int | None]:
        listed = list(self._listed("pools", "pools", "serial-number", parse_errors))
        return _counted(listed, [rows.data_tiers(one) for one in listed])

    def _listed(self, what: str, under: str, key: str, parse_errors: ParseErrors, *, labelled: str | None = None) -> Iterator[Record]:
        return _records(self.array.show(what)[0], under, key, parse_errors, labelled)


def _records(answer: Answer, under: str, key: str, parse_errors: ParseErrors, labelled: str | None = None) -> Iterator[Record]:
    """The objects of a basetype, each once; an answer without the basetype has none of them."""
    listed = records({under: answer.get(under, [])}, under, under, key, parse_errors, labelled=labelled)
    return once(listed, key, set(), parse_errors)


def _all(answer: Answer, under: str) -> list[dict[str, Any]]:
    listed = answer.get(under)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _counted(pools: Sequence[Record], tiers: Sequence[list[str] | None]) -> dict[str, int | None]:
    """How many tiers of each pool hold data, by its id."""
    return {str(pool.identifier("serial-number")): None if held is None else len(held) for pool, held in zip(pools, tiers, strict=True)}
