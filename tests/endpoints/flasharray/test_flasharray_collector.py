"""What is read from a FlashArray is whole, or says where it is not."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.flasharray.client import PAGE, open_flasharray
from auditor.endpoints.flasharray.collect import collect_flasharray
from auditor.facts.needs import needs
from auditor.model import Endpoint, Gap
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    MachineDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected
from tests.endpoints.flasharray.conftest import ID, MIB, S2, STEM, collected, column, item, serving


def test_a_healthy_array_is_read_whole(served: tuple[FlashArrayServer, Endpoint]) -> None:
    found = collected(served[1])
    assert found.gaps == []
    assert found.incomplete() == set()
    e = {"endpoint": "fa-east"}
    assert found.tables["array"] == [{**e, "family": "flasharray", "name": "fa-1", "array_id": ID, "version": "6.3.3", "model": "FA-X70R3"}]
    assert found.tables["array_node"] == [
        {**e, "node_id": "ct0", "name": "CT0", "state": "ready", "version": "6.3.3", "model": "FA-X70R3"},
        {**e, "node_id": "ct1", "name": "CT1", "state": "ready", "version": "6.3.3", "model": "FA-X70R3"},
    ]
    assert [
        (row["name"], row["kind"], row["max_iops"], row["max_bytes_per_second"], row["is_shared"], row["is_read"], row["volumes"])
        for row in found.tables["array_qos_policy"]
    ] == [
        ("batch", "volume_group", 15_000, None, True, True, 1),
        (S2.machine_group(S2.machines[0]), "volume_group", 20_000, None, True, True, 2),
    ]
    assert (served[0].requests.count("GET hosts"), served[0].requests.count("GET connections")) == (1, 1), "each is asked once"


def test_volumes_carry_both_ceilings_and_the_name_a_host_sees(served: tuple[FlashArrayServer, Endpoint]) -> None:
    found = collected(served[1])
    volumes, groups = found.by("array_volume"), found.by("array_qos_policy")
    assert volumes["batch/archive"] == {
        "endpoint": "fa-east",
        "volume_id": S2.derived_id("volume", S2.serial(2)),
        "name": "batch/archive",
        "kind": "lun",
        "serial": S2.serial(2),
        "device": f"{STEM}00011012",
        "is_virtual": False,
        "status": "active",
        "size_bytes": 1 << 40,
        "pod": None,
        "pod_arrays": None,
        "vvol_id": None,
        "copy_of": None,
        "qos_max_iops": 10_000,
        "qos_max_bytes_per_second": 400 * MIB,
        "qos_priority": "+0",
        "qos_group_id": groups["batch"]["policy_id"],
        "qos_group": "batch",
        "qos_group_max_iops": 15_000,
        "qos_group_max_bytes_per_second": None,
        "qos_read": True,
    }
    assert (volumes["db"]["qos_max_iops"], volumes["db"]["qos_group"], volumes["db"]["qos_read"]) == (None, None, True)
    assert (volumes["both::shared"]["pod"], volumes["both::shared"]["device"]) == ("both", "naa.624a9370704fa624cf6e4196000217f9")
    assert volumes["pe"]["kind"] == "protocol_endpoint"
    (vvol, *_) = [row for row in volumes.values() if row["kind"] == "vvol"]
    assert (vvol["is_virtual"], vvol["qos_group_max_iops"], vvol["qos_read"]) == (True, 20_000, True)


def test_a_volume_in_a_pod_names_the_arrays_it_lies_on(served: tuple[FlashArrayServer, Endpoint]) -> None:
    found = collected(served[1])
    assert {row["pod"]: row["pod_arrays"] for row in found.tables["array_volume"]} == {None: None, "both": "fa-1, fa-2"}


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        # py-pure-client 1.96.0, Pod.promotion_status: a demoted pod "does not accept write requests".
        pytest.param({"promotion_status": "demoted"}, "pod demoted", id="demoted"),
        pytest.param({"promotion_status": ...}, "active", id="a release without it"),
        # PodArrayStatus.status: "The array cannot handle I/O to the pod".
        pytest.param({"here": "offline"}, "pod offline", id="this array is away from the pod"),
        pytest.param({"here": "resyncing", "promotion_status": "promoting"}, "pod resyncing", id="and is not whole yet"),
        pytest.param({"there": "offline"}, "active", id="the other array is away"),
        pytest.param({"here": ...}, "active", id="not told"),
    ],
)
def test_a_volume_in_a_pod_is_there_where_its_pod_is(
    served: tuple[FlashArrayServer, Endpoint], changes: dict[str, Any], state: str
) -> None:
    server, endpoint = served
    server.alterations["GET pods"] = lambda body: {**body, "items": [pod_with(server, pod, changes) for pod in body["items"]]}
    found = collected(endpoint)
    assert {row["pod"]: row["status"] for row in found.tables["array_volume"]} == {None: "active", "both": state}
    assert found.gaps == []


def test_a_pod_of_a_state_that_is_not_known_leaves_a_gap(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET pods"] = lambda body: {**body, "items": [{**pod, "promotion_status": "resting"} for pod in body["items"]]}
    found = collected(endpoint)
    assert {row["pod"]: row["status"] for row in found.tables["array_volume"]} == {None: "active", "both": None}
    assert [gap.what for gap in found.gaps] == ["GET pods: promotion_status of pod both"]


def pod_with(server: FlashArrayServer, pod: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The pod with this promotion_status, and these states of this array in it and of the other one; Ellipsis takes one away."""
    places = {True: changes.get("here", "online"), False: changes.get("there", "online")}
    arrays = [{**each, "status": places[each["id"] == server.array.description.reported_id]} for each in pod["arrays"]]
    arrays = [{name: value for name, value in each.items() if value is not ...} for each in arrays]
    changed = {**pod, "arrays": arrays, "promotion_status": changes.get("promotion_status", "promoted")}
    return {name: value for name, value in changed.items() if value is not ...}


