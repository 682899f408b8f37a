"""An Element cluster is read whole, and what is not understood is NULL, a gap, and not whole."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from auditor.model import Endpoint
from auditor_lab.arrays.element.description import (
    ElementDescription,
    NodeDescription,
    QosPolicyDescription,
    VolumeDescription,
)
from auditor_lab.arrays.element.records import INITIATOR_CHAP, TARGET_CHAP
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.wire import Fault
from tests.endpoints.element.element_collecting import S0, collected, serving
from tests.required import capture

CURVE = json.dumps(
    {
        "4096": 100,
        "8192": 160,
        "16384": 270,
        "32768": 500,
        "65536": 1000,
        "131072": 1950,
        "262144": 3900,
        "524288": 7600,
        "1048576": 15000,
    }
)  # docs/domain/facts.md#6-2, smallest size first


def test_a_healthy_cluster_is_read_whole(served: tuple[ElementServer, Endpoint]) -> None:
    found = collected(served[1])
    assert found.gaps == []
    assert found.incomplete() == set()
    e = {"endpoint": "sf-east"}
    role = {"role": "Storage", "is_fibre_channel": False}
    assert found.tables["array"] == [{**e, "family": "solidfire", "name": "sf-east", "array_id": "dg0j", "version": "12.3.0.958"}]
    assert found.tables["array_node"] == [
        {**e, "node_id": "1", "name": "n1", "state": "active", "version": "12.3.0.958", "model": "SFDEMO-NE", **role},
        {**e, "node_id": "2", "name": "n2", "state": "active", "version": "12.3.0.958", "model": "SFDEMO-NE", **role},
        {**e, "node_id": "5", "name": "n5", "state": "pending", "version": "12.2.0.777", "model": "SFDEMO-NE", **role},
    ]
    policies = [
        (row["policy_id"], row["name"], row["min_iops"], row["max_iops"], row["burst_iops"], row["volumes"])
        for row in found.tables["array_qos_policy"]
    ]
    assert policies == [("1", "Bronze", 25, 1000, 2000, 1), ("2", "Silver", 50, 1500, 3000, 0), ("3", "Gold", 100, 3000, 6000, 1)]
    assert {row["curve"] for row in found.tables["array_qos_policy"]} == {CURVE}
    assert {(row["kind"], row["is_shared"], row["is_read"]) for row in found.tables["array_qos_policy"]} == {("policy", False, True)}
    # docs/domain/facts.md#6-5
    assert found.tables["array_qos_limit"] == [
        {
            **e,
            "min_iops_floor": 50,
            "min_iops_ceiling": 15000,
            "max_iops_floor": 100,
            "max_iops_ceiling": 200000,
            "burst_iops_floor": 100,
            "burst_iops_ceiling": 200000,
            "cluster_iops": 100000,  # 50,000 for each of its two active nodes
        }
    ]


def test_volumes_carry_their_limits_and_the_name_a_host_sees(served: tuple[ElementServer, Endpoint]) -> None:
    volumes = collected(served[1]).by("array_volume", "volume_id")
    assert volumes["1"] == {
        "endpoint": "sf-east",
        "volume_id": "1",
        "name": "vmfs-1",
        "kind": "lun",
        "device": "naa.6f47acc1000000006467306a00000001",
        "is_virtual": False,
        "vvol_id": None,
        "status": "active",
        "size_bytes": 4 << 40,
        "qos_policy_id": "3",
        "qos_policy": "Gold",
        "qos_shared": False,
        "qos_min_iops": 100,
        "qos_max_iops": 3000,
        "qos_burst_iops": 6000,
        "qos_read": True,
        "qos_curve": CURVE,
    }
    own = volumes["2"]
    assert (own["qos_policy_id"], own["qos_policy"], own["qos_shared"], own["qos_max_iops"]) == (None, None, None, 700)
    vvol = volumes["3"]
    assert (vvol["kind"], vvol["is_virtual"], vvol["vvol_id"]) == ("vvol", True, "269d3378-1ca6-4175-a18f-6d4839e5c746")


def test_an_idle_volume_has_no_average_io_size(served: tuple[ElementServer, Endpoint]) -> None:
    loads = collected(served[1]).by("array_volume_load", "volume_id")
    assert loads["1"] == {
        "endpoint": "sf-east",
        "volume_id": "1",
        "average_io_bytes": 524288,
        "actual_iops": 40,
        "utilization": 1.25,
        "latency_us": 312000,
        "client_queue_depth": 32,
        "burst_credit": 0,
        "throttled_share": 0.0,
        "bytes_per_second": 40 * 524288,
    }
    assert (loads["2"]["average_io_bytes"], loads["2"]["bytes_per_second"]) == (None, 0)
    assert loads["2"]["utilization"] == 0.0


def test_vvols_bindings_and_protocol_endpoints_lead_to_one_another(served: tuple[ElementServer, Endpoint]) -> None:
    found = collected(served[1])
    endpoints = found.by("array_protocol_endpoint", "node_id")
    assert {node: row["device"] for node, row in endpoints.items()} == {
        "1": "naa.6f47acc2000000016467306a00000000",
        "2": "naa.6f47acc2000000026467306a00000000",
    }
    assert {row["state"] for row in endpoints.values()} == {"Active"}
    assert found.tables["vvol_binding"] == [
        {
            "endpoint": "sf-east",
            "binding_id": "1",
            "vvol_id": "269d3378-1ca6-4175-a18f-6d4839e5c746",
            "protocol_endpoint_id": endpoints["2"]["protocol_endpoint_id"],
            "array_host_id": "564de1a4-9a99-da0f-8b7c-3a41dfd64bf1",
            "device": endpoints["2"]["device"],
        }
    ]


def test_no_chap_secret_becomes_a_fact(served: tuple[ElementServer, Endpoint]) -> None:
    shown = repr(collected(served[1]).items)
    assert INITIATOR_CHAP not in shown
    assert TARGET_CHAP not in shown


def volume(change: Any) -> Any:
    """An alteration of the first volume's record."""

    def alter(_: dict[str, Any], result: Any) -> Any:
        if result["volumes"]:
            change(result["volumes"][0])
        return result

    return alter


