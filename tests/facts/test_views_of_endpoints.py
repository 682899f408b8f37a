"""Views of protocol endpoints: the host's side and the array's, compared."""

from typing import Any

import pytest

from tests.facts.judged_fleet import CURVE, PE, facts, without_topic

from .fleets import view


@pytest.mark.long
def test_an_endpoint_left_behind_is_named_even_when_another_host_was_not_read() -> None:
    given = facts()
    given["device_scheduling"][0]["dsnro"] = 32
    without_topic(given, "device_scheduling", "host-2")
    assert [row["is_behind_cluster"] for row in view("protocol_endpoint", given)] == [True, None, None, None]


@pytest.mark.long
def test_a_device_that_two_arrays_present_belongs_to_neither() -> None:
    given = facts()
    given["array"].append({"endpoint": "sf-copy", "family": "solidfire"})
    given["array_protocol_endpoint"].append({"endpoint": "sf-copy", "protocol_endpoint_id": "x", "device": PE[0], "state": "Active"})
    by_device = {row["device"]: row["array_name"] for row in view("protocol_endpoint", given)}
    assert by_device == {PE[0]: None, PE[1]: "sf"}


@pytest.mark.long
def test_a_host_that_sees_no_endpoint_is_still_compared_with_the_array() -> None:
    given = facts()
    for table in ("device", "path", "device_scheduling"):
        given[table] = [row for row in given[table] if row["host_id"] == "host-1"]
    seen = {
        row["host"]: (row["visible_active_endpoints"], row["active_endpoints"], row["active_nodes"])
        for row in view("vvol_array_on_host", given)
    }
    assert seen == {"esx-1": (2, 2, 2), "esx-2": (0, 2, 2)}
    without_topic(given, "devices", "host-2")
    assert {row["host"]: row["visible_active_endpoints"] for row in view("vvol_array_on_host", given)} == {"esx-1": 2, "esx-2": None}


@pytest.mark.long
def test_an_array_that_was_not_read_leaves_its_side_of_the_comparison_open() -> None:
    given = facts()
    for table in ("array", "array_node", "array_protocol_endpoint", "array_volume", "array_volume_load"):
        given[table] = []
    given["reading"] = [row for row in given["reading"] if row.get("endpoint") != "sf"]
    rows = view("vvol_array_on_host", given)
    assert [(row["resource_name"], row["active_nodes"], row["active_endpoints"]) for row in rows] == [
        ("Element cluster 73667031", None, None)
    ] * 2


@pytest.mark.parametrize(
    ("more", "nodes"),
    [
        pytest.param({"role": "Witness", "is_fibre_channel": False}, 2, id="a witness node"),
        pytest.param({"role": "Management", "is_fibre_channel": False}, 2, id="a management node"),
        pytest.param({"role": "Storage", "is_fibre_channel": True}, 2, id="a Fibre Channel node"),
        pytest.param({"is_fibre_channel": True}, 2, id="a Fibre Channel node of a release without roles"),
        pytest.param({"role": "Storage", "is_fibre_channel": False}, 3, id="a third storage node"),
        pytest.param({"role": "Storage", "is_fibre_channel": False, "state": "pending"}, 2, id="a storage node that is not in yet"),
        pytest.param({"is_fibre_channel": False, "version": "11.7.0.76"}, 3, id="a node of a release without witnesses"),
        pytest.param({"is_fibre_channel": False, "version": "12.3.0.958"}, None, id="a node that may be a witness"),
        pytest.param({"is_fibre_channel": False}, None, id="a node whose role and release are not known"),
        pytest.param({"role": "Storage"}, None, id="a node that may have Fibre Channel"),
    ],
)
def test_only_nodes_that_serve_blocks_by_iscsi_count_as_nodes_with_a_protocol_endpoint(more: dict[str, Any], nodes: int | None) -> None:
    given = facts()
    given["array_node"].append({"endpoint": "sf", "node_id": "3", "state": "active", **more})
    # docs/domain/facts.md#10-2: one endpoint for each storage node; witness and Fibre Channel nodes have none.
    assert {row["active_nodes"] for row in view("vvol_array_on_host", given)} == {nodes}


@pytest.mark.long
@pytest.mark.parametrize("status", ["deleted", "destroyed"])
def test_a_volume_that_waits_to_be_purged_counts_nowhere(status: str) -> None:
    given = facts()
    before = {name: view(name, given) for name in ("array_volume", "protocol_endpoint", "qos_policy_use", "vvol_disk")}
    given["array_volume"].append(
        {
            "endpoint": "sf",
            "volume_id": "8",
            "name": "gone",
            "status": status,
            "is_virtual": True,
            "vvol_id": "8",
            "qos_max_iops": 100,
            "qos_read": True,
            "qos_policy_id": "1",
            "qos_curve": CURVE,
        }
    )
    given["vvol_binding"] = [{"endpoint": "sf", "binding_id": "1", "vvol_id": "8", "protocol_endpoint_id": PE[0]}]
    assert {name: view(name, given) for name in before} == before