def test_pods_that_cannot_be_asked_for_leave_only_their_own_hole(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("drop", "GET pods"))
    found = collected(endpoint)
    assert {row["pod_arrays"] for row in found.tables["array_volume"]} == {None}
    assert {row["pod"]: row["status"] for row in found.tables["array_volume"]} == {None: "active", "both": None}
    assert found.incomplete() == {"volumes"}
    assert [gap.what for gap in found.gaps] == ["GET pods, by which the arrays of a stretched volume are known"]


def test_a_virtual_volume_has_the_id_by_which_vcenter_knows_it(tmp_path: Path) -> None:
    data = VvolDescription("Data", vvol_id="rfc4122.B8E3A105-46d7-4c92-8f0e-19a5d7c2634b")
    machine = MachineDescription("db", (VvolDescription("Config"), data))
    with serving(tmp_path, dataclasses.replace(S2, machines=(machine,))) as (_, endpoint):
        found = collected(endpoint)
    ids = {row["name"].rpartition("/")[2].partition("-")[0]: row["vvol_id"] for row in found.tables["array_volume"] if row["is_virtual"]}
    assert (found.gaps, ids["Data"]) == ([], "b8e3a105-46d7-4c92-8f0e-19a5d7c2634b")
    assert {row["vvol_id"] for row in found.tables["array_volume"] if not row["is_virtual"]} == {None}


def test_tags_that_cannot_be_asked_for_leave_only_the_ids_open(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("drop", "GET volumes/tags"))
    found = collected(endpoint)
    assert {row["vvol_id"] for row in found.tables["array_volume"]} == {None}
    assert [gap.what for gap in found.gaps] == ["GET volumes/tags, by which a virtual volume is known to vCenter"]


def test_a_volume_that_hosts_reach_by_nvme_has_the_name_they_see_it_by(served: tuple[FlashArrayServer, Endpoint]) -> None:
    # Serial 6C1B16CE1C034D1C00011014: its first 14 digits, the vendor's OUI, its last 10 (docs/domain/arrays.md#device-names).
    assert column(collected(served[1]), "device")["fast"] == "eui.006c1b16ce1c034d24a9371c00011014"


def test_a_volume_that_is_reached_both_ways_keeps_the_scsi_name_and_says_so(tmp_path: Path) -> None:
    both = dataclasses.replace(S2, volumes=(*S2.volumes[:-1], dataclasses.replace(S2.volumes[-1], hosts=("nvme-1", "esx-1"))))
    with serving(tmp_path, both) as (_, endpoint):
        found = collected(endpoint)
    assert column(found, "device")["fast"] == f"{STEM}00011014"
    assert found.incomplete() == {"volumes"}
    (gap,) = found.gaps
    assert "NVMe" in gap.why


