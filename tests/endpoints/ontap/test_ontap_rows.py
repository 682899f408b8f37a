"""Records of an ONTAP cluster into rows, with no cluster: every column, and what is left open."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import qos, rows
from auditor.endpoints.ontap.qos import NO_POLICY, NOT_KNOWN, Policy, Reference
from auditor.endpoints.ontap.rows import Container

GOLD = Policy("p-1", "gold", 100, 5000, 10**8, is_shared=False, is_read=True)
ODD = Policy("p-2", "odd", None, None, None, is_shared=None, is_read=False)
POLICIES = {"p-1": GOLD, "p-2": ODD}
UNDER_GOLD = Reference("p-1", "gold")
FLEXVOL = Container("v-1", "svm", "vol", "a-1", NO_POLICY)


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("GET x"))


def errors(one: Record) -> list[str]:
    return [gap.what.removeprefix("GET x: ").removesuffix(" of it") for gap in one.parse_errors.gaps("nt")]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        pytest.param({"full": "NetApp Release 9.14.1", "generation": 9, "major": 14, "minor": 1}, "9.14.1", id="by its numbers"),
        pytest.param(None, None, id="none"),
    ],
)
def test_a_node_has_its_release(version: Any, expected: str | None) -> None:
    given = record({"name": "n1", "state": "up", "version": version, "model": "AFF-A400"})
    assert rows.node_row(given) == {"node_id": "n1", "name": "n1", "state": "up", "version": expected, "model": "AFF-A400"}
    assert errors(given) == []
    odd = record({"name": "n1", "state": "up", "version": {"full": "NetApp Release 9", "generation": 9, "major": 14}})
    assert (rows.node_row(odd)["version"], rows.node_row(odd)["model"]) == ("NetApp Release 9", None)


def test_an_address_is_an_interface_of_an_svm_or_of_the_cluster() -> None:
    interface = {"uuid": "I-1", "name": "lif1", "ip": {"address": "2001:DB8:0:0:0:0:0:9"}, "svm": {"name": "svm"}}
    assert rows.address_row(record(interface)) == {"address_id": "i-1", "address": "2001:db8::9", "name": "lif1", "svm": "svm"}
    bare = rows.address_row(record({"uuid": "I-1", "name": "lif1", "ip": None}))
    assert (bare["address"], bare["svm"]) == (None, None)


POOL: dict[str, Any] = {
    "uuid": "A-1",
    "name": "aggr1",
    "node": {"name": "n1"},
    "block_storage": {"primary": {"disk_class": "capacity", "disk_count": 12, "raid_type": "raid_dp"}},
    "space": {"block_storage": {"size": 1 << 40, "available": 1 << 39}},
}


def pool(disk_class: Any = "capacity", cache: Any = None, **changes: Any) -> dict[str, Any]:
    storage = {"primary": {**POOL["block_storage"]["primary"], "disk_class": disk_class}, "hybrid_cache": cache}
    return rows.pool_row(record({**POOL, "block_storage": storage, **changes}), {"a-1": 7200}, {"aggr1": 10})


def test_a_pool_has_its_disks_and_media() -> None:
    assert pool() == {
        "pool_id": "a-1",
        "name": "aggr1",
        "node_id": "n1",
        "media": "hdd",
        "rpm": 7200,
        "disks": 12,
        "data_disks": 10,
        "raid_type": "raid_dp",
        "size_bytes": 1 << 40,
        "free_bytes": 1 << 39,
    }
    assert pool(space={"block_storage": {"size": 1 << 40}})["free_bytes"] is None
    other = pool(uuid="A-2", name="aggr2", node=None, space={"block_storage": None})
    assert (other["rpm"], other["data_disks"], other["node_id"], other["size_bytes"]) == (None,) * 4
    nothing = rows.pool_row(record({}), {}, {})
    assert set(nothing.values()) == {None}


@pytest.mark.parametrize(
    ("disk_class", "cache", "media"),
    [
        pytest.param("performance", {"enabled": False}, "hdd", id="disks"),
        pytest.param("archive", {"enabled": True}, "mixed", id="disks behind flash"),
        pytest.param("solid_state", {"enabled": True}, "ssd", id="flash"),
        pytest.param("capacity_flash", None, "ssd", id="large flash"),
        pytest.param("virtual", None, "virtual", id="a machine's disks"),
        pytest.param("lun", None, None, id="a class nobody knows"),
        pytest.param(None, None, None, id="no class"),
        pytest.param("capacity", {}, "hdd", id="a cache that says nothing"),
    ],
)
def test_media_go_by_the_class_of_disks_and_by_whether_flash_caches(disk_class: Any, cache: Any, media: str | None) -> None:
    assert pool(disk_class, cache)["media"] == media


@pytest.mark.parametrize(
    ("changes", "expected", "named"),
    [
        pytest.param({}, FLEXVOL, [], id="a FlexVol"),
        pytest.param(
            {"aggregates": [{"uuid": "A-1"}, {"uuid": "A-2"}]}, Container("v-1", "svm", "vol", None, NO_POLICY), [], id="a FlexGroup"
        ),
        pytest.param({"aggregates": None}, Container("v-1", "svm", "vol", None, NO_POLICY), [], id="not reported"),
        pytest.param({"aggregates": [{"uuid": 7}]}, Container("v-1", "svm", "vol", None, NO_POLICY), ["aggregates"], id="odd"),
        pytest.param({"aggregates": "odd"}, Container("v-1", "svm", "vol", None, NO_POLICY), ["aggregates"], id="no list"),
        pytest.param(
            {"aggregates": [{"uuid": "A-1"}, "odd"]}, Container("v-1", "svm", "vol", None, NO_POLICY), ["aggregates"], id="one is odd"
        ),
        pytest.param({"svm": None}, Container("v-1", None, "vol", "a-1", NO_POLICY), [], id="of no SVM"),
        pytest.param(
            {"qos": {"policy": {"uuid": "P-1", "name": "gold"}}}, Container("v-1", "svm", "vol", "a-1", UNDER_GOLD), [], id="limited"
        ),
    ],
)
def test_a_flexvol_is_kept_for_what_is_in_it(changes: dict[str, Any], expected: Container, named: list[str]) -> None:
    given = record({"uuid": "V-1", "name": "vol", "svm": {"name": "svm"}, "aggregates": [{"uuid": "A-1"}], "qos": None, **changes})
    assert rows.container_of(given) == expected
    assert errors(given) == named
    assert expected.path == f"{expected.svm}:vol"


QOS_OF_NONE = {
    "qos_policy_id": None,
    "qos_policy": None,
    "qos_min_iops": None,
    "qos_max_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_shared": None,
    "qos_group_id": None,
    "qos_group": None,
    "qos_group_max_iops": None,
    "qos_group_max_bytes_per_second": None,
    "qos_read": True,
}
QOS_OF_GOLD = {
    **QOS_OF_NONE,
    "qos_policy_id": "p-1",
    "qos_policy": "gold",
    "qos_min_iops": 100,
    "qos_max_iops": 5000,
    "qos_max_bytes_per_second": 10**8,
    "qos_shared": False,
}
AROUND_GOLD = {"qos_group_id": "p-1", "qos_group": "gold", "qos_group_max_iops": 5000, "qos_group_max_bytes_per_second": 10**8}
LOST = Reference("p-9", "lost")


@pytest.mark.parametrize(
    ("own", "around", "expected", "named"),
    [
        pytest.param(NO_POLICY, (), QOS_OF_NONE, [], id="none"),
        pytest.param(UNDER_GOLD, (NO_POLICY,), QOS_OF_GOLD, [], id="its own"),
        pytest.param(NO_POLICY, (NO_POLICY, UNDER_GOLD), {**QOS_OF_NONE, **AROUND_GOLD}, [], id="that of the SVM"),
        pytest.param(UNDER_GOLD, (UNDER_GOLD,), {**QOS_OF_GOLD, **AROUND_GOLD}, [], id="both"),
        pytest.param(
            NO_POLICY, (UNDER_GOLD, Reference("p-2", "odd")), {**QOS_OF_NONE, **AROUND_GOLD, "qos_read": False}, [], id="two around it"
        ),
        pytest.param(NOT_KNOWN, (), {**QOS_OF_NONE, "qos_read": False}, [], id="its own not known"),
        pytest.param(NO_POLICY, (NO_POLICY, NOT_KNOWN), {**QOS_OF_NONE, "qos_read": False}, [], id="one around it not known"),
        pytest.param(
            Reference("p-2", "odd"),
            (),
            {**QOS_OF_NONE, "qos_policy_id": "p-2", "qos_policy": "odd", "qos_read": False},
            [],
            id="one that was not understood",
        ),
        pytest.param(
            LOST, (), {**QOS_OF_NONE, "qos_policy_id": "p-9", "qos_policy": "lost", "qos_read": False}, ["qos policy"], id="not listed"
        ),
        pytest.param(
            NO_POLICY,
            (LOST,),
            {**QOS_OF_NONE, "qos_group_id": "p-9", "qos_group": "lost", "qos_read": False},
            ["qos policy"],
            id="nor around",
        ),
        pytest.param(
            Reference(None, "gold"), (), {**QOS_OF_NONE, "qos_policy": "gold", "qos_read": False}, ["qos policy"], id="by name alone"
        ),
    ],
)
def test_two_policies_hold_for_a_volume(own: Reference, around: tuple[Reference, ...], expected: dict[str, Any], named: list[str]) -> None:
    given = record({})
    assert qos.qos_columns(given, own, around, POLICIES) == expected
    assert errors(given) == named


@pytest.mark.parametrize(
    ("holder", "expected"),
    [
        pytest.param({}, NO_POLICY, id="left out"),
        pytest.param({"policy": {"uuid": "P-1", "name": "gold"}}, UNDER_GOLD, id="by both"),
        pytest.param({"policy": {"uuid": "P-1"}}, Reference("p-1", None), id="by id"),
        pytest.param({"policy": {"name": "gold"}}, Reference(None, "gold"), id="by name"),
        pytest.param({"policy": {"name": "None"}}, NO_POLICY, id="by the word none"),
        pytest.param({"policy": {"name": "-"}}, NO_POLICY, id="by a dash"),
        pytest.param({"policy": {}}, NO_POLICY, id="by nothing"),
        pytest.param({"policy": "odd"}, NOT_KNOWN, id="by what is no object"),
    ],
)
def test_a_record_names_the_policy_that_it_is_under(holder: dict[str, Any], expected: Reference) -> None:
    assert qos.reference_of(record(holder), "policy") == expected
    assert qos.reference_of(None, "policy") == NO_POLICY


FIXED: dict[str, Any] = {"capacity_shared": True, "min_throughput_iops": 100, "max_throughput_iops": 5000, "max_throughput_mbps": 100}


def limits(fixed: Any, **more: Any) -> tuple[dict[str, Any], list[str]]:
    given = record({"uuid": "P-1", "name": "gold", "object_count": 3, "fixed": fixed, **more})
    return qos.policy_row(given), errors(given)


@pytest.mark.parametrize(
    ("fixed", "columns", "named"),
    [
        pytest.param(FIXED, {"min_iops": 100, "max_iops": 5000, "max_bytes_per_second": 10**8}, [], id="in numbers"),
        pytest.param({"capacity_shared": False}, {"is_shared": False, "is_read": True}, [], id="none"),
        pytest.param({"capacity_shared": True, "max_throughput_iops": 0}, {"is_read": True}, [], id="0, which is none"),
        pytest.param(
            {**FIXED, "max_throughput_iops": "odd"},
            {"min_iops": 100, "max_iops": None, "max_bytes_per_second": 10**8, "is_read": False},
            ["fixed.max_throughput_iops"],
            id="an odd one",
        ),
        pytest.param({}, {"is_shared": None, "is_read": False}, ["fixed.capacity_shared"], id="not known whether it is shared"),
        pytest.param(
            {**FIXED, "max_throughput": "468.8MB/s"},
            {"min_iops": 100, "max_iops": 5000, "max_bytes_per_second": 468_800_000},
            [],
            id="more precise",
        ),
        pytest.param(
            {"capacity_shared": True, "max_throughput": "15000IOPS, 468.8mb/s", "min_throughput": "10iops"},
            {"min_iops": 10, "max_iops": 15000, "max_bytes_per_second": 468_800_000},
            [],
            id="in words",
        ),
        pytest.param({"capacity_shared": True, "max_throughput": ["900KB/s"]}, {"max_bytes_per_second": 900_000}, [], id="in a list"),
        pytest.param({"capacity_shared": True, "max_throughput": "2GB/s"}, {"max_bytes_per_second": 2 * 10**9}, [], id="gigabytes"),
        pytest.param({"capacity_shared": True, "max_throughput": "1TB/s"}, {"max_bytes_per_second": 10**12}, [], id="terabytes"),
        pytest.param({"capacity_shared": True, "max_throughput": "7B/s"}, {"max_bytes_per_second": 7}, [], id="bytes"),
        pytest.param({"capacity_shared": True, "max_throughput": "INF", "min_throughput": "-"}, {"is_read": True}, [], id="words for none"),
        pytest.param({"capacity_shared": True, "max_throughput": "0"}, {"is_read": True}, [], id="the text 0"),
        pytest.param({"capacity_shared": True, "max_throughput": "0IOPS"}, {"is_read": True}, [], id="0 operations"),
        pytest.param({"capacity_shared": True, "max_throughput": "fast"}, {"is_read": False}, ["fixed.max_throughput"], id="no rate"),
        pytest.param({"capacity_shared": True, "min_throughput": "fast"}, {"is_read": False}, ["fixed.min_throughput"], id="no least rate"),
    ],
)
def test_a_fixed_policy_has_its_limits(fixed: dict[str, Any], columns: dict[str, Any], named: list[str]) -> None:
    row, found = limits(fixed)
    empty = {"min_iops": None, "max_iops": None, "max_bytes_per_second": None, "is_shared": True, "is_read": True}
    about = {"policy_id": "p-1", "name": "gold", "kind": "fixed", "volumes": 3, "raw": json.dumps(fixed, sort_keys=True)}
    assert row == {**about, **empty, **columns}
    assert found == named


def test_an_adaptive_policy_has_its_limits_as_they_are() -> None:
    adaptive = {"peak_iops": 4096, "expected_iops": 2048}
    row, found = limits(None, adaptive=adaptive)
    assert (row["kind"], row["is_shared"], row["is_read"], row["raw"]) == ("adaptive", False, False, json.dumps(adaptive, sort_keys=True))
    assert (row["max_iops"], found) == (None, [])


@pytest.mark.parametrize(
    ("fixed", "more", "kind"),
    [pytest.param(None, {}, None, id="neither"), pytest.param(FIXED, {"adaptive": {"peak_iops": 1}}, "fixed", id="both")],
)
def test_a_policy_is_of_one_kind(fixed: Any, more: dict[str, Any], kind: str | None) -> None:
    row, found = limits(fixed, **more)
    assert (row["kind"], row["raw"], row["is_read"], found) == (kind, None, False, ["fixed or adaptive"])


def test_a_policy_is_kept_for_volumes() -> None:
    row, _ = limits(FIXED)
    assert qos.policy_of(row) == Policy("p-1", "gold", 100, 5000, 10**8, is_shared=True, is_read=True)


def test_a_mounted_flexvol_is_a_share_and_another_is_none() -> None:
    volume = {"nas": {"path": "/files"}, "state": "online", "size": 1 << 40}
    assert rows.share_row(record(volume), replace(FLEXVOL, used_bytes=1 << 39), UNDER_GOLD, POLICIES, {("svm", "other")}) == {
        "qos_levels_read": True,
        "volume_id": "v-1",
        "name": "vol",
        "kind": "share",
        "serial": None,
        "device": None,
        "is_virtual": False,
        "vvol_id": None,
        "status": "online",
        "size_bytes": 1 << 40,
        "used_bytes": 1 << 39,
        "pool_id": "a-1",
        "svm": "svm",
        "export_path": "/files",
        **QOS_OF_NONE,
        **AROUND_GOLD,
    }
    for nas in (None, {}, {"path": ""}):
        assert rows.share_row(record({**volume, "nas": nas}), FLEXVOL, NO_POLICY, POLICIES, ()) is None


LUN: dict[str, Any] = {
    "uuid": "L-1",
    "class": "regular",
    "name": "/vol/vol/lun1",
    "os_type": "vmware",
    "serial_number": "wOj4]?EZ1abc",
    "svm": {"name": "svm"},
    "space": {"size": 1 << 30, "used": 1 << 29},
    "status": {"state": "online"},
    "location": {"volume": {"uuid": "V-1"}},
}
DEVICE = "naa.600a0980" + b"wOj4]?EZ1abc".hex()


@pytest.mark.parametrize(
    ("changes", "columns", "named"),
    [
        pytest.param({}, {}, [], id="a LUN"),
        pytest.param({"class": "vvol"}, {"kind": "vvol", "device": None, "is_virtual": True, "vvol_id": "l-1"}, [], id="a vVol"),
        pytest.param({"class": "odd"}, {"kind": None, "is_virtual": None}, ["class"], id="a class nobody knows"),
        pytest.param({"os_type": "odd"}, {"os_type": None}, ["os_type"], id="hosts nobody knows"),
        pytest.param({"class": None}, {"kind": None, "is_virtual": None}, ["class"], id="no class"),
        pytest.param({"qos_policy": {"uuid": "P-1", "name": "gold"}}, QOS_OF_GOLD, [], id="a policy of its own"),
        pytest.param({"status": None}, {"status": None}, ["status"], id="no state"),
        pytest.param({"space": None}, {"size_bytes": None, "used_bytes": None}, ["space"], id="no size"),
        pytest.param({"space": {"size": 1 << 30}}, {"used_bytes": None}, [], id="what is used is not told"),
        pytest.param({"space": {"size": 1 << 30, "used": "half"}}, {"used_bytes": None}, ["space.used"], id="what is used is no number"),
        pytest.param({"svm": None}, {"svm": None, "qos_read": False}, ["svm"], id="no SVM"),
        pytest.param({"svm": {"name": "other"}}, {"svm": "other", "qos_read": False}, [], id="an SVM whose policy is not known"),
        pytest.param(
            {"location": {"volume": {"uuid": "V-9"}}}, {"pool_id": None, "qos_read": False}, ["location.volume"], id="a volume not listed"
        ),
        pytest.param({"location": None}, {"pool_id": None, "qos_read": False}, ["location"], id="no volume"),
        pytest.param(
            {"serial_number_hex": "600A098038" + "AB" * 7}, {"device": "naa.600a0980600a098038" + "ab" * 7}, [], id="by its bytes"
        ),
        pytest.param({"serial_number": "short"}, {"serial": "short", "device": None}, ["serial_number"], id="a short serial"),
        pytest.param({"serial_number": "wOj4]?EZ1ab\u00e9"}, {"serial": "wOj4]?EZ1ab\u00e9", "device": None}, ["serial_number"], id="odd"),
        pytest.param({"serial_number": None}, {"serial": None, "device": None}, ["serial_number"], id="no serial"),
    ],
)
def test_a_lun_has_its_device_place_and_policies(changes: dict[str, Any], columns: dict[str, Any], named: list[str]) -> None:
    given = record({**LUN, **changes})
    whole = {
        "volume_id": "l-1",
        "name": "/vol/vol/lun1",
        "kind": "lun",
        "os_type": "vmware",
        "serial": "wOj4]?EZ1abc",
        "device": DEVICE,
        "is_virtual": False,
        "vvol_id": None,
        "status": "online",
        "size_bytes": 1 << 30,
        "used_bytes": 1 << 29,
        "qos_group_size_bytes": None,
        "qos_group_used_bytes": None,
        "pool_id": "a-1",
        "svm": "svm",
        "export_path": None,
        **QOS_OF_NONE,
    }
    assert rows.lun_row(given, {"v-1": FLEXVOL}, {"svm": NO_POLICY}, POLICIES) == {**whole, **columns}
    assert errors(given) == named


def test_the_size_of_a_file_system_stands_with_the_policy_that_it_is_given() -> None:
    limited = Container("v-1", "svm", "vol", "a-1", UNDER_GOLD, size_bytes=1 << 40, used_bytes=1 << 38)
    for within, sizes in ((limited, (1 << 40, 1 << 38)), (replace(limited, qos=NO_POLICY), (None, None))):
        row = rows.lun_row(record(LUN), {"v-1": within}, {"svm": UNDER_GOLD}, POLICIES)
        assert (row["qos_group_size_bytes"], row["qos_group_used_bytes"]) == sizes


def test_a_volume_under_an_adaptive_policy_has_all_of_its_qos_read() -> None:
    row, _ = limits(None, adaptive={"peak_iops": 4096})
    policies = {"p-1": qos.policy_of(row)}
    for own, around in ((UNDER_GOLD, ()), (NO_POLICY, (UNDER_GOLD,))):
        columns = qos.qos_columns(record({}), own, around, policies)
        assert (columns["qos_read"], columns["qos_max_iops"], columns["qos_group_max_iops"]) == (True, None, None)


def test_what_holds_around_a_lun_is_its_volumes_policy_and_its_svms() -> None:
    limited = Container("v-1", "svm", "vol", "a-1", UNDER_GOLD)
    for containers, of_svm in (({"v-1": limited}, NO_POLICY), ({"v-1": FLEXVOL}, UNDER_GOLD)):
        row = rows.lun_row(record(LUN), containers, {"svm": of_svm}, POLICIES)
        assert {name: row[name] for name in (*AROUND_GOLD, "qos_read")} == {**AROUND_GOLD, "qos_read": True}


def test_protocol_endpoints_bindings_and_connections() -> None:
    endpoint = {"uuid": "E-1", "serial_number": "wOj4]?EZ1abc", "status": {"state": "online"}}
    assert rows.protocol_endpoint_row(record(endpoint)) == {
        "protocol_endpoint_id": "e-1",
        "device": DEVICE,
        "state": "online",
        "node_id": None,
    }
    assert rows.protocol_endpoint_row(record({**endpoint, "status": None}))["state"] is None
    binding = {"vvol": {"uuid": "L-1"}, "protocol_endpoint": {"uuid": "E-1"}}
    assert rows.binding_row(record(binding), {"e-1": DEVICE}) == {
        "binding_id": "l-1/e-1",
        "vvol_id": "l-1",
        "protocol_endpoint_id": "e-1",
        "array_host_id": None,
        "device": DEVICE,
    }
    for end in binding:
        row = rows.binding_row(record({**binding, end: None}), {"e-1": DEVICE})
        assert (row["binding_id"], row["device"]) == (None, DEVICE if end == "vvol" else None)
    mapping = {"lun": {"uuid": "L-1"}, "igroup": {"uuid": "G-1"}, "logical_unit_number": 0}
    assert rows.connection_row(record(mapping)) == {"volume_id": "l-1", "array_host_id": "g-1", "lun": 0}
    given = record({"lun": None, "igroup": None})
    assert rows.connection_row(given) == {"volume_id": None, "array_host_id": None, "lun": None}
    assert errors(given) == ["lun", "igroup"]


def test_a_host_is_an_initiator_group() -> None:
    names = ["IQN.x:1", "21:00:00:24:FF:00:00:01", "iqn.x:1", "eui.1", "naa.2"]
    given = record({"uuid": "G-1", "name": "esx", "os_type": "vmware", "initiators": [*({"name": name} for name in names)]})
    host, initiators = rows.host_rows(given)
    assert host == {"array_host_id": "g-1", "name": "esx", "host_group": None, "host_type": "vmware"}
    assert initiators == [
        {"array_host_id": "g-1", "initiator": initiator, "kind": kind}
        for initiator, kind in (("iqn.x:1", "iscsi"), ("21000024ff000001", "fc"), ("eui.1", "iscsi"), ("naa.2", "iscsi"))
    ]
    assert errors(given) == []
    empty = record({"uuid": "G-1", "name": "esx", "os_type": "vmware"})
    assert (rows.host_rows(empty)[1], errors(empty)) == ([], [])
    odd = record({"uuid": "G-1", "name": "esx", "os_type": "vmware", "initiators": [{"name": "odd"}, {"name": 7}, "x", {"name": "iqn.1"}]})
    assert [row["initiator"] for row in rows.host_rows(odd)[1]] == ["iqn.1"]
    assert errors(odd) == ["initiators of it and 2 more"]
    wrong = record({"uuid": "G-1", "name": "esx", "os_type": "vmware", "initiators": {}})
    assert (rows.host_rows(wrong)[1], errors(wrong)) == ([], ["initiators"])


METRIC: dict[str, Any] = {"status": "ok", "iops": {"total": 300}, "latency": {"total": 900}, "throughput": {"total": 1_000_000}}


@pytest.mark.parametrize(
    ("metric", "columns", "named"),
    [
        pytest.param(
            METRIC, {"average_io_bytes": 3333, "actual_iops": 300, "latency_us": 900, "bytes_per_second": 1_000_000}, [], id="busy"
        ),
        pytest.param(
            {**METRIC, "iops": {"total": 0}, "latency": {"total": 0}, "throughput": {"total": 0}},
            {"actual_iops": 0, "bytes_per_second": 0},
            [],
            id="idle",
        ),
        pytest.param({**METRIC, "throughput": None}, {"actual_iops": 300, "latency_us": 900}, ["metric.throughput"], id="no throughput"),
        pytest.param({**METRIC, "status": "partial_no_data"}, {}, ["metric.status"], id="not whole"),
        pytest.param(
            {**METRIC, "status": None},
            {"average_io_bytes": 3333, "actual_iops": 300, "latency_us": 900, "bytes_per_second": 1_000_000},
            ["metric.status"],
            id="no status",
        ),
        pytest.param(None, {}, ["metric"], id="none"),
    ],
)
def test_the_load_of_a_volume_is_a_mean_of_seconds(metric: Any, columns: dict[str, Any], named: list[str]) -> None:
    given = record({"uuid": "L-1", "metric": metric})
    empty = dict.fromkeys(("average_io_bytes", "actual_iops", "latency_us", "bytes_per_second"))
    assert rows.load_row(given, 0.25) == {"volume_id": "l-1", "misaligned_ratio": 0.25, **empty, **columns}
    assert errors(given) == named
