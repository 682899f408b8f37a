"""Reads a group of HPE Nimble arrays into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.nimble import rows
from auditor.endpoints.nimble.enumerations import ARRAY_STATES
from auditor.endpoints.nimble.hosts import connection_rows, host_row, initiator_rows
from auditor.errors import EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.nimble.client import NimbleGroup
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

FAMILY = "nimble"


def collect_nimble(group: NimbleGroup, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of a group, a page at a time, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell. A
    topic that cannot be asked leaves a gap, and the next one is tried, until the group has fallen silent.

    Source: docs/domain/arrays.md#nimble.
    """
    reading = _Reading(group, endpoint.name, wants_model="controllers" in needs.properties("array"))
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": reading.alerts,
        "nodes": reading.nodes,
        "pools": reading.pools,
        "qos_policies": reading.folders,
        "volumes": reading.volumes,
        "volume_load": reading.volume_load,
        "protocol_endpoints": reading.protocol_endpoints,
        "array_hosts": reading.hosts,
        "connections": reading.connections,
    }
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one group; later topics build on what earlier ones saw."""

    group: NimbleGroup
    endpoint: str
    wants_model: bool = True
    arrays: list[tuple[str | None, str | None, str | None]] | None = None  # name, model, version; None: not asked yet, or not answered
    array_gaps: list[Gap] = field(default_factory=list)
    by_folder: dict[str, tuple[str | None, rows.Ceilings]] | None = None  # None: not all of them read
    volume_ids: set[str] | None = None  # None: not all of them read
    host_ids: set[str] | None = None  # likewise
    loads: list[Row] | None = None  # rows of array_volume_load, where the volumes were read
    load_gaps: list[Gap] = field(default_factory=list)
    volumes_error: EndpointError | None = None  # why the volumes could not be asked for

    def array_itself(self) -> Iterator[Batch | Gap]:
        """The group; an array of it that is not reachable leaves a gap, since what lies on it may be missing from all lists."""
        parse_errors = ParseErrors("GET groups")
        model: str | None = None
        if self.wants_model:
            arrays = yield from optional(self.endpoint, "GET arrays", self._arrays)
            model = ", ".join(sorted({model for _, model, _ in arrays or () if model})) or None
            yield from self.array_gaps
        table_rows = [rows.array_row(record, FAMILY, model) for record in self._listed("groups", "group", parse_errors)]
        if len(table_rows) != 1:
            parse_errors.add("data", "the answer", f"are {len(table_rows)} groups where one was expected")
        yield batch("array", self.endpoint, table_rows[:1])
        yield from parse_errors.gaps(self.endpoint)

    def alerts(self) -> Iterator[Batch | Gap]:
        """Open and acknowledged alarms; a group whose alarms are switched off has none to tell, which is no good news."""
        parse_errors = ParseErrors("GET alarms")
        yield batch("array_alert", self.endpoint, [rows.alarm_row(alarm) for alarm in self._listed("alarms", "alarm", parse_errors)])
        if self.group.about.get("alarms_enabled") is not True:
            parse_errors.add("alarms_enabled", "the group", "is not true: what is wrong with the arrays is not reported")
        yield from parse_errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET controllers")
        arrays = yield from optional(self.endpoint, "GET arrays, by which a controller's version is known", self._arrays)
        versions = {name or "": version for name, _, version in arrays or ()}
        yield from self.array_gaps
        listed = self._listed("controllers", "controller", parse_errors)
        yield batch("array_node", self.endpoint, [rows.node_row(one, versions) for one in listed])
        yield from parse_errors.gaps(self.endpoint)

    def pools(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET pools")
        yield batch("array_pool", self.endpoint, [rows.pool_row(pool) for pool in self._listed("pools", "pool", parse_errors)])
        yield from parse_errors.gaps(self.endpoint)

    def folders(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET folders")
        table_rows: list[Row] = []
        by_folder: dict[str, tuple[str | None, rows.Ceilings]] = {}
        for folder in self._listed("folders", "folder", parse_errors):
            held = rows.ceilings(folder)
            row = rows.folder_row(folder, held)
            by_folder[row["policy_id"]] = (row["name"], held)
            table_rows.append(row)
        self.by_folder = by_folder
        yield batch("array_qos_policy", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        """The volumes, and what they were doing, which the same answers hold."""
        parse_errors, of_load = ParseErrors("GET volumes"), ParseErrors("GET volumes")
        seen: set[str] = set()
        loads: list[Row] = []
        try:
            for page in self._pages("volumes", "volume", parse_errors, seen):
                table_rows = []
                for volume in page:
                    table_rows.append(rows.volume_row(volume, self.by_folder))
                    loads.append(rows.load_row(Record(volume.value, volume.label, of_load)))
                yield batch("array_volume", self.endpoint, table_rows)
                yield from parse_errors.gaps(self.endpoint)
        except EndpointError as error:
            self.volumes_error = error
            raise
        self.volume_ids, self.loads = seen, loads
        self.load_gaps = list(of_load.gaps(self.endpoint))

    def volume_load(self) -> Iterator[Batch | Gap]:
        if self.volumes_error is not None:  # asked a moment ago: an array that does not answer is not waited for twice
            yield Gap(self.endpoint, "GET volumes, which hold the load", self.volumes_error.what)
            return
        if self.loads is None:
            parse_errors = ParseErrors("GET volumes")
            self.loads = [rows.load_row(volume) for volume in self._listed("volumes", "volume", parse_errors)]
            self.load_gaps = list(parse_errors.gaps(self.endpoint))
        yield batch("array_volume_load", self.endpoint, self.loads)
        yield from self.load_gaps

    def protocol_endpoints(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET protocol_endpoints")
        listed = self._listed("protocol_endpoints", "protocol endpoint", parse_errors)
        yield batch("array_protocol_endpoint", self.endpoint, [rows.protocol_endpoint_row(one) for one in listed])
        yield from parse_errors.gaps(self.endpoint)

    def hosts(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET initiator_groups")
        table_rows: list[Row] = []
        initiators: list[Row] = []
        for group in self._listed("initiator_groups", "initiator group", parse_errors):
            table_rows.append(host_row(group))
            initiators.extend(initiator_rows(group))
        self.host_ids = {row["array_host_id"] for row in table_rows}
        yield batch("array_host", self.endpoint, table_rows)
        yield batch("array_initiator", self.endpoint, initiators)
        yield from parse_errors.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET access_control_records")
        listed = self._listed("access_control_records", "access control record", parse_errors)
        connected = [row for record in listed for row in connection_rows(record)]
        yield batch("array_connection", self.endpoint, connected)
        for row in connected:
            if self.volume_ids is not None and row["volume_id"] not in self.volume_ids:
                parse_errors.add(
                    "vol_id", f"the record of initiator group {row['array_host_id']}", "is a volume that GET volumes did not list"
                )
            if self.host_ids is not None and row["array_host_id"] not in self.host_ids:
                label = f"the record of volume {row['volume_id']}"
                parse_errors.add("initiator_group_id", label, "is a group that GET initiator_groups did not list")
        yield from parse_errors.gaps(self.endpoint)

    def _arrays(self) -> list[tuple[str | None, str | None, str | None]]:
        """Name, model and version of each array of the group, asked once; `array_gaps` are what is to be said of them."""
        if self.arrays is None:
            parse_errors = ParseErrors("GET arrays")
            listed = list(self._listed("arrays", "array", parse_errors))
            for one in listed:
                if one.listed("status", ARRAY_STATES, needed=True) == "unreachable":
                    parse_errors.add("status", one.label, "is unreachable within its group; what lies on it may be missing from every list")
            self.arrays = [(one.text("name"), one.text("model"), one.text("version")) for one in listed]
            self.array_gaps = list(parse_errors.gaps(self.endpoint))
        return self.arrays

    def _pages(self, resource: str, kind: str, parse_errors: ParseErrors, seen: set[str]) -> Iterator[Iterator[Record]]:
        for answer in self.group.pages(resource):
            yield once(records(answer, "data", kind, "id", parse_errors, labelled="name"), "id", seen, parse_errors)

    def _listed(self, resource: str, kind: str, parse_errors: ParseErrors) -> Iterator[Record]:
        for page in self._pages(resource, kind, parse_errors, set()):
            yield from page