def test_connections_of_an_array_without_nvme_are_not_asked_for_the_volumes_sake(tmp_path: Path) -> None:
    plain = dataclasses.replace(S2, hosts=S2.hosts[:2], volumes=S2.volumes[:-1])
    with serving(tmp_path, plain) as (server, endpoint):
        found = collected(endpoint, needs({("array_volume", "device")}))
        assert found.complete == {"qos_policies": True, "volumes": True}
        assert server.requests[3:-1] == ["GET volume-groups", "GET hosts", "GET volumes", "GET pods"]


@pytest.mark.parametrize("fault", [Fault("status", "GET hosts", status=403), Fault("drop", "GET hosts")], ids=["forbidden", "no answer"])
def test_what_no_host_s_protocol_is_known_of_has_no_device_name(served: tuple[FlashArrayServer, Endpoint], fault: Fault) -> None:
    server, endpoint = served
    server.faults.active.append(fault)
    found = collected(endpoint)
    assert server.requests.count("GET hosts") == 1, "who does not answer is not asked twice"
    assert set(column(found, "device").values()) == {None}
    assert found.incomplete() == {"array_hosts", "volumes"}
    assert len(found.tables["array_volume"]) == 7, "all else of the volumes is known"


@pytest.mark.parametrize(
    ("facts", "asked"),
    [
        pytest.param({("array", "name")}, ["GET arrays"], id="the array without its model"),
        pytest.param({("array", "model")}, ["GET controllers", "GET arrays"], id="its model"),
        pytest.param({("array_host", "host_type")}, ["GET hosts"], id="hosts"),
        pytest.param({("array_protocol_endpoint", "device")}, ["GET volumes"], id="protocol endpoints"),
        pytest.param({("array_qos_policy", "max_iops")}, ["GET volume-groups"], id="volume groups"),
    ],
)
def test_no_more_is_asked_than_is_needed(served: tuple[FlashArrayServer, Endpoint], facts: Any, asked: list[str]) -> None:
    server, endpoint = served
    found = collected(endpoint, needs(facts))
    assert found.gaps == []
    assert server.requests[3:-1] == asked


def test_protocol_endpoints_are_volumes_of_that_kind(served: tuple[FlashArrayServer, Endpoint]) -> None:
    expected = [
        {
            "endpoint": "fa-east",
            "protocol_endpoint_id": S2.derived_id("volume", S2.serial(0)),
            "device": f"{STEM}00011010",
            "state": None,
            "node_id": None,
        }
    ]
    assert collected(served[1]).tables["array_protocol_endpoint"] == expected
    assert collected(served[1], needs({("array_protocol_endpoint", "device")})).tables["array_protocol_endpoint"] == expected


def test_the_load_of_a_volume_is_that_of_its_reads_and_writes_by_their_number(served: tuple[FlashArrayServer, Endpoint]) -> None:
    found = collected(served[1])
    names = column(found, "name", key="volume_id")
    loads = {names[row["volume_id"]]: row for row in found.tables["array_volume_load"]}
    db = {key: value for key, value in loads["db"].items() if key not in ("endpoint", "volume_id")}
    # 300 reads and 100 writes a second: (300 * 4096 + 100 * 8192) / 400 and so on.
    assert db == {"average_io_bytes": 5120, "actual_iops": 400, "latency_us": 300, "bytes_per_second": 2_048_000, "throttle_us": 1000}
    assert (loads["fast"]["average_io_bytes"], loads["fast"]["actual_iops"], loads["fast"]["throttle_us"]) == (None, 0, 0)


