"""Records of an ONTAP cluster into rows, with no cluster: every column, and what is left open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.endpoints.ontap import rows
from auditor.endpoints.ontap.qos import NO_POLICY
from auditor.endpoints.ontap.rows import Container
from tests.endpoints.ontap.ontap_records import (
    AROUND_GOLD,
    FLEXVOL,
    LUN,
    POLICIES,
    QOS_OF_GOLD,
    QOS_OF_NONE,
    UNDER_GOLD,
    errors,
    record,
)


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
