"""Which facts and topics have to be read, and what has to be requested for them.

A collector asks for a topic only when a fact of it is needed, and within a topic only for the properties that needed facts come from. What
was not requested is not read: it has no row in the table `reading`, so nothing takes it for absent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.facts.schema import HOST_TOPICS, ON_DEMAND_TOPICS, TABLES, TOPICS
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from auditor.model import EndpointKind

Fact = tuple[str, str]
"""(table, column); "" as the column is the table's rows as such."""

_HOST = ("endpoint", "host_id")
_DEVICE = (*_HOST, "device")

IDENTITIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "host": _HOST,
        "host_option": (*_HOST, "key"),
        "host_module": (*_HOST, "module"),
        "host_module_parameter": (*_HOST, "module", "name"),
        "hba": (*_HOST, "hba"),
        "vmknic": (*_HOST, "vmk"),
        "device": _DEVICE,
        "device_scheduling": _DEVICE,
        "device_offload": _DEVICE,
        "device_policy": _DEVICE,
        "device_load": _DEVICE,
        "adapter_load": (*_HOST, "hba"),
        "datastore_load": ("endpoint", "datastore_id", "host_id"),
        "vm_disk_load": ("endpoint", "vm_id", "node"),
        "datastore": ("endpoint", "datastore_id"),
        "datastore_mount": ("endpoint", "datastore_id", "host_id"),
        "vm": ("endpoint", "vm_id"),
        "storage_pod": ("endpoint", "pod_id"),
        "running_task": ("endpoint", "task_id"),
        "vcenter_extension": ("endpoint", "key"),
        "storage_policy": ("endpoint", "policy_id"),
        "array_alert": ("endpoint", "alert_id"),
        "array_volume": ("endpoint", "volume_id"),
        "array_address": ("endpoint", "address_id"),
        "array_volume_load": ("endpoint", "volume_id"),
        "array_qos_policy": ("endpoint", "policy_id"),
        "array_qos_limit": ("endpoint",),
        "array_host": ("endpoint", "array_host_id"),
        "array_pool": ("endpoint", "pool_id"),
        "array_pool_load": ("endpoint", "pool_id"),
        "array_replication": ("endpoint", "replication_id"),
        "array_efficiency": ("endpoint", "volume_id"),
        "array_schedule": ("endpoint", "name"),
        "baseline": ("kind", "of_endpoint", "of_host", "thing", "setting"),
        "listed_endpoint": ("endpoint",),
    }
)
"""The columns that distinguish the rows of a table; tables that are not here may hold two rows that say the same."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a table come from.

    Properties are those of a vCenter's managed objects, or methods of an array. A column without one comes with the rows, as all do where
    the topic is one question.
    """

    topic: str
    rows: tuple[str, ...] = ()  # properties without which there are no rows
    properties: Mapping[str, str] = field(default_factory=dict)  # column -> its property, as the table has it
    asked_of: str | None = None  # the property of the host that names the object that answers; None: the host, or the vCenter


