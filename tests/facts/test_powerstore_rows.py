"""What views make of a PowerStore's facts: ceilings per GB, bursts, groups, and virtual volumes that have no ceiling."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import array, gaps, hosts, on_all_hosts, seen
from .single import Rows, chained, rows_over

STEPS = ("step_adaptive_ceiling", "step_volume_qos", "step_curve_cost", "step_volume_ceiling")
PE = "naa.68ccf09800a40400000000000000e001"


def rule(burst: int = 0, kind: str = "Absolute", **limits: int) -> str:
    given = ", ".join(f'"{name}": {value}' for name, value in limits.items())
    return f'{{"type": "{kind}", {given}, "burst_percentage": {burst}}}'


def held(volume: dict[str, Any], load: dict[str, Any], *policies: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said of a volume's load, and of its QoS."""
    own = {"endpoint": "ps", "volume_id": "v", "name": "lun", "kind": "lun", "is_virtual": False, "qos_read": True, **volume}
    tables: dict[str, Rows] = {
        "step_volume": [own],
        "fact.array_volume_load": [{"endpoint": "ps", "volume_id": "v", **load}],
        "fact.array_qos_policy": [{"endpoint": "ps", **policy} for policy in policies],
        "step_array": [{"endpoint": "ps", "family": "powerstore"}],
        "step_endpoint_reading": [{"endpoint": "ps", "volumes_read": True}],
    }
    [told] = chained("step_volume_load", tables, *STEPS)
    [qos] = chained("step_volume_qos", tables, STEPS[0])
    return told, qos


@pytest.mark.parametrize(
    ("iops", "burst", "at_limit", "wait"),
    [
        pytest.param(2000, 0, True, "at its ceiling of 2,000 IOPS: the wait is QoS", id="at a ceiling without a burst"),
        pytest.param(2000, 50, None, None, id="at its ceiling, and it may go on to 3,000"),
        pytest.param(2849, 50, None, None, id="just below its burst"),
        pytest.param(2851, 50, True, "at its ceiling of 2,000 IOPS: the wait is QoS", id="at its burst"),
        pytest.param(1000, 50, None, None, id="below its ceiling: how operations are counted is not known"),
    ],
)
def test_between_its_ceiling_and_its_burst_nobody_knows_whether_a_volume_waits(
    iops: int, burst: int, at_limit: bool | None, wait: str | None
) -> None:
    policy = {"policy_id": "p", "name": "web", "kind": "policy", "raw": rule(burst, max_iops=2000), "max_iops": 2000, "is_shared": False}
    volume = {"qos_policy_id": "p", "qos_policy": "web", "qos_max_iops": 2000, "qos_shared": False}
    told, _ = held(volume, {"actual_iops": iops, "bytes_per_second": iops * 8192, "average_io_bytes": 8192}, policy)
    assert (told["is_at_limit"], told["qos_wait"]) == (at_limit, wait)


@pytest.mark.parametrize(("burst", "at_limit"), [pytest.param(0, True, id="without a burst"), pytest.param(20, None, id="with one")])
def test_the_burst_of_a_groups_ceiling_in_bytes_counts_likewise(burst: int, at_limit: bool | None) -> None:
    group = {
        "policy_id": "g",
        "name": "nightly",
        "kind": "volume_group",
        "raw": rule(burst, max_bw=204_800),
        "is_shared": True,
        "volumes": 1,
    }
    volume = {"qos_group_id": "g", "qos_group": "nightly", "qos_group_max_bytes_per_second": 209_715_200}
    told, _ = held(volume, {"actual_iops": 3200, "bytes_per_second": 209_715_200, "average_io_bytes": 65_536}, group)
    assert told["is_at_limit"] is at_limit


@pytest.mark.parametrize(
    ("limits", "at_most"),
    [
        pytest.param({"max_iops": 4}, 4398, id="4 a GB of 1,000,000,000 bytes, of 1 TiB"),
        pytest.param({"max_bw": 100}, None, id="in bytes alone"),
    ],
)
def test_a_ceiling_per_gb_is_one_whose_number_is_known_at_most(limits: dict[str, int], at_most: int | None) -> None:
    policy = {"policy_id": "p", "name": "by-size", "kind": "density", "raw": rule(kind="Density", **limits), "is_shared": False}
    volume = {"qos_policy_id": "p", "qos_policy": "by-size", "qos_shared": False, "qos_read": False, "size_bytes": 1 << 40}
    told, qos = held(volume, {"actual_iops": 300, "bytes_per_second": 300 * 8192, "average_io_bytes": 8192}, policy)
    assert (qos["is_capped"], qos["own_max_iops"], qos["own_max_iops_at_least"], qos["own_max_iops_at_most"]) == (True, None, None, at_most)
    assert qos["qos"] == "by-size: per GB; the rest was not read"
    assert told["is_at_limit"] is None


def test_a_ceiling_per_gb_of_a_group_is_one_of_a_number_that_nobody_knows() -> None:
    group = {"policy_id": "g", "name": "all", "kind": "density", "raw": rule(kind="Density", max_iops=4), "is_shared": True, "volumes": 1}
    volume = {"qos_group_id": "g", "qos_group": "all", "qos_read": False, "size_bytes": 1 << 40}
    _, qos = held(volume, {"actual_iops": 300, "bytes_per_second": 300 * 8192}, group)
    assert (qos["is_capped"], qos["group_max_iops_at_most"], qos["qos"]) == (True, None, "group all: per GB; the rest was not read")


