"""Datastore clusters and iSCSI adapters with what is behind them, and NULL wherever that rests on something unread."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, view

SC = [f"naa.6000d3100fcbe00000000000000000{n}a" for n in (1, 2)]
POD = {
    "pod_id": "group-p1",
    "name": "gold",
    "sdrs_enabled": True,
    "io_metric_enabled": True,
    "default_behavior": "manual",
    "automated_vms": 0,
}


def a_pod(**more: Any) -> Facts:
    """Two datastores of a Dell SC in one datastore cluster, one of them below a ceiling, and one datastore outside."""
    given = hosts()
    on_all_hosts(given, *(seen(device, "dell-sc", is_ssd=False) for device in SC))
    volumes = [
        {"name": f"v{n}", "device": device, "kind": "lun", "qos_max_iops": 500 if n == 1 else None} for n, device in enumerate(SC, 1)
    ]
    array(given, "sc", EndpointKind.DELL_SC, *volumes)
    given["storage_pod"] = [{**POD, **more}]
    given["datastore"] = [
        {"datastore_id": f"ds-{n}", "name": f"sc-{n}", "type": "VMFS", "pod_id": "group-p1", "sioc_supported": True, "sioc_enabled": n == 1}
        for n in (1, 2)
    ]
    given["datastore"].append({"datastore_id": "ds-3", "name": "outside", "type": "VMFS", "sioc_supported": True, "sioc_enabled": True})
    given["datastore_extent"] = [{"datastore_id": f"ds-{n}", "device": device, "partition": 1} for n, device in enumerate(SC, 1)]
    given["datastore_mount"] = [{"datastore_id": f"ds-{n}", "host_id": f"host-{h}", "mounted": True} for n in (1, 2) for h in (1, 2)]
    return given


def without(given: Facts, topic: str, scope: str | None = None) -> None:
    given["reading"] = [row for row in given["reading"] if row["topic"] != topic or (scope is not None and row["scope"] != scope)]


def test_a_datastore_cluster_is_joined_with_its_datastores_and_arrays() -> None:
    (pod,) = view("storage_pod", a_pod())
    assert (pod["resource_id"], pod["resource_name"], pod["cluster"], pod["host"]) == ("group-p1", "gold", "gold", None)
    assert (pod["datastores"], pod["datastore_names"], pod["types"], pod["type_count"]) == (2, "sc-1, sc-2", "VMFS", 1)
    assert (pod["families"], pod["family_count"], pod["media"], pod["arrays"]) == ("dell-sc", 1, "disk", "sc")
    assert (pod["has_array_qos"], pod["any_sioc_enabled"], pod["sioc_datastores"]) == (True, True, "sc-1")
    assert (pod["hosts"], pod["host_names"]) == (2, "esx-1, esx-2")
    assert (pod["io_metric_in_force"], pod["io_behavior"], pod["space_behavior"], pod["moves_by_itself"]) == (
        True,
        "manual",
        "manual",
        False,
    )


@pytest.mark.parametrize(
    ("settings", "moves"),
    [
        pytest.param({"default_behavior": "automated"}, True, id="automated as a whole"),
        pytest.param({"space_automation": "automated"}, True, id="for space alone"),
        pytest.param({"io_automation": "automated"}, True, id="for I/O alone"),
        pytest.param({"io_automation": "automated", "io_metric_enabled": False}, False, id="for I/O, which it does not look at"),
        pytest.param({"default_behavior": "automated", "space_automation": "manual", "io_automation": "manual"}, False, id="overridden"),
        pytest.param({"automated_vms": 1}, True, id="for one machine"),
        pytest.param({"automated_vms": None}, None, id="machines not read"),
        pytest.param({"automated_vms": None, "default_behavior": "automated"}, True, id="enough is known"),
        pytest.param({"sdrs_enabled": False, "default_behavior": "automated"}, False, id="Storage DRS is off"),
        pytest.param({"sdrs_enabled": False, "automated_vms": None}, False, id="Storage DRS is off, whatever machines say"),
        pytest.param(dict.fromkeys(("sdrs_enabled", "io_metric_enabled", "default_behavior", "automated_vms")), None, id="not readable"),
    ],
)
def test_a_cluster_moves_machines_by_itself_where_any_setting_in_force_says_so(settings: dict[str, Any], moves: bool | None) -> None:
    (pod,) = view("storage_pod", a_pod(**settings))
    assert pod["moves_by_itself"] is moves


def lose_datastores(given: Facts) -> None:
    without(given, "datastores")


def no_ceiling(given: Facts) -> None:
    given["array_volume"][0]["qos_max_iops"] = None


def no_ceiling_and_one_volume_unread(given: Facts) -> None:
    no_ceiling(given)
    given["array_volume"].pop()
    for row in given["reading"]:
        row["complete"] = row["topic"] != "volumes"


def all_sioc_off(given: Facts) -> None:
    for row in given["datastore"]:
        row["sioc_enabled"] = False


def one_sioc_unread(given: Facts) -> None:
    all_sioc_off(given)
    given["datastore"][1]["sioc_enabled"] = None


def one_cannot_have_sioc(given: Facts) -> None:
    one_sioc_unread(given)
    given["datastore"][1]["sioc_supported"] = False


def not_read_and_off(given: Facts) -> None:
    all_sioc_off(given)
    no_ceiling(given)
    lose_datastores(given)


def nothing_in_it(given: Facts) -> None:
    for row in given["datastore"]:
        row["pod_id"] = None


def a_device_nobody_knows(given: Facts) -> None:
    given["device"] = [row for row in given["device"] if row["device"] != SC[1]]
    given["datastore_extent"][1]["device"] = "t10.nobody"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            lose_datastores, {"datastores": None, "families": None, "has_array_qos": True, "any_sioc_enabled": True}, id="part read"
        ),
        pytest.param(not_read_and_off, {"has_array_qos": None, "any_sioc_enabled": None}, id="part read, and nothing found in it"),
        pytest.param(no_ceiling, {"has_array_qos": False}, id="no ceiling on any"),
        pytest.param(no_ceiling_and_one_volume_unread, {"has_array_qos": None}, id="a volume that was not read"),
        pytest.param(all_sioc_off, {"any_sioc_enabled": False, "sioc_datastores": None}, id="off everywhere, but outside"),
        pytest.param(one_sioc_unread, {"any_sioc_enabled": None}, id="one that could not be read"),
        pytest.param(one_cannot_have_sioc, {"any_sioc_enabled": False}, id="one that cannot have it"),
        pytest.param(nothing_in_it, {"datastores": 0, "has_array_qos": False, "any_sioc_enabled": False, "families": None}, id="empty"),
        pytest.param(a_device_nobody_knows, {"families": None, "family_count": None, "media": None, "datastores": 2}, id="unknown device"),
    ],
)
def test_what_rests_on_something_unread_is_unknown_of_a_cluster(change: Callable[[Facts], object], expected: dict[str, Any]) -> None:
    given = a_pod()
    change(given)
    (pod,) = view("storage_pod", given)
    assert {name: pod[name] for name in expected} == expected


def test_only_thresholds_set_by_hand_where_storage_io_control_is_on_are_compared() -> None:
    given = a_pod()
    for row, mode, threshold in zip(given["datastore"], ("manual", "manual", "manual"), (20, 7, 5), strict=True):
        row |= {"sioc_mode": mode, "sioc_threshold_ms": threshold}
    (pod,) = view("storage_pod", given)
    assert pod["lowest_sioc_threshold_ms"] == 20, "the second is off, the third outside"
    given["datastore"][0]["sioc_mode"] = "automatic"
    assert view("storage_pod", given)[0]["lowest_sioc_threshold_ms"] is None


def test_the_lowest_threshold_that_is_known_may_not_be_the_lowest() -> None:
    given = a_pod()
    for row, threshold in zip(given["datastore"], (20, None, None), strict=True):
        row |= {"sioc_enabled": True, "sioc_mode": "manual", "sioc_threshold_ms": threshold}
    (pod,) = view("storage_pod", given)
    assert (pod["lowest_sioc_threshold_ms"], pod["manual_sioc_thresholds"], pod["sioc_thresholds_known"]) == (20, 2, None)
    given["datastore"][1]["sioc_threshold_ms"] = 30
    assert view("storage_pod", given)[0]["sioc_thresholds_known"] is True


PURE, SF = "iqn.2010-06.com.purestorage:fa", "iqn.2010-01.com.solidfire:pe"
SCQ = "iqn.2002-03.com.compellent:5000d3100fcbe001"


def an_adapter() -> Facts:
    """One software iSCSI adapter on each of two hosts, with a Dell SC target and a FlashArray target that no device was seen through."""
    given = hosts()
    on_all_hosts(given, seen(SC[0], "dell-sc"))
    for host in given["host"]:
        where = {"host_id": host["host_id"], "hba": "vmhba64"}
        static = {**where, "kind": "static", "address": "10.0.0.1", "port": 3260}
        given.setdefault("hba", []).append({**where, "kind": "iscsi", "driver": "iscsi_vmk", "is_software": True, "initiator": "iqn.x"})
        given["hba"].append({**where, "hba": "vmhba2", "kind": "fc"})
        given.setdefault("iscsi_target", []).extend(
            [{**static, "iqn": SCQ}, {**static, "iqn": PURE}, {**static, "kind": "send", "iqn": None}]
        )
        values = {"": (5, None), f"10.0.0.1:3260 {SCQ}": (5, True), f"10.0.0.1:3260 {PURE}": (30, False), "10.0.0.1:3260": (5, True)}
        given.setdefault("iscsi_option", []).extend(
            {**where, "target": target, "key": key, "value": value, "is_inherited": inherited}
            for target, (timeout, inherited) in values.items()
            for key, value in (
                ("LoginTimeout", str(timeout)),
                ("DelayedAck", "true" if timeout == 5 else "false"),
                ("NoopOutInterval", "15"),
            )
        )
        path = {**where, "device": SC[0], "transport": "iscsi", "target": SCQ, "state": "active"}
        given.setdefault("path", []).extend([{**path, "path": "p1"}, {**path, "path": "p2"}])
    return given


def test_an_adapter_is_told_with_what_holds_for_its_targets() -> None:
    rows = view("iscsi_adapter", an_adapter())
    assert [row["resource_id"] for row in rows] == ["host-1/vmhba64", "host-2/vmhba64"]
    one = rows[0]
    assert (one["login_timeout_seconds"], one["noop_out_interval_seconds"], one["noop_out_timeout_seconds"]) == (5, 15, None)
    assert (one["targets"], one["lowest_login_timeout_seconds"], one["highest_login_timeout_seconds"]) == (2, 5, 30)
    assert (one["delayed_ack"], one["targets_with_delayed_ack"]) == (True, 1)
    assert (one["families"], one["family_count"]) == ("dell-sc", 1)


@pytest.mark.parametrize(
    ("topic", "unknown"),
    [
        pytest.param("hbas", {"targets", "lowest_login_timeout_seconds", "targets_with_delayed_ack"}, id="adapters"),
        pytest.param("paths", {"families", "family_count"}, id="paths"),
        pytest.param("devices", {"families", "family_count"}, id="devices"),
    ],
)
def test_what_was_not_read_whole_is_unknown_of_an_adapter_of_that_host_alone(topic: str, unknown: set[str]) -> None:
    given = an_adapter()
    given["reading"] = [row for row in given["reading"] if (row["topic"], row["scope"]) != (topic, "host-2")]
    whole, part = view("iscsi_adapter", given)
    reported = {"targets", "lowest_login_timeout_seconds", "targets_with_delayed_ack", "families", "family_count"}
    assert {name for name in reported if whole[name] is None} == set()
    assert {name for name in reported if part[name] is None} == unknown


def test_one_target_that_does_not_tell_makes_the_extremes_unknown() -> None:
    given = an_adapter()
    given["iscsi_option"] = [row for row in given["iscsi_option"] if not (row["target"].endswith(SCQ) and row["key"] == "LoginTimeout")]
    one = view("iscsi_adapter", given)[0]
    assert (one["targets"], one["lowest_login_timeout_seconds"], one["highest_login_timeout_seconds"]) == (2, None, None)
    assert one["targets_with_delayed_ack"] == 1


def test_a_target_has_its_own_parameters_and_the_family_of_its_devices_or_of_its_name() -> None:
    rows = {row["iqn"]: row for row in view("iscsi_parameter", an_adapter()) if row["host"] == "esx-1"}
    assert set(rows) == {SCQ, PURE}
    assert (rows[SCQ]["family"], rows[SCQ]["paths"], rows[SCQ]["login_timeout_seconds"]) == ("dell-sc", 2, 5)
    assert (rows[PURE]["family"], rows[PURE]["paths"], rows[PURE]["login_timeout_seconds"]) == ("flasharray", None, 30)
    assert (rows[SCQ]["login_timeout_inherited"], rows[PURE]["login_timeout_inherited"]) == (True, False)
    assert (rows[SCQ]["delayed_ack"], rows[PURE]["delayed_ack"]) == (True, False)


@pytest.mark.parametrize(
    ("iqn", "vendors", "family"),
    [
        pytest.param(SF, [], "solidfire", id="its name alone tells"),
        pytest.param(SCQ, [], "other", id="nobody knows its name"),
        pytest.param(SCQ, [("COMPELNT", "Compellent Vol"), (None, None)], None, id="a device that was not understood"),
        pytest.param(SCQ, [("COMPELNT", "Compellent Vol"), ("DELL", "MD34xx")], None, id="two families behind one target"),
        pytest.param(SF, [("COMPELNT", "Compellent Vol"), ("DELL", "MD34xx")], "solidfire", id="two families, and a name that tells"),
        pytest.param(SF, [("COMPELNT", "Compellent Vol")], "dell-sc", id="the devices are believed before the name"),
    ],
)
def test_a_family_is_told_of_a_target_only_where_it_is_one(iqn: str, vendors: list[Any], family: str | None) -> None:
    given = an_adapter()
    devices = [
        {"device": f"t10.x{n}", "vendor": vendor, "model": model, "device_type": "disk"} for n, (vendor, model) in enumerate(vendors)
    ]
    given["device"], given["path"] = [], []
    on_all_hosts(given, *devices)
    where = {"host_id": "host-1", "hba": "vmhba64", "transport": "iscsi", "target": iqn}
    given["path"] = [{**where, "device": device["device"], "path": device["device"]} for device in devices]
    static = {"host_id": "host-1", "hba": "vmhba64", "kind": "static", "address": "10.0.0.1", "port": 3260}
    given["iscsi_target"] = [{**static, "iqn": iqn}]
    (row,) = view("iscsi_parameter", given)
    assert row["family"] == family
