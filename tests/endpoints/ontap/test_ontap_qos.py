"""QoS policies of ONTAP: what each allows, and which hold for a volume."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from auditor.endpoints.ontap import qos, rows
from auditor.endpoints.ontap.qos import NO_POLICY, NOT_KNOWN, Policy, Reference
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
    empty = {"min_iops": None, "max_iops": None, "burst_iops": None, "max_bytes_per_second": None, "is_shared": True, "is_read": True}
    about = {"policy_id": "p-1", "name": "gold", "kind": "fixed", "volumes": 3, "raw": json.dumps(fixed, sort_keys=True)}
    assert row == {**about, **empty, **columns}
    assert found == named


# Source: netapp-ontap 9.19.1, QosPolicyBurst: "Burst maximum IOPS" or a percentage "above policy max_throughput", for so many seconds; "If
# burst_iops is less than max_throughput or peak_iops, then max_throughput or peak_iops is used".
@pytest.mark.parametrize(
    ("burst", "iops", "named"),
    [
        pytest.param({"percent": 40, "duration": 60}, 7000, [], id="a percentage"),
        pytest.param({"iops": 9000, "duration": 60}, 9000, [], id="a rate"),
        pytest.param({"iops": 900}, 5000, [], id="a rate below the ceiling"),
        pytest.param({"percent": 0, "iops": 0, "duration": 0}, None, [], id="nothing was set"),
        pytest.param({"percent": None, "iops": 6000}, 6000, [], id="one of them is left unfilled"),
        pytest.param({"percent": "odd"}, None, ["burst.percent"], id="an odd one"),
    ],
)
def test_a_burst_that_was_set_is_read(burst: dict[str, Any], iops: int | None, named: list[str]) -> None:
    row, found = limits(FIXED, burst=burst)
    assert (row["burst_iops"], row["max_iops"], json.loads(row["raw"])["burst"]) == (iops, 5000, burst)
    assert (found, row["is_read"]) == (named, not named)


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
