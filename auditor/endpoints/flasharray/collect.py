"""Reads a Pure FlashArray into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.flasharray import rows
from auditor.endpoints.flasharray.enumerations import CONTROLLER_KINDS
from auditor.endpoints.flasharray.history import load_history
from auditor.endpoints.flasharray.hosts import connection_rows, host_row, initiator_rows, is_destroyed, is_of_a_peer
from auditor.endpoints.flasharray.jobs import Jobs
from auditor.endpoints.flasharray.levels import OF_HOSTS, OF_REALMS, Levels, level_ceilings, realm_state
from auditor.errors import EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.flasharray.client import FlashArray
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

FAMILY = "flasharray"


def collect_flasharray(array: FlashArray, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of an array, a page at a time, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell. A
    topic that cannot be asked leaves a gap, and the next one is tried, until the array has fallen silent.

    Ceilings of hosts, host groups (REST 2.50 and later) and realms (2.36) hold for a volume as well. Where such a level could not be read,
    `qos_read` is false.

    Source: the vendor's OpenAPI definitions for each resource; docs/domain/arrays.md#calls.
    """
    reading = _Reading(
        array,
        endpoint.name,
        wants_model="controllers" in needs.properties("array"),
        wants_tags="tags" in needs.properties("volumes"),
    )
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": reading.alerts,
        "nodes": reading.nodes,
        "qos_policies": reading.volume_groups,
        "array_hosts": reading.hosts,  # before the volumes: hosts decide by which name a volume is seen
        "volumes": reading.volumes,
        "volume_load": reading.volume_load,
        "protocol_endpoints": reading.protocol_endpoints,
        "connections": reading.connections,
        "background_jobs": Jobs(array, endpoint.name).jobs,
    }
    if endpoint.history is not None:
        topics["load_history"] = partial(load_history, array, endpoint.name, endpoint.history, datetime.now(UTC))
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one array; later topics build on what earlier ones saw."""

    array: FlashArray
    endpoint: str
    wants_model: bool = True
    wants_tags: bool = True
    groups: dict[str, tuple[str | None, rows.Ceilings]] = field(default_factory=dict)
    gone_hosts: set[str] = field(default_factory=set)  # ids of those that were destroyed
    host_protocols: dict[str, set[str]] | None = None  # kinds of initiators by array_host_id; None: not read
    volume_ids: set[str] | None = None  # None: not all of them read
    active_volumes: dict[str, str | None] = field(default_factory=dict)  # names by id, of those that have a load
    endpoints: list[Row] | None = None  # rows of array_protocol_endpoint, where the volumes were read without a gap
    connected: list[Row] | None = None  # rows of array_connection, where they were read for the volumes' sake
    hosts_error: EndpointError | None = None
    pod_arrays: dict[str, str | None] | None = None  # by the pod's name; None: not asked yet
    pod_states: dict[str, str | None] = field(default_factory=dict)  # as rows.pod_state has them, by the pod's name
    vvol_ids: dict[str, str] | None = None  # by the volume's id; None: not asked yet
    levels: Levels = field(default_factory=Levels)
    hosts_of: dict[str, set[str]] | None = None  # ids of hosts by the volume's; None: not asked, or not known
    host_gaps: list[Gap] = field(default_factory=list)  # of hosts that were read for the volumes' sake alone
    connection_gaps: list[Gap] = field(default_factory=list)

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET arrays")
        model: str | None = None
        if self.wants_model:  # without it the array is there; only its model is not known
            model = yield from optional(self.endpoint, "GET controllers", self._model)
        table_rows = [rows.array_row(record, FAMILY, model) for record in self._listed("arrays", "array", "id", parse_errors)]
        if len(table_rows) != 1:
            parse_errors.add("items", "the answer", f"are {len(table_rows)} arrays where one was expected")
        yield batch("array", self.endpoint, table_rows[:1])
        yield from parse_errors.gaps(self.endpoint)

    def alerts(self) -> Iterator[Batch | Gap]:
        """The open ones: those that are closing have ended, and an array keeps thousands that are closed."""
        parse_errors = ParseErrors("GET alerts")
        for page in self._pages("alerts", "alert", "id", parse_errors, set(), filter="state='open'"):
            yield batch("array_alert", self.endpoint, [rows.fault_row(alert) for alert in page])
        yield from parse_errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET controllers")
        yield batch("array_node", self.endpoint, list(self._controllers(parse_errors)))
        yield from parse_errors.gaps(self.endpoint)

    def volume_groups(self) -> Iterator[Batch | Gap]:
        """Volume groups that await their end limit nothing, and get no row; their volumes still refer to them."""
        parse_errors = ParseErrors("GET volume-groups")
        table_rows: list[Row] = []
        for group in self._listed("volume-groups", "volume group", "id", parse_errors):
            held = rows.ceilings(group)
            row = rows.group_row(group, held)
            self.groups[row["policy_id"]] = (row["name"], held)
            if group.value.get("destroyed") is not True:
                table_rows.append(row)
        yield batch("array_qos_policy", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def hosts(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET hosts")
        try:
            table_rows, initiators = self._hosts(parse_errors)
        except EndpointError as error:
            self.hosts_error = error
            raise
        yield batch("array_host", self.endpoint, table_rows)
        yield batch("array_initiator", self.endpoint, initiators)
        yield from parse_errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET volumes")
        what = "GET hosts and connections, by which a volume's name at its hosts is known"
        by_nvme = yield from optional(self.endpoint, what, partial(self._reached_by_nvme, parse_errors))
        yield from self.host_gaps
        yield from self._read_levels(hosts_read=by_nvme is not None)
        seen: set[str] = set()
        endpoints: list[Row] = []
        whole = True
        for page in self._pages("volumes", "volume", "id", parse_errors, seen):
            table_rows = []
            for volume in page:
                volume_id = volume.identifier("id") or ""
                row = rows.volume_row(volume, self.groups, by_nvme=None if by_nvme is None else by_nvme.get(volume_id, False))
                self.levels.hold(row, None if self.hosts_of is None else self.hosts_of.get(volume_id, ()))
                row["pod_arrays"] = row["vvol_id"] = None
                if row["pod"] is not None:
                    yield from self._read_pods()
                    row["pod_arrays"] = (self.pod_arrays or {}).get(row["pod"])
                    if row["status"] == "active":
                        state = self.pod_states.get(row["pod"])
                        row["status"] = None if state is None else state or "active"
                if row["status"] == "active":
                    row["status"] = self.levels.state_over(row)
                if row["is_virtual"] and self.wants_tags:
                    yield from self._read_vvol_ids()
                    row["vvol_id"] = (self.vvol_ids or {}).get(volume_id)
                table_rows.append(row)
                if row["status"] != "destroyed":
                    self.active_volumes[volume_id] = row["name"]
                    if row["kind"] == "protocol_endpoint":
                        endpoints.append(rows.protocol_endpoint_row(volume))
            yield batch("array_volume", self.endpoint, table_rows)
            for gap in parse_errors.gaps(self.endpoint):
                whole = False
                yield gap
        self.volume_ids = seen
        self.endpoints = endpoints if whole else None

    def _read_levels(self, *, hosts_read: bool) -> Iterator[Gap]:
        """Learn the ceilings of host groups and realms, where the release has them, and whose hosts a volume is where that matters."""
        version = tuple(map(int, self.array.api_version.split(".")))
        asked = (("host-groups", "host group", OF_HOSTS, self.levels.groups), ("realms", "realm", OF_REALMS, self.levels.realms))
        self.levels.is_whole = hosts_read or version < OF_HOSTS
        for resource, kind, since, held in asked:
            if version < since:
                continue
            parse_errors = ParseErrors(f"GET {resource}")
            listed = yield from optional(
                self.endpoint,
                f"GET {resource}, whose ceilings hold for volumes as well",
                partial(self._all, resource, kind, parse_errors),
            )
            own = [record for record in listed or () if not (is_of_a_peer(record.value) or is_destroyed(record.value))]
            held.update({str(record.value["name"]): level_ceilings(record, has_level=True) for record in own})
            if resource == "realms":
                self.levels.are_realms_read = listed is not None
                self.levels.states = {str(record.value["name"]): realm_state(record) for record in own}
            self.levels.is_whole = self.levels.is_whole and listed is not None and not parse_errors.any
            yield from parse_errors.gaps(self.endpoint)
        if self.levels.need_connections:
            yield from self._read_hosts_of()

    def _all(self, resource: str, kind: str, parse_errors: ParseErrors) -> list[Record]:
        return list(self._listed(resource, kind, "name", parse_errors))

    def _read_hosts_of(self) -> Iterator[Gap]:
        if self.connected is None:
            own = ParseErrors("GET connections")
            what = "GET connections, by which the ceilings of hosts hold for a volume"
            self.connected = yield from optional(self.endpoint, what, lambda: self._connections(own))
            self.connection_gaps = list(own.gaps(self.endpoint))
        if self.connected is not None and not self.connection_gaps:
            self.hosts_of = {}
            for row in self.connected:
                self.hosts_of.setdefault(row["volume_id"], set()).add(row["array_host_id"])

    def _read_pods(self) -> Iterator[Gap]:
        """Learn, once and only where a volume lies in a pod, which arrays each pod lies on, and whether hosts get at it here."""
        if self.pod_arrays is not None:
            return
        self.pod_arrays = {}
        parse_errors = ParseErrors("GET pods")
        what = "GET pods, by which the arrays of a stretched volume are known"
        listed = yield from optional(self.endpoint, what, lambda: list(self._listed("pods", "pod", "name", parse_errors)))
        self.pod_arrays = dict(map(rows.pod_arrays, listed or ()))
        own = self.array.known_identity
        self.pod_states = {str(pod.value.get("name")): rows.pod_state(pod, own and own.lower()) for pod in listed or ()}
        yield from parse_errors.gaps(self.endpoint)

    def _read_vvol_ids(self) -> Iterator[Gap]:
        """Learn, once and only where there is a vVol, by which id vCenter knows each."""
        if self.vvol_ids is not None:
            return
        self.vvol_ids = {}
        parse_errors = ParseErrors("GET volumes/tags")

        def read() -> dict[str, str]:
            pages = self.array.pages("volumes/tags", namespaces=rows.VASA_NAMESPACE, filter=f"key='{rows.VVOL_ID_TAG}'")
            return dict(pair for page in pages for pair in rows.vvol_ids(page, parse_errors))

        what = "GET volumes/tags, by which a virtual volume is known to vCenter"
        self.vvol_ids = (yield from optional(self.endpoint, what, read)) or {}
        yield from parse_errors.gaps(self.endpoint)

    def volume_load(self) -> Iterator[Batch | Gap]:
        """The latest sample of each volume."""
        parse_errors = ParseErrors("GET volumes/performance")
        seen: set[str] = set()
        queue_is_in = rows.has_queue_time(self.array.purity)
        for page in self._pages("volumes/performance", "volume", "id", parse_errors, seen, destroyed="false"):
            yield batch("array_volume_load", self.endpoint, [rows.load_row(load, queue_is_in=queue_is_in) for load in page])
        for volume_id, name in self.active_volumes.items():
            if volume_id not in seen:
                parse_errors.add("the record", f"volume {name}", "was not in the answer")
        if self.volume_ids is None:
            parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
        yield from parse_errors.gaps(self.endpoint)

    def protocol_endpoints(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET volumes")
        endpoints = self.endpoints
        if endpoints is None:
            params = {"filter": "subtype='protocol_endpoint'", "destroyed": "false"}
            listed = (volume for page in self._pages("volumes", "volume", "id", parse_errors, set(), **params) for volume in page)
            endpoints = [rows.protocol_endpoint_row(volume) for volume in listed]
        yield batch("array_protocol_endpoint", self.endpoint, endpoints)
        yield from parse_errors.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET connections")
        connected = self._connections(parse_errors) if self.connected is None else self.connected
        yield batch("array_connection", self.endpoint, connected)
        for row in connected:
            if self.volume_ids is not None and row["volume_id"] not in self.volume_ids:
                parse_errors.add("volume", f"the connection of host {row['array_host_id']}", "is one that GET volumes did not list")
            if self.host_protocols is not None and row["array_host_id"] not in self.host_protocols:
                parse_errors.add("host", f"the connection of volume {row['volume_id']}", "is one that GET hosts did not list")
        yield from self.connection_gaps
        yield from parse_errors.gaps(self.endpoint)

    def _model(self) -> str | None:
        return next((node["model"] for node in self._controllers(ParseErrors("GET controllers")) if node["model"]), None)

    def _controllers(self, parse_errors: ParseErrors) -> Iterator[Row]:
        for controller in self._listed("controllers", "controller", "name", parse_errors):
            if controller.listed("type", CONTROLLER_KINDS) != "shelf_controller":
                yield rows.node_row(controller)

    def _hosts(self, parse_errors: ParseErrors) -> tuple[list[Row], list[Row]]:
        """Rows of array_host and of array_initiator, without hosts of a peer and destroyed ones; remembers how each host comes."""
        table_rows: list[Row] = []
        initiators: list[Row] = []
        protocols: dict[str, set[str]] = {}
        has_level = tuple(map(int, self.array.api_version.split("."))) >= OF_HOSTS
        for host in self._listed("hosts", "host", "name", parse_errors):
            if is_of_a_peer(host.value):
                continue
            if is_destroyed(host.value):
                self.gone_hosts.add(host.identifier("name") or "")
                continue
            table_rows.append(row := host_row(host))
            self.levels.hosts[row["array_host_id"]] = level_ceilings(host, has_level=has_level)
            if row["host_group"] is not None:
                self.levels.group_of[row["array_host_id"]] = row["host_group"]
            own = list(initiator_rows(host))
            protocols[table_rows[-1]["array_host_id"]] = {row["kind"] for row in own}
            initiators += own
        self.host_protocols = protocols
        return table_rows, initiators

    def _connections(self, parse_errors: ParseErrors) -> list[Row]:
        """Rows of array_connection. A group of hosts that has none yet is reported without a host, and reaches nothing."""
        table_rows: list[Row] = []
        seen: set[tuple[str, str]] = set()
        for answer in self.array.pages("connections"):
            for row in connection_rows(answer, parse_errors):
                pair = (row["volume_id"], row["array_host_id"])
                if row["array_host_id"] in self.gone_hosts:
                    continue
                if pair in seen:
                    parse_errors.add("the pair", f"volume {pair[0]} and host {pair[1]}", "came twice; the second record was left out")
                    continue
                seen.add(pair)
                table_rows.append(row)
        return table_rows

    def _reached_by_nvme(self, parse_errors: ParseErrors) -> dict[str, bool]:
        """The volumes that hosts reach by NVMe, by their ids; connections are asked for only where there is such a host."""
        if self.host_protocols is None:
            if self.hosts_error is not None:
                raise self.hosts_error  # asked a moment ago; who does not answer is not waited for twice
            of_hosts = ParseErrors("GET hosts")
            self._hosts(of_hosts)
            self.host_gaps = list(of_hosts.gaps(self.endpoint))
        protocols = self.host_protocols or {}
        if not any("nvme" in kinds for kinds in protocols.values()):
            return {}
        own = ParseErrors("GET connections")
        self.connected = self._connections(own)
        self.connection_gaps = list(own.gaps(self.endpoint))
        reached: dict[str, set[str]] = {}
        for row in self.connected:
            reached.setdefault(row["volume_id"], set()).update(protocols.get(row["array_host_id"], ()))
        for volume_id, kinds in reached.items():
            if "nvme" in kinds and len(kinds) > 1:
                parse_errors.add("device", f"volume {volume_id}", "is seen by SCSI and by NVMe; only the name of the first is kept")
        return {volume_id: kinds == {"nvme"} for volume_id, kinds in reached.items()}

    def _pages(
        self, resource: str, kind: str, key: str, parse_errors: ParseErrors, seen: set[str], **params: str
    ) -> Iterator[Iterator[Record]]:
        for answer in self.array.pages(resource, **params):
            yield once(records(answer, "items", kind, key, parse_errors, labelled="name"), key, seen, parse_errors)

    def _listed(self, resource: str, kind: str, key: str, parse_errors: ParseErrors) -> Iterator[Record]:
        for page in self._pages(resource, kind, key, parse_errors, set()):
            yield from page
