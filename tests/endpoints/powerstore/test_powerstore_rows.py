"""Records as others have published them become the rows that they mean; each value was typed from the source that is named."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.powerstore.hosts import connection_rows, hosts_of
from auditor.endpoints.powerstore.qos import (
    Ceilings,
    Policy,
    Qos,
    ceilings,
    group_row,
    policies_of,
    policy_row,
    references,
    rules_by_policy,
    volume_columns,
)
from auditor.endpoints.powerstore.rows import array_row, fault_row, load_row, newest, node_row, pool_row, volume_row, vvol_row
from auditor.facts.node_states import IS_UP
from auditor.facts.volume_states import WAITING_COPY


def record(value: dict[str, Any]) -> tuple[Record, ParseErrors]:
    parse_errors = ParseErrors("GET")
    return Record(value, "the record", parse_errors), parse_errors


def gaps(parse_errors: ParseErrors) -> list[str]:
    return [f"{gap.what}: {gap.why}" for gap in parse_errors.gaps("ps")]


# Source: github.com/cermegno/powerstore-api-emulator, data.py (volume_template, host_template, host_mapping_template).
EMULATED_VOLUME = {
    "id": "557fb1e2-fe5a-450a-8cc9-837400000001",
    "name": "Powerstore-Demo-0003",
    "type": "Primary",
    "appliance_id": "A1",
    "state": "Ready",
    "size": 107374182400,
    "wwn": "naa.68ccf09800214791c8e202dd7a95ada8",
    "performance_policy_id": None,
    "volume_groups": [],
}
EMULATED_HOST = {
    "id": "19894d22-87e1-4fef-9a040000000000001",
    "name": "a01",
    "os_type": "Linux",
    "host_group_id": None,
    "host_initiators": [
        {"port_name": "21:00:00:24:ff:12:e9:aa", "port_type": "FC"},
        {"port_name": "21:00:00:24:ff:12:e9:bb", "port_type": "FC"},
    ],
}
EMULATED_MAPPING = {
    "id": "2d1bcdc7-1288-4beb-bbce-8707c9469f68",
    "host_id": "19894d22-87e1-4fef-9a040000000000001",
    "volume_id": "557fb1e2-fe5a-450a-8cc9-837400000001",
    "host_group_id": None,
    "logical_unit_number": 1,
}


def test_a_volume_of_the_public_emulator() -> None:
    volume, parse_errors = record(EMULATED_VOLUME)
    row = volume_row(volume, volume_columns(volume, Qos(), has_qos=False), by_nvme=False)
    assert gaps(parse_errors) == []
    assert row == {
        "volume_id": "557fb1e2-fe5a-450a-8cc9-837400000001",
        "name": "Powerstore-Demo-0003",
        "kind": "lun",
        "serial": None,
        "size_bytes": 107374182400,
        "pool_id": "a1",
        "device": "naa.68ccf09800214791c8e202dd7a95ada8",
        "is_virtual": False,
        "vvol_id": None,
        "status": "Ready",
        "pod": None,
        "copy_of": None,
        "qos_policy_id": None,
        "qos_policy": None,
        "qos_max_iops": None,
        "qos_burst_iops": None,
        "qos_max_bytes_per_second": None,
        "qos_shared": None,
        "qos_priority": None,
        "qos_group_id": None,
        "qos_group": None,
        "qos_group_max_iops": None,
        "qos_group_max_bytes_per_second": None,
        "qos_read": True,
    }


def test_a_host_and_a_mapping_of_the_public_emulator() -> None:
    host, parse_errors = record(EMULATED_HOST)
    hosts = hosts_of([host], None, "host_initiators")
    assert [(row["name"], row["host_type"], row["host_group"]) for row in hosts.rows] == [("a01", "Linux", None)]
    assert [(row["initiator"], row["kind"]) for row in hosts.initiators] == [("21000024ff12e9aa", "fc"), ("21000024ff12e9bb", "fc")]
    mapping, _ = record(EMULATED_MAPPING)
    assert list(connection_rows([mapping], hosts, parse_errors)) == [
        {
            "volume_id": "557fb1e2-fe5a-450a-8cc9-837400000001",
            "array_host_id": "19894d22-87e1-4fef-9a040000000000001",
            "lun": 1,
        }
    ]
    assert gaps(parse_errors) == []


# Source: github.com/dell/python-powerstore, PyPowerStore/tests/unit_tests/data/virtual_volume_data.py.
PUBLISHED_VVOL = {
    "id": "6c0b25ea-3f77-4f1f-93d1-e189df2385b9",
    "name": "sample_vvol",
    "size": 4294967296,
    "type": "Primary",
    "usage_type": "Config",
    "appliance_id": "A1",
    "io_priority": "Medium",
    "naa_name": "naa.68ccf098003756010d25481d597257d7",
    "nguid": "nguid.3756010d25481d598ccf0968007257d7",
}


def test_a_virtual_volume_of_the_vendors_sdk_has_a_priority_and_no_ceiling() -> None:
    vvol, parse_errors = record(PUBLISHED_VVOL)
    row = vvol_row(vvol)
    assert gaps(parse_errors) == []
    assert (row["vvol_id"], row["device"]) == ("6c0b25ea-3f77-4f1f-93d1-e189df2385b9", "naa.68ccf098003756010d25481d597257d7")
    assert (row["is_virtual"], row["qos_priority"], row["qos_max_iops"], row["qos_read"]) == (True, "Medium", None, True)
    assert (row["status"], row["copy_of"], row["pod"], row["kind"]) == (None, None, None, "vvol")


def test_a_namespace_is_named_by_the_nguid() -> None:
    volume, parse_errors = record({**EMULATED_VOLUME, "nguid": "nguid.3756010d25481d598ccf0968007257d7"})
    row = volume_row(volume, {}, by_nvme=True)
    assert row["device"] == "eui.3756010d25481d598ccf0968007257d7"
    broken, parse_errors = record({**EMULATED_VOLUME, "nguid": "nguid.xyz"})
    assert volume_row(broken, {}, by_nvme=True)["device"] is None
    assert gaps(parse_errors) == ["GET: nguid of the record: is none of 32 hexadecimal digits"]


# Source of the rule: github.com/dell/ansible-powerstore, plugins/modules/io_limit_rule.py, its sample of a result.
PUBLISHED_RULE = {
    "id": "6b5e42b0-1234-5678-abcd-ef0123456789",
    "name": "tenant_a_limits",
    "max_bw": 102400,
    "max_iops": 5000,
    "burst_percentage": 20,
    "type": "Absolute",
    "policies": [],
}


@pytest.mark.parametrize(
    ("change", "held"),
    [
        pytest.param({}, Ceilings(5000, 6000, 104_857_600), id="as published"),
        pytest.param({"burst_percentage": 0}, Ceilings(5000, None, 104_857_600), id="no burst"),
        pytest.param({"max_iops": None}, Ceilings(None, None, 104_857_600), id="bandwidth alone"),
        pytest.param({"max_bw": None, "burst_percentage": None}, Ceilings(5000, None, None), id="operations alone"),
        pytest.param({"type": "Sideways"}, Ceilings(is_read=False), id="a type nobody knows"),
        pytest.param({"type": None}, Ceilings(is_read=False), id="no type"),
        pytest.param({"burst_percentage": None}, Ceilings(5000, None, 104_857_600), id="a burst that is not reported"),
        pytest.param({"max_iops": "many"}, Ceilings(is_read=False), id="no number"),
        pytest.param({"type": "Density", "max_iops": 100}, Ceilings(is_by_size=True), id="per GB"),
    ],
)
def test_a_rule_says_how_much_and_how_far_above_it_for_a_while(change: dict[str, Any], held: Ceilings) -> None:
    rule, _ = record({**PUBLISHED_RULE, **change})
    found = ceilings(rule)
    assert dataclasses.replace(found, raw=None) == held
    assert bool(gaps(rule.parse_errors)) is not held.is_read
    assert (found.raw is None) is not held.is_read


def test_a_policy_goes_by_the_rule_that_names_it_and_without_one_is_not_read() -> None:
    rule, parse_errors = record({**PUBLISHED_RULE, "policies": [{"id": "P-1", "name": "gold"}]})
    named = [("p-1", "gold", "QoS"), ("p-2", "lost", "QoS"), ("p-3", "daily", "Protection"), ("default_low", "Low", "Performance")]
    given: list[dict[str, Any]] = [
        {"id": policy_id, "name": name, "type": kind, "performance_rules": []} for policy_id, name, kind in named
    ]
    given[-1]["performance_rules"] = [{"id": "rule", "io_priority": "Low"}]
    listed = [Record(value, str(value["name"]), parse_errors) for value in given]
    qos = policies_of(listed, rules_by_policy([rule]))
    assert {policy_id: policy.held.iops for policy_id, policy in qos.policies.items()} == {"p-1": 5000, "p-2": None}
    assert qos.policies["p-2"].held.is_read is False
    assert qos.priorities == {"default_low": "Low"}
    assert gaps(parse_errors) == ["GET: I/O limit rule of lost: is one that GET io_limit_rule did not list"]


def test_the_ceilings_of_policies_are_known_where_their_rules_were_read() -> None:
    policy, parse_errors = record({"id": "p-1", "name": "gold", "type": "QoS"})
    assert policies_of([policy], {"p-1": Ceilings(5000)}) == Qos({"p-1": Policy("gold", Ceilings(5000))})
    assert policies_of([policy], None) == Qos({"p-1": Policy("gold", Ceilings(is_read=False))})
    assert gaps(parse_errors) == []
    for kind in ({"type": None}, {"type": "Odd"}):
        odd, parse_errors = record({"id": "p-1", "name": "gold", **kind})
        assert policies_of([odd], {}) == Qos()
        assert len(gaps(parse_errors)) == 1


@pytest.mark.parametrize(
    ("listed", "found", "is_gap"),
    [
        pytest.param({"volumes": [{"id": "A"}, {"id": 2}]}, ["a", "2"], False, id="two"),
        pytest.param({"volumes": None}, [], False, id="null"),
        pytest.param({}, [], True, id="not reported"),
        pytest.param({"volumes": "a"}, [], True, id="no list"),
        pytest.param({"volumes": ["a"]}, [], True, id="no objects"),
        pytest.param({"volumes": [{"id": "a"}, {"id": None}]}, ["a"], True, id="one without an id"),
    ],
)
def test_what_a_record_refers_to(listed: dict[str, Any], found: list[str], is_gap: bool) -> None:
    group, parse_errors = record(listed)
    assert references(group, "volumes") == found
    assert [("volumes" in gap, " of the record: " in gap) for gap in gaps(parse_errors)] == [(True, True)] * is_gap


def test_a_group_has_the_ceiling_of_its_policy_and_a_volume_of_two_groups_is_named() -> None:
    qos = Qos({"p": Policy("gold", Ceilings(1000))})
    group = {"id": "G", "name": "batch", "qos_performance_policy_id": "P", "volumes": [{"id": "v1"}, {"id": "v2"}]}
    first, parse_errors = record(group)
    row = group_row(qos, first)
    assert row is not None
    assert (row["policy_id"], row["kind"], row["max_iops"], row["is_read"], row["volumes"]) == ("g", "volume_group", 1000, True, 2)
    assert row["is_shared"] is True
    bursting = policy_row("p", "gold", Ceilings(1000, 1200, None, raw="{}"), "policy")
    assert (bursting["burst_iops"], bursting["raw"], bursting["is_shared"], bursting["kind"]) == (1200, "{}", False, "policy")
    by_size = policy_row("p", "gold", Ceilings(is_by_size=True), "volume_group")
    assert (by_size["kind"], by_size["is_read"], by_size["is_shared"]) == ("density", False, True)
    assert group_row(qos, record({**group, "qos_performance_policy_id": None})[0]) is None
    assert gaps(parse_errors) == []
    unlisted, parse_errors = record({**group, "id": "h", "qos_performance_policy_id": "lost", "volumes": [{"id": "v2"}]})
    row = group_row(qos, unlisted)
    assert row is not None
    assert (row["policy_id"], row["max_iops"], row["is_read"]) == ("h", None, False)
    assert [gap.rpartition(": ")[2] for gap in gaps(parse_errors)] == [
        "is one that GET policy did not list",
        "holds a volume that is in another group with a QoS policy, too",
    ]


def test_a_policy_in_two_rules_is_not_understood() -> None:
    first, parse_errors = record({**PUBLISHED_RULE, "policies": [{"id": "p-1"}]})
    second = Record({**PUBLISHED_RULE, "max_iops": 1, "policies": [{"id": "p-1"}]}, "another", parse_errors)
    assert rules_by_policy([first, second])["p-1"].is_read is False
    assert gaps(parse_errors) == ["GET: policies of another: has the policy p-1, which is in another rule, too"]


def test_a_volume_whose_policy_nobody_listed_is_not_without_a_ceiling() -> None:
    volume, parse_errors = record({**EMULATED_VOLUME, "qos_performance_policy_id": "p-9"})
    row = volume_columns(volume, Qos(), has_qos=True)
    assert (row["qos_policy_id"], row["qos_max_iops"], row["qos_read"]) == ("p-9", None, False)
    assert gaps(parse_errors) == ["GET: qos_performance_policy_id of the record: is one that GET policy did not list"]


def test_a_newer_release_that_leaves_the_field_out_is_not_without_a_ceiling() -> None:
    volume, parse_errors = record(EMULATED_VOLUME)
    assert volume_columns(volume, Qos(), has_qos=True)["qos_read"] is False
    assert gaps(parse_errors) == ["GET: qos_performance_policy_id of the record: is missing"]
    assert volume_columns(volume, None, has_qos=False)["qos_read"] is True, "an older release has no ceilings"


# Names of fields: github.com/dell/gopowerstore, metrics_types.go, PerformanceMetricsByVolumeResponse; units: the OpenAPI definitions.
SAMPLE = {
    "timestamp": "2026-01-01T00:00:20Z",
    "avg_io_size": 8192.4,
    "total_iops": 1500.6,
    "avg_latency": 812.5,
    "total_bandwidth": 12293427.2,
}


def test_a_sample_is_rounded_and_the_newest_counts() -> None:
    assert newest([SAMPLE, {**SAMPLE, "timestamp": "2026-01-01T00:00:00Z", "total_iops": 1.0}]) == SAMPLE
    assert newest([]) is None
    sample, parse_errors = record(SAMPLE)
    row = load_row("v", sample)
    assert (row["average_io_bytes"], row["actual_iops"], row["latency_us"], row["bytes_per_second"]) == (8192, 1501, 812, 12_293_427)
    assert load_row("v", None)["actual_iops"] is None
    assert gaps(parse_errors) == []


def test_the_limits_of_a_rule_are_kept_as_they_were_reported() -> None:
    rule, _ = record({**PUBLISHED_RULE, "type": "Density", "max_iops": 100, "max_bw": None, "burst_percentage": 5})
    assert json.loads(ceilings(rule).raw or "") == {"type": "Density", "max_iops": 100, "burst_percentage": 5}


GOOD = {"port_name": "21:00:00:24:ff:12:e9:aa", "port_type": "FC"}


@pytest.mark.parametrize(
    ("listed", "names", "is_gap"),
    [
        pytest.param([], [], False, id="none"),
        pytest.param(None, [], False, id="null, as of a host without any"),
        pytest.param("no list", [], True, id="no list"),
        pytest.param({}, [], True, id="an object"),
        pytest.param(["x"], [], True, id="no objects"),
        pytest.param([{"port_type": "FC"}, GOOD], ["21000024ff12e9aa"], True, id="one without a name"),
        pytest.param([{"port_name": "iqn.a"}, GOOD], ["21000024ff12e9aa"], True, id="one without a kind"),
        pytest.param([{"port_name": "iqn.a", "port_type": "FC"}, GOOD], ["21000024ff12e9aa"], True, id="one whose name is of another kind"),
        pytest.param([GOOD, GOOD], ["21000024ff12e9aa"], False, id="one twice"),
        pytest.param([{"port_name": "", "port_type": "iSCSI"}], [], True, id="an empty name"),
    ],
)
def test_what_is_no_initiator_is_a_gap_and_the_others_are_read(listed: Any, names: list[str], is_gap: bool) -> None:
    host, parse_errors = record(EMULATED_HOST | {"host_initiators": listed})
    hosts = hosts_of([host], None, "host_initiators")
    assert [(row["array_host_id"], row["initiator"]) for row in hosts.initiators] == [(EMULATED_HOST["id"], name) for name in names]
    found = gaps(parse_errors)
    assert bool(found) is is_gap
    assert all("host_initiators" in gap for gap in found)


def test_initiators_that_are_left_out_are_a_gap() -> None:
    host, parse_errors = record({name: value for name, value in EMULATED_HOST.items() if name != "host_initiators"})
    assert hosts_of([host], None, "host_initiators").initiators == []
    assert "host_initiators" in "".join(gaps(parse_errors))


def test_a_host_has_the_name_of_its_group_where_groups_were_read() -> None:
    host, _ = record(EMULATED_HOST | {"host_group_id": "g"})
    names = [hosts_of([host], groups, "host_initiators").rows[0]["host_group"] for groups in ({"g": "esx"}, {}, None)]
    assert names == ["esx", None, None]


def test_a_mapping_to_a_group_is_one_to_each_of_its_hosts_and_that_to_a_host_is_told_once() -> None:
    def host(name: str, group: str | None, *ports: dict[str, Any]) -> Record:
        return record({"id": name, "name": name, "os_type": None, "host_group_id": group, "host_initiators": list(ports)})[0]

    iscsi = {"port_name": "IQN.1998-01.com.vmware:esx", "port_type": "iSCSI"}
    hosts = hosts_of([host("A", "G", iscsi), host("B", "G"), host("C", None, GOOD)], {"g": "esx"}, "host_initiators")
    assert [(row["host_group"], row["host_type"]) for row in hosts.rows] == [("esx", ""), ("esx", ""), (None, "")]
    assert [(row["initiator"], row["kind"]) for row in hosts.initiators] == [
        ("iqn.1998-01.com.vmware:esx", "iscsi"),
        ("21000024ff12e9aa", "fc"),
    ]
    assert hosts.protocols == {"a": {"iscsi"}, "b": set(), "c": {"fc"}}
    parse_errors = ParseErrors("GET")
    mappings = [("g", None, 1), (None, "A", 2), ("empty", None, 3), (None, "C", None)]
    listed = [
        record({"volume_id": "V", "host_group_id": group, "host_id": one, "logical_unit_number": lun})[0] for group, one, lun in mappings
    ]
    rows = [(row["array_host_id"], row["lun"]) for row in connection_rows(listed, hosts, parse_errors)]
    assert (rows, gaps(parse_errors)) == ([("a", 1), ("b", 1), ("c", None)], [])


def test_a_mapping_that_was_not_understood_hides_no_other() -> None:
    mappings = [
        record(EMULATED_MAPPING | change)
        for change in ({"volume_id": None}, {"host_id": None}, {"host_id": None, "host_group_id": "g"}, {}, {"logical_unit_number": 2})
    ]
    rows = list(connection_rows([mapping for mapping, _ in mappings], None, ParseErrors("GET")))
    assert [(row["volume_id"], row["array_host_id"], row["lun"]) for row in rows] == [(EMULATED_VOLUME["id"], EMULATED_HOST["id"], 1)]


@pytest.mark.parametrize(
    ("above", "is_read"),
    [
        pytest.param({"p": Policy("gold", Ceilings(iops=1000))}, True, id="listed"),
        pytest.param({"p": Policy("gold", Ceilings(is_by_size=True))}, False, id="by size"),
        pytest.param({}, False, id="not listed"),
    ],
)
def test_qos_is_read_where_the_policy_of_the_group_is_too(above: dict[str, Policy], is_read: bool) -> None:
    volume, _ = record(EMULATED_VOLUME | {"qos_performance_policy_id": None})
    columns = volume_columns(volume, Qos(above, group_of={str(EMULATED_VOLUME["id"]): ("g", "group", "p")}), has_qos=True)
    assert (columns["qos_read"], columns["qos_group_id"], columns["qos_group"]) == (is_read, "g", "group")


@pytest.mark.parametrize(
    "rules",
    [pytest.param([], id="none"), pytest.param([{}, {}], id="two"), pytest.param(["x"], id="no object"), pytest.param({}, id="no list")],
)
def test_a_performance_policy_has_one_rule(rules: Any) -> None:
    policy, parse_errors = record({"id": "p", "name": "High", "type": "Performance", "performance_rules": rules})
    assert policies_of([policy], {}).priorities == {"p": None}
    assert gaps(parse_errors) == ["GET: performance_rules of the record: is no list of one rule"]


def test_a_clone_is_a_copy_and_a_volume_that_has_protection_is_none() -> None:
    protected = EMULATED_VOLUME | {"protection_data": {"parent_id": "PARENT"}}
    columns = {kind: volume_row(record(protected | {"type": kind})[0], {}, by_nvme=False)["copy_of"] for kind in ("Clone", "Primary")}
    assert columns == {"Clone": "parent", "Primary": None}


@pytest.mark.parametrize("state", [pytest.param(None, id="null"), pytest.param("Odd", id="a state of a later release")])
def test_a_state_that_is_not_known_is_a_gap(state: str | None) -> None:
    volume, of_volume = record(EMULATED_VOLUME | {"state": state})
    node, of_node = record({"id": "n", "name": "node", "lifecycle_state": state})
    assert (volume_row(volume, {}, by_nvme=False)["status"], node_row(node, has_stale=True)["state"]) == (None, None)
    assert "state" in "".join(gaps(of_volume))
    assert "lifecycle_state" in "".join(gaps(of_node))


# The OpenAPI definitions, HardwareStaleStateEnum: Disconnected is what "is not updated", as an ancestor of it is away.
@pytest.mark.parametrize(
    ("lifecycle", "stale", "state", "is_up"),
    [
        ("Healthy", "Not_Stale", "Healthy", True),
        ("Healthy", "Disconnected", "Healthy, not updated", None),
        ("Failed", "Disconnected", "Failed", False),
        ("Disconnected", "Disconnected", "Disconnected", False),
        pytest.param("Healthy", None, None, None, id="left unfilled"),
        pytest.param("Healthy", "Odd", None, None, id="of a later release"),
    ],
)
def test_a_node_is_up_where_its_state_is_kept_up_to_date(lifecycle: str, stale: str | None, state: str | None, is_up: bool | None) -> None:
    node, parse_errors = record({"id": "n", "name": "node", "lifecycle_state": lifecycle, "stale_state": stale})
    read = node_row(node, has_stale=True)["state"]
    assert (read, read and IS_UP["powerstore"][read]) == (state, is_up)
    assert ("stale_state" in "".join(gaps(parse_errors))) == (state is None)


def test_a_sample_without_a_time_is_older_than_any_other() -> None:
    timed = {"timestamp": "2026-01-01T00:00:00Z"}
    assert newest([{"timestamp": None}, timed, {"timestamp": "2025-01-01T00:00:00Z"}, "no sample"]) == timed


def test_an_alert_has_its_id() -> None:
    alert, parse_errors = record({"id": "a1", "severity": "Major", "description_l10n": "x", "event_code": "0x1", "is_acknowledged": False})
    row = fault_row(alert)
    assert (row["alert_id"], row["is_open"], row["code"], row["summary"]) == ("a1", True, "0x1", "x")
    assert gaps(parse_errors) == []
    told = {"resource_name": "BaseEnclosure-Disk-1", "resource_type": "hardware"}
    components = [
        fault_row(record({**alert.value, **{name: told[name] for name in names}})[0])["component"] for names in (told, ["resource_type"])
    ]
    assert components == ["BaseEnclosure-Disk-1", "hardware"]
    unheard, parse_errors = record({"id": "a1", "severity": "Major"})
    assert fault_row(unheard)["is_open"] is None
    assert gaps(parse_errors) != []


def test_the_cluster_its_appliances_and_its_nodes() -> None:
    cluster, _ = record({"name": "ps", "global_id": "PS0D1A2"})
    models = ["PowerStore 500T", "PowerStore 1000T", "PowerStore 500T"]
    assert list(array_row(cluster, "4.1.0.0", models).values()) == [
        *("powerstore", "ps", "ps0d1a2", "4.1.0.0", "PowerStore 1000T, PowerStore 500T"),
    ]
    assert array_row(cluster, "4.1.0.0", None)["model"] is None
    nothing = dict.fromkeys(("media", "disks", "raid_type", "size_bytes", "node_id"))
    assert pool_row(record({"id": "A1", "name": "appliance-1"})[0]) == {"pool_id": "a1", "name": "appliance-1", **nothing}
    node = {"node_id": "n1", "name": "node-a", "state": "Healthy", "version": None, "model": None}
    assert node_row(record({"id": "N1", "name": "node-a", "lifecycle_state": "Healthy"})[0], has_stale=False) == node


def test_a_volume_of_a_metro_session_is_of_its_pod_and_one_of_no_type_a_gap() -> None:
    stretched, parse_errors = record(EMULATED_VOLUME | {"metro_replication_session_id": "5F1A"})
    assert volume_row(stretched, {}, by_nvme=False)["pod"] == "5f1a"
    assert gaps(parse_errors) == []
    odd, parse_errors = record({name: cell for name, cell in EMULATED_VOLUME.items() if name != "type"})
    volume_row(odd, {}, by_nvme=False)
    assert gaps(parse_errors) == ["GET: type of the record: is missing where a string was expected"]


# The OpenAPI definitions, volume_instance: is_replication_destination is "false on both ends when a volume is a metro volume".
@pytest.mark.parametrize(
    ("changes", "state"),
    [
        pytest.param({"is_replication_destination": False, "is_host_access_available": True}, "Ready", id="as any"),
        pytest.param({"is_replication_destination": True, "is_host_access_available": False}, WAITING_COPY, id="made by replication"),
        pytest.param({"is_replication_destination": False, "is_host_access_available": False}, "no host access", id="no host gets at it"),
        pytest.param({"state": "Offline", "is_host_access_available": False}, "Offline", id="offline, and why"),
        pytest.param({"is_host_access_available": None}, "Ready", id="not told"),
    ],
)
def test_a_volume_is_a_copy_that_waits_or_has_no_access_or_is_as_it_says(changes: dict[str, Any], state: str) -> None:
    given, parse_errors = record({**EMULATED_VOLUME, **changes})
    assert volume_row(given, {}, by_nvme=False)["status"] == state
    assert gaps(parse_errors) == []
