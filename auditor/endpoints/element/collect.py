"""Reads a SolidFire / Element cluster into fact tables; never writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common import answer_limits
from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.element import rows
from auditor.endpoints.element.access import Access
from auditor.endpoints.element.jobs import Jobs
from auditor.endpoints.element.load import PAGE, volume_histograms, volume_load
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.element.client import ElementArray
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

FAMILY = "solidfire"


def collect_element(array: ElementArray, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of a cluster, a page at a time, and one row of `reading` for each topic of it.

    A record or field that cannot be understood leaves a gap and makes its topic incomplete; its row stays, with NULL in that cell. A
    topic that cannot be asked leaves a gap, and the next one is tried, until the cluster has fallen silent.

    Source: Element API reference for each method; docs/domain/arrays.md#calls.
    """
    reading = _Reading(
        array,
        endpoint.name,
        wants_version="GetClusterVersionInfo" in needs.properties("array"),
        wants_capacity="GetClusterCapacity" in needs.properties("qos_limits"),
    )
    access = Access(array, endpoint.name, wants_luns="GetVolumeAccessGroupLunAssignments" in needs.properties("connections"))
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": reading.alerts,
        "nodes": reading.nodes,
        "qos_policies": reading.qos_policies,
        "qos_limits": reading.qos_limits,
        "volumes": reading.volumes,
        "volume_load": reading.volume_load,
        "volume_histograms": reading.volume_histograms,
        "protocol_endpoints": reading.protocol_endpoints,
        "bindings": reading.bindings,
        "array_hosts": access.hosts,
        "connections": access.connections,
        "sessions": access.sessions,
        "background_jobs": Jobs(array, endpoint.name).jobs,
    }
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Reading:
    """One pass over one cluster; later topics build on what earlier ones saw."""

    array: ElementArray
    endpoint: str
    wants_version: bool = True
    wants_capacity: bool = True
    policy_names: dict[str, str | None] = field(default_factory=dict)
    active_volumes: set[str] = field(default_factory=set)
    volumes_read: bool = False

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GetClusterInfo")
        info = Record(self.array.cluster_info(), "the cluster", parse_errors).inner("clusterInfo")
        version: str | None = None
        if self.wants_version:  # without it the cluster is there; only its release is not known
            answer = yield from optional(self.endpoint, "GetClusterVersionInfo", partial(self.array.call, "GetClusterVersionInfo"))
            version = Record(answer, "the cluster", parse_errors).text("clusterVersion") if answer is not None else None
        name, unique_id = (info.text("name"), info.text("uniqueID")) if info else (None, None)
        yield batch("array", self.endpoint, [{"family": FAMILY, "name": name, "array_id": unique_id, "version": version}])
        yield from parse_errors.gaps(self.endpoint)

    def alerts(self) -> Iterator[Batch | Gap]:
        """The faults that are still there. Nobody can acknowledge one; those of bestPractice are asked for by name, and are not."""
        parse_errors = ParseErrors("ListClusterFaults")
        answer = self.array.call("ListClusterFaults", faultTypes="current")
        listed = once(records(answer, "faults", "fault", "clusterFaultID", parse_errors), "clusterFaultID", set(), parse_errors)
        table_rows = [row for fault in listed if (row := rows.fault_row(fault))["is_open"] is not False]
        yield batch("array_alert", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def nodes(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("ListAllNodes")
        answer = self.array.call("ListAllNodes")
        table_rows: list[Row] = []
        for under, key, state in (
            ("nodes", "nodeID", "active"),
            ("pendingNodes", "pendingNodeID", "pending"),
            ("pendingActiveNodes", "pendingActiveNodeID", "pendingActive"),
        ):
            listed = once(records(answer, under, "node", key, parse_errors), key, set(), parse_errors)
            table_rows.extend(rows.node_row(node, key, state) for node in listed)
        yield batch("array_node", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def qos_policies(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("ListQoSPolicies")
        listed = records(self.array.call("ListQoSPolicies"), "qosPolicies", "policy", "qosPolicyID", parse_errors)
        table_rows = [rows.policy_row(policy) for policy in once(listed, "qosPolicyID", set(), parse_errors)]
        self.policy_names = {row["policy_id"]: row["name"] for row in table_rows}
        yield batch("array_qos_policy", self.endpoint, table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def qos_limits(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("GetLimits")
        limits = Record(self.array.call("GetLimits"), "the cluster", parse_errors)
        capacity: dict[str, Any] | None = None
        if self.wants_capacity:
            capacity = yield from optional(self.endpoint, "GetClusterCapacity", partial(self.array.call, "GetClusterCapacity"))
        yield batch(
            "array_qos_limit", self.endpoint, [rows.limit_row(limits) | {"cluster_iops": rows.cluster_iops(capacity, parse_errors)}]
        )
        yield from parse_errors.gaps(self.endpoint)

    def volumes(self) -> Iterator[Batch | Gap]:
        """Pages end with an empty answer, not with a short one: the cluster may hold less to a page than was asked for."""
        parse_errors = ParseErrors("ListVolumes")
        seen: set[str] = set()
        start = 0
        for _ in range(answer_limits.MOST_PAGES):
            answer = self.array.call("ListVolumes", startVolumeID=start, limit=PAGE, includeVirtualVolumes=True)
            listed = list(records(answer, "volumes", "volume", "volumeID", parse_errors))
            table_rows = [rows.volume_row(volume, self.policy_names) for volume in once(iter(listed), "volumeID", seen, parse_errors)]
            has_load = {str(volume.identifier("volumeID")) for volume in listed if volume.value.get("status") == "active"}
            self.active_volumes.update(name for name in has_load if name.isdecimal())
            yield batch("array_volume", self.endpoint, table_rows)
            ids = [number for volume in listed if (number := volume.number("volumeID")) is not None]
            following = max(ids, default=-1) + 1
            if ids != sorted(ids):
                parse_errors.add("the order", f"the page from volume {start}", "is not by volumeID: the next page may leave volumes out")
            yield from parse_errors.gaps(self.endpoint)
            if following <= start:
                break
            start = following
        else:
            yield Gap(self.endpoint, f"ListVolumes: volumes from {start}", f"it did not end after {answer_limits.MOST_PAGES:,} pages")
            return
        if answer.get("volumes") != []:
            yield Gap(self.endpoint, f"ListVolumes: volumes from {start}", "the page did not advance; what follows was not read")
            return
        self.volumes_read = True

    def volume_load(self) -> Iterator[Batch | Gap]:
        return volume_load(self.array, self.endpoint, self.active_volumes, whole=self.volumes_read)

    def volume_histograms(self) -> Iterator[Batch | Gap]:
        return volume_histograms(self.array, self.endpoint, self.active_volumes, whole=self.volumes_read)

    def protocol_endpoints(self) -> Iterator[Batch | Gap]:
        return self._plain(
            "ListProtocolEndpoints", "protocolEndpoints", "protocolEndpointID", "array_protocol_endpoint", rows.protocol_endpoint_row
        )

    def bindings(self) -> Iterator[Batch | Gap]:
        return self._plain("ListVirtualVolumeBindings", "bindings", "virtualVolumeBindingID", "vvol_binding", rows.binding_row)

    def _plain(self, method: str, under: str, key: str, table: str, row: Callable[[Record], Row]) -> Iterator[Batch | Gap]:
        """A list that comes in one answer."""
        parse_errors = ParseErrors(method)
        listed = records(self.array.call(method), under, under.removesuffix("s"), key, parse_errors)
        yield batch(table, self.endpoint, [row(record) for record in once(listed, key, set(), parse_errors)])
        yield from parse_errors.gaps(self.endpoint)
