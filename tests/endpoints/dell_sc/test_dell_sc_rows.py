"""Records of a Storage Center become rows, and what is not understood in them is NULL and said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from auditor.endpoints.common.records import Record
from auditor.endpoints.dell_sc import rows
from tests.endpoints.dell_sc.dell_sc_records import DEVICE, OWN, PROFILES, USAGE, VOLUME, named, record


def errors(one: Record) -> list[str]:
    """The fields that could not be understood."""
    return [what for (what, _), labels in one.parse_errors._heard.items() for _ in labels]


def test_a_controller_and_a_storage_type_have_their_name_or_that_of_their_instance() -> None:
    controller = {"instanceId": "7.1", "name": "SN 1", "instanceName": "other", "status": "Up", "version": "7.3", "model": "SCv3020"}
    node = {"node_id": "7.1", "name": "SN 1", "state": "Up", "version": "7.3", "model": "SCv3020"}
    assert rows.node_row(record(controller)) == node
    bare = record({"instanceId": "7.1", "instanceName": "other", "status": "Up"})
    assert rows.node_row(bare) == {**node, "name": "other", "version": None, "model": None}
    assert errors(bare) == []
    assert rows.pool_row(record({**named(2, "other"), "name": "gold", "redundancy": "Redundant"})) == {
        "pool_id": "7.2",
        "name": "gold",
        "raid_type": "Redundant",
    }
    unnamed = record(named(2, "other"))
    assert rows.pool_row(unnamed) == {"pool_id": "7.2", "name": "other", "raid_type": None}
    assert errors(unnamed) == []


PROFILE = {
    **named(3, "other"),
    "name": "Prod",
    "profileType": "VolumeQosProfile",
    "relativePriority": "Low",
    "maxIops": 5000,
    "bandwidthLimitMbPerSecond": 50,
    "volumeCount": 2,
}


def test_a_profile_becomes_a_policy_with_its_answer_as_evidence() -> None:
    given = record(PROFILE)
    row, limits = rows.policy_row(given, PROFILE)
    assert row == {
        "policy_id": "7.3",
        "name": "Prod",
        "kind": "volume_profile",
        "min_iops": None,
        "max_iops": 5000,
        "burst_iops": None,
        "max_bytes_per_second": 50 << 20,
        "priority": "Low",
        "is_shared": False,
        "is_read": True,
        "raw": json.dumps(PROFILE, sort_keys=True),
        "volumes": 2,
    }
    assert (limits.max_iops, limits.is_read, errors(given)) == (5000, True, [])


@pytest.mark.parametrize(
    ("changes", "columns", "wrong"),
    [
        pytest.param(
            {"profileType": "GroupQosProfile"}, {"kind": "group_profile", "is_shared": True, "is_read": True}, [], id="of a group"
        ),
        pytest.param({"name": None}, {"name": "other"}, [], id="without a name"),
        pytest.param({"volumeCount": "x"}, {"volumes": None}, ["volumeCount"], id="a count that is none"),
        pytest.param(
            {"profileType": "Odd"}, {"kind": None, "is_shared": None, "is_read": False}, ["profileType", "limits"], id="of an unknown kind"
        ),
        pytest.param({"profileType": None}, {"kind": None, "is_read": False}, ["profileType", "limits"], id="without its kind"),
        pytest.param({"maxIops": "many"}, {"kind": "volume_profile", "is_read": False}, ["limits"], id="a limit that is none"),
    ],
)
def test_a_profile_that_is_not_understood_is_not_read(changes: dict[str, Any], columns: dict[str, Any], wrong: list[str]) -> None:
    value = {**PROFILE, **changes}
    given = record(value)
    row, limits = rows.policy_row(given, value)
    assert {name: row[name] for name in columns} == columns
    assert (errors(given), limits.is_read) == (wrong, row["is_read"])


def test_a_profile_that_counts_no_volumes_has_no_count() -> None:
    given = record({key: value for key, value in PROFILE.items() if key != "volumeCount"})
    assert (rows.policy_row(given, PROFILE)[0]["volumes"], errors(given)) == (None, [])


@pytest.mark.parametrize(
    ("switches", "tiers"),
    [((True, False, False), 1), ((True, True, True), 3), ((False, True, True), 2), ((False,) * 3, None), ((True, None, False), None)],
)
def test_a_storage_profile_uses_the_tiers_that_are_on(switches: tuple[bool | None, ...], tiers: int | None) -> None:
    given = record({f"useTier{number}Storage": switch for number, switch in enumerate(switches, start=1)})
    assert rows.tiers(given) == tiers
    assert bool(errors(given)) == (tiers is None)


VOLUME_ROW = {
    "volume_id": "7.9",
    "name": "capped",
    "kind": "lun",
    "serial": "0000fcbe-3",
    "device": f"naa.{DEVICE}",
    "is_virtual": False,
    "vvol_id": None,
    "status": "Up",
    "size_bytes": 1 << 30,
    "pool_id": "7.2",
}


def test_a_volume_has_its_device_size_and_pool() -> None:
    given = record(VOLUME)
    assert (rows.volume_row(given), errors(given)) == (VOLUME_ROW, [])
    odd = record({**VOLUME, "serialNumber": None, "configuredSize": "much", "storageType": None})
    assert rows.volume_row(odd) == {**VOLUME_ROW, "serial": None, "size_bytes": None, "pool_id": None}
    assert sorted(errors(odd)) == ["configuredSize", "storageType"]
    assert errors(missing := record({})) == []
    assert (rows.size(missing, "configuredSize"), errors(missing)) == (None, ["configuredSize"])


QOS: dict[str, Any] = {
    "qos_policy_id": "7.3",
    "qos_policy": "Prod",
    "qos_min_iops": None,
    "qos_max_iops": 100,
    "qos_burst_iops": None,
    "qos_max_bytes_per_second": 5,
    "qos_shared": False,
    "qos_priority": "Low",
    "qos_group_id": None,
    "qos_group": None,
    "qos_group_max_iops": None,
    "qos_group_max_bytes_per_second": None,
    "qos_read": True,
    "qos_curve": None,
}


NOTHING = {**dict.fromkeys(QOS), "qos_read": False}


IN_GROUP = {"qos_group_id": "7.4", "qos_group": "Tenant", "qos_group_max_iops": 900, "qos_group_max_bytes_per_second": 7}


@pytest.mark.parametrize(
    ("given", "has_qos", "qos", "wrong"),
    [
        pytest.param(OWN, True, QOS, [], id="its own"),
        pytest.param({**OWN, "groupQosProfile": named(4, "Tenant")}, True, {**QOS, **IN_GROUP}, [], id="and a group's"),
        pytest.param({**OWN, "groupQosProfile": None}, True, QOS, [], id="no group"),
        pytest.param(
            {"volumeQosProfile": named(1, "Default")}, True, {**NOTHING, "qos_priority": "Medium", "qos_read": True}, [], id="that of all"
        ),
        pytest.param({}, False, {**NOTHING, "qos_read": True}, [], id="a release without"),
        pytest.param({}, True, NOTHING, ["volumeQosProfile"], id="a release with, and none reported"),
        pytest.param(OWN, False, QOS, [], id="reported all the same"),
        pytest.param(
            {"volumeQosProfile": named(5, "Odd")},
            True,
            {**NOTHING, "qos_policy_id": "7.5", "qos_policy": "Odd", "qos_shared": False},
            [],
            id="one that was not understood",
        ),
        pytest.param(
            {"volumeQosProfile": named(8, "New")},
            True,
            {**NOTHING, "qos_policy_id": "7.8", "qos_policy": "New", "qos_shared": False},
            ["QoS profile"],
            id="one that was not listed",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": named(8, "New")},
            True,
            {**QOS, "qos_group_id": "7.8", "qos_group": "New", "qos_read": False},
            ["QoS profile"],
            id="a group's that was not listed",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": named(5, "Odd")},
            True,
            {**QOS, "qos_group_id": "7.5", "qos_group": "Odd", "qos_read": False},
            [],
            id="a group's that was not understood",
        ),
        pytest.param(
            {**OWN, "groupQosProfile": {"instanceId": "7.4"}},
            True,
            {**QOS, **IN_GROUP, "qos_group": None, "qos_read": False},
            ["instanceName"],
            id="a group's without a name",
        ),
        pytest.param(
            {"volumeQosProfile": {"instanceId": "7.3"}},
            True,
            {**QOS, "qos_policy": None, "qos_shared": None, "qos_read": False},
            ["instanceName"],
            id="one without a name",
        ),
    ],
)
def test_a_volume_is_limited_by_its_own_profile_and_its_groups(
    given: dict[str, Any], has_qos: bool, qos: dict[str, Any], wrong: list[str]
) -> None:
    configuration = record({"storageProfile": named(6, "Recommended"), **given})
    found = rows.configured(configuration, PROFILES, {"7.6": 2}, has_qos=has_qos)
    assert found == {"tiering": "Recommended", "tiers": 2, **qos}
    assert [what.rpartition(".")[2] for what in errors(configuration)] == wrong


def test_what_a_volume_was_given_may_be_unknown() -> None:
    for has_qos in (True, False):
        assert rows.configured(None, PROFILES, {"7.6": 2}, has_qos=has_qos) == {"tiering": None, "tiers": None, **NOTHING}
    strange = record({"storageProfile": named(8, "New"), **OWN})
    found = rows.configured(strange, PROFILES, {"7.6": 2}, has_qos=True)
    assert (found["tiering"], found["tiers"], errors(strange)) == ("New", None, ["storageProfile"])
    without = record(OWN)
    found = rows.configured(without, PROFILES, {"7.6": 2}, has_qos=True)
    assert (found["tiering"], found["tiers"], errors(without)) == (None, None, ["storageProfile"])


LOAD = {
    "volume_id": "7.9",
    "average_io_bytes": 4096,
    "actual_iops": 200,
    "utilization": None,
    "latency_us": None,
    "client_queue_depth": 3,
    "bytes_per_second": 800 * 1024,
}


def test_a_sample_is_of_kilobytes_of_1024() -> None:
    assert rows.load_row("7.9", record(USAGE)) == LOAD
    idle = rows.load_row("7.9", record({**USAGE, "averageKbPerIo": 0, "totalKbPerSecond": 0}))
    assert (idle["average_io_bytes"], idle["bytes_per_second"]) == (None, 0), "no I/O has no size"
    assert rows.load_row("7.9", record({**USAGE, "totalKbPerSecond": None}))["bytes_per_second"] is None


def sample(time: Any, number: int) -> Record:
    return record({"time": time, "totalIops": number})


def test_the_newest_sample_is_the_one_whose_time_is_last() -> None:
    early, late, zoned = (
        sample("2026-01-07T14:07:10+00:00", 1), sample("2026-01-07T15:07:10+00:00", 2), sample("2026-01-07T14:30:00-06:00", 3)
    )  # fmt: skip
    assert rows.latest([]) is None
    for alone in (early, sample(None, 4)):
        assert rows.latest([alone]) is alone
    assert rows.latest([early, late]) is late
    assert rows.latest([late, early]) is late
    assert rows.latest([late, zoned, early]) is zoned, "20:30 in UTC"
    undated = [late, sample("04/03/2015 12:01:08 AM", 5)]
    assert (rows.latest(undated), errors(late)) == (None, ["time"])


def test_a_server_and_its_adapters_become_a_host_and_initiators() -> None:
    server = record({"instanceId": "7.1", "name": "esx", "operatingSystem": named(1, "VMware ESXi 7")})
    assert rows.host_row(server, "cluster") == {
        "array_host_id": "7.1",
        "name": "esx",
        "host_group": "cluster",
        "host_type": "VMware ESXi 7",
    }
    odd = record({"instanceId": "7.1", "name": "esx"})
    assert (rows.host_row(odd, None)["host_type"], errors(odd)) == (None, ["operatingSystem"])


@pytest.mark.parametrize(
    ("hba", "initiator", "kind", "wrong"),
    [
        pytest.param({"portType": "FibreChannel", "name": "21:00:00:24:FF:30:44:1C"}, "21000024ff30441c", "fc", [], id="Fibre Channel"),
        pytest.param({"portType": "Sas", "name": "21000024FF30441C"}, "21000024ff30441c", "sas", [], id="SAS"),
        pytest.param({"portType": "FibreChannel", "name": "iqn.x"}, None, "fc", ["name"], id="Fibre Channel with an IQN"),
        pytest.param({"portType": "Iscsi", "name": "IQN.1998-01.com:ESX"}, "iqn.1998-01.com:esx", "iscsi", [], id="iSCSI"),
        pytest.param({"portType": "Iscsi", "iscsiName": "eui.5", "name": "x"}, "eui.5", "iscsi", [], id="by its iSCSI name"),
        pytest.param({"portType": "Iscsi", "iscsiName": "", "name": "naa.5"}, "naa.5", "iscsi", [], id="an iSCSI name that is empty"),
        pytest.param({"portType": "Iscsi", "name": "21000024FF30441C"}, None, "iscsi", ["name"], id="iSCSI with a WWPN"),
        pytest.param({"portType": "Odd", "name": "iqn.x"}, "iqn.x", None, ["portType"], id="an unknown port"),
        pytest.param({"name": "iqn.x"}, "iqn.x", None, ["portType"], id="a port without its type"),
        pytest.param({"portType": "Iscsi"}, None, "iscsi", ["name", "name"], id="no name"),
    ],
)
def test_an_initiator_has_a_name_of_its_kind(hba: dict[str, Any], initiator: str | None, kind: str | None, wrong: list[str]) -> None:
    given = record(hba)
    assert rows.initiator_row(given, "7.1") == {"array_host_id": "7.1", "initiator": initiator, "kind": kind}
    assert errors(given) == wrong


@pytest.mark.parametrize(
    ("used", "luns", "wrong"),
    [
        ([1, 2, 1], [1, 2], 0), ([0], [0], 0), ([], [None], 0), (None, [None], 1), ([True], [None], 1), ([-1], [None], 1),
        ([2**31 - 1], [2**31 - 1], 0), ([1, 2**31], [None], 1), ("1", [None], 1),
    ],
)  # fmt: skip
def test_the_luns_of_a_mapping_are_listed_once(used: Any, luns: list[int | None], wrong: int) -> None:
    given = record({"lunUsed": used})
    assert (rows.luns(given), len(errors(given))) == (luns, wrong)
