"""Records of an Element cluster into rows, with no cluster: every column, and what is left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.element import access_rows, rows

PE, NAA = "6f47acc2000000016a79337700000005", "naa.6f47acc2000000016a79337700000005"
QOS = {"minIOPS": 50, "maxIOPS": 15000, "burstIOPS": 20000, "curve": {"4096": 100}}
CURVE = '{"4096": 100}'
ENDPOINT = {"protocolEndpointID": "a", "scsiNAADeviceID": PE, "primaryProviderID": 1}
VOLUME: dict[str, Any] = {
    "volumeID": 7,
    "name": "fast",
    "scsiNAADeviceID": PE,
    "virtualVolumeID": None,
    "status": "active",
    "totalSize": 1 << 30,
    "qosPolicyID": 3,
    "qos": QOS,
}


def record(value: dict[str, Any], label: str = "it") -> Record:
    return Record(value, label, ParseErrors("Method"))


def errors(one: Record) -> list[tuple[str, str]]:
    return [(gap.what.removeprefix("Method: "), gap.why) for gap in one.parse_errors.gaps("sf")]


def test_a_node_has_its_type_role_and_kind_of_ports() -> None:
    node = {"nodeID": 4, "name": "n4", "softwareVersion": "12.3", "role": "Storage", "platformInfo": {"nodeType": "SF4805"}}
    given = record({**node, "fibreChannelTargetPortGroup": 1})
    assert rows.node_row(given, "nodeID", "active") == {
        "node_id": "4",
        "name": "n4",
        "state": "active",
        "version": "12.3",
        "model": "SF4805",
        "role": "Storage",
        "is_fibre_channel": True,
    }
    assert rows.node_row(record({**node, "fibreChannelTargetPortGroup": None}), "nodeID", "active")["is_fibre_channel"] is False
    pending = record({"pendingNodeID": 9, "name": "n9", "softwareVersion": "11.8"})
    open_ = rows.node_row(pending, "pendingNodeID", "pending")
    assert (open_["node_id"], open_["state"], open_["model"], open_["role"], open_["is_fibre_channel"]) == (
        "9",
        "pending",
        None,
        None,
        None,
    )
    assert (errors(given), errors(pending)) == ([], [])
    assert rows.node_row(record({**node, "platformInfo": {"nodeType": 7}}), "nodeID", "active")["model"] is None
    assert rows.node_row(record({**node, "platformInfo": ["nodeType"]}), "nodeID", "active")["model"] is None


@pytest.mark.parametrize("lost", [None, "minIOPS", "maxIOPS", "burstIOPS", "curve"])
def test_a_policy_is_read_where_all_its_limits_are(lost: str | None) -> None:
    given = record({"qosPolicyID": 3, "name": "gold", "qos": {**QOS, **({} if lost is None else {lost: None})}, "volumeIDs": [1, 2]})
    limits = {"minIOPS": ("min_iops", 50), "maxIOPS": ("max_iops", 15000), "burstIOPS": ("burst_iops", 20000), "curve": ("curve", CURVE)}
    assert rows.policy_row(given) == {
        "policy_id": "3",
        "name": "gold",
        "kind": "policy",
        **{column: None if name == lost else value for name, (column, value) in limits.items()},
        "is_shared": False,
        "is_read": lost is None,
        "volumes": 2,
    }
    assert [what for what, _ in errors(given)] == ([] if lost is None else [f"qos.{lost} of it"])


def test_limits_of_a_cluster_have_their_columns() -> None:
    names = ("MinIOPSMin", "MinIOPSMax", "MaxIOPSMin", "MaxIOPSMax", "BurstIOPSMin", "BurstIOPSMax")
    columns = ("min_iops_floor", "min_iops_ceiling", "max_iops_floor", "max_iops_ceiling", "burst_iops_floor", "burst_iops_ceiling")
    given = record({f"volume{name}": number for number, name in enumerate(names)})
    assert rows.limit_row(given) == {column: number for number, column in enumerate(columns)}


def test_a_volume_has_its_device_policy_and_limits() -> None:
    given = record(VOLUME)
    assert rows.volume_row(given, {"3": "gold"}) == {
        "volume_id": "7",
        "name": "fast",
        "kind": "lun",
        "device": NAA,
        "is_virtual": False,
        "vvol_id": None,
        "status": "active",
        "size_bytes": 1 << 30,
        "qos_policy_id": "3",
        "qos_policy": "gold",
        "qos_shared": False,
        "qos_min_iops": 50,
        "qos_max_iops": 15000,
        "qos_burst_iops": 20000,
        "qos_curve": CURVE,
        "qos_read": True,
    }
    assert errors(given) == []


@pytest.mark.parametrize(
    ("changes", "columns", "named"),
    [
        pytest.param(
            {"virtualVolumeID": "A-1"}, {"vvol_id": "a-1", "is_virtual": True, "kind": "vvol", "device": NAA}, [], id="a virtual volume"
        ),
        pytest.param(
            {"virtualVolumeID": ""}, {"vvol_id": None, "is_virtual": None, "kind": None}, ["virtualVolumeID of it"], id="not known whether"
        ),
        pytest.param({"qosPolicyID": None}, {"qos_policy_id": None, "qos_policy": None, "qos_shared": None}, [], id="limits of its own"),
        pytest.param(
            {"qosPolicyID": 4},
            {"qos_policy_id": "4", "qos_policy": None, "qos_shared": False},
            ["qosPolicyID of it"],
            id="a policy not listed",
        ),
        pytest.param({"qosPolicyID": 5}, {"qos_policy": None}, ["qosPolicyID of it"], id="a policy without a name"),
        pytest.param(
            {"qos": None},
            {"qos_min_iops": None, "qos_max_iops": None, "qos_burst_iops": None, "qos_curve": None, "qos_read": False},
            ["qos of it"],
            id="no limits",
        ),
        pytest.param(
            {"qos": {**QOS, "curve": {}}}, {"qos_curve": None, "qos_max_iops": 15000, "qos_read": False}, ["qos.curve of it"], id="no curve"
        ),
    ],
)
def test_what_is_not_known_of_a_volume_is_left_open(changes: dict[str, Any], columns: dict[str, Any], named: list[str]) -> None:
    given = record({**VOLUME, **changes})
    row = rows.volume_row(given, {"3": "gold", "5": None})
    assert {name: row[name] for name in columns} == columns
    assert [what for what, _ in errors(given)] == named


@pytest.mark.parametrize(
    ("changes", "state", "named"),
    [
        pytest.param({"access": "readWrite"}, "active", [], id="reads and writes"),
        # solidfire-sdk-python, VolumeAccess: "No reads or writes are allowed", of the first also where a SnapMirror endpoint has it.
        pytest.param({"access": "snapMirrorTarget"}, "snapMirrorTarget", [], id="of a SnapMirror endpoint"),
        pytest.param({"access": "locked"}, "locked", [], id="locked"),
        pytest.param({"access": "replicationTarget"}, "replicationTarget", [], id="the target of a pair"),
        pytest.param({"access": "sealed"}, None, ["access of it"], id="another word"),
        pytest.param({"access": "locked", "status": "deleted"}, "deleted", [], id="deleted"),
        pytest.param({}, "active", [], id="not told"),
    ],
)
def test_the_state_of_an_active_volume_is_what_hosts_get_of_it(changes: dict[str, Any], state: str | None, named: list[str]) -> None:
    given = record({**VOLUME, **changes})
    assert rows.volume_row(given, {"3": "gold"})["status"] == state
    assert [what for what, _ in errors(given)] == named


def test_a_volume_that_does_not_say_whether_it_is_virtual_is_neither() -> None:
    given = record({name: value for name, value in VOLUME.items() if name != "virtualVolumeID"})
    row = rows.volume_row(given, {"3": "gold"})
    assert (row["is_virtual"], row["kind"], row["vvol_id"]) == (None, None, None)


STATS: dict[str, Any] = {
    "volumeID": 7,
    "averageIOPSize": 8192,
    "actualIOPS": 900,
    "volumeUtilization": 0.75,
    "latencyUSec": 1200,
    "clientQueueDepth": 12,
    "burstIOPSCredit": 4000,
    "readBytesLastSample": 1000,
    "writeBytesLastSample": 500,
    "samplePeriodMSec": 500,
}


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        pytest.param({}, {}, id="a busy volume"),
        pytest.param({"averageIOPSize": 0}, {"average_io_bytes": None}, id="an idle one"),
        pytest.param({"samplePeriodMSec": 0}, {"bytes_per_second": None}, id="one that nothing was ever done with"),
        pytest.param({"samplePeriodMSec": None}, {"bytes_per_second": None}, id="no period"),
        pytest.param({"readBytesLastSample": None}, {"bytes_per_second": None}, id="bytes of reads not known"),
        pytest.param({"writeBytesLastSample": None}, {"bytes_per_second": None}, id="bytes of writes not known"),
        pytest.param({"readBytesLastSample": 0, "writeBytesLastSample": 0}, {"bytes_per_second": 0}, id="no bytes"),
    ],
)
def test_the_load_of_a_volume_is_that_of_its_last_sample(changes: dict[str, Any], columns: dict[str, Any]) -> None:
    assert rows.load_row(record({**STATS, **changes})) == {
        "volume_id": "7",
        "average_io_bytes": 8192,
        "actual_iops": 900,
        "utilization": 0.75,
        "latency_us": 1200,
        "client_queue_depth": 12,
        "burst_credit": 4000,
        "throttled_share": None,
        "bytes_per_second": 3000,
        **columns,
    }


@pytest.mark.parametrize(
    ("reported", "share", "named"),
    [(0, 0.0, []), (0.4, 0.4, []), (1, 1.0, []), (1.5, None, ["throttle of it"]), (None, None, ["throttle of it"])],
    ids=["not held", "held to 60 % of its ceiling", "held altogether", "more than that", "none"],
)
def test_how_far_below_its_ceiling_a_volume_is_held_is_a_share(reported: Any, share: float | None, named: list[str]) -> None:
    given = record({**STATS, "throttle": reported})
    assert rows.load_row(given)["throttled_share"] == share
    assert [what for what, _ in errors(given)] == named


def test_a_release_that_tells_no_credit_leaves_it_open() -> None:
    given = record({key: value for key, value in STATS.items() if key != "burstIOPSCredit"})
    assert (rows.load_row(given)["burst_credit"], list(given.parse_errors.gaps("sf"))) == (None, [])


def test_counters_of_a_volume_are_a_row_each_those_of_newer_releases_too() -> None:
    counters = {name: {"Bucket0": 1, "Bucket4096To8191": "x"} if name == "readBlockSizes" else {} for name in rows.HISTOGRAMS}
    given = record({"volumeID": 7, "histograms": {**counters, "newIops5Kinds": {"Bucket1": 5}, "timestamp": "2026"}})
    found = [tuple(row.values()) for row in rows.histogram_rows(given)]
    assert found == [
        ("7", "read_block_sizes", "0", 1),
        ("7", "read_block_sizes", "4096To8191", None),
        ("7", "new_iops5_kinds", "1", 5),
    ]
    assert [list(row) for row in rows.histogram_rows(given)] == [["volume_id", "kind", "bucket", "count"]] * 3
    assert list(rows.histogram_rows(record({"volumeID": 7}))) == []
    lacking = record({"volumeID": 7, "histograms": {name: {} for name in rows.HISTOGRAMS[1:]}})
    assert list(rows.histogram_rows(lacking)) == []
    assert [what for what, _ in errors(lacking)] == [f"histograms.{rows.HISTOGRAMS[0]} of it"]


def test_protocol_endpoints_and_bindings() -> None:
    endpoint = {"protocolEndpointID": "A1", "scsiNAADeviceID": PE, "protocolEndpointState": "Active", "primaryProviderID": 2}
    assert rows.protocol_endpoint_row(record(endpoint)) == {
        "protocol_endpoint_id": "a1",
        "device": NAA,
        "state": "Active",
        "node_id": "2",
    }
    assert rows.protocol_endpoint_row(record({**endpoint, "primaryProviderID": None}))["node_id"] is None
    ids = {"virtualVolumeBindingID": 1, "virtualVolumeID": "V", "protocolEndpointID": "P", "virtualVolumeHostID": "H"}
    assert rows.binding_row(record({**ids, "protocolEndpointInBandID": NAA})) == {
        "binding_id": "1",
        "vvol_id": "v",
        "protocol_endpoint_id": "p",
        "array_host_id": "h",
        "device": NAA,
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(" IQN.1998-01.com.vmware:ESX1 ", ("iqn.1998-01.com.vmware:esx1", "iscsi"), id="an IQN"),
        pytest.param("eui.02004567A425678D", ("eui.02004567a425678d", "iscsi"), id="an EUI"),
        pytest.param("21:00:F4:E9:D4:00:00:01", ("2100f4e9d4000001", "fc"), id="a WWPN with colons"),
        pytest.param("2100F4E9D4000001", ("2100f4e9d4000001", "fc"), id="a WWPN"),
        pytest.param("iqn.with a blank", None, id="a name with a blank"),
        pytest.param("esx1", None, id="neither"),
    ],
)
def test_an_initiator_is_written_as_hosts_write_it(name: str, expected: tuple[str, str] | None) -> None:
    assert access_rows.initiator(name) == expected


SESSION = {"sessionID": 5, "volumeID": 7, "nodeID": 2, "initiatorName": "iqn.x:1", "initiatorIP": "10.0.0.149:33196"}


@pytest.mark.parametrize(
    ("changes", "columns", "named"),
    [
        pytest.param({}, {}, [], id="a session"),
        pytest.param({"volumeID": None}, {"volume_id": None}, [], id="with no volume"),
        pytest.param({"initiatorIP": "[2001:db8::9]:33196"}, {"initiator_address": "2001:db8::9"}, [], id="over IPv6"),
        pytest.param({"initiatorIP": "2001:db8::9"}, {"initiator_address": "2001:db8::9"}, [], id="over IPv6 without a port"),
        pytest.param({"initiatorIP": "10.0.0.1"}, {"initiator_address": "10.0.0.1"}, [], id="without a port"),
        pytest.param({"initiatorIP": "no address"}, {"initiator_address": None}, [("initiatorIP of it", "is no address")], id="no address"),
        pytest.param(
            {"initiatorName": "odd"},
            {"initiator": None},
            [("initiatorName of it", "is neither an iSCSI name nor a WWPN")],
            id="no initiator",
        ),
        pytest.param(
            {"initiatorName": None, "initiatorIP": None},
            {"initiator": None, "initiator_address": None},
            [(f"{name} of it", "is null where a string was expected") for name in ("initiatorName", "initiatorIP")],
            id="nothing",
        ),
    ],
)
def test_an_iscsi_session(changes: dict[str, Any], columns: dict[str, Any], named: list[tuple[str, str]]) -> None:
    given = record({**SESSION, **changes})
    assert access_rows.iscsi_session_row(given) == {
        "session_id": "5",
        "volume_id": "7",
        "node_id": "2",
        "initiator": "iqn.x:1",
        "initiator_address": "10.0.0.149",
        **columns,
    }
    assert errors(given) == named


@pytest.mark.parametrize(
    ("ours", "theirs", "session", "initiator"),
    [
        pytest.param("21:00:00:00:00:00:00:01", "5000000000000002", "2100000000000001-5000000000000002", "2100000000000001", id="both"),
        pytest.param("odd", "5000000000000002", None, None, id="the host's is odd"),
        pytest.param("2100000000000001", "odd", None, "2100000000000001", id="the cluster's is odd"),
    ],
)
def test_a_fibre_channel_session_is_named_by_its_ports(ours: str, theirs: str, session: str | None, initiator: str | None) -> None:
    row = access_rows.fibre_channel_session_row(record({"initiatorWWPN": ours, "targetWWPN": theirs, "nodeID": 2}))
    assert row == {"session_id": session, "volume_id": None, "node_id": "2", "initiator": initiator, "initiator_address": None}


@pytest.mark.parametrize(
    ("read", "expected", "kind"),
    [pytest.param(access_rows.texts, ["a", "b"], "int", id="texts"), pytest.param(access_rows.identifiers, ["1"], "str", id="ids")],
)
def test_what_does_not_belong_into_a_list_is_left_out_and_named(
    read: Callable[[Record, str], list[str]], expected: list[str], kind: str
) -> None:
    given = record({"x": ["a", 1, "b"]})
    assert read(given, "x") == expected
    assert errors(given) == [
        ("x of it" if kind == "int" else "x of it and 1 more", f"holds a {kind}, which was left out"),
    ]
    missing = record({})
    assert (read(missing, "x"), [what for what, _ in errors(missing)]) == ([], ["x of it"])


def test_an_access_group_is_a_host() -> None:
    assert access_rows.access_group_row(record({"volumeAccessGroupID": 3, "name": "esx"})) == {
        "array_host_id": "3",
        "name": "esx",
        "host_group": None,
        "host_type": None,
    }


@pytest.mark.parametrize(
    ("read", "column"),
    [
        pytest.param(lambda: (one := record({**VOLUME, "status": "resting"}), rows.volume_row(one, {"3": "gold"})), "status", id="volume"),
        pytest.param(
            lambda: (
                one := record(ENDPOINT | {"protocolEndpointState": "Resting"}),
                rows.protocol_endpoint_row(one),
            ),
            "state",
            id="protocol endpoint",
        ),
        pytest.param(
            lambda: (
                one := record({"nodeID": 1, "name": "n1", "softwareVersion": "12.3", "role": "Cache"}),
                rows.node_row(one, "nodeID", "active"),
            ),
            "role",
            id="node",
        ),
    ],
)
def test_a_value_that_the_reference_does_not_list_is_unknown_and_named(read: Callable[[], Any], column: str) -> None:
    one, row = read()
    assert row[column] is None
    assert [why for _, why in errors(one)] in ([f"is {value!r}, which is not known"] for value in ("resting", "Resting", "Cache"))


@pytest.mark.parametrize(("volume_id", "expected"), [(0, None), (None, None), (3, "3")])
def test_a_session_with_volume_0_is_with_none(volume_id: int | None, expected: str | None) -> None:
    initiator = {"initiatorName": "iqn.1998-01.com.vmware:esx", "initiatorIP": "192.0.2.1"}
    session = {"sessionID": 5, "volumeID": volume_id, "nodeID": 1, **initiator}
    assert access_rows.iscsi_session_row(record(session))["volume_id"] == expected


FAULT = {
    "clusterFaultID": 12,
    "severity": "error",
    "details": "a\n drive",
    "code": "driveFailed",
    "type": "drive",
    "nodeID": 4,
    "resolved": False,
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, {}, id="of a node"),
        pytest.param({"nodeID": 0}, {"component": "drive"}, id="of no node"),
        pytest.param({"nodeID": "4"}, {"component": "drive"}, id="of what is no number of a node"),
        pytest.param({"resolved": True}, {"is_open": False}, id="resolved"),
        pytest.param({"resolved": None}, {"is_open": None}, id="whether it is resolved is not reported"),
        pytest.param({"severity": "bestPractice"}, {"severity": "info", "own_severity": "bestPractice"}, id="an advice"),
        pytest.param({"code": None, "details": None}, {"code": None, "summary": None}, id="without a code and words"),
    ],
)
def test_a_fault_has_the_clusters_own_words_and_is_open_until_it_is_resolved(given: dict[str, Any], expected: dict[str, Any]) -> None:
    usual = {"alert_id": "12", "severity": "error", "own_severity": "error", "code": "driveFailed", "component": "node 4"}
    wanted = {**usual, "summary": "a drive", "is_open": True, **expected}
    row = rows.fault_row(record({**FAULT, **given}))
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("answer", "iops"),
    [(None, None), ({"clusterCapacity": {"maxIOPS": 50000}}, 50000), ({"clusterCapacity": {"maxIOPS": 0}}, None), ({}, None)],
)
def test_what_a_cluster_can_do_is_known_where_it_was_estimated(answer: dict[str, Any] | None, iops: int | None) -> None:
    assert rows.cluster_iops(answer, ParseErrors("GetClusterCapacity")) == iops


def test_a_state_of_a_volume_or_protocol_endpoint_that_is_not_reported_is_told() -> None:
    volume, endpoint = record({name: value for name, value in VOLUME.items() if name != "status"}), record(ENDPOINT)
    rows.volume_row(volume, {"3": "gold"})
    rows.protocol_endpoint_row(endpoint)
    assert ["status" in what for what, _ in errors(volume)] == [True]
    assert ["protocolEndpointState" in what for what, _ in errors(endpoint)] == [True]