_QUESTIONS: Mapping[str, Source] = MappingProxyType(
    {
        "host": Source(
            "hosts",
            rows=("name", "runtime.connectionState", "summary.hardware.uuid"),
        ),
        "host_option": Source("options", asked_of="configManager.advancedOption"),
        "host_module": Source("modules", asked_of="configManager.kernelModuleSystem"),
        "host_module_parameter": Source("modules"),
        "hba": Source("hbas", rows=("config.storageDevice.hostBusAdapter",)),
        "iscsi_target": Source("hbas", rows=("config.storageDevice.hostBusAdapter",)),
        "iscsi_option": Source("hbas", rows=("config.storageDevice.hostBusAdapter",)),
        "vmknic": Source(
            "network",
            # On which switch an adapter is stands in three places, by the kind of switch.
            rows=("config.network.vnic", "config.network.vswitch", "config.network.proxySwitch", "config.network.portgroup"),
        ),
        "device": Source("devices", rows=("config.storageDevice.scsiLun",)),
        "path": Source("paths", rows=("config.storageDevice.multipathInfo",)),
        "device_scheduling": Source("device_scheduling"),
        "device_offload": Source("device_offload"),
        "vmfs_lockmode": Source("lockmode"),
        "device_policy": Source("multipathing"),
        "satp_rule": Source("multipathing"),
        "iscsi_portal": Source("port_binding"),
        "device_load": Source("device_load"),
        "adapter_load": Source("adapter_load"),
        "datastore_load": Source("datastore_load"),
        "vm_disk_load": Source("disk_load"),
        "datastore": Source(
            "datastores",
            rows=("name",),
        ),
        "datastore_extent": Source("datastores", rows=("name", "info")),
        "datastore_mount": Source("datastores", rows=("name", "host")),
        "vvol_mount": Source("datastores", rows=("name", "info")),
        "vm": Source(
            "vms",
            rows=("name",),
        ),
        "vm_disk": Source("vms", rows=("name", "config.hardware.device")),
        "storage_pod": Source(
            "pods",
            rows=("name", "podStorageDrsEntry.storageDrsConfig.podConfig"),
        ),
        "running_task": Source("tasks"),
        "vcenter_extension": Source("extensions"),
        "storage_policy": Source("storage_policies"),
        "storage_policy_disk": Source("storage_policies"),
        "tagged": Source("tags"),
        "change_event": Source("events"),
        "array": Source(
            "array",
        ),
        "array_alert": Source("alerts"),
        "array_node": Source("nodes"),
        "array_volume": Source("volumes"),
        "array_address": Source("addresses"),
        "array_volume_load": Source("volume_load"),
        "array_qos_policy": Source("qos_policies"),
        "array_qos_limit": Source("qos_limits"),
        "array_protocol_endpoint": Source("protocol_endpoints"),
        "vvol_binding": Source("bindings"),
        "array_volume_histogram": Source("volume_histograms"),
        "array_host": Source("array_hosts"),
        "array_initiator": Source("array_hosts"),
        "array_connection": Source("connections"),
        "array_session": Source("sessions"),
        "array_pool": Source("pools"),
        "array_pool_load": Source("pool_load"),
        "array_replication": Source("replication"),
        "array_efficiency": Source("efficiency"),
        "array_schedule": Source("efficiency"),
        "array_scrub": Source("scrub"),
    }
)

SOURCES: Mapping[str, Source] = MappingProxyType(
    {name: replace(one, properties=TABLES[name].properties) for name, one in _QUESTIONS.items()}
)
"""Every table that is read from an endpoint; `reading` and `gap` are about the reading, `declared`, `declared_nfs_server` and
`listed_endpoint` fleet.yaml's, `baseline` an earlier run's."""

NULL_IS_UNREAD: frozenset[Fact] = frozenset(
    ("host", column) for column in ("version", "build", "power_state", "in_maintenance_mode", "boot_time", "vsan_enabled", "software_iscsi")
)
"""Facts that every host has: without a value they were not read."""