@pytest.mark.parametrize(
    ("family", "lun_read", "vvol_read", "caps"),
    [
        pytest.param("powerstore", False, True, False, id="a volume whose ceiling is not known is none of a virtual one"),
        pytest.param("powerstore", True, False, None, id="a virtual volume that was not understood"),
        pytest.param("dell-sc", False, True, None, id="another family"),
    ],
)
def test_whether_virtual_volumes_are_capped_goes_by_virtual_volumes(
    family: str, lun_read: bool, vvol_read: bool, caps: bool | None
) -> None:
    given: dict[str, Rows] = {
        "step_array": [{"endpoint": "ps", "family": family}],
        "step_volume": [
            {"endpoint": "ps", "volume_id": "lun", "is_virtual": False},
            {"endpoint": "ps", "volume_id": "vvol", "is_virtual": True},
        ],
        "step_volume_qos": [
            {"endpoint": "ps", "volume_id": "lun", "is_capped": False if lun_read else None, "is_whole": lun_read},
            {"endpoint": "ps", "volume_id": "vvol", "is_capped": False if vvol_read else None, "is_whole": vvol_read},
        ],
        "step_endpoint_reading": [{"endpoint": "ps", "volumes_read": True}],
    }
    assert [row["per_object_qos"] for row in rows_over("step_array_caps", given)] == [caps]


@pytest.mark.parametrize(
    ("family", "owners", "caps"),
    [
        pytest.param("powerstore", ["ps"], False, id="its only virtual volume is one of that array"),
        pytest.param("powerstore", ["ps", "ps-2"], None, id="those of two arrays"),
        pytest.param("powerstore", [], None, id="none that is known"),
        pytest.param("solidfire", ["ps"], None, id="a family that tells its protocol endpoints"),
    ],
)
def test_a_protocol_endpoint_that_no_array_tells_goes_by_the_virtual_volumes_behind_it(
    family: str, owners: list[str], caps: bool | None
) -> None:
    device = {"endpoint": "vc", "host_id": "h", "device": PE, "resource_id": "h/pe", "is_protocol_endpoint": True, "family": family}
    disks = [{"endpoint": "vc", "datastore_id": "d", "backing_object_id": f"rfc4122.ID-{number}"} for number, _ in enumerate(owners)]
    given: dict[str, Rows] = {
        "device": [device],
        "fact.vvol_mount": [{"endpoint": "vc", "host_id": "h", "device": PE, "datastore_id": "d"}],
        "fact.vm_disk": disks,
        "step_volume": [
            {"endpoint": owner, "volume_id": str(number), "is_virtual": True, "vvol_id": f"id-{number}"}
            for number, owner in enumerate(owners)
        ],
        "step_array_caps": [{"array_name": "ps", "per_object_qos": False}, {"array_name": "ps-2", "per_object_qos": False}],
    }
    [row] = rows_over("protocol_endpoint", given)
    assert (row["per_object_qos"], row["array_name"]) == (caps, None)


@pytest.mark.long
def test_a_protocol_endpoint_is_no_gap_where_its_kind_of_array_tells_none() -> None:
    given = hosts(2)
    on_all_hosts(
        given, {**seen(PE, "powerstore"), "is_protocol_endpoint": True}, seen("naa.68ccf09800d100000000000000000001", "powerstore")
    )
    array(given, "ps", EndpointKind.POWERSTORE, {"name": "lun", "device": "naa.68ccf09800d100000000000000000001"})
    assert list(gaps(given, ps=EndpointKind.POWERSTORE)) == []
    array(given, "ps", EndpointKind.POWERSTORE)
    given["array_volume"].clear()
    assert [what for _, what, _ in gaps(given, ps=EndpointKind.POWERSTORE)] == ["the array behind naa.68ccf09800d100000000000000000001"]


def test_whether_a_virtual_volume_is_busy_is_not_known() -> None:
    given: dict[str, Rows] = {
        "step_array": [{"endpoint": "ps", "family": "powerstore"}, {"endpoint": "fa", "family": "flasharray"}],
        "step_volume": [
            {"endpoint": endpoint, "volume_id": name, "name": name, "is_virtual": name == "vvol"}
            for endpoint in ("ps", "fa")
            for name in ("lun", "vvol")
        ],
        "step_endpoint_reading": [{"endpoint": name, "volume_load_read": True} for name in ("ps", "fa")],
        "step_vcenter_reading": [{"datastores_read": True}],
    }
    busy = {(row["endpoint"], row["volume"]): row["is_busy"] for row in rows_over("array_volume", given)}
    assert busy == {("ps", "lun"): False, ("ps", "vvol"): None, ("fa", "lun"): False, ("fa", "vvol"): False}


def test_a_volume_whose_figures_were_not_understood_is_not_idle() -> None:
    loads = {"no figures": (None, None), "idle": (None, 0), "rate alone": (None, 1), "size alone": (4096, None)}
    given: dict[str, Rows] = {
        "step_array": [{"endpoint": "msa", "family": "dothill"}],
        "step_volume": [{"endpoint": "msa", "volume_id": name, "name": name, "is_virtual": False} for name in (*loads, "no row")],
        "fact.array_volume_load": [
            {"endpoint": "msa", "volume_id": name, "average_io_bytes": size, "actual_iops": rate} for name, (size, rate) in loads.items()
        ],
        "step_endpoint_reading": [{"endpoint": "msa", "volume_load_read": True}],
        "step_vcenter_reading": [{"datastores_read": True}],
    }
    busy = {row["volume"]: row["is_busy"] for row in rows_over("array_volume", given)}
    assert busy == {"no figures": None, "idle": False, "rate alone": True, "size alone": True, "no row": False}
