"""The lab's ONTAP records have the fields and JSON types of the vendor's printed examples."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.required import capture

# Fields the vendor's field definitions name but no printed example shows.
DEFINED = {
    "Node": "date is_all_flash_optimized model serial_number state uptime version ha.takeover.state",
    "Schedule": "scope cron.weekdays cron.months",
    "Lun": "serial_number_hex create_time qos_policy lun_maps.igroup",
    "Volume": "space nas.path is_svm_root efficiency qos aggregates svm._links comment",
    "Aggregate": "space.footprint node._links home_node._links block_storage.plexes.raid_groups",
    "Igroup": "lun_maps",
    "LunMap": "lun.node.uuid",
    "VolumeEfficiencyPolicy": "start_threshold_percent svm",
    "CounterRow": "counters.values counters.labels counter_table._links aggregation",
    "CounterTable": "",
    "Disk": "",
    "Cluster": "",
}

# What the examples show and the lab leaves out: features that no lesson reads.
LEFT_OUT = {
    "Node": "external_cache ha.ports ha.takeover.failure",
    "Schedule": "",
    "Lun": "vvol consistency_group movement",
    "Volume": "files snaplock flexgroup quota clone autosize constituents_per_aggregate metric.flexcache metric.cloud statistics.cloud "
    "statistics.flexcache_raw nas.junction_parent movement anti_ransomware rebalancing guarantee flexcache_endpoint_type "
    "asynchronous_directory_delete",
    "Aggregate": "inode_attributes snapshot space.efficiency space.efficiency_without_snapshots "
    "space.efficiency_without_snapshots_flexclones space.snapshot space.cloud_storage space.block_storage "
    "block_storage.primary.simulated_raid_groups",
    "Igroup": "igroups parent_igroups connectivity_tracking initiators.igroup initiators.connectivity_tracking target portset comment "
    "initiators.comment initiators.proximity delete_on_unmap",
    "LunMap": "reporting_nodes lun.smbc",
    "VolumeEfficiencyPolicy": "",
    "CounterRow": "",
    "CounterTable": "",
    "Disk": "paths error outage.reason",
    "Cluster": "active_directory license password nodes management_interface",
}

SERVED = [
    ("cluster", "Cluster", "/api/cluster?fields=**"),
    ("node", "Node", "/api/cluster/nodes?fields=**"),
    ("schedule", "Schedule", "/api/cluster/schedules?fields=**"),
    ("lun", "Lun", "/api/storage/luns?fields=**"),
    ("volume", "Volume", "/api/storage/volumes?fields=**"),
    ("aggregate", "Aggregate", "/api/storage/aggregates?fields=**"),
    ("disk", "Disk", "/api/storage/disks?fields=**"),
    ("igroup", "Igroup", "/api/protocols/san/igroups?fields=**"),
    ("lun_map", "LunMap", "/api/protocols/san/lun-maps?fields=**"),
    ("volume_efficiency_policy", "VolumeEfficiencyPolicy", "/api/storage/volume-efficiency-policies?fields=**"),
    ("counter_table", "CounterTable", "/api/cluster/counter/tables?fields=**"),
    ("counter_table", "CounterRow", "/api/cluster/counter/tables/lun/rows?fields=**"),
]


def examples(name: str, kind: str) -> list[Any]:
    printed = json.loads(capture(f"ontap-netapp_ontap-docs/{name}.json").read_text(encoding="utf-8"))
    return [each["record"] for each in printed if each["resource"] == kind]


def kinds(records: list[Any]) -> dict[str, set[str]]:
    """Dotted path to the JSON types found there; an object or a list only holds what is below it."""
    found: dict[str, set[str]] = {}

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict):
            for name, each in value.items():
                walk(each, f"{path}.{name}".lstrip("."))
        elif isinstance(value, list):
            for each in value:
                walk(each, path)
            found.setdefault(path, set()).add("list")
        else:
            kind = "boolean" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else "string"
            found.setdefault(path, set()).add(kind)

    for record in records:
        walk(record, "")
    return found


def under(path: str, names: str) -> bool:
    return any(path == name or path.startswith(f"{name}.") for name in names.split())


@pytest.mark.parametrize(("name", "kind", "address"), SERVED, ids=[kind for _, kind, _ in SERVED])
def test_every_field_is_one_the_vendor_prints_or_defines_and_has_its_type(
    serve: Any, incident: Any, name: str, kind: str, address: str
) -> None:
    printed = kinds(examples(name, kind))
    with serve(incident) as (session, _):
        answer = session.get(address).json()
    records = answer.get("records", [answer])
    assert records, "the lab answers no record to compare"
    answered = kinds(records)
    unknown = [path for path in answered if path not in printed and not under(path, DEFINED[kind]) and "_links." not in path]
    assert unknown == []
    assert {path: (found, printed[path]) for path, found in answered.items() if path in printed and not found <= printed[path]} == {}
    assert [path for path in printed if path not in answered and not under(path, LEFT_OUT[kind])] == []


@pytest.mark.parametrize(
    ("address", "types"),
    [
        pytest.param(
            "/api/storage/qos/policies?fields=**",
            {
                "uuid": "string",
                "name": "string",
                "scope": "string",
                "policy_class": "string",
                "object_count": "number",
                "svm.name": "string",
                "fixed.max_throughput_iops": "number",
                "fixed.max_throughput_mbps": "number",
                "fixed.min_throughput_iops": "number",
                "fixed.capacity_shared": "boolean",
                "adaptive.expected_iops": "number",
                "adaptive.peak_iops": "number",
                "adaptive.absolute_min_iops": "number",
                "adaptive.expected_iops_allocation": "string",
                "adaptive.block_size": "string",
            },
            id="QoS policies",
        ),
        pytest.param(
            "/api/storage/qos/workloads?fields=**",
            {"uuid": "string", "name": "string", "wid": "number", "policy.name": "string", "volume": "string", "lun": "string"},
            id="QoS workloads",
        ),
        pytest.param(
            "/api/snapmirror/relationships?fields=**",
            {
                "uuid": "string",
                "source.path": "string",
                "destination.path": "string",
                "destination.svm.name": "string",
                "policy.name": "string",
                "policy.type": "string",
                "transfer_schedule.name": "string",
                "transfer_schedule.uuid": "string",
                "lag_time": "string",
                "healthy": "boolean",
                "state": "string",
                "throttle": "number",
            },
            id="SnapMirror relationships",
        ),
        pytest.param(
            "/api/snapmirror/policies?fields=**",
            {"uuid": "string", "name": "string", "type": "string", "scope": "string", "throttle": "number"},
            id="SnapMirror policies",
        ),
        pytest.param(
            "/api/svm/svms?fields=**",
            {
                "uuid": "string",
                "name": "string",
                "state": "string",
                "subtype": "string",
                "iscsi.enabled": "boolean",
                "nfs.enabled": "boolean",
            },
            id="SVMs",
        ),
    ],
)
def test_what_the_vendor_prints_no_example_of_has_the_fields_its_client_defines(
    serve: Any, incident: Any, address: str, types: dict[str, str]
) -> None:
    with serve(incident) as (session, _):
        answered = kinds(session.get(address).json()["records"])
    assert {path: answered.get(path) for path in types} == {path: {kind} for path, kind in types.items()}


def test_a_luns_device_name_is_the_vendors_prefix_and_the_bytes_of_its_serial_number(serve: Any, incident: Any) -> None:
    # The pair of name and serial number stands in docs/domain/arrays.md#device-names.
    assert incident.lun_naa(incident.luns[0]) == "600a098038304437415d4b6a59684a52"
    with serve(incident) as (session, _):
        (lun,) = session.get("/api/storage/luns?name=*/ds01&fields=serial_number,serial_number_hex").json()["records"]
    assert (lun["serial_number"], lun["serial_number_hex"]) == ("80D7A]KjYhJR", b"80D7A]KjYhJR".hex())