RESTS_ON: Mapping[str, frozenset[Fact]] = MappingProxyType(
    {
        **dict.fromkeys(HOST_TOPICS, frozenset({("host", "")})),  # the hosts to read
        "paths": frozenset({("host", ""), ("device", ""), ("hba", "")}),  # a path names its device and its adapter by their keys
        "modules": frozenset({("host", "software_iscsi"), ("hba", "driver")}),  # which modules matter
        "device_load": frozenset({("host", ""), ("device", "")}),  # how much there will be to an answer
        "adapter_load": frozenset({("host", ""), ("hba", "")}),
        # Which machines to ask, and which not where they are many.
        "disk_load": frozenset({("host", ""), ("vm", "host_id"), ("vm", "power_state"), ("vm_disk", "controller"), ("device_load", "")}),
        "volumes": frozenset({("array_qos_policy", "name")}),
        "volume_load": frozenset({("array_volume", "")}),  # whether none was left out
        "volume_histograms": frozenset({("array_volume", "")}),
        "connections": frozenset({("array_volume", ""), ("array_host", "")}),  # the keys they are listed by
        "pool_load": frozenset({("array_pool", "")}),
    }
)
"""What a collector has to know before it can read a topic."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be read: facts, and topics whose reading itself is looked at."""

    facts: frozenset[Fact]
    topics: frozenset[str]

    def __or__(self, other: Needs) -> Needs:
        """Both."""
        return Needs(self.facts | other.facts, self.topics | other.topics)

    def wants(self, table: str) -> bool:
        """Whether anything of a table is needed."""
        return any(of == table for of, _ in self.facts)

    def properties(self, topic: str) -> tuple[str, ...]:
        """The properties and methods to request for a topic, each once, in the order of SOURCES."""
        found: list[str] = []
        for table, source in SOURCES.items():
            if source.topic != topic or topic not in self.topics:
                continue
            wanted = {column for of, column in self.facts if of == table}
            found += source.rows if wanted else ()
            found += [name for column, name in source.properties.items() if column in wanted]
            if topic == "hosts":
                found += [other.asked_of for other in SOURCES.values() if other.asked_of and other.topic in self.topics]
        return tuple(dict.fromkeys(found))

    def topics_of(self, kind: EndpointKind) -> frozenset[str]:
        """The topics to read from an endpoint of this kind."""
        return self.topics.intersection(endpoint_type(kind).topics)

    def reads(self, fact: Fact) -> bool:
        """Whether `fact` is read where these needs are; a request without properties of its own is answered with all its columns."""
        source = SOURCES[fact[0]]
        requested = self.properties(source.topic)
        own = source.properties.get(fact[1])
        return source.topic in self.topics and set(source.rows) <= set(requested) and (own is None or own in requested)

    def missing_from(self, requested: Needs) -> frozenset[str]:
        """The topics of which something is needed that is not read where `requested` is."""
        unread = {SOURCES[fact[0]].topic for fact in self.facts if not requested.reads(fact)}
        return frozenset(unread | (self.topics - requested.topics))

    def holes_in(self, requested: Needs) -> frozenset[str]:
        """Those of `missing_from` whose tables, filled as `requested`, would show an unread fact as an absent one."""
        return Needs(self.facts - NULL_IS_UNREAD, self.topics).missing_from(requested)


def needs(facts: Iterable[Fact], topics: Collection[str] = ()) -> Needs:
    """What has to be read for `facts`, and for knowing whether `topics` were read whole; facts of no endpoint are left out.

    A topic whose completeness is looked at is read with all its rows, although with no more of their columns.
    """
    wanted = {fact for fact in facts if fact[0] in SOURCES}
    known: set[str] = set()
    while True:
        wanted |= {(table, "") for table, _ in wanted}
        found = known | set(topics) | {SOURCES[table].topic for table, _ in wanted}
        if found == known:
            return Needs(frozenset(wanted), frozenset(known))
        for topic in found - known:
            wanted |= RESTS_ON.get(topic, frozenset())
            wanted.add(next((table, "") for table, source in SOURCES.items() if source.topic == topic))
        known = found


EVERYTHING = Needs(
    frozenset(
        (name, column) for name, source in SOURCES.items() if source.topic not in ON_DEMAND_TOPICS for column in ("", *TABLES[name].names)
    ),
    TOPICS - frozenset(ON_DEMAND_TOPICS),
)
"""A whole reading."""


def as_json(requested: Needs) -> Mapping[str, Any] | None:
    """What was requested, as a manifest has it; None is everything."""
    if requested == EVERYTHING:
        return None
    return {"topics": sorted(requested.topics), "facts": sorted(f"{table}.{column}" for table, column in requested.facts)}


def from_json(entry: Mapping[str, Any] | None) -> Needs:
    """What was requested, from a manifest's entry; without one, everything was.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it says something else.
    """
    if entry is None:
        return EVERYTHING
    facts = []
    for fact in entry["facts"]:
        table, _, column = fact.partition(".")
        facts.append((table, column))
    return Needs(frozenset(facts), frozenset(entry["topics"]))