@pytest.mark.parametrize(
    ("change", "column", "qos_read"),
    [
        pytest.param(lambda v: v["qos"].update(maxIOPS=None), "qos_max_iops", False, id="a limit that is null"),
        pytest.param(lambda v: v["qos"].pop("burstIOPS"), "qos_burst_iops", False, id="a limit that is missing"),
        pytest.param(lambda v: v["qos"].update(minIOPS="many"), "qos_min_iops", False, id="a limit that is a word"),
        pytest.param(lambda v: v["qos"].update(minIOPS=True), "qos_min_iops", False, id="a limit that is true"),
        pytest.param(lambda v: v["qos"].update(minIOPS=-1), "qos_min_iops", False, id="a limit below zero"),
        pytest.param(lambda v: v["qos"].update(maxIOPS=2**64), "qos_max_iops", False, id="a limit no column can hold"),
        pytest.param(lambda v: v["qos"].update(maxIOPS=10.5), "qos_max_iops", False, id="half an operation"),
        pytest.param(lambda v: v["qos"].update(curve={}), "qos_curve", False, id="an empty curve"),
        pytest.param(lambda v: v["qos"].update(curve={"4096": None}), "qos_curve", False, id="a curve without costs"),
        pytest.param(lambda v: v["qos"].update(curve={"big": 100}), "qos_curve", False, id="a curve without sizes"),
        pytest.param(lambda v: v.update(qos=None), "qos_max_iops", False, id="no QoS at all"),
        pytest.param(lambda v: v.update(totalSize=None), "size_bytes", True, id="a size that is null"),
        pytest.param(lambda v: v.update(scsiNAADeviceID="naa.xyz"), "device", True, id="a device name that is none"),
        pytest.param(lambda v: v.update(name=7), "name", True, id="a name that is a number"),
        pytest.param(lambda v: v.pop("virtualVolumeID"), "is_virtual", True, id="not told whether it is a vVol"),
        pytest.param(lambda v: v.update(qosPolicyID=77), "qos_policy", True, id="a policy nobody has told of"),
    ],
)
def test_what_is_not_understood_is_null_and_a_gap_and_incomplete(
    served: tuple[ElementServer, Endpoint], change: Any, column: str, qos_read: bool
) -> None:
    server, endpoint = served
    server.alterations["ListVolumes"] = volume(change)
    found = collected(endpoint)
    rows = found.by("array_volume", "volume_id")
    assert rows["1"][column] is None
    assert rows["1"]["qos_read"] is qos_read
    assert rows["2"]["qos_read"] is True
    assert found.incomplete() == {"volumes"}
    assert len(found.gaps) >= 1
    assert all("volume 1" in gap.what for gap in found.gaps)


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        pytest.param(lambda v: v["qos"].update(maxIOPS="3000"), "qos_max_iops", 3000, id="a number as a string"),
        pytest.param(lambda v: v["qos"].update(maxIOPS=3000.0), "qos_max_iops", 3000, id="a whole number as a float"),
        pytest.param(
            lambda v: v["qos"].update(curve={"8192": "160", "4096": 100}), "qos_curve", '{"4096": 100, "8192": 160}', id="a curve"
        ),
        pytest.param(
            lambda v: v.update(scsiNAADeviceID=v["scsiNAADeviceID"].upper()), "device", "naa.6f47acc1000000006467306a00000001", id="NAA"
        ),
        pytest.param(lambda v: v.update(brandNew={"x": 1}, access=None), "qos_read", True, id="fields nobody asked for"),
    ],
)
def test_what_means_the_same_is_read_the_same(served: tuple[ElementServer, Endpoint], change: Any, column: str, expected: Any) -> None:
    server, endpoint = served
    server.alterations["ListVolumes"] = volume(change)
    found = collected(endpoint)
    assert found.gaps == []
    assert found.by("array_volume", "volume_id")["1"][column] == expected