def test_writes_mirrored_to_the_other_array_of_a_pod_count(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    mirrored = {
        "mirrored_writes_per_sec": 100,
        "mirrored_write_bytes_per_sec": 1_638_400,
        "usec_per_mirrored_write_op": 800,
        "qos_rate_limit_usec_per_mirrored_write_op": 0,
    }
    server.alterations["GET volumes/performance"] = item(lambda load: load.update(mirrored), place=3)
    found = collected(endpoint)
    shared = found.tables["array_volume_load"][3]
    assert (shared["actual_iops"], shared["average_io_bytes"], shared["latency_us"], shared["throttle_us"]) == (100, 16384, 800, 0)


@pytest.mark.parametrize(
    ("change", "column", "qos_read"),
    [
        pytest.param(lambda v: v["qos"].update(iops_limit="many"), "qos_max_iops", False, id="a ceiling that is a word"),
        pytest.param(lambda v: v["qos"].update(iops_limit=True), "qos_max_iops", False, id="a ceiling that is true"),
        pytest.param(lambda v: v["qos"].update(iops_limit=-1), "qos_max_iops", False, id="a ceiling below zero"),
        pytest.param(lambda v: v["qos"].update(iops_limit=0), "qos_max_iops", False, id="a ceiling of nothing"),
        pytest.param(lambda v: v["qos"].update(iops_limit={"value": 1000}), "qos_max_iops", False, id="a ceiling that is an object"),
        pytest.param(lambda v: v["qos"].update(bandwidth_limit=1.5), "qos_max_bytes_per_second", False, id="half a byte a second"),
        pytest.param(lambda v: v.update(qos=None), "qos_max_iops", False, id="no QoS at all"),
        pytest.param(lambda v: v.pop("qos"), "qos_max_iops", False, id="QoS not told"),
        pytest.param(lambda v: v["volume_group"].update(id="x"), "qos_group_max_iops", False, id="a group nobody has told of"),
        pytest.param(lambda v: v["volume_group"].update(id=None, name="x"), "qos_group_max_iops", False, id="a group without an id"),
        pytest.param(lambda v: v.update(volume_group=7), "qos_group_max_iops", False, id="a group that is a number"),
        pytest.param(lambda v: v.update(priority_adjustment=7), "qos_priority", False, id="a priority that is a number"),
        pytest.param(lambda v: v.update(provisioned=None), "size_bytes", True, id="a size that is null"),
        pytest.param(lambda v: v.update(serial="6C1B"), "device", True, id="a serial that is none"),
        pytest.param(lambda v: v.update(name=7), "name", True, id="a name that is a number"),
        pytest.param(lambda v: v.pop("destroyed"), "status", True, id="not told whether it is destroyed"),
        pytest.param(lambda v: v.update(subtype="of a later release"), "kind", True, id="a subtype that is not listed"),
    ],
)
def test_what_is_not_understood_is_null_and_a_gap_and_incomplete(
    served: tuple[FlashArrayServer, Endpoint], change: Any, column: str, qos_read: bool
) -> None:
    server, endpoint = served
    server.alterations["GET volumes"] = item(change)
    found = collected(endpoint)
    row, other = found.tables["array_volume"][1:3]
    assert row[column] is None
    assert row["qos_read"] is qos_read
    assert other["qos_read"] is True
    assert found.incomplete() == {"volumes"}
    assert found.gaps
    assert all(f"volume {row['name'] or 7}" in gap.what for gap in found.gaps)


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        pytest.param(lambda v: v["qos"].update(iops_limit="3000"), "qos_max_iops", 3000, id="a number as a string"),
        pytest.param(lambda v: v["qos"].update(iops_limit=3000.0), "qos_max_iops", 3000, id="a whole number as a float"),
        pytest.param(lambda v: v["qos"].clear(), "qos_max_iops", None, id="ceilings left out are none"),
        pytest.param(lambda v: v["qos"].update(iops_limit=10**8), "qos_max_iops", None, id="the highest IOPS there are"),
        pytest.param(lambda v: v["qos"].update(iops_limit=100 << 20), "qos_max_iops", None, id="the highest of older definitions"),
        pytest.param(lambda v: v["qos"].update(iops_limit=10**8 - 1), "qos_max_iops", 10**8 - 1, id="one less than the highest"),
        pytest.param(lambda v: v["qos"].update(bandwidth_limit=512 << 30), "qos_max_bytes_per_second", None, id="the highest bandwidth"),
        pytest.param(lambda v: v.update(priority_adjustment=None), "qos_priority", None, id="a release without priorities"),
        pytest.param(
            lambda v: v.update(priority_adjustment={"priority_adjustment_operator": "=", "priority_adjustment_value": -10}),
            "qos_priority",
            "=-10",
            id="a priority of its own",
        ),
        pytest.param(lambda v: v.update(serial=v["serial"].lower()), "device", f"{STEM}00011011", id="a serial in lower case"),
        pytest.param(lambda v: v.update(source={"name": "old", "id": "AB-C"}), "copy_of", "ab-c", id="a clone"),
        pytest.param(lambda v: v.update(source={"name": "old", "id": None}), "copy_of", "old", id="a clone of what has no id"),
        pytest.param(lambda v: v.update(source=None), "copy_of", None, id="no clone"),
        pytest.param(lambda v: v.update(brandNew={"x": 1}, created=None), "qos_read", True, id="fields nobody asked for"),
    ],
)
def test_what_means_the_same_is_read_the_same(served: tuple[FlashArrayServer, Endpoint], change: Any, column: str, expected: Any) -> None:
    server, endpoint = served
    server.alterations["GET volumes"] = item(change)
    found = collected(endpoint)
    assert found.gaps == []
    assert found.tables["array_volume"][1][column] == expected
    assert found.tables["array_volume"][1]["qos_read"] is True


