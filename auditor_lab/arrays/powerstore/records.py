"""The objects of a simulated PowerStore as its REST API has them.

Source of names and types of fields: the vendor's OpenAPI definitions of REST 4.1 (dell/terraform-provider-powerstore,
clientgen_utils/openapi_specs/spec_4_1.json).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor_lab.arrays.powerstore import file_records
from auditor_lab.arrays.powerstore.description import nguid
from auditor_lab.arrays.powerstore.fields import ADDED, EMPTY
from auditor_lab.days import Day, mean_of

if TYPE_CHECKING:
    from auditor_lab.arrays.powerstore.description import PowerStoreDescription, VolumeDescription

TIME = "2026-11-20T09:00:00+00:00"
KEPT = {"Five_Mins": (300, 86_400), "One_Hour": (3600, 30 * 86_400), "One_Day": (86_400, 730 * 86_400)}
"""Seconds of an interval, and for how long it is kept, which is not verified."""
SAMPLES = 3  # of the last minute; a described load does not change
PRIORITIES = ("High", "Low", "Medium")
ROLES = ("Administrator", "Storage Administrator", "Operator", "VM Administrator", "Security Administrator", "Storage Operator")


@dataclass(slots=True)
class Cluster:
    """The state that answers are made from: its description, and which QoS policy each volume and volume group has now."""

    description: PowerStoreDescription
    volume_policies: dict[str, str | None] = field(init=False)  # by the volume's name
    group_policies: dict[str, str | None] = field(init=False)
    day: Day = field(init=False)

    def __post_init__(self) -> None:
        self.day = Day(self.description.day, time.time())
        self.volume_policies = {one.name: one.qos_policy for one in self.description.volumes}
        self.group_policies = {one.name: one.qos_policy for one in self.description.volume_groups}

    def policy_id(self, name: str | None) -> str | None:
        """The id of a QoS policy."""
        return None if name is None else self.description.derived_id("policy", name)

    def records(self, resource: str) -> list[dict[str, Any]] | None:
        """All objects of a resource; None where there is no such resource in its release."""
        made = _RESOURCES.get(resource)
        since = {"io_limit_rule": (4, 0), "initiator": (3, 0)}.get(resource, (1, 0))
        return None if made is None or self.description.api < since else [self._without_newer(resource, one) for one in made(self)]

    def _without_newer(self, resource: str, record: dict[str, Any]) -> dict[str, Any]:
        api = self.description.api
        record = {**dict.fromkeys(EMPTY.get(resource, "").split()), **record}
        newer = {name for name, since in ADDED.get(resource, {}).items() if api < since}
        return {name: value for name, value in record.items() if name not in newer}

    def volume_id(self, name: str) -> str:
        """The id of a volume."""
        return self.description.derived_id("volume", name)

    def samples(self, volume_id: str, interval: str, now: float) -> list[dict[str, Any]] | None:
        """What a volume did in the last intervals, the oldest first; None where there is no such volume."""
        found = next((one for one in self.description.volumes if self.volume_id(one.name) == volume_id), None)
        if found is None:
            return None
        newest = [_sample(found, volume_id, place) for place in range(SAMPLES)]
        return newest if interval not in KEPT else self._past(newest[0], found.name, *KEPT[interval], int(now))

    def _past(self, steady: dict[str, Any], name: str, seconds: int, kept: int, now: int) -> list[dict[str, Any]]:
        """A sample for each interval that is kept; equal ones in a row are one with a count, as of the first (not verified).

        Source of the names: the definitions, performance_metrics_by_volume_rollup, which has no total_iops.
        """
        rates = {f"avg_{name}": steady[name] for name in steady if name.endswith(("_iops", "_bandwidth"))}
        steady = {name: value for name, value in steady.items() if f"avg_{name}" not in rates} | rates
        spells = {field: self.day.spells([name], field) for field in ("latency_ms", "iops", "bytes")}
        past: list[dict[str, Any]] = []
        for end in range((now - kept) // seconds * seconds + seconds, now + 1, seconds):
            changed = {
                "avg_latency": mean_of(steady["avg_latency"] / 1000, spells["latency_ms"], end, seconds) * 1000,
                "avg_total_iops": mean_of(steady["avg_total_iops"], spells["iops"], end, seconds),
                "avg_total_bandwidth": mean_of(steady["avg_total_bandwidth"], spells["bytes"], end, seconds),
            }
            if past and all(past[-1][key] == value for key, value in changed.items()):
                past[-1]["repeat_count"] += 1
            else:
                past.append({**steady, **changed, "timestamp": f"{datetime.fromtimestamp(end, UTC):%Y-%m-%dT%H:%M:%SZ}", "repeat_count": 1})
        return past


def _named(record: dict[str, Any]) -> dict[str, Any]:
    return {"id": record["id"], "name": record["name"]}


def _cluster(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    return [
        {
            "id": "0",
            "global_id": about.reported_id,
            "name": about.name,
            "management_address": "192.0.2.10",
            "appliance_count": len(about.appliances),
            "state": "Configured",
            "state_l10n": "Configured",
            "system_time": TIME,
        }
    ]


def _software(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    whole = {
        "id": about.derived_id("software"),
        "is_cluster": True,
        "release_version": about.version,
        "build_version": f"{about.version}-1",
    }
    own = [{**whole, "id": about.derived_id("software", name), "is_cluster": False} for name in about.appliances]
    return [*own, whole]


def _appliances(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    return [
        {"id": f"A{number}", "name": name, "service_tag": f"TAG{number}", "model": about.model, "node_count": 2}
        for number, name in enumerate(about.appliances, 1)
    ]


def _hardware(state: Cluster) -> list[dict[str, Any]]:
    found = []
    for appliance in _appliances(state):
        own = {"appliance_id": appliance["id"], "slot": 0, "stale_state": "Not_Stale"}
        found.append(
            {**own, "id": appliance["id"].lower(), "name": "BaseEnclosure", "type": "Base_Enclosure", "lifecycle_state": "Healthy"}
        )
        for slot, letter in enumerate("AB"):
            name = f"{appliance['name']}-Node-{letter}"
            healthy = name not in state.description.failed_nodes
            node = {"type": "Node", "lifecycle_state": "Healthy" if healthy else "Failed", "slot": slot}
            found.append({**own, "id": state.description.derived_id("node", name).replace("-", ""), "name": name, **node})
    return found


def _alerts(state: Cluster) -> list[dict[str, Any]]:
    return [
        {
            "id": state.description.derived_id("alert", place),
            "event_code": alert.code,
            "severity": alert.severity,
            "resource_type": "hardware",
            "resource_name": alert.resource,
            "description_l10n": alert.text,
            "state": "CLEARED" if alert.cleared else "ACTIVE",
            "is_acknowledged": alert.acknowledged,
            "raised_timestamp": TIME,
        }
        for place, alert in enumerate(state.description.alerts)
    ]


def _policies(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    empty: dict[str, Any] = {"description": "", "performance_rules": [], "io_limit_rule": None, "file_io_limit_rule": None}
    given = [
        {
            **empty,
            "id": f"default_{name.lower()}",
            "name": name,
            "type": "Performance",
            "type_l10n": "Performance",
            "performance_rules": [{"id": f"rule_{name.lower()}", "name": name, "io_priority": name}],
        }
        for name in PRIORITIES
    ]
    made = [
        {
            **empty,
            "id": state.policy_id(one.name),
            "name": one.name,
            "type": "QoS",
            "type_l10n": "QoS",
            "io_limit_rule": {"id": about.derived_id("rule", one.name), "name": f"{one.name}-rule"},
        }
        for one in about.qos_policies
    ]
    kept = {**empty, "id": about.derived_id("protection"), "name": "daily", "type": "Protection", "type_l10n": "Protection"}
    return [*given, kept, *made]


def _rules(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    return [
        {
            "id": about.derived_id("rule", one.name),
            "name": f"{one.name}-rule",
            "type": "Density" if one.density else "Absolute",
            "type_l10n": "Density" if one.density else "Absolute",
            "max_iops": one.max_iops,
            "max_bw": one.max_bw,
            "burst_percentage": one.burst_percentage,
            "policies": [{"id": state.policy_id(one.name), "name": one.name}],
        }
        for one in about.qos_policies
    ]


def _groups(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    volumes = _volumes(state)
    found = []
    for group in about.volume_groups:
        policy = state.group_policies[group.name]
        members = [_named(volume) for volume in volumes if group.name in {one["name"] for one in volume["volume_groups"]}]
        found.append(
            {
                "id": about.derived_id("group", group.name),
                "name": group.name,
                "description": "",
                "type": "Primary",
                "qos_performance_policy_id": state.policy_id(policy),
                "qos_performance_policy": None if policy is None else {"id": state.policy_id(policy), "name": policy},
                "volumes": members,
            }
        )
    return found


def _volumes(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    found = []
    for place, volume in enumerate(about.volumes):
        naa, volume_id = about.naa(volume.name), state.volume_id(volume.name)
        groups = [] if volume.group is None else [{"id": about.derived_id("group", volume.group), "name": volume.group}]
        record = {
            "id": volume_id,
            "name": volume.name,
            "description": "",
            "type": "Primary",
            "type_l10n": "Primary",
            "wwn": f"naa.{naa}",
            "nsid": place + 1,
            "nguid": f"nguid.{nguid(naa)}",
            "appliance_id": f"A{place % len(about.appliances) + 1}",
            "state": volume.state,
            "state_l10n": volume.state,
            "size": volume.size_bytes,
            "performance_policy_id": f"default_{volume.priority.lower()}",
            "qos_performance_policy_id": state.policy_id(state.volume_policies[volume.name]),
            "metro_replication_session_id": about.derived_id("metro", volume.name) if volume.metro else None,
            "protection_data": {"parent_id": None, "source_id": None, "creator_type": "User"},
            "volume_groups": groups,
        }
        found.append(record)
        for number in range(volume.snapshots):
            copy = {"id": about.derived_id("snapshot", volume.name, number), "name": f"{volume.name}.{number}", "wwn": None, "nguid": None}
            origin = {"parent_id": volume_id, "source_id": volume_id, "creator_type": "Scheduler"}
            found.append(
                {**record, **copy, "type": "Snapshot", "qos_performance_policy_id": None, "protection_data": origin, "volume_groups": []}
            )
    return found


def _vvols(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    return [
        {
            "id": about.vvol_id(vvol),
            "name": vvol.name,
            "size": vvol.size_bytes,
            "type": "Primary",
            "usage_type": vvol.usage,
            "appliance_id": f"A{place % len(about.appliances) + 1}",
            "storage_container_id": about.derived_id("container", about.containers[0]),
            "io_priority": vvol.priority,
            "naa_name": f"naa.{about.naa('vvol', vvol.name)}",
            "nsid": 1000 + place,
            "nguid": f"nguid.{nguid(about.naa('vvol', vvol.name))}",
        }
        for place, vvol in enumerate(about.vvols)
    ]


def _containers(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    return [{"id": about.derived_id("container", name), "name": name, "quota": 0, "storage_protocol": "SCSI"} for name in about.containers]


def _hosts(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    no_chap = {"chap_single_username": "", "chap_mutual_username": ""}
    found = []
    for host in about.hosts:
        named = [("iSCSI", iqn) for iqn in host.iscsi] + [("NVMe", nqn) for nqn in host.nvme]
        named += [("FC", ":".join(wwn[place : place + 2] for place in range(0, 16, 2))) for wwn in host.fc]
        initiators = [{"port_name": name, "port_type": kind, "active_sessions": [], **no_chap} for kind, name in named]
        found.append(
            {
                "id": about.derived_id("host", host.name),
                "name": host.name,
                "description": "",
                "type": "External",
                "os_type": host.os_type,
                "os_type_l10n": host.os_type,
                "host_group_id": None if host.host_group is None else about.derived_id("host group", host.host_group),
                "host_connectivity": "Local_Only",
                "host_initiators": initiators,
                "initiators": [{"id": about.derived_id("initiator", one["port_name"]), **one} for one in initiators],
            }
        )
    return found


def _host_groups(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    hosts = _hosts(state)
    ids = {name: about.derived_id("host group", name) for name in about.host_groups}
    return [
        {"id": one, "name": name, "description": "", "hosts": [_named(host) for host in hosts if host["host_group_id"] == one]}
        for name, one in ids.items()
    ]


def _mappings(state: Cluster) -> list[dict[str, Any]]:
    about = state.description
    found = []
    for lun, volume in enumerate(about.volumes, 1):
        to: list[tuple[str | None, str | None]] = [(about.derived_id("host", name), None) for name in volume.hosts]
        to += [(None, about.derived_id("host group", name)) for name in volume.host_groups]
        for host_id, group_id in to:
            reached = {"host_id": host_id, "host_group_id": group_id, "volume_id": state.volume_id(volume.name), "logical_unit_number": lun}
            found.append({"id": about.derived_id("mapping", volume.name, host_id, group_id), **reached})
    return found


def _roles(_: Cluster) -> list[dict[str, Any]]:
    return [{"id": str(number), "name": name, "is_built_in": True, "description": name} for number, name in enumerate(ROLES, 1)]


def _sample(volume: VolumeDescription, volume_id: str, place: int) -> dict[str, Any]:
    load = volume.load
    total = load.read_iops + load.write_iops
    return {
        "entity": "performance_metrics_by_volume",
        "volume_id": volume_id,
        "appliance_id": "A1",
        "timestamp": f"2026-11-20T08:59:{20 * place:02d}Z",
        "avg_read_latency": float(load.latency_us if load.read_iops else 0),
        "avg_write_latency": float(load.latency_us if load.write_iops else 0),
        "avg_latency": float(load.latency_us if total else 0),
        "avg_io_size": float(load.io_bytes if total else 0),
        "read_iops": float(load.read_iops),
        "write_iops": float(load.write_iops),
        "total_iops": float(total),
        "total_bandwidth": float(total * load.io_bytes),
        "repeat_count": 1,
    }


_RESOURCES = {
    "alert": _alerts,
    "appliance": _appliances,
    "cluster": _cluster,
    "file_interface": lambda state: file_records.interfaces(state.description),
    "file_system": lambda state: file_records.file_systems(state.description),
    "hardware": _hardware,
    "host": _hosts,
    "host_group": _host_groups,
    "host_volume_mapping": _mappings,
    "io_limit_rule": _rules,
    "nas_server": lambda state: file_records.nas_servers(state.description),
    "nfs_export": lambda state: file_records.exports(state.description),
    "policy": _policies,
    "role": _roles,
    "software_installed": _software,
    "storage_container": _containers,
    "virtual_volume": _vvols,
    "volume": _volumes,
    "volume_group": _groups,
}
