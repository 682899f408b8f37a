"""A Storage Center is read whole: volumes with their limits and device names, hosts, profiles, and only what is needed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.dell_sc.client import open_dell_sc
from auditor.endpoints.dell_sc.collect import collect_dell_sc
from auditor.facts.needs import EVERYTHING, needs
from auditor.model import EndpointKind
from auditor_lab.arrays.dell_sc.description import DellScDescription, QosProfileDescription, VolumeDescription
from auditor_lab.wire import Fault
from tests.endpoints.arrays import PASSWORD, Collected
from tests.endpoints.dell_sc.dell_sc_serving import S1, serving

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint
    from auditor_lab.arrays.dell_sc.server import DellScServer
from tests.endpoints.dell_sc.dell_sc_collecting import TOPICS, TWIN, collected

E = {"endpoint": "sc-east"}


def test_a_healthy_storage_center_is_read_whole(served: tuple[DellScServer, Endpoint]) -> None:
    found = collected(served[1])
    assert found.gaps == []
    assert found.incomplete() == set()
    assert {row["topic"] for row in found.tables["reading"]} == TOPICS
    assert found.tables["array"] == [
        {
            **E,
            "family": "dell-sc",
            "name": "Storage Center 64702",
            "array_id": "64702",
            "version": "7.3.20.19",
            "model": "SCv3020",
            "latency_threshold_ms": 20,
        }
    ]
    node = {**E, "state": "Up", "version": "7.3.20.19", "model": "SCv3020"}
    assert found.tables["array_node"] == [
        {**node, "node_id": "64702.64702", "name": "SN 64702"},
        {**node, "node_id": "64702.64703", "name": "SN 64703"},
    ]
    assert found.tables["array_pool"] == [{**E, "pool_id": "64702.1", "name": "Assigned - Redundant - 2 MB", "raid_type": "Redundant"}]
    assert found.tables["array_volume_load"] == [
        {
            **E,
            "volume_id": "64702.1",
            "average_io_bytes": 204 * 1024,  # 40960 KB/s in 200 operations: 204 KB each
            "actual_iops": 200,
            "utilization": None,
            "latency_us": None,  # the API's unit is not known
            "client_queue_depth": 16,
            "bytes_per_second": 40 << 20,
        },
        {
            **E,
            "volume_id": "64702.2",
            "average_io_bytes": None,
            "actual_iops": 0,
            "utilization": None,
            "latency_us": None,
            "client_queue_depth": 0,
            "bytes_per_second": 0,
        },
    ]
    assert PASSWORD not in repr(found.items)


def test_qos_profiles_keep_what_they_were_told_as_evidence(served: tuple[DellScServer, Endpoint]) -> None:
    profiles = collected(served[1]).by("array_qos_policy", "name")
    raw = {name: json.loads(row.pop("raw")) for name, row in profiles.items()}
    common = {**E, "min_iops": None, "burst_iops": None, "is_read": True}
    own = {**common, "kind": "volume_profile", "is_shared": False, "max_iops": None}
    assert profiles["Default"] == {
        **own, "policy_id": "64702.1", "name": "Default", "max_bytes_per_second": None, "priority": "Medium", "volumes": 1
    }  # fmt: skip
    assert profiles["Prod"] == {
        **own, "policy_id": "64702.2", "name": "Prod", "max_bytes_per_second": 50 << 20, "priority": "Low", "volumes": 1
    }  # fmt: skip
    assert profiles["Tenant"] == {
        **common,
        "policy_id": "64702.3",
        "name": "Tenant",
        "kind": "group_profile",
        "is_shared": True,
        "max_iops": 9000,
        "max_bytes_per_second": None,
        "priority": "Medium",
        "volumes": 1,
    }
    assert (raw["Prod"]["relativePriority"], raw["Prod"]["profileType"]) == ("Low", "VolumeQosProfile")


def test_volumes_carry_their_limits_their_tiers_and_the_name_a_host_sees(served: tuple[DellScServer, Endpoint]) -> None:
    volumes = collected(served[1]).by("array_volume", "volume_id")
    assert volumes["64702.1"] == {
        **E,
        "volume_id": "64702.1",
        "name": "capped",
        "kind": "lun",
        "serial": "0000fcbe-00000003",
        "device": "naa.6000d31000fcbe000000000000000003",  # vpdId 3, not index 1
        "is_virtual": False,
        "vvol_id": None,
        "status": "Up",
        "size_bytes": 4 << 40,
        "pool_id": "64702.1",
        "tiering": "Recommended",
        "tiers": 2,
        "qos_policy_id": "64702.2",
        "qos_policy": "Prod",
        "qos_min_iops": None,
        "qos_max_iops": None,
        "qos_burst_iops": None,
        "qos_max_bytes_per_second": 50 << 20,
        "qos_shared": False,
        "qos_priority": "Low",
        "qos_group_id": "64702.3",
        "qos_group": "Tenant",
        "qos_group_max_iops": 9000,
        "qos_group_max_bytes_per_second": None,
        "qos_read": True,
        "qos_curve": None,
    }
    free = volumes["64702.2"]
    assert (free["tiering"], free["tiers"], free["qos_read"], free["qos_priority"]) == ("High Priority", 1, True, "Medium")
    without = ("policy_id", "policy", "max_iops", "max_bytes_per_second", "shared", "group_id", "group", "group_max_iops")
    assert {free[f"qos_{column}"] for column in without} == {None}, "nobody gave it a profile"


def test_hosts_are_told_with_their_cluster_and_their_initiators(served: tuple[DellScServer, Endpoint]) -> None:
    found = collected(served[1])
    assert found.tables["array_host"] == [
        {**E, "array_host_id": "64702.2", "name": "esx-1", "host_group": "esx", "host_type": "VMware ESXi 6.5"},
        {**E, "array_host_id": "64702.3", "name": "esx-2", "host_group": "esx", "host_type": "VMware ESXi 6.5"},
        {**E, "array_host_id": "64702.4", "name": "backup", "host_group": None, "host_type": "Red Hat Linux 6.x"},
    ]
    assert found.tables["array_initiator"] == [
        {**E, "array_host_id": "64702.2", "initiator": "iqn.1998-01.com.vmware:esx-1", "kind": "iscsi"},
        {**E, "array_host_id": "64702.3", "initiator": "iqn.1998-01.com.vmware:esx-2", "kind": "iscsi"},
        {**E, "array_host_id": "64702.4", "initiator": "21000024ff30441c", "kind": "fc"},
    ]
    reached = [(row["volume_id"], row["array_host_id"], row["lun"]) for row in found.tables["array_connection"]]
    assert reached == [("64702.1", "64702.2", 7), ("64702.1", "64702.3", 7), ("64702.2", "64702.2", 9), ("64702.2", "64702.4", 9)]


WHOLE = [
    "GET StorageCenter", "StorageCenter/ControllerList", "ScConfiguration/GetList", "StorageCenter/ActiveAlertList",
    "ScStorageType/GetList", "ScQosProfile/GetList",
    "ScVolume/GetList", "ScStorageProfile/GetList", "ScVolumeConfiguration/GetList", "ScServer/GetList", "ScServerHba/GetList",
    "ScMappingProfile/GetList", "StorageCenter/GetLatestVolumeIoUsage",
]  # fmt: skip


OF_VOLUMES = [
    "GET StorageCenter",
    "ScQosProfile/GetList",
    "ScVolume/GetList",
    "ScStorageProfile/GetList",
    "ScVolumeConfiguration/GetList",
]


@pytest.mark.parametrize(
    ("asked", "requests"),
    [
        pytest.param(EVERYTHING, WHOLE, id="everything: no question twice, and none a volume"),
        pytest.param(needs([("array", "family")]), WHOLE[:1], id="that it is there"),
        pytest.param(needs([("array", "model")]), WHOLE[:2], id="its model"),
        pytest.param(needs([("array", "latency_threshold_ms")]), [WHOLE[0], WHOLE[2]], id="its latency threshold"),
        pytest.param(needs([("array_qos_policy", "name")]), [WHOLE[0], WHOLE[5]], id="profiles"),
        pytest.param(needs([("array_volume", "device")]), OF_VOLUMES, id="volumes"),
        pytest.param(needs([("array_volume_load", "actual_iops")]), [*OF_VOLUMES, WHOLE[-1]], id="load"),
        pytest.param(needs([("array_host", "host_type")]), [WHOLE[0], *WHOLE[9:11]], id="hosts"),
    ],
)
def test_only_what_is_needed_is_asked(served: tuple[DellScServer, Endpoint], asked: Needs, requests: list[str]) -> None:
    server, endpoint = served
    found = collected(endpoint, asked)
    assert server.requests == ["Login", *requests, "Logout"]
    assert found.incomplete() == set()
    assert {row["topic"] for row in found.tables["reading"]} == asked.topics_of(EndpointKind.DELL_SC)


def test_a_release_without_qos_limits_nothing_and_is_not_asked_for_profiles(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, version="6.5.1.269", api_version="2.2")) as (server, endpoint):
        found = collected(endpoint)
    assert found.gaps == []
    assert [(row["qos_read"], row["qos_policy"], row["tiers"]) for row in found.tables["array_volume"]] == [
        (True, None, 2),
        (True, None, 1),
    ]
    assert "ScQosProfile/GetList" not in server.requests


def test_every_storage_center_of_a_manager_is_read(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, also=(TWIN,))) as (_, endpoint):
        found = collected(endpoint)
    assert found.gaps == []
    assert sorted(found.by("array_volume", "volume_id")) == ["64702.1", "64702.2", "64703.1", "64703.2"]
    assert found.by("array_volume", "volume_id")["64703.1"]["device"] == "naa.6000d31000fcbf000000000000000003"
    assert len(found.by("array_host", "array_host_id")) == 6
    assert len(found.by("array_volume_load", "volume_id")) == 4
    arrays = [(row["name"], row["array_id"], row["version"], row["latency_threshold_ms"]) for row in found.tables["array"]]
    assert arrays == [("Storage Center 64702", "64702", "7.3.20.19", 20), ("Storage Center 64703", "64703", "7.4.2.1", None)]


def test_that_latency_is_not_read_is_said_once_and_is_no_gap(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(S1, also=(TWIN,))) as (_, endpoint), open_dell_sc(endpoint) as manager:
        found = Collected(collect_dell_sc(manager, endpoint, needs([("array_volume_load", "latency_us")])))
        assert found.gaps == []
        assert {row["latency_us"] for row in found.tables["array_volume_load"]} == {None}
        (note,) = [note for note in manager.notes if "latency" in note]
    assert note.startswith(f"{endpoint.name}: the latency of its volumes is not read")


@pytest.mark.long
@pytest.mark.parametrize("status", [pytest.param(404, id="it does not know the list"), pytest.param(400, id="it does not like it")])
def test_without_the_lists_volumes_are_asked_one_by_one_and_not_all_at_once(tmp_path: Path, status: int) -> None:
    many = dataclasses.replace(S1, volumes=tuple(VolumeDescription(name=f"v{n}", volume_qos_profile="Prod") for n in range(40)))
    with serving(tmp_path, many, concurrency=3) as (server, endpoint):
        for operation in ("ScVolumeConfiguration/GetList", "StorageCenter/GetLatestVolumeIoUsage"):
            server.faults.active.append(Fault("status", operation, status=status))
        found = collected(endpoint)
        assert server.requests.count("ScVolume/VolumeConfiguration") == server.requests.count("ScVolume/GetHistoricalIoUsage") == 40
        assert server.most_in_flight <= 3
    assert found.gaps == []
    assert {row["qos_policy"] for row in found.tables["array_volume"]} == {"Prod"}
    assert len(found.by("array_volume_load", "volume_id")) == 40


def test_volumes_that_the_lists_leave_out_are_asked_for_by_themselves(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    for operation in ("ScVolumeConfiguration/GetList", "StorageCenter/GetLatestVolumeIoUsage"):
        server.alterations[operation] = lambda answer: answer[:1]
    found = collected(endpoint)
    assert found.gaps == []
    assert (server.requests.count("ScVolume/VolumeConfiguration"), server.requests.count("ScVolume/GetHistoricalIoUsage")) == (1, 1)
    assert found.by("array_volume", "name")["free"]["qos_read"] is True


def test_the_newest_sample_counts_whatever_the_order(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("status", "StorageCenter/GetLatestVolumeIoUsage", status=404))
    times = ("2026-11-21T10:05:00-06:00", "2026-11-21T17:00:00+00:00", "2026-11-21T10:00:00-06:00")
    server.alterations["ScVolume/GetHistoricalIoUsage"] = lambda answer: [
        {**answer[0], "time": time, "totalIops": place} for place, time in enumerate(times)
    ]
    found = collected(endpoint)
    assert {row["actual_iops"] for row in found.tables["array_volume_load"]} == {1}, "17:00 in London is an hour after 10:05 in Chicago"
    server.alterations["ScVolume/GetHistoricalIoUsage"] = lambda answer: [{**answer[0], "time": "11/21/2026 10:05:00 AM"}, answer[0]]
    found = collected(endpoint)
    assert found.tables["array_volume_load"] == []
    assert found.incomplete() == {"volume_load"}


def test_a_volume_in_the_recycle_bin_is_deleted(served: tuple[DellScServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["ScVolume/GetList"] = lambda volumes: [{**one, "inRecycleBin": one["name"] == volumes[0]["name"]} for one in volumes]
    before = collected(endpoint).tables["array_volume"]
    assert len(before) == len(S1.volumes) - 1
    assert S1.volumes[0].name not in {row["name"] for row in before}


@pytest.mark.long
def test_2001_volumes_are_all_read_a_part_at_a_time(tmp_path: Path) -> None:
    many = DellScDescription(
        name="many",
        serial_number=64702,
        qos_profiles=(QosProfileDescription(name="Default"),),
        volumes=tuple(VolumeDescription(name=f"v{place}") for place in range(2001)),
    )
    with serving(tmp_path, many, timeout=30.0) as (server, endpoint):
        found = collected(endpoint, needs([("array_volume", "device"), ("array_volume", "qos_read")]))
        assert len(server.requests) == 2 + len(OF_VOLUMES)
    assert found.gaps == []
    assert len(found.by("array_volume", "volume_id")) == 2001
    assert found.largest_batch == 1000
    assert all(row["qos_read"] for row in found.tables["array_volume"])