def test_a_destroyed_volume_is_told_as_such_and_no_host_sees_it(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET volumes"] = item(lambda volume: volume.update(destroyed=True))
    server.alterations["GET volumes/performance"] = lambda answer: {**answer, "items": [x for x in answer["items"] if x["name"] != "db"]}
    found = collected(endpoint)
    assert found.gaps == []
    assert (column(found, "status")["db"], column(found, "device")["db"]) == ("destroyed", None)


LISTS = [
    ("GET controllers", "array_node", "nodes"),
    ("GET volume-groups", "array_qos_policy", "qos_policies"),
    ("GET hosts", "array_host", "array_hosts"),
    ("GET volumes", "array_volume", "volumes"),
    ("GET volumes/performance", "array_volume_load", "volume_load"),
    ("GET connections", "array_connection", "connections"),
]
# Hosts and connections decide by which name a volume is seen, groups about its ceilings; protocol endpoints are volumes.
FOLLOW = {
    "nodes": {"array"},
    "qos_policies": {"volumes"},
    "array_hosts": {"volumes"},
    "volumes": {"volume_load", "protocol_endpoints"},
    "connections": {"volumes"},
}


@pytest.mark.parametrize(("operation", "table", "topic"), LISTS)
class TestEveryList:
    def test_a_record_that_comes_twice_is_kept_once(self, served: Any, operation: str, table: str, topic: str) -> None:
        server, endpoint = served
        whole = collected(endpoint)
        server.alterations[operation] = lambda answer: {**answer, "items": answer["items"][:1] + answer["items"]}
        found = collected(endpoint)
        assert found.tables[table] == whole.tables[table]
        assert found.incomplete() == {topic} | ({"protocol_endpoints"} if topic == "volumes" else set()), "the first volume is one"
        assert any("twice" in gap.why for gap in found.gaps)

    @pytest.mark.parametrize("odd", [pytest.param(None, id="null"), pytest.param({}, id="without an id"), pytest.param("x", id="a string")])
    def test_an_entry_that_is_no_record_is_left_out_and_told(self, served: Any, operation: str, table: str, topic: str, odd: Any) -> None:
        server, endpoint = served
        whole = collected(endpoint)
        server.alterations[operation] = lambda answer: {**answer, "items": [*answer["items"], odd]}
        found = collected(endpoint)
        assert found.tables[table] == whole.tables[table]
        assert topic in found.incomplete()

    def test_no_list_at_all_is_not_an_empty_one(self, served: Any, operation: str, table: str, topic: str) -> None:
        server, endpoint = served
        server.alterations[operation] = lambda answer: {**answer, "items": None}
        assert topic in collected(endpoint).incomplete()

    def test_pages_that_break_off_are_not_called_whole(self, served: Any, operation: str, table: str, topic: str) -> None:
        server, endpoint = served
        server.alterations[operation] = lambda answer: {**answer, "more_items_remaining": True}
        assert topic in collected(endpoint).incomplete()

    def test_a_question_the_account_may_not_ask_leaves_only_its_own_hole(self, served: Any, operation: str, table: str, topic: str) -> None:
        server, endpoint = served
        server.faults.active.append(Fault("status", operation, status=403))
        found = collected(endpoint)
        assert found.tables[table] == []
        assert found.incomplete() == {topic} | FOLLOW.get(topic, set())


def test_one_field_missing_everywhere_is_one_gap(tmp_path: Path) -> None:
    many = FlashArrayDescription(name="fa-1", id=ID, volumes=tuple(VolumeDescription(f"v{number}") for number in range(50)))
    with serving(tmp_path, many) as (server, endpoint):

        def alter(answer: dict[str, Any]) -> dict[str, Any]:
            for each in answer["items"]:
                del each["provisioned"]
            return answer

        server.alterations["GET volumes"] = alter
        found = collected(endpoint)
    assert [(gap.what, gap.why) for gap in found.gaps] == [
        ("GET volumes: provisioned of volume v0 and 49 more", "is missing where a whole number was expected")
    ]


@pytest.mark.long
def test_2001_volumes_are_all_read_a_page_at_a_time(tmp_path: Path) -> None:
    many = FlashArrayDescription(
        name="fa-1",
        id=ID,
        hosts=(HostDescription("esx-1", wwns=("2100F4C7AA002706",)),),
        volumes=tuple(VolumeDescription(f"v{number}", hosts=("esx-1",)) for number in range(2001)),
    )
    with serving(tmp_path, many, timeout=20) as (server, endpoint):
        found = collected(endpoint)
    assert found.gaps == []
    assert [row["name"] for row in found.tables["array_volume"]] == [f"v{number}" for number in range(2001)]
    ids = {row["volume_id"] for row in found.tables["array_volume"]}
    assert len(ids) == 2001
    for table in ("array_volume_load", "array_connection"):
        assert {row["volume_id"] for row in found.tables[table]} == ids
        assert len(found.tables[table]) == 2001
    assert server.requests.count("GET volumes") == 3
    assert len([item for item in found.items if not isinstance(item, Gap) and item.table == "array_volume"]) == 3
    assert max(len(i.columns["name"]) for i in found.items if not isinstance(i, Gap) and i.table == "array_volume") == PAGE


def test_a_volume_without_load_is_missed(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.alterations["GET volumes/performance"] = lambda answer: {**answer, "items": [x for x in answer["items"] if x["name"] != "db"]}
    found = collected(endpoint)
    assert found.incomplete() == {"volume_load"}
    assert [gap.what for gap in found.gaps] == ["GET volumes/performance: the record of volume db"]


@pytest.mark.parametrize("field", ["reads_per_sec", "write_bytes_per_sec", "usec_per_read_op", "qos_rate_limit_usec_per_write_op"])
def test_a_load_that_is_not_all_told_is_not_added_up(served: tuple[FlashArrayServer, Endpoint], field: str) -> None:
    server, endpoint = served
    server.alterations["GET volumes/performance"] = item(lambda load: load.update({field: None}))
    found = collected(endpoint)
    row = found.tables["array_volume_load"][1]
    hurt = {
        "reads_per_sec": {"actual_iops", "average_io_bytes", "latency_us", "throttle_us"},
        "write_bytes_per_sec": {"bytes_per_second", "average_io_bytes"},
        "usec_per_read_op": {"latency_us"},
        "qos_rate_limit_usec_per_write_op": {"throttle_us"},
    }[field]
    assert {column for column, value in row.items() if value is None} == hurt
    assert found.incomplete() == {"volume_load"}


def test_an_array_whose_model_is_not_told_is_known_all_the_same(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    server.faults.active.append(Fault("status", "GET controllers", status=403))
    found = collected(endpoint)
    assert (found.tables["array"][0]["array_id"], found.tables["array"][0]["model"]) == (ID, None)
    assert found.incomplete() == {"array", "nodes"}


def test_controllers_of_shelves_are_not_the_array_s(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    shelf = {"name": "SH0.SC0", "type": "shelf_controller", "status": "ready", "mode": None, "model": "EB-2425", "version": None}
    server.alterations["GET controllers"] = lambda answer: {**answer, "items": [shelf, *answer["items"]]}
    found = collected(endpoint)
    assert found.gaps == []
    assert (found.tables["array"][0]["model"], [row["name"] for row in found.tables["array_node"]]) == ("FA-X70R3", ["CT0", "CT1"])


def test_a_token_that_is_refused_in_mid_run_is_not_tried_again(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    with open_flasharray(endpoint) as array:
        server.requests.clear()
        server.faults.active.append(Fault("status", status=401))
        found = Collected(collect_flasharray(array, endpoint, needs({("array", "name"), ("array_volume", "name")})))
        assert set(found.complete.values()) == {False}
        assert server.requests == ["GET arrays", "POST login"], "each further try could lock the account"


def test_a_token_that_is_refused_while_the_hosts_are_read_for_the_volumes_ends_it(served: tuple[FlashArrayServer, Endpoint]) -> None:
    server, endpoint = served
    with open_flasharray(endpoint) as array:
        server.requests.clear()
        server.faults.active += [Fault("status", "GET hosts", status=401), Fault("status", "POST login", status=401)]
        found = Collected(collect_flasharray(array, endpoint, needs({("array_volume", "name")})))
        assert found.complete == {"qos_policies": True, "volumes": False}
        assert server.requests == ["GET volume-groups", "GET hosts", "POST login"]
