"""Reads a Dell PowerStore into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.powerstore import files, rows
from auditor.endpoints.powerstore.history import load_history
from auditor.endpoints.powerstore.hosts import INITIATOR_SINCE, Hosts, connection_rows, hosts_of
from auditor.endpoints.powerstore.qos import SINCE, Qos, group_row, policies_of, policy_row, rules_by_policy, volume_columns
from auditor.errors import CredentialsError, EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.powerstore.client import PowerStore
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint, Span

MOST_LOADS = 1000
"""Volumes whose load is asked for: each takes a request of its own. A policy, not a vendor's number."""

_INTERVAL = "Twenty_Sec"
_STALE_SINCE, _NVME_SINCE, _METRO_SINCE, _ACCESS_SINCE, _NAA_SINCE = (2, 0), (2, 0), (3, 0), (3, 0), (3, 0)
"""The releases that added hardware.stale_state, volume.nguid, metro_replication_session_id and is_host_access_available, and
virtual_volume.naa_name.

Source: the definitions.
"""


def collect_powerstore(array: PowerStore, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of a cluster, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell. A
    topic that cannot be asked leaves a gap, and the next one is tried, until the array has fallen silent. What a release does not have,
    such as QoS policies before 4.0, is not asked for: there is none, which is no gap.

    Source: the vendor's OpenAPI definitions of REST 4.1 and 4.4, with the releases that added a field; docs/domain/arrays.md#powerstore.
    """
    reading = _Reading(array, endpoint.name, wants_model="controllers" in needs.properties("array"))
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": reading.alerts,
        "nodes": reading.nodes,
        "pools": reading.pools,
        "qos_policies": reading.qos_policies,
        "array_hosts": reading.array_hosts,  # before the volumes, as the connections: hosts decide by which name a volume is seen
        "connections": reading.connections,
        "addresses": reading.addresses,
        "volumes": reading.volumes,
        "volume_load": reading.volume_load,
    }
    if endpoint.history is not None:
        topics["load_history"] = partial(reading.load_history, endpoint.history)
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one array; later topics build on what earlier ones saw."""

    array: PowerStore
    endpoint: str
    wants_model: bool = True
    qos: Qos | None = None  # None: not read
    hosts: Hosts | None = None  # None: not read
    hosts_error: EndpointError | None = None
    connected: list[Row] | None = None  # rows of array_connection; None: not read
    names: dict[str, str | None] | None = None  # of the volumes that have a load, by id; None: not all of them read

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET cluster")
        cluster = Record(self.array.cluster(), "the cluster", parse_errors)
        models: list[str] | None = None
        if self.wants_model:  # without it the array is there; only its model is not known
            models = yield from optional(self.endpoint, "GET appliance, for the model", self._models)
        yield batch("array", self.endpoint, [rows.array_row(cluster, self.array.version, models)])
        yield from parse_errors.gaps(self.endpoint)

    def alerts(self) -> Iterator[Batch | Gap]:
        """Those that are active; cleared ones are over."""
        fields = "id,event_code,severity,resource_type,resource_name,description_l10n,is_acknowledged"
        yield from self._table("array_alert", "alert", fields, rows.fault_row, state="eq.ACTIVE")

    def nodes(self) -> Iterator[Batch | Gap]:
        has_stale = self.array.has(_STALE_SINCE)
        fields = "id,name,lifecycle_state" + (",stale_state" if has_stale else "")
        yield from self._table("array_node", "hardware", fields, partial(rows.node_row, has_stale=has_stale), type="eq.Node")

    def pools(self) -> Iterator[Batch | Gap]:
        yield from self._table("array_pool", "appliance", "id,name", rows.pool_row)

    def qos_policies(self) -> Iterator[Batch | Gap]:
        """QoS policies, and volume groups that have one. Of a release before 4.0 there are none."""
        gaps = ParseErrors("GET io_limit_rule"), ParseErrors("GET policy"), ParseErrors("GET volume_group")
        held, grouped = None, None
        has_qos = self.array.has(SINCE)
        listed = self._listed("policy", "id,name,type,performance_rules(id,io_priority)", gaps[1])
        if has_qos:
            fields = "id,name,type,max_iops,max_bw,burst_percentage,policies(id)"
            held = yield from optional(
                self.endpoint, "GET io_limit_rule", lambda: rules_by_policy(self._listed("io_limit_rule", fields, gaps[0]))
            )
            grouped = yield from optional(
                self.endpoint,
                "GET volume_group, whose QoS holds for volumes as well",
                partial(self._listed, "volume_group", "id,name,qos_performance_policy_id,volumes(id)", gaps[2], type="not.eq.Snapshot"),
            )
        qos = policies_of(listed, held if has_qos else {})
        table_rows = [policy_row(policy_id, each.name, each.held, "policy") for policy_id, each in qos.policies.items()]
        table_rows += [row for group in grouped or () if (row := group_row(qos, group)) is not None]
        qos.is_whole = not has_qos or (held is not None and grouped is not None and not any(one.any for one in gaps))
        self.qos = qos
        yield batch("array_qos_policy", self.endpoint, table_rows)
        for one in gaps:
            yield from one.gaps(self.endpoint)

    def array_hosts(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET host")
        hosts = yield from self._read_hosts(parse_errors)
        yield batch("array_host", self.endpoint, hosts.rows)
        yield batch("array_initiator", self.endpoint, hosts.initiators)
        yield from parse_errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        by_nvme = yield from self._read_by_nvme()
        parse_errors = ParseErrors("GET volume")
        seen: set[str] = set()
        table_rows: list[Row] = []
        for volume in self._listed("volume", self._volume_fields(), parse_errors, seen, type="not.eq.Snapshot"):
            qos = volume_columns(volume, self.qos, has_qos=self.array.has(SINCE))
            table_rows.append(rows.volume_row(volume, qos, by_nvme=None if by_nvme is None else volume.identifier("id") in by_nvme))
        for row in self.connected or ():
            if row["volume_id"] not in seen:
                parse_errors.add("the volume", f"the mapping to host {row['array_host_id']}", "is one that it did not list")
        self.names = {row["volume_id"]: row["name"] for row in table_rows}
        yield batch("array_volume", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)
        if self.qos is None:
            yield Gap(self.endpoint, "GET volume: QoS", "is not known, since the policies were not read")
        parse_errors = ParseErrors("GET virtual_volume")
        fields = "id,name,type,size,appliance_id,io_priority" + (",naa_name" if self.array.has(_NAA_SINCE) else "")
        vvols = [vvol for vvol in self._listed("virtual_volume", fields, parse_errors, seen) if not _is_copy(vvol)]
        yield batch("array_volume", self.endpoint, [rows.vvol_row(vvol) for vvol in vvols])
        yield from parse_errors.gaps(self.endpoint)

    def volume_load(self) -> Iterator[Batch | Gap]:
        """The newest sample of each volume. Virtual volumes have none: the API reports what a machine does, not each of its disks."""
        parse_errors = ParseErrors("POST metrics/generate")
        asked = list(self._known_names().items())
        table_rows = []
        for volume_id, name in asked[:MOST_LOADS]:
            sample = rows.newest(self.array.metrics("performance_metrics_by_volume", volume_id, _INTERVAL))
            record = None if sample is None else Record(sample, f"volume {name}", parse_errors)
            if record is None:
                parse_errors.add("the samples", f"volume {name}", "were none: what it does is not known")
            table_rows.append(rows.load_row(volume_id, record))
        yield batch("array_volume_load", self.endpoint, table_rows)
        if len(asked) > MOST_LOADS:
            why = f"not asked: it has {len(asked):,} volumes, and each takes a request; the first {MOST_LOADS:,} were read"
            yield Gap(self.endpoint, "POST metrics/generate: the load of the others", why)
        yield from parse_errors.gaps(self.endpoint)

    def _known_names(self) -> dict[str, str | None]:
        """The names of the volumes that have a load, by id; asked for when the volumes were not read before."""
        if self.names is None:
            listed = self._listed("volume", "id,name", ParseErrors("GET volume"), type="not.eq.Snapshot")
            self.names = {volume.identifier("id") or "": volume.optional_text("name") for volume in listed}
        return self.names

    def load_history(self, span: Span) -> Iterator[Batch | Gap]:
        return load_history(self.array, self.endpoint, self._known_names(), span, datetime.now(UTC))

    def addresses(self) -> Iterator[Batch | Gap]:
        """Addresses of NAS servers, and with them their exports: without both no NFS datastore is known to be one of this array's."""
        has_qos = self.array.has(files.FILE_QOS_SINCE)
        gaps = tuple(ParseErrors(f"GET {name}") for name in ("nas_server", "file_interface", "file_system", "nfs_export"))
        added = ((files.MODE_SINCE, "is_production_mode_enabled"), (files.TEST_SINCE, "is_dr_test"))
        fields = ",".join(["id,name", *(name for release, name in added if self.array.has(release))])
        servers = self._by_id("nas_server", files.fields_of(fields, has_qos=has_qos), gaps[0])
        interfaces = self._listed("file_interface", files.INTERFACE_FIELDS, gaps[1])
        fields = files.fields_of("id,name,nas_server_id,filesystem_type,size_total", has_qos=has_qos)
        systems = self._by_id("file_system", fields, gaps[2])
        exports = self._listed("nfs_export", files.EXPORT_FIELDS, gaps[3])
        yield batch("array_address", self.endpoint, files.address_rows(interfaces, servers))
        yield batch("array_volume", self.endpoint, files.share_rows(exports, systems, servers, gaps[3], has_qos=has_qos))
        for one in gaps:
            yield from one.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET host_volume_mapping")
        if self.connected is None:
            yield from self._known_hosts()
            self.connected = self._connections(parse_errors)
        yield batch("array_connection", self.endpoint, self.connected)
        yield from parse_errors.gaps(self.endpoint)

    def _volume_fields(self) -> str:
        fields = "id,name,type,wwn,appliance_id,state,size,performance_policy_id,protection_data,is_replication_destination"
        added = (
            (_NVME_SINCE, "nguid"),
            (_METRO_SINCE, "metro_replication_session_id"),
            (_ACCESS_SINCE, "is_host_access_available"),
            (SINCE, "qos_performance_policy_id"),
        )
        return ",".join([fields, *(name for release, name in added if self.array.has(release))])

    def _models(self) -> list[str]:
        listed = self._listed("appliance", "id,name,model", ParseErrors("GET appliance"))
        return [model for appliance in listed if (model := appliance.optional_text("model"))]

    def _read_hosts(self, parse_errors: ParseErrors) -> Generator[Gap, None, Hosts]:
        """Read the hosts and keep them."""
        under = "initiators" if self.array.has(INITIATOR_SINCE) else "host_initiators"
        fields = f"id,name,os_type,host_group_id,{under}" + ("(port_name,port_type)" if under == "initiators" else "")
        try:
            listed = self._listed("host", fields, parse_errors)
        except EndpointError as error:
            self.hosts_error = error
            raise
        groups: dict[str, str | None] | None = None
        if any(host.value.get("host_group_id") is not None for host in listed):
            groups = yield from optional(self.endpoint, "GET host_group, for their names", self._group_names)
        self.hosts = hosts_of(listed, groups, under)
        return self.hosts

    def _group_names(self) -> dict[str, str | None]:
        listed = self._listed("host_group", "id,name", ParseErrors("GET host_group"))
        return {group.identifier("id") or "": group.optional_text("name") for group in listed}

    def _known_hosts(self) -> Generator[Gap, None, Hosts | None]:
        """The hosts, read now where their own topic was not needed; None where they cannot be read, which is a gap."""
        if self.hosts is None and self.hosts_error is None:
            parse_errors = ParseErrors("GET host")
            try:
                yield from self._read_hosts(parse_errors)
            except CredentialsError:
                raise
            except EndpointError as error:
                yield Gap(self.endpoint, "GET host, by which it is known who reaches a volume", error.what)
            yield from parse_errors.gaps(self.endpoint)
        elif self.hosts_error is not None:  # an array that does not answer is not waited for twice
            yield Gap(self.endpoint, "GET host, by which it is known who reaches a volume", self.hosts_error.what)
        return self.hosts

    def _read_by_nvme(self) -> Generator[Gap, None, set[str] | None]:
        """The volumes that hosts reach by NVMe alone, by their ids; None where that is not known.

        Mappings are asked for only where a host has an NVMe initiator. A volume that is reached by SCSI and by NVMe keeps its SCSI name.
        """
        hosts = yield from self._known_hosts()
        if hosts is None:
            return None
        if not any("nvme" in kinds for kinds in hosts.protocols.values()):
            return set()
        if self.connected is not None:
            return self._by_nvme(hosts, self.connected)
        parse_errors = ParseErrors("GET host_volume_mapping")
        what = "GET host_volume_mapping, by which a volume's name at its hosts is known"
        self.connected = yield from optional(self.endpoint, what, partial(self._connections, parse_errors))
        yield from parse_errors.gaps(self.endpoint)
        return None if self.connected is None else self._by_nvme(hosts, self.connected)

    @staticmethod
    def _by_nvme(hosts: Hosts, connected: list[Row]) -> set[str]:
        reached: dict[str, set[str]] = {}
        for row in connected:
            reached.setdefault(row["volume_id"], set()).update(hosts.protocols.get(row["array_host_id"], ()))
        return {volume_id for volume_id, kinds in reached.items() if kinds == {"nvme"}}

    def _connections(self, parse_errors: ParseErrors) -> list[Row]:
        fields = "id,host_id,host_group_id,volume_id,logical_unit_number"
        return list(connection_rows(self._listed("host_volume_mapping", fields, parse_errors), self.hosts, parse_errors))

    def _table(self, table: str, resource: str, fields: str, row: Callable[[Record], Row], **filters: str) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors(f"GET {resource}")
        yield batch(table, self.endpoint, [row(record) for record in self._listed(resource, fields, parse_errors, None, **filters)])
        yield from parse_errors.gaps(self.endpoint)

    def _by_id(self, resource: str, fields: str, parse_errors: ParseErrors) -> dict[str, Record]:
        return {record.identifier("id") or "": record for record in self._listed(resource, fields, parse_errors)}

    def _listed(self, resource: str, fields: str, parse_errors: ParseErrors, seen: set[str] | None = None, **filters: str) -> list[Record]:
        answer = {resource: self.array.listed(resource, fields, **filters)}
        kind = resource.replace("_", " ")
        found = records(answer, resource, kind, "id", parse_errors, labelled="name" if "name" in fields else None)
        return list(once(found, "id", set() if seen is None else seen, parse_errors))


def _is_copy(vvol: Record) -> bool:
    return vvol.listed("type", rows.VVOLS | rows.VVOL_COPIES, needed=True) in rows.VVOL_COPIES
