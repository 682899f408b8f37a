"""The resources that the lab's ONTAP cluster serves: their paths, records and default fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.ontap import counters, creation, jobs, records, records_data, records_nvme, writing

if TYPE_CHECKING:
    from auditor_lab.arrays.ontap.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Resource:
    """One collection.

    Attributes:
        path: below /api, without a slash at either end.
        objects: the objects that the records are made from.
        record: returns the record of one.
        default: dotted fields that an answer always has; those in `keys` form the record's address.
        expensive: dotted fields that `fields=*` leaves out. Source: "Expensive properties" in the vendor's reference.
        optional: dotted fields that a record may lack; a request for one is no error.
        patch: checks a PATCH and returns a function that carries it out; None where the lab writes nothing.
        post: likewise for a POST, which makes a record.
        narrowed: lists whose elements are answered only where a query names them (counters.name).
    """

    path: str
    objects: Callable[[Cluster], Sequence[Any]]
    record: Callable[[Cluster, Any], dict[str, Any]]
    default: tuple[str, ...] = ("uuid", "name")
    keys: tuple[str, ...] = ("uuid",)
    expensive: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    patch: writing.Patch | None = None
    post: writing.Post | None = None
    narrowed: tuple[str, ...] = ()

    def link(self, record: dict[str, Any]) -> dict[str, Any]:
        """The _links object of a record."""
        from urllib.parse import quote

        return records.link("/".join([self.path, *(quote(part, safe="") for part in self.key(record))]))

    def key(self, record: dict[str, Any]) -> tuple[str, ...]:
        """The key that identifies a record in the collection."""
        return tuple(str(at(record, name)) for name in self.keys)


def at(record: dict[str, Any], path: str) -> Any:
    """The value at a dotted path that always exists."""
    for name in path.split("."):
        record = record[name]
    return record


_METRIC = ("metric", "statistics")
_OF_SVMS = ("s3", "max_volumes", "certificate", "ndmp", "auto_enable_analytics", "auto_enable_activity_tracking", "storage")
_OF_VOLUMES = (
    *("tiering.policy", "tiering.object_tags", "tiering.min_cooling_days", "snaplock", "files.maximum", "guarantee.type"),
    *("space.snapshot.reserve_percent", "space.logical_space.enforcement", "space.logical_space.reporting"),
)
"""Fields that volumes, likewise SVMs, of a real cluster have, and the lab has no facts for."""

RESOURCES: tuple[Resource, ...] = (
    Resource("cluster/nodes", lambda c: c.description.nodes, records.node, expensive=_METRIC),
    Resource(
        "cluster/schedules",
        lambda c: list(c.schedules.values()),
        records.schedule,
        optional=("interval", *(f"cron.{part}" for part in ("minutes", "hours", "weekdays", "days", "months")), "svm.name", "cluster.name"),
        patch=creation.change_schedule,
        post=creation.schedule,
    ),
    Resource(
        "network/ip/interfaces",
        lambda c: [(svm.name, address) for svm in c.description.svms for address in svm.addresses],
        records.ip_interface,
        optional=("svm.name", "svm.uuid"),
    ),
    Resource("svm/svms", lambda c: c.description.svms, records.svm, optional=("qos_policy.name", "qos_policy.uuid", *_OF_SVMS)),
    Resource("svm/peers", lambda _: (), records_data.svm_peer),
    Resource(
        "storage/luns",
        lambda c: c.luns,
        records_data.lun,
        expensive=("auto_delete", "lun_maps", *_METRIC),
        optional=("qos_policy.name", "qos_policy.uuid", "vvol.is_bound", "vvol.bindings", "lun_maps.igroup.name", "lun_maps.igroup.uuid"),
        patch=writing.patch_lun,
    ),
    Resource(
        "storage/volumes",
        lambda c: c.volumes,
        records_data.volume,
        expensive=("is_svm_root", "encryption", "efficiency", "error_state", "movement", "nas", "qos", *_METRIC),
        optional=("qos.policy.name", "qos.policy.uuid", "nas.path", "movement", *_OF_VOLUMES),
        patch=writing.patch_volume,
    ),
    Resource(
        "storage/namespaces",
        lambda c: c.description.namespaces,
        records_nvme.namespace,
        expensive=("auto_delete", "subsystem_map", "metric"),
        optional=("qos_policy.name", "qos_policy.uuid"),
    ),
    Resource(
        "protocols/nvme/subsystems",
        lambda c: c.description.subsystems,
        records_nvme.subsystem,
        expensive=("hosts",),
        optional=("hosts.nqn",),
    ),
    Resource(
        "protocols/nvme/subsystem-maps",
        records_nvme.maps,
        records_nvme.subsystem_map,
        default=("namespace.uuid", "namespace.name", "subsystem.uuid", "subsystem.name", "svm"),
        keys=("subsystem.uuid", "namespace.uuid"),
    ),
    Resource("storage/aggregates", lambda c: c.description.aggregates, records.aggregate, expensive=("space.footprint", *_METRIC)),
    Resource("storage/disks", records.disks, records.disk, default=("name",), keys=("name",), optional=("rpm", "error")),
    Resource(
        "storage/qos/policies",
        lambda c: c.qos,
        records_data.qos_policy,
        optional=(
            *(f"fixed.{n}" for n in ("max_throughput_iops", "max_throughput_mbps", "min_throughput_iops", "capacity_shared")),
            *(f"adaptive.{n}" for n in ("expected_iops", "peak_iops", "absolute_min_iops", "block_size", "expected_iops_allocation")),
        ),
        patch=writing.patch_qos_policy,
        post=creation.qos_policy,
    ),
    Resource("storage/qos/workloads", records_data.qos_workloads, records_data.qos_workload, optional=("lun", "volume", "file", "qtree")),
    Resource(
        "storage/volume-efficiency-policies",
        lambda c: c.efficiency,
        records_data.efficiency_policy,
        optional=("schedule.name", "duration", "start_threshold_percent"),
        patch=writing.patch_efficiency_policy,
    ),
    Resource(
        "protocols/san/igroups",
        lambda c: c.description.igroups,
        records_data.igroup,
        expensive=("lun_maps",),
        optional=("initiators.name", "lun_maps.lun.name", "lun_maps.lun.uuid", "igroups"),
    ),
    Resource(
        "protocols/san/lun-maps",
        lambda c: c.maps,
        records_data.lun_map,
        default=("lun.uuid", "lun.name", "igroup.uuid", "igroup.name", "svm"),
        keys=("lun.uuid", "igroup.uuid"),
        post=creation.lun_map,
    ),
    Resource(
        "protocols/san/vvol-bindings",
        records_data.bindings,
        records_data.binding,
        default=("vvol.uuid", "vvol.name", "protocol_endpoint.uuid", "protocol_endpoint.name"),
        keys=("protocol_endpoint.uuid", "vvol.uuid"),
    ),
    Resource(
        "snapmirror/relationships",
        lambda c: [each for each in c.relationships if c.is_here(each.about.destination)],
        records_data.relationship,
        default=("uuid", "source.path", "destination.path", "healthy", "state"),
        optional=(
            *("transfer_schedule.name", "transfer_schedule.uuid", "unhealthy_reason", "source.cluster.name"),
            *("transfer.uuid", "transfer.state", "unhealthy_reason.message", "policy.type"),
        ),
        patch=writing.patch_relationship,
    ),
    Resource(
        "snapmirror/policies",
        lambda c: c.description.snapmirror_policies,
        records_data.snapmirror_policy,
        optional=("transfer_schedule.name", "transfer_schedule.uuid"),
    ),
    Resource(
        "cluster/jobs",
        lambda c: c.description.jobs,
        jobs.job,
        default=("uuid",),
        optional=("end_time", "error", "node", "svm"),
    ),
    Resource(
        "storage/volumes/*/snapshots",
        jobs.snapshots,
        jobs.snapshot,
        keys=("volume.uuid", "uuid"),
        optional=("create_time", "snapmirror_label", "comment"),
    ),
    Resource(
        "cluster/counter/tables",
        lambda _: list(counters.TABLES.values()),
        counters.table,
        default=("name",),
        keys=("name",),
    ),
    Resource(
        "private/cli/storage/raid-options",
        lambda c: c.description.raid_options,
        records_data.raid_option,
        default=("node", "name"),
        keys=("node", "name"),
    ),
    Resource(
        "private/cli/system/health/alert",
        lambda c: c.description.alerts,
        records_data.health_alert,
        default=("node", "monitor", "alert_id", "alerting_resource"),
        keys=("node", "monitor", "alert_id", "alerting_resource"),
    ),
)

TRANSFERS = Resource(
    "snapmirror/relationships/transfers",
    jobs.transfers,
    jobs.transfer,
    default=("uuid", "state"),
    keys=("uuid",),
    optional=("end_time", "error_info", "throttle"),
)
"""The transfers under way of every relationship; a request names one relationship. Source: vendor reference."""

SOURCES_ONLY = Resource(
    "snapmirror/relationships",
    lambda c: [each for each in c.relationships if each.about.source_cluster is None and c.is_here(each.about.source)],
    records_data.relationship,
    default=("uuid", "source.path", "destination.path", "healthy", "state"),
    optional=("transfer_schedule.name", "transfer_schedule.uuid", "unhealthy_reason", "source.cluster.name"),
)
"""The answer to list_destinations_only=true: relationships whose source is here. Source: vendor reference, GET /snapmirror/relationships.
"""


def rows_of(table: counters.Table) -> Resource:
    """The rows of a counter table."""
    return Resource(
        f"cluster/counter/tables/{table.name}/rows",
        table.objects,
        partial(_row, table),
        default=("id",),
        keys=("id",),
        narrowed=("counters", "properties"),
    )


def _row(table: counters.Table, cluster: Cluster, what: Any) -> dict[str, Any]:
    return counters.row(cluster, table, what)


BY_PATH = {each.path: each for each in RESOURCES} | {each.path: each for each in map(rows_of, counters.TABLES.values())}
