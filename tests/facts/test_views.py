"""Views join what was read, and say NULL wherever something they rest on was not."""

from collections.abc import Callable

import pytest

from auditor.facts.catalog import view_columns
from auditor.facts.views import RESOURCE_COLUMNS
from tests.facts.judged_fleet import facts, lose, lose_topic, without_topic

from .fleets import Facts, view


def test_every_judged_view_begins_with_the_columns_of_a_resource() -> None:
    for name, columns in view_columns().items():
        assert tuple(columns)[: len(RESOURCE_COLUMNS)] == RESOURCE_COLUMNS, name


@pytest.mark.parametrize("name", view_columns())
def test_a_view_gives_each_resource_once(name: str) -> None:
    rows = view(name, facts())
    assert len({(row["endpoint"], row["resource_id"]) for row in rows}) == len(rows)


def test_a_protocol_endpoint_is_joined_to_its_array_and_to_the_disks_behind_it() -> None:
    rows = view("protocol_endpoint", facts())
    assert len(rows) == 4
    for row in rows:
        assert (row["array_name"], row["per_object_qos"], row["deepest_disk_queue"], row["vvol_disks"]) == ("sf", True, 64, 1)
        assert (row["driver"], row["is_behind_cluster"]) == ("iscsi_vmk", False)


@pytest.mark.parametrize(
    ("loss", "column"),
    [
        pytest.param(lose("array_protocol_endpoint"), "per_object_qos", id="the array does not present the endpoint"),
        pytest.param(lose_topic("vms"), "deepest_disk_queue", id="machines not read"),
        pytest.param(lose_topic("vms"), "vvol_disks", id="machines not read, so not counted"),
        pytest.param(lose_topic("datastores"), "deepest_disk_queue", id="datastores not read"),
        pytest.param(lose_topic("device_scheduling"), "is_behind_cluster", id="DSNRO not read on some host"),
        pytest.param(lose("device_scheduling"), "is_behind_cluster", id="DSNRO not read at all"),
    ],
)
def test_a_column_is_null_when_what_it_rests_on_was_not_read(loss: Callable[[Facts], None], column: str) -> None:
    given = facts()
    loss(given)
    assert {row[column] for row in view("protocol_endpoint", given)} == {None}


@pytest.mark.long
def test_an_array_without_caps_is_only_believed_when_all_its_volumes_were_read() -> None:
    given = facts()
    given["array_volume"][0]["qos_max_iops"] = None
    assert {row["per_object_qos"] for row in view("protocol_endpoint", given)} == {False}
    without_topic(given, "volumes")
    assert {row["per_object_qos"] for row in view("protocol_endpoint", given)} == {None}


@pytest.mark.long
def test_a_controller_whose_depth_no_source_gives_makes_the_deepest_disk_unknown() -> None:
    given = facts()
    given["vm_disk"].append({"vm_id": "vm-1", "disk": "Hard disk 2", "datastore_id": "ds-1", "controller": "nvme"})
    assert {row["deepest_disk_queue"] for row in view("protocol_endpoint", given)} == {None}


def lose_devices(given: Facts) -> None:
    given["device"] = []
    without_topic(given, "devices")


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "capped"),
    [
        pytest.param(lambda given: None, True, id="an array behind them caps single volumes"),
        pytest.param(lose("device"), False, id="no protocol endpoint at all"),
        pytest.param(lose_devices, None, id="devices not read"),
        pytest.param(lose("array_protocol_endpoint"), None, id="nobody presents them"),
    ],
)
def test_a_host_knows_whether_capped_volumes_are_behind_its_endpoints(change: Callable[[Facts], object], capped: bool | None) -> None:
    given = facts()
    change(given)
    assert {row["has_capped_protocol_endpoints"] for row in view("host", given)} == {capped}


@pytest.mark.parametrize(
    ("machine", "deepest"),
    [
        pytest.param({"host_id": "host-2", "power_state": "poweredOn"}, None, id="it may be the deepest of the cluster"),
        pytest.param({"host_id": "host-2"}, None, id="nobody knows whether it runs"),
        pytest.param({"host_id": "host-2", "power_state": "poweredOff"}, 64, id="powered off, it sends nothing"),
        pytest.param({"host_id": "host-3", "power_state": "poweredOn"}, 64, id="it runs in another cluster"),
    ],
)
def test_a_machine_whose_disks_were_not_read_makes_only_its_own_cluster_unknown(machine: dict[str, str], deepest: int | None) -> None:
    given = facts()
    given["host"].append({"host_id": "host-3", "name": "esx-3", "cluster_id": "c2", "cluster": "silver"})
    given["vm"].append({"vm_id": "vm-2", "name": "orphan", "disks_read": False, **machine})
    assert {row["deepest_disk_queue"] for row in view("protocol_endpoint", given)} == {deepest}


@pytest.mark.long
def test_the_ceiling_is_worth_what_the_arrays_own_curve_says() -> None:
    [row] = view("array_volume", facts())
    # Incident S0 and docs/domain/facts.md#6-3: 2000 at 512 KiB is about 26.
    assert (row["is_busy"], row["effective_max_iops"], row["effective_burst_iops"]) == (True, 13.2, 26.3)


@pytest.mark.parametrize(
    ("size", "worth"),
    [
        pytest.param(4096, 1000.0, id="on the first point"),
        pytest.param(512, 1000.0, id="a small I/O costs one piece"),
        pytest.param(5120, 869.6, id="a quarter of the way from 100 to 160: 115"),
        pytest.param(1048576, None, id="beyond the curve"),
        pytest.param(None, None, id="idle"),
    ],
)
def test_between_two_points_the_cost_is_a_straight_line(size: int | None, worth: float | None) -> None:
    given = facts()
    given["array_volume_load"][0]["average_io_bytes"] = size
    [row] = view("array_volume", given)
    assert row["effective_max_iops"] == worth
