"""Records of a FlashArray into rows, with no array: every column, and what is left open."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.flasharray import hosts, rows
from auditor.endpoints.flasharray.limits import ceiling_of
from auditor.endpoints.flasharray.rows import Ceilings

SERIAL = "5A1F77C29B3E4D1000011010"
NAA, EUI = "naa.624a93705a1f77c29b3e4d1000011010", "eui.005a1f77c29b3e4d24a9371000011010"
NOTHING = {"name": None, "id": None}
OPEN, NONE = Ceilings(None, None, is_read=False), Ceilings(None, None, is_read=True)
VOLUME: dict[str, Any] = {
    "id": "A-1",
    "name": "pod::fast",
    "serial": SERIAL,
    "destroyed": False,
    "subtype": "regular",
    "provisioned": 1 << 30,
    "pod": {"id": "p", "name": "pod"},
    "source": {"id": "S-1", "name": "gold"},
    "qos": {"iops_limit": 5000, "bandwidth_limit": None},
    "priority_adjustment": {"priority_adjustment_operator": "+", "priority_adjustment_value": 10},
    "volume_group": {"id": "G-1", "name": "vg"},
}
GROUPS = {"g-1": ("vg", Ceilings(9000, 1 << 30, is_read=True)), "g-2": ("odd", OPEN)}


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("GET x"))


def errors(found: ParseErrors) -> list[tuple[str, str]]:
    return [(gap.what.removeprefix("GET x: "), gap.why) for gap in found.gaps("fa")]


@pytest.mark.parametrize(
    ("qos", "expected", "named"),
    [
        pytest.param({"iops_limit": 5000, "bandwidth_limit": 1 << 30}, Ceilings(5000, 1 << 30, is_read=True), [], id="both"),
        pytest.param({"iops_limit": None}, NONE, [], id="none"),
        pytest.param({"iops_limit": 100_000_000, "bandwidth_limit": 512 << 30}, NONE, [], id="the highest there are, which are none"),
        pytest.param({"iops_limit": 99_999_999}, Ceilings(99_999_999, None, is_read=True), [], id="just below"),
        pytest.param({"iops_limit": 100, "bandwidth_limit": 1 << 20}, Ceilings(100, 1 << 20, is_read=True), [], id="the lowest there are"),
        pytest.param({"iops_limit": 99}, OPEN, [("qos.iops_limit of it", "is below 100, the lowest there is")], id="below the lowest"),
        pytest.param(
            {"iops_limit": "odd", "bandwidth_limit": 1 << 30},
            Ceilings(None, 1 << 30, is_read=False),
            [("qos.iops_limit of it", "is a str that is not a whole number")],
            id="one is odd",
        ),
        pytest.param(
            {"iops_limit": 5000, "bandwidth_limit": "odd"},
            Ceilings(5000, None, is_read=False),
            [("qos.bandwidth_limit of it", "is a str that is not a whole number")],
            id="the other is odd",
        ),
        pytest.param(None, OPEN, [("qos of it", "is null where an object was expected")], id="nothing"),
    ],
)
def test_ceilings_are_read_where_both_are_understood(qos: Any, expected: Ceilings, named: list[tuple[str, str]]) -> None:
    given = record({"qos": qos})
    assert (rows.ceilings(given), errors(given.parse_errors)) == (expected, named)


def test_the_highest_value_is_no_ceiling() -> None:
    assert [ceiling_of("iops_limit", number) for number in (100_000_001, 100_000_000, 99_999_999)] == [None, None, 99_999_999]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({}, (None, None), id="no field"),
        pytest.param({"pod": None}, (None, None), id="null"),
        pytest.param({"pod": NOTHING}, (None, None), id="to nothing"),
        pytest.param({"pod": {"id": "1", "name": "a"}}, ("1", "a"), id="by id and name"),
        pytest.param({"pod": {"name": "a"}}, (None, "a"), id="by name alone"),
        pytest.param({"pod": "odd"}, (None, None), id="no object"),
    ],
)
def test_a_reference_has_an_id_and_a_name(value: dict[str, Any], expected: tuple[str | None, str | None]) -> None:
    assert rows.reference(record(value), "pod") == expected


@pytest.mark.parametrize(
    ("serial", "by_nvme", "device"), [(SERIAL, False, NAA), (SERIAL.lower(), True, EUI), (SERIAL[1:], False, None), ("G" * 24, True, None)]
)
def test_hosts_see_a_volume_by_its_serial(serial: str, by_nvme: bool, device: str | None) -> None:
    assert rows.device_of(serial, by_nvme=by_nvme) == device


def test_an_array_and_its_controllers() -> None:
    assert rows.array_row(record({"name": "fa", "id": "F-1", "version": "6.5.1"}), "flasharray", "FA-X70") == {
        "family": "flasharray",
        "name": "fa",
        "array_id": "f-1",
        "version": "6.5.1",
        "model": "FA-X70",
    }
    controller = {"name": "CT0", "status": "ready", "version": "6.5.1", "model": "FA-X70R3"}
    expected = {"node_id": "ct0", "name": "CT0", "state": "ready", "version": "6.5.1", "model": "FA-X70R3"}
    assert rows.node_row(record(controller)) == expected
    absent = record({"name": "CT1", "status": "not ready"})
    assert rows.node_row(absent) == {"node_id": "ct1", "name": "CT1", "state": "not ready", "version": None, "model": None}
    assert errors(absent.parse_errors) == []


def test_a_volume_group_shares_its_ceilings() -> None:
    group = record({"id": "G-1", "name": "vg", "volume_count": 3, "priority_adjustment": VOLUME["priority_adjustment"]})
    assert rows.group_row(group, Ceilings(9000, 1 << 30, is_read=True)) == {
        "policy_id": "g-1",
        "name": "vg",
        "kind": "volume_group",
        "max_iops": 9000,
        "max_bytes_per_second": 1 << 30,
        "priority": "+10",
        "is_shared": True,
        "is_read": True,
        "volumes": 3,
    }
    assert rows.group_row(group, OPEN)["is_read"] is False


@pytest.mark.parametrize(
    ("adjustment", "expected", "named"),
    [
        pytest.param({"priority_adjustment_operator": "=", "priority_adjustment_value": -10}, "=-10", 0, id="set"),
        pytest.param(None, None, 0, id="none in this release"),
        pytest.param({"priority_adjustment_operator": "+", "priority_adjustment_value": "10"}, None, 1, id="no number"),
        pytest.param({"priority_adjustment_operator": None, "priority_adjustment_value": 10}, None, 1, id="no operator"),
        pytest.param({"priority_adjustment_operator": "+", "priority_adjustment_value": True}, None, 1, id="a truth"),
        pytest.param("odd", None, 1, id="no object"),
    ],
)
def test_a_priority_is_an_operator_and_a_number(adjustment: Any, expected: str | None, named: int) -> None:
    given = record({"priority_adjustment": adjustment})
    assert rows.priority(given) == expected
    assert len(errors(given.parse_errors)) == named


def test_a_volume_has_its_device_group_and_ceilings() -> None:
    given = record(VOLUME)
    assert rows.volume_row(given, GROUPS, by_nvme=False) == {
        "volume_id": "a-1",
        "name": "pod::fast",
        "kind": "lun",
        "serial": SERIAL,
        "device": NAA,
        "is_virtual": False,
        "status": "active",
        "size_bytes": 1 << 30,
        "pod": "pod",
        "copy_of": "s-1",
        "qos_max_iops": 5000,
        "qos_max_bytes_per_second": None,
        "qos_priority": "+10",
        "qos_group_id": "g-1",
        "qos_group": "vg",
        "qos_group_max_iops": 9000,
        "qos_group_max_bytes_per_second": 1 << 30,
        "qos_read": True,
    }
    assert errors(given.parse_errors) == []
    assert rows.volume_row(given, GROUPS, by_nvme=True)["device"] == EUI


NO_GROUP = {"qos_group_id": None, "qos_group": None, "qos_group_max_iops": None}


@pytest.mark.parametrize(
    ("changes", "columns", "named"),
    [
        pytest.param({"name": "vvol-web-1a2b-vg/Data-0a1b2c3d"}, {"is_virtual": True, "kind": "vvol"}, [], id="a vVol"),
        pytest.param({"name": "pod::vvol-web-vg/Config-0a1b2c3d"}, {"is_virtual": True, "kind": "vvol"}, [], id="a vVol in a pod"),
        pytest.param({"name": "vvol-web-vg/Data-0a1b2c3d4"}, {"is_virtual": False, "kind": "lun"}, [], id="a name that is longer"),
        pytest.param({"name": None}, {"is_virtual": None, "kind": "lun"}, ["name of it"], id="no name"),
        pytest.param({"subtype": "protocol_endpoint"}, {"kind": "protocol_endpoint"}, [], id="a protocol endpoint"),
        pytest.param({"destroyed": True}, {"status": "destroyed", "device": None}, [], id="destroyed"),
        pytest.param({"destroyed": "odd"}, {"status": None, "device": NAA}, ["destroyed of it"], id="not known whether it is destroyed"),
        pytest.param({"promotion_status": "promoted"}, {"status": "active"}, [], id="takes writes"),
        # FlashArray REST 2.2 to 2.42, Volume.promotion_status: "demoted and no longer accepts write requests".
        pytest.param({"promotion_status": "demoted"}, {"status": "demoted"}, [], id="takes no writes"),
        pytest.param({"promotion_status": "odd"}, {"status": None}, ["promotion_status of it"], id="not known whether it takes writes"),
        pytest.param({"serial": None}, {"serial": None, "device": None}, ["serial of it"], id="no serial"),
        pytest.param({"serial": "odd"}, {"serial": "odd", "device": None}, ["serial of it"], id="an odd serial"),
        pytest.param({"source": {"id": None, "name": "gold"}}, {"copy_of": "gold"}, [], id="a copy known by name"),
        pytest.param({"source": NOTHING}, {"copy_of": None}, [], id="no copy"),
        pytest.param({"volume_group": NOTHING}, {**NO_GROUP, "qos_read": True}, [], id="in no group"),
        pytest.param({"volume_group": None}, {**NO_GROUP, "qos_read": True}, [], id="no group at all"),
        pytest.param(
            {"volume_group": {"id": "G-9", "name": "lost"}},
            {"qos_group_id": "g-9", "qos_group": "lost", "qos_group_max_iops": None, "qos_read": False},
            ["volume_group of it"],
            id="in a group that is not listed",
        ),
        pytest.param(
            {"volume_group": {"id": "G-2", "name": "odd"}}, {"qos_group": "odd", "qos_read": False}, [], id="in one not understood"
        ),
        pytest.param({"volume_group": "odd"}, {**NO_GROUP, "qos_read": False}, ["volume_group of it"] * 2, id="no group understood"),
        pytest.param({"qos": {"iops_limit": 1}}, {"qos_max_iops": None, "qos_read": False}, ["qos.iops_limit of it"], id="no ceiling"),
        pytest.param({"priority_adjustment": None}, {"qos_priority": None, "qos_read": True}, [], id="no priority in this release"),
        pytest.param({"priority_adjustment": "odd"}, {"qos_priority": None, "qos_read": False}, ["priority_adjustment of it"], id="odd"),
    ],
)
def test_what_is_not_known_of_a_volume_is_left_open(changes: dict[str, Any], columns: dict[str, Any], named: list[str]) -> None:
    given = record({**VOLUME, **changes})
    row = rows.volume_row(given, GROUPS, by_nvme=False)
    assert {name: row[name] for name in columns} == columns
    assert [what for what, _ in errors(given.parse_errors)] == named


def test_where_the_hosts_were_not_read_the_device_is_not_known_and_nothing_is_said_twice() -> None:
    given = record({**VOLUME, "serial": "odd"})
    assert rows.volume_row(given, GROUPS, by_nvme=None)["device"] is None
    assert errors(given.parse_errors) == []
    missing = record({name: value for name, value in VOLUME.items() if name != "destroyed"})
    assert rows.volume_row(missing, GROUPS, by_nvme=False)["status"] is None
    assert errors(missing.parse_errors) == [("destroyed of it", "is missing")]


def test_the_id_of_a_vvol_stands_in_a_tag() -> None:
    found = ParseErrors("GET x")
    tags = [
        {"resource": {"id": "A-1"}, "value": "rfc4122.F1"},
        {"resource": {"id": "A-2"}, "value": "plain"},
        {"resource": None, "value": "lost"},
        {"resource": {"id": None}, "value": "lost"},
        {"resource": {"id": "A-3"}},
    ]
    assert list(rows.vvol_ids({"items": tags}, found)) == [("a-1", "f1"), ("a-2", "plain")]
    assert [what for what, _ in errors(found)] == ["resource of tag 2", "resource.id of tag 3", "value of tag 4"]


@pytest.mark.parametrize(
    ("arrays", "expected", "named"),
    [
        pytest.param([{"name": "fb"}, {"name": "fa"}], "fa, fb", 0, id="two"),
        pytest.param([], None, 1, id="none"),
        pytest.param(None, None, 1, id="nothing"),
        pytest.param([{"name": "fa"}, {"name": ""}], None, 1, id="one without a name"),
        pytest.param([{"name": "fa"}, "odd"], None, 1, id="one that is no array"),
    ],
)
def test_a_pod_lies_on_arrays(arrays: Any, expected: str | None, named: int) -> None:
    given = record({"name": "pod", "arrays": arrays})
    assert rows.pod_arrays(given) == ("pod", expected)
    assert errors(given.parse_errors) == [("arrays of it", "is no list of arrays with their names")] * named


@pytest.mark.parametrize(
    ("here", "promotion", "state"),
    [
        pytest.param("suspended", "demoted", "pod demoted", id="a pod that takes no writes, on an array that may be away"),
        pytest.param("offline", "promoting", "pod offline", id="an array that is away from it"),
        pytest.param("odd", "demoted", "pod demoted", id="a word that is not known beside one that is"),
        pytest.param("odd", "promoted", None, id="a word that is not known"),
        pytest.param("suspended", "promoting", "pod suspended", id="neither tells"),
    ],
)
def test_one_word_by_which_hosts_do_not_get_at_a_pod_is_enough(here: str, promotion: str, state: str | None) -> None:
    given = record({"name": "pod", "arrays": [{"id": "A-1", "status": here}], "promotion_status": promotion})
    assert rows.pod_state(given, "a-1") == state
    assert len(errors(given.parse_errors)) == (here == "odd")


LOAD: dict[str, Any] = {
    "id": "A-1",
    "reads_per_sec": 300,
    "writes_per_sec": 100,
    "mirrored_writes_per_sec": 100,
    "read_bytes_per_sec": 3000,
    "write_bytes_per_sec": 1000,
    "mirrored_write_bytes_per_sec": 999,
    "usec_per_read_op": 100,
    "usec_per_write_op": 500,
    "usec_per_mirrored_write_op": 1000,
    "qos_rate_limit_usec_per_read_op": 10,
    "qos_rate_limit_usec_per_write_op": 20,
    "qos_rate_limit_usec_per_mirrored_write_op": 40,
}
MIRRORED = (
    "mirrored_writes_per_sec",
    "mirrored_write_bytes_per_sec",
    "usec_per_mirrored_write_op",
    "qos_rate_limit_usec_per_mirrored_write_op",
)


@pytest.mark.parametrize(
    ("arrays", "promotion", "expected", "named"),
    [
        pytest.param([{"id": "F-1", "status": "online"}], "promoted", "", 0, id="serves"),
        pytest.param([{"id": "F-1", "status": "offline"}], "promoted", "pod offline", 0, id="this array does not"),
        pytest.param([{"id": "F-2", "status": "offline"}], "promoted", "", 0, id="the other array does not"),
        pytest.param(["odd", {"id": "F-1", "status": "offline"}], "demoted", "pod offline", 0, id="for two reasons"),
        pytest.param([{"id": "F-1", "status": None}], "demoted", "pod demoted", 0, id="demoted"),
        pytest.param([{"id": "F-1", "status": "asleep"}], "demoted", "pod demoted", 1, id="beside a word that is not known"),
        pytest.param([{"id": "F-1", "status": "online"}], "resting", None, 1, id="another"),
        pytest.param([{"id": "F-1"}], None, "", 0, id="a release that has neither"),
        pytest.param("odd", None, "", 0, id="no list"),
    ],
)
def test_a_pod_serves_hosts_as_array_and_promotion_say(arrays: Any, promotion: str | None, expected: str | None, named: int) -> None:

    pod = record({"name": "pod", "arrays": arrays, "promotion_status": promotion})
    assert (rows.pod_state(pod, "f-1"), len(errors(pod.parse_errors))) == (expected, named)


# Source: OpenAPI definitions FA2.49, ResourcePerformance, qos_scheduling_usec_per_read_op.
def test_what_qos_scheduling_delays_is_no_delay_of_a_ceiling() -> None:
    scheduling = {f"qos_scheduling_usec_per_{kind}_op": delay for kind, delay in (("read", 50), ("write", 100), ("mirrored_write", 0))}
    row = rows.load_row(record({**LOAD, **scheduling}))
    # 300 x 50 + 100 x 100 microseconds in 500 operations.
    assert (row["scheduled_us"], row["throttle_us"], row["latency_us"]) == (50, 18, 360)
    assert "scheduled_us" not in rows.load_row(record(LOAD)), "of an earlier release"


def test_an_alert_has_its_code_component_and_text() -> None:
    alert = {"id": "A-7", "severity": "warning", "code": 1024, "issue": "path lost", "summary": "CT0", "component_name": "ct0.fc1"}
    assert rows.fault_row(record(alert)) == {
        "alert_id": "a-7",
        "severity": "warning",
        "own_severity": "warning",
        "code": "1024",
        "component": "ct0.fc1",
        "summary": "path lost",
        "is_open": True,
    }
    bare = rows.fault_row(record({"id": "A-8", "severity": "warning", "code": True, "summary": "CT0", "component_type": "controller"}))
    assert (bare["code"], bare["component"], bare["summary"]) == (None, "controller", "CT0")


@pytest.mark.parametrize(
    ("changes", "columns"),
    [
        # 4999 bytes in 500 operations; 300 x 100 + 100 x 500 + 100 x 1000 microseconds of them.
        pytest.param(
            {}, {"average_io_bytes": 9, "actual_iops": 500, "latency_us": 360, "bytes_per_second": 4999, "throttle_us": 18}, id="all"
        ),
        pytest.param(
            dict.fromkeys(MIRRORED),
            {"average_io_bytes": 10, "actual_iops": 400, "latency_us": 200, "bytes_per_second": 4000, "throttle_us": 12},
            id="an array without pods",
        ),
        pytest.param(
            {"reads_per_sec": None},
            {"average_io_bytes": None, "actual_iops": None, "latency_us": None, "bytes_per_second": 4999, "throttle_us": None},
            id="operations not known",
        ),
        pytest.param(
            {"write_bytes_per_sec": None},
            {"average_io_bytes": None, "actual_iops": 500, "latency_us": 360, "bytes_per_second": None, "throttle_us": 18},
            id="bytes not known",
        ),
        pytest.param({"usec_per_write_op": None}, {"latency_us": None, "throttle_us": 18}, id="latency not known"),
        pytest.param(
            {name: 0 for name in LOAD if name != "id"},
            {"average_io_bytes": None, "actual_iops": 0, "latency_us": 0, "bytes_per_second": 0, "throttle_us": 0},
            id="idle",
        ),
    ],
)
def test_the_load_of_a_volume_is_reads_and_writes_together(changes: dict[str, Any], columns: dict[str, Any]) -> None:
    row = rows.load_row(record({**LOAD, **changes}))
    assert row["volume_id"] == "a-1"
    assert {name: row[name] for name in columns} == columns


def test_a_protocol_endpoint_is_seen_by_its_serial() -> None:
    expected = {"protocol_endpoint_id": "a-1", "device": NAA, "state": None, "node_id": None}
    assert rows.protocol_endpoint_row(record(VOLUME)) == expected
    assert rows.protocol_endpoint_row(record({**VOLUME, "serial": None})) == {**expected, "device": None}


def test_a_host_has_its_group_and_personality() -> None:
    host = {"name": "ESX-1", "host_group": {"name": "gold"}, "personality": "esxi"}
    assert hosts.host_row(record(host)) == {"array_host_id": "esx-1", "name": "ESX-1", "host_group": "gold", "host_type": "esxi"}
    bare = hosts.host_row(record({"name": "esx-2", "host_group": {"name": None}, "personality": None}))
    assert (bare["host_group"], bare["host_type"]) == (None, "")
    assert hosts.host_row(record({"name": "esx-3"}))["host_type"] == ""
    assert hosts.host_row(record({**host, "personality": 7}))["host_type"] is None
    newer = record({**host, "personality": "esxi-9"})
    assert hosts.host_row(newer)["host_type"] is None
    assert [why for _, why in errors(newer.parse_errors)] == ["is 'esxi-9', which is not known"]


def test_initiators_of_every_kind_are_listed_and_odd_ones_named() -> None:
    given = record(
        {"name": "ESX-1", "wwns": ["21:00:00:24:FF:00:00:01", "odd", 7, "2100002400000002"], "iqns": ["IQN.x:1", "", 7], "nqns": None}
    )
    assert [tuple(row.items()) for row in hosts.initiator_rows(given)] == [
        (("array_host_id", "esx-1"), ("initiator", initiator), ("kind", kind))
        for initiator, kind in (("21000024ff000001", "fc"), ("2100002400000002", "fc"), ("iqn.x:1", "iscsi"))
    ]
    assert errors(given.parse_errors) == [
        ("wwns of it and 1 more", "holds what is no initiator's name"),
        ("iqns of it and 1 more", "holds what is no initiator's name"),
    ]
    nvme = record({"name": "esx-2", "wwns": "odd", "nqns": ["NQN.2014-08:X"]})
    assert [(row["initiator"], row["kind"]) for row in hosts.initiator_rows(nvme)] == [("nqn.2014-08:x", "nvme")]
    assert errors(nvme.parse_errors) == [("wwns of it", "is not a list"), ("iqns of it", "is not a list")]


def test_connections_lead_from_volumes_to_hosts() -> None:
    found = ParseErrors("GET x")
    volume, host = {"id": "A-1"}, {"name": "ESX-1"}
    items = [
        {"volume": volume, "host": host, "lun": 4},
        {"volume": volume, "host": host, "lun": None},
        {"volume": volume, "host": host},
        {"volume": volume, "host": {"name": None}},
        {"volume": None, "host": host},
        {"volume": volume, "host": None},
        {"volume": {}, "host": host},
        {"volume": volume, "host": {"name": ""}},
        {"volume": volume, "host": {}},
        {"volume": volume, "host": host, "lun": 0},
    ]
    assert list(hosts.connection_rows({"items": items}, found)) == [
        {"volume_id": "a-1", "array_host_id": "esx-1", "lun": lun} for lun in (4, None, None, 0)
    ]
    assert [what for what, _ in errors(found)] == [
        "volume of connection 4",
        "host of connection 5",
        "volume.id of connection 6",
        "host.name of connection 7",
        "host.name of connection 8",
    ]


@pytest.mark.parametrize(
    ("purity", "is_in"),
    [
        # py-pure-client 1.96.0, ResourcePerformance.usec_per_read_op: from 6.3.14, 6.4.10 and 6.5 on.
        ("6.3.13", False),
        ("6.3.14", True),
        ("6.4.9", False),
        ("6.4.10", True),
        ("6.5.0", True),
        ("6.10.2", True),
        ("5.3.21", False),
        ("6.2.17", False),
        ("6.4", None),
        (None, None),
    ],
)
def test_a_latency_has_the_arrays_own_queue_in_it_by_release(purity: str | None, is_in: bool | None) -> None:
    assert rows.has_queue_time(purity) is is_in


QUEUE = {"queue_usec_per_read_op": 40_000, "queue_usec_per_write_op": 10_000, "queue_usec_per_mirrored_write_op": 0}


@pytest.mark.parametrize(
    ("queue", "is_in", "latency", "named"),
    [
        pytest.param(QUEUE, True, 360, [], id="it is in the latency"),
        # 300 x 40,100 + 100 x 10,500 + 100 x 1,000 microseconds of 500 operations.
        pytest.param(QUEUE, False, 26_360, [], id="it is not, and hosts wait for it as well"),
        pytest.param(QUEUE, None, None, [], id="nobody knows whether it is"),
        pytest.param(dict.fromkeys(QUEUE, 0), None, 360, [], id="nobody waits in it"),
        pytest.param({}, False, None, ["queue_usec_per_read_op of it", "queue_usec_per_write_op of it"], id="not reported"),
    ],
)
def test_what_waits_in_the_arrays_own_queue_is_part_of_its_latency(
    queue: dict[str, Any], is_in: bool | None, latency: int | None, named: list[str]
) -> None:
    load = record({**LOAD, **queue})
    assert rows.load_row(load, queue_is_in=is_in)["latency_us"] == latency
    assert [gap.what.partition(": ")[2] for gap in load.parse_errors.gaps("fa")] == named