def test_a_release_that_is_not_told_leaves_the_array_known(served: tuple[ElementServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("status", "GetClusterVersionInfo", status=403))
    found = collected(endpoint)
    assert (found.tables["array"][0]["array_id"], found.tables["array"][0]["version"]) == ("dg0j", None)
    assert found.incomplete() == {"array"}


def test_one_field_missing_everywhere_is_one_gap(tmp_path: Path) -> None:
    many = dataclasses.replace(S0, volumes=tuple(VolumeDescription(f"v{i}") for i in range(50)), vvols=())
    with serving(tmp_path, many) as (server, endpoint):

        def alter(_: dict[str, Any], result: Any) -> Any:
            for each in result["volumes"]:
                del each["totalSize"]
            return result

        server.alterations["ListVolumes"] = alter
        found = collected(endpoint)
    assert [(gap.what, gap.why) for gap in found.gaps] == [
        ("ListVolumes: totalSize of volume 1 and 49 more", "is missing where a whole number was expected")
    ]


def test_a_deleted_volume_keeps_its_row_and_is_not_asked_for_its_load(tmp_path: Path) -> None:
    gone = dataclasses.replace(S0, volumes=(VolumeDescription("old", status="deleted"), VolumeDescription("new")), vvols=())
    with serving(tmp_path, gone) as (server, endpoint):
        server.alterations["ListVolumeStats"] = lambda _, result: {
            "volumeStats": [each for each in result["volumeStats"] if each["volumeID"] != 1]
        }
        found = collected(endpoint)
    assert [row["status"] for row in found.tables["array_volume"]] == ["deleted", "active"]
    assert found.gaps == []


def captured(method: str) -> Any:
    return json.loads(capture(f"solidfire-exporter-joyent/{method}.json").read_text(encoding="utf-8"))["result"]


def always(answer: Any) -> Any:
    return lambda _, __: answer


def test_the_answers_of_a_real_cluster_are_understood(tmp_path: Path) -> None:
    bare = ElementDescription(
        name="real",
        unique_id="1mhp",
        nodes=(NodeDescription(1, "n"),),
        qos_policies=(QosPolicyDescription("p", 50, 5000, 15000),),
        volumes=(VolumeDescription("test-volume1"), VolumeDescription("test-volume2")),
    )
    reported = {
        method: captured(method)
        for method in (
            "ListVolumeStats",
            "ListAllNodes",
            "ListVolumeQoSHistograms",
            "ListVolumeAccessGroups",
            "ListInitiators",
            "ListISCSISessions",
        )
    }
    # So that ListInitiators is asked: the recorded group has no initiators.
    reported["ListVolumeAccessGroups"]["volumeAccessGroups"][0]["initiatorIDs"] = [2]
    volumes = captured("ListVolumes")
    with serving(tmp_path, bare) as (server, endpoint):
        server.alterations = {method: always(answer) for method, answer in reported.items()}
        server.alterations["ListVolumes"] = lambda params, _: volumes if params["startVolumeID"] == 0 else {"volumes": []}
        found = collected(endpoint)
    assert found.gaps == []
    e = {"endpoint": "sf-east"}
    assert found.tables["array_node"] == [
        {
            **e,
            "node_id": "1",
            "name": "n01",
            "state": "active",
            "version": "11.7.0.76",
            "model": "SFDEMO-NE",
            "role": None,
            "is_fibre_channel": False,
        }
    ]
    assert found.tables["array_host"] == [{**e, "array_host_id": "3", "name": "example1", "host_group": None, "host_type": None}]
    assert found.tables["array_initiator"] == [
        {**e, "array_host_id": "1", "initiator": "iqn.1993-08.org.debian:01:c84ffd71216", "kind": "iscsi"}
    ]
    assert found.tables["array_session"] == [
        {
            **e,
            "session_id": "17179870185",
            "volume_id": "1",
            "node_id": "1",
            "initiator": "iqn.1993-08.org.debian:01:4efdaa48c143",
            "initiator_address": "10.0.0.149",
        }
    ]
    counted = {(row["volume_id"], row["kind"], row["bucket"]): row["count"] for row in found.tables["array_volume_histogram"]}
    # 5 + 6 + 7 + 7 + 6 + 7 counters a volume
    assert len(counted) == len(found.tables["array_volume_histogram"]) == 2 * 38
    assert counted["1", "target_utilization_percentages", "101Plus"] == 6162
    assert counted["1", "write_block_sizes", "131072Plus"] == 1771
    assert counted["1", "throttle_percentages", "0"] == 5802500
    assert sum(count for (volume, _, _), count in counted.items() if volume == "2") == 0
    assert [
        (row["volume_id"], row["name"], row["device"], row["size_bytes"], row["qos_min_iops"], row["qos_max_iops"], row["qos_read"])
        for row in found.tables["array_volume"]
    ] == [
        ("1", "test-volume1", "naa.6f47acc100000000316d687000000001", 2000683008, 50, 5000, True),
        ("2", "test-volume2", "naa.6f47acc100000000316d687000000002", 4000317440, 50, 5000, True),
    ]
    # The second one's sample had no length.
    assert [(row["average_io_bytes"], row["bytes_per_second"]) for row in found.tables["array_volume_load"]] == [(None, 0), (None, None)]
