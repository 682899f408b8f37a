"""Reads a NetApp ONTAP cluster into fact tables; never writes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.common.topics import batch, read_topics
from auditor.endpoints.ontap import counters, rows, workloads
from auditor.endpoints.ontap.alerts import alerts
from auditor.endpoints.ontap.background import BackgroundWork
from auditor.endpoints.ontap.enumerations import SVM_STATES
from auditor.endpoints.ontap.history import load_history
from auditor.endpoints.ontap.jobs import Jobs
from auditor.endpoints.ontap.lists import Lists
from auditor.endpoints.ontap.node_load import NodeLoad
from auditor.endpoints.ontap.platform import platform_of
from auditor.endpoints.ontap.pools import Pools
from auditor.endpoints.ontap.qos import FIRST_WITH_BURST, NOT_KNOWN, Policy, Reference, policy_of, policy_row, reference_of
from auditor.errors import CredentialsError, EndpointError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.client import OntapCluster
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

FAMILY = "ontap"
SAMPLE_SECONDS = 5.0
"""How far apart the two readings of the counters are at least; what else is read meanwhile counts towards it."""

_NAMESPACES, _SUBSYSTEMS, _SUBSYSTEM_MAPS = "storage/namespaces", "protocols/nvme/subsystems", "protocols/nvme/subsystem-maps"
_FIRST_WITH_QOS_OF_NAMESPACES = (9, 16)
"""The first release whose namespaces have a policy. Source: netapp-ontap 9.16.1 has NvmeNamespace.qos_policy, 9.15.1 has not."""
_FIRST_WITH_QOS_OF_SVMS = (9, 9)
"""Source: netapp-ontap 9.9.1 has Svm.qos_policy, 9.8 has not."""

_LUN_TABLE = counters.LUNS.removesuffix("/rows")  # as SOURCES names it


def collect_ontap(
    cluster: OntapCluster,
    endpoint: Endpoint,
    needs: Needs = EVERYTHING,
    *,
    interval: float = SAMPLE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Batch | Gap]:
    """Yield what is needed of a cluster, a page at a time, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell. A
    topic that cannot be asked leaves a gap, and the next one is tried, until the cluster has fallen silent.

    Args:
        cluster: an open session.
        endpoint: whose rows they are.
        needs: topics and facts to ask for.
        interval: seconds between the two readings of the counters that `pool_load` is computed from.
        clock: seconds, for that interval.
        sleep: waits for what is left of it when everything else has been read.

    A release that does not know a field answers the whole request with an error, so that its topic is a gap: relationships report their
    schedule and counter tables anything from 9.11.1 on.

    Source: docs/domain/arrays.md#ontap; docs/domain/facts.md#7; the REST reference, and netapp-ontap 9.8, 9.9.1, 9.13.1 and 9.19.1 for each
    resource.
    """
    lists = Lists(cluster, endpoint.name)
    reading = _Reading(cluster, endpoint.name, needs, lists)
    pools = Pools(lists, needs, interval, clock, sleep)
    background = BackgroundWork(lists)
    processors = NodeLoad(lists, interval, clock, sleep)

    def nodes() -> Iterator[Batch | Gap]:
        if "node_load" in needs.topics:
            processors.begin()
        return reading.nodes()

    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": partial(alerts, lists),
        "nodes": nodes,
        "qos_policies": reading.qos_policies,
        "pools": pools.pools,
        "volumes": reading.volumes,
        "addresses": reading.addresses,
        "array_hosts": reading.array_hosts,
        "connections": reading.connections,
        "protocol_endpoints": reading.protocol_endpoints,
        "bindings": reading.bindings,
        "volume_load": reading.volume_load,
        "replication": background.replication,
        "efficiency": background.efficiency,
        "scrub": background.scrub,
        "background_jobs": Jobs(lists).jobs,
        "pool_load": pools.pool_load,  # last: its second reading of the counters waits for the others
        "node_load": processors.node_load,  # likewise, with readings of its own
    }
    if endpoint.history is not None:
        topics["load_history"] = partial(load_history, lists, endpoint.history, datetime.now(UTC))
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one cluster; later topics build on what earlier ones saw."""

    cluster: OntapCluster
    endpoint: str
    needs: Needs
    lists: Lists
    policies: dict[str, Policy] = field(default_factory=dict)
    volume_ids: set[str] = field(default_factory=set)
    svms: dict[str, Record] = field(default_factory=dict)  # by name
    svms_error: str | None = ""  # why they were not read; None: they were; empty: not asked yet
    volumes_read: bool = False
    devices: dict[str, str | None] | None = None  # of protocol endpoints

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET cluster")
        whole = Record(self.cluster.about(), "the cluster", parse_errors)
        version = rows.release_of(whole.inner("version"))
        row: Row = {"family": FAMILY, "name": whole.text("name"), "array_id": whole.identifier("uuid"), "version": version}
        if (platform := platform_of(whole.value, ())) is not None:
            row["generation"] = platform.name
        yield batch("array", self.endpoint, [row])
        yield from parse_errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        return self.lists.table("array_node", rows.node_row, "cluster/nodes", "node", fields="name,uuid,model,state,version")

    def qos_policies(self) -> Iterator[Batch | Gap]:
        def row(policy: Record) -> Row:
            one_row = policy_row(policy)
            self.policies[one_row["policy_id"]] = policy_of(one_row)
            return one_row

        fields = "uuid,name,object_count,fixed,adaptive" + (",burst" if self.cluster.version[:2] >= FIRST_WITH_BURST else "")
        return self.lists.table("array_qos_policy", row, "storage/qos/policies", "policy", fields=fields)

    def volumes(self) -> Iterator[Batch | Gap]:
        """FlexVols that NFS can export, then LUNs of class regular and vvol; FlexVols also have the pool and the QoS of their LUNs."""
        parse_errors = ParseErrors("GET storage/volumes")
        svm_qos = yield from self._svm_qos()
        limited_within = yield from self._limited_within()
        fields = "uuid,name,svm.name,aggregates.uuid,state,size,space.used,nas.path,qos.policy.name,qos.policy.uuid"
        for page in self.lists.pages("storage/volumes", "volume", parse_errors, fields=fields):
            table_rows = []
            for volume in page:
                container = rows.container_of(volume)
                if not (container.qos.is_one or rows.is_filled(volume)):
                    container = replace(container, qos=NOT_KNOWN)
                self.lists.containers[container.uuid] = container
                if not self._is_without_nfs(container.svm):
                    of_svm = svm_qos.get(container.svm or "", NOT_KNOWN)
                    table_rows.append(rows.share_row(volume, container, of_svm, self.policies, limited_within))
            yield self._volumes([row for row in table_rows if row is not None])
        self.lists.containers_read = True
        yield from parse_errors.gaps(self.endpoint)

        parse_errors = ParseErrors("GET storage/luns")
        fields = (
            "uuid,name,svm.name,class,os_type,serial_number,location.volume.uuid,space.size,space.used,status.state,status.container_state,"
        )
        fields += "qos_policy.name,qos_policy.uuid"
        for page in self.lists.pages("storage/luns", "LUN", parse_errors, fields=fields):
            regular = [lun for lun in page if lun.value.get("class") != "protocol_endpoint"]
            yield self._volumes([rows.lun_row(lun, self.lists.containers, svm_qos, self.policies) for lun in regular])
        yield from parse_errors.gaps(self.endpoint)
        if self._has_nvme:
            yield from self._namespaces(svm_qos)
        self.volumes_read = True

    def _namespaces(self, svm_qos: dict[str, Reference]) -> Iterator[Batch | Gap]:
        """NVMe namespaces, which are no LUNs; those of releases that have no such policies have none of their own."""
        parse_errors = ParseErrors(f"GET {_NAMESPACES}")
        fields = "uuid,name,svm.name,os_type,location.volume.uuid,space.size,space.used,status.state,status.container_state"
        if self.cluster.version[:2] >= _FIRST_WITH_QOS_OF_NAMESPACES:
            fields += ",qos_policy.name,qos_policy.uuid"
        for page in self.lists.pages(_NAMESPACES, "namespace", parse_errors, fields=fields):
            yield self._volumes([rows.namespace_row(each, self.lists.containers, svm_qos, self.policies) for each in page])
        yield from parse_errors.gaps(self.endpoint)

    @property
    def _has_nvme(self) -> bool:
        """Whether an SVM that was read serves NVMe; without one no list of NVMe is asked for."""
        served = (svm.value.get("nvme") for svm in self.svms.values())
        return any(isinstance(nvme, dict) and nvme.get("enabled") is True for nvme in served)

    def _serves_nvme(self) -> Generator[Gap, None, bool]:
        """As `_has_nvme`, for other topics than the volumes: these may not be asked for, and one without SVMs is not whole."""
        if self.svms_error == "":
            yield from self._svm_qos()
        elif self.svms_error is not None:
            yield Gap(self.endpoint, "GET svm/svms: whether any serves NVMe, whose namespaces and hosts are read apart", self.svms_error)
        return self._has_nvme

    def _volumes(self, table_rows: list[Row]) -> Batch:
        for row in table_rows:
            row["status"] = rows.state_in(self.svms.get(row["svm"] or ""), row["status"])
        self.volume_ids.update(row["volume_id"] for row in table_rows)
        return batch("array_volume", self.endpoint, table_rows)

    def _is_without_nfs(self, svm: str | None) -> bool:
        nfs = self.svms[svm].value.get("nfs") if svm in self.svms else None
        return isinstance(nfs, dict) and nfs.get("enabled") is False

    def _svm_qos(self) -> Generator[Gap, None, dict[str, Reference]]:
        """The QoS policy of every SVM by its name; without this list nobody knows all of a volume's QoS, nor its state. Keeps the SVMs."""
        parse_errors = ParseErrors("GET svm/svms")
        by_name: dict[str, Reference] = {}
        fields, has_qos = "uuid,name,state,subtype,nfs.enabled,nvme.enabled", self.cluster.version[:2] >= _FIRST_WITH_QOS_OF_SVMS
        if has_qos:
            fields += ",qos_policy.name,qos_policy.uuid"
        else:
            yield Gap(
                self.endpoint, "GET svm/svms: the QoS policies of SVMs, which hold for their volumes as well", "not told before ONTAP 9.9.1"
            )
        try:
            for svm in self.lists.records("svm/svms", "SVM", parse_errors, fields=fields):
                name = svm.text("name") or ""
                svm.listed("state", SVM_STATES, needed=True)
                by_name[name], self.svms[name] = reference_of(svm, "qos_policy") if has_qos else NOT_KNOWN, svm
            self.svms_error = None
        except CredentialsError:
            raise
        except EndpointError as error:
            self.svms_error = error.what
            yield Gap(self.endpoint, "GET svm/svms: the states and QoS policies of SVMs, which hold for their volumes as well", error.what)
        yield from parse_errors.gaps(self.endpoint)
        return by_name

    def _limited_within(self) -> Generator[Gap, None, set[tuple[str, str]] | None]:
        """SVM and name of every FlexVol in which a qtree or a file is under a policy that limits; None where that is not known."""
        if self.cluster.version[:2] < workloads.FIRST_WITH_WORKLOADS or workloads.WORKLOADS not in self.needs.properties("volumes"):
            return None
        parse_errors = ParseErrors(f"GET {workloads.WORKLOADS}")
        try:
            listed = list(self.lists.records(workloads.WORKLOADS, "workload", parse_errors, fields=workloads.FIELDS))
        except CredentialsError:
            raise
        except EndpointError as error:
            yield Gap(
                self.endpoint, f"GET {workloads.WORKLOADS}: the QoS policies of qtrees and files, which limit parts of a share", error.what
            )
            return None
        found = {within for each in listed if (within := workloads.limited_within(each, self.policies)) is not None}
        is_whole = not parse_errors.any
        yield from parse_errors.gaps(self.endpoint)
        return found if is_whole else None

    def addresses(self) -> Iterator[Batch | Gap]:
        """Every IP interface of the cluster and its SVMs. Source: REST reference, GET network/ip/interfaces."""
        fields = "uuid,name,ip.address,svm.name"
        return self.lists.table("array_address", rows.address_row, "network/ip/interfaces", "interface", fields=fields)

    def array_hosts(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GET protocols/san/igroups")
        fields = "uuid,name,os_type,initiators.name"
        for page in self.lists.pages("protocols/san/igroups", "igroup", parse_errors, fields=fields):
            hosts = [rows.host_rows(igroup) for igroup in page]
            yield batch("array_host", self.endpoint, [host for host, _ in hosts])
            yield batch("array_initiator", self.endpoint, [row for _, initiators in hosts for row in initiators])
        yield from parse_errors.gaps(self.endpoint)
        if (yield from self._serves_nvme()):
            yield from self._subsystems()

    def _subsystems(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors(f"GET {_SUBSYSTEMS}")
        for page in self.lists.pages(_SUBSYSTEMS, "subsystem", parse_errors, fields="uuid,name,os_type,hosts.nqn"):
            hosts = [rows.subsystem_rows(subsystem) for subsystem in page]
            yield batch("array_host", self.endpoint, [host for host, _ in hosts])
            yield batch("array_initiator", self.endpoint, [row for _, initiators in hosts for row in initiators])
        yield from parse_errors.gaps(self.endpoint)

    def connections(self) -> Iterator[Batch | Gap]:
        fields = "lun.uuid,igroup.uuid,logical_unit_number"
        yield from self.lists.table(
            "array_connection", rows.connection_row, "protocols/san/lun-maps", "LUN map", key="lun.uuid/igroup.uuid", fields=fields
        )
        if (yield from self._serves_nvme()):
            key, fields = "namespace.uuid/subsystem.uuid", "namespace.uuid,subsystem.uuid"
            yield from self.lists.table(
                "array_connection", rows.namespace_connection_row, _SUBSYSTEM_MAPS, "map of a namespace", key=key, fields=fields
            )

    def protocol_endpoints(self) -> Iterator[Batch | Gap]:
        devices: dict[str, str | None] = {}

        def row(lun: Record) -> Row:
            endpoint_row = rows.protocol_endpoint_row(lun)
            devices[endpoint_row["protocol_endpoint_id"]] = endpoint_row["device"]
            return endpoint_row

        params = {"class": "protocol_endpoint", "fields": "uuid,name,serial_number,status.state"}
        yield from self.lists.table("array_protocol_endpoint", row, "storage/luns", "protocol endpoint", **params)
        self.devices = devices

    def bindings(self) -> Iterator[Batch | Gap]:
        """Bindings of vVols; the device of a protocol endpoint is known from its own topic, which is read for it when nobody else did."""
        if self.devices is None:
            yield from (item for item in self.protocol_endpoints() if isinstance(item, Gap))
        devices = self.devices or {}
        yield from self.lists.table(
            "vvol_binding",
            lambda binding: rows.binding_row(binding, devices),
            "protocols/san/vvol-bindings",
            "vVol binding",
            key="vvol.uuid/protocol_endpoint.uuid",
            fields="vvol.uuid,protocol_endpoint.uuid",
        )

    def volume_load(self) -> Iterator[Batch | Gap]:
        seen: set[str] = set()
        parse_errors = ParseErrors("GET storage/volumes, metric")
        params = {"fields": "uuid,metric", "nas.path": "!null"}
        for page in self.lists.pages("storage/volumes", "volume", parse_errors, **params):
            yield self._load([each for each in page if each.value.get("uuid") in self.volume_ids or not self.volumes_read], {}, seen)
        yield from parse_errors.gaps(self.endpoint)
        ratios: dict[str, float | None] = {}
        if _LUN_TABLE in self.needs.properties("volume_load"):
            yield from self._misaligned(ratios)
        parse_errors = ParseErrors("GET storage/luns, metric")
        for page in self.lists.pages("storage/luns", "LUN", parse_errors, fields="uuid,name,svm.name,class,metric"):
            yield self._load([lun for lun in page if lun.value.get("class") != "protocol_endpoint"], ratios, seen)
        if (yield from self._serves_nvme()):
            for page in self.lists.pages(_NAMESPACES, "namespace", parse_errors, fields="uuid,name,svm.name,metric"):
                yield self._load(page, {}, seen)
        for volume_id in sorted(self.volume_ids - seen):
            parse_errors.add("the record", f"volume {volume_id}", "was not in the answer")
        if not self.volumes_read:
            parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
        yield from parse_errors.gaps(self.endpoint)

    def _load(self, page: list[Record], ratios: dict[str, float | None], seen: set[str]) -> Batch:
        table_rows = []
        for record in page:
            svm = record.value.get("svm")
            path = f"{svm.get('name') if isinstance(svm, dict) else None}:{record.value.get('name')}"
            uuid = str(record.identifier("uuid"))
            table_rows.append(rows.load_row(record, ratios.get(uuid, ratios.get(path))))
            seen.add(uuid)
        return batch("array_volume_load", self.endpoint, table_rows)

    def _misaligned(self, ratios: dict[str, float | None]) -> Iterator[Gap]:
        """The share of misaligned operations, by the LUN's id where a row reports it, and by svm:path.

        A row reports them as properties, or in its own id, "/vol/v/lun:uuid" (docs/domain/facts.md#7-5).
        """
        parse_errors = ParseErrors(f"GET {counters.LUNS}")
        try:
            for row in counters.read(self.lists, counters.LUNS, "|".join(counters.LUN_COUNTERS), parse_errors).values():
                names = counters.names_of_lun(row)
                if not names:
                    parse_errors.add("the LUN", f"row {row.row_id}", "is not named by its properties, nor by the row's id")
                ratios |= dict.fromkeys(names, counters.misaligned_ratio(row))
        except CredentialsError:
            raise
        except EndpointError as error:
            yield Gap(self.endpoint, f"GET {counters.LUNS}", error.what)
        yield from parse_errors.gaps(self.endpoint)
