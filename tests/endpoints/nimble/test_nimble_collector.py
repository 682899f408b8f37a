"""A whole reading of a group of Nimble arrays: what its topics hold, and which of them are whole."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.nimble.client import open_nimble
from auditor.endpoints.nimble.collect import collect_nimble
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.arrays.nimble.description import (
    AlarmDescription,
    FolderDescription,
    InitiatorGroupDescription,
    LoadDescription,
    MemberDescription,
    NimbleDescription,
    PoolDescription,
    VolumeDescription,
)
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DESCRIPTION = NimbleDescription(
    name="nb-grp",
    digits="49686580b78e0b16",
    arrays=(MemberDescription("nb-1"), MemberDescription("nb-2", model="HF40", version="6.0.0.300")),
    pools=(PoolDescription("default"), PoolDescription("slow", all_flash=False, capacity_bytes=1 << 40)),
    folders=(FolderDescription("tenant", limit_iops=5000, limit_mbps=200), FolderDescription("vvols", agent_type="vvol")),
    initiator_groups=(
        InitiatorGroupDescription("esx", iqns=("iqn.1998-01.com.vmware:a", "iqn.1998-01.com.vmware:b")),
        InitiatorGroupDescription("esx-fc", wwns=("20000025b5aa0001",)),
    ),
    volumes=(
        VolumeDescription("ds-1", folder="tenant", groups=("esx",), limit_iops=4000, load=LoadDescription(3000, 3000 * 8192)),
        VolumeDescription("ds-2", folder="tenant", groups=("esx", "esx-fc")),
        VolumeDescription("vm-1.vmdk", folder="vvols", groups=("esx",), limit_iops=800, agent_type="vvol"),
    ),
    protocol_endpoints=("nb-pe",),
    alarms=(AlarmDescription("warning", "Controller B is standby", "B", status="acknowledged"),),
    page_rows=2,
)


def collected(folder: Path, alter: dict[str, Callable[[Any], Any]] | None = None, **changes: Any) -> Collected:
    description = dataclasses.replace(DESCRIPTION, **changes)
    with serving_array(EndpointKind.NIMBLE, description, folder) as (server, endpoint):
        server.alterations.update(alter or {})
        with open_nimble(endpoint) as group:
            return Collected(collect_nimble(group, endpoint), endpoint_type(EndpointKind.NIMBLE).topics)


def test_everything_of_a_group_is_read(tmp_path: Path) -> None:
    found = collected(tmp_path)
    assert found.gap_text() == ""
    assert found.column("array", "name", "model", "version", "family") == [("nb-grp", "AF40, HF40", "6.1.2.700-1062444-opt", "nimble")]
    assert found.column("array_node", "name", "state", "version")[2:] == [
        ("nb-2 A", "active", "6.0.0.300"),
        ("nb-2 B", "standby", "6.0.0.300"),
    ]
    assert found.column("array_pool", "name", "media") == [("default", "ssd"), ("slow", "mixed")]
    assert found.column("array_qos_policy", "name", "max_iops", "max_bytes_per_second", "volumes") == [
        ("tenant", 5000, 209_715_200, 2),
        ("vvols", None, None, 1),
    ]
    volumes = found.by("array_volume")
    assert {name: (row["qos_max_iops"], row["qos_group"], row["qos_group_max_iops"], row["qos_read"]) for name, row in volumes.items()} == {
        "ds-1": (4000, "tenant", 5000, True),
        "ds-2": (None, "tenant", 5000, True),
        "vm-1.vmdk": (800, "vvols", None, True),
    }
    assert volumes["ds-1"]["device"].startswith("eui.")
    assert volumes["vm-1.vmdk"]["device"] is None
    assert found.column("array_volume_load", "actual_iops", "average_io_bytes") == [(3000, 8192), (None, None), (None, None)]
    assert found.column("array_protocol_endpoint", "state") == ["normal"]
    assert sorted(found.column("array_initiator", "initiator")) == [
        "20000025b5aa0001",
        "iqn.1998-01.com.vmware:a",
        "iqn.1998-01.com.vmware:b",
    ]
    assert len(found.tables["array_connection"]) == 4
    assert found.column("array_alert", "severity", "is_open") == [("warning", False)]


def drop(field: str) -> Callable[[Any], Any]:
    return lambda answer: {**answer, "data": [{key: value for key, value in row.items() if key != field} for row in answer["data"]]}


@pytest.mark.parametrize(
    ("operation", "field", "topics"),
    [
        ("GET volumes/detail", "limit_iops", {"volumes"}),
        ("GET volumes/detail", "avg_stats_last_5mins", {"volume_load"}),
        ("GET folders/detail", "limit_mbps", {"qos_policies"}),
        ("GET arrays/detail", "status", {"array", "nodes"}),
        ("GET access_control_records/detail", "apply_to", {"connections"}),
        ("GET initiator_groups/detail", "iscsi_initiators", {"array_hosts"}),
    ],
)
def test_a_field_that_is_missing_costs_its_topic_alone(tmp_path: Path, operation: str, field: str, topics: set[str]) -> None:
    assert collected(tmp_path, {operation: drop(field)}).incomplete() == topics


def test_an_array_that_its_group_cannot_reach_leaves_a_gap(tmp_path: Path) -> None:
    found = collected(tmp_path, arrays=(MemberDescription("nb-1"), MemberDescription("nb-2", status="unreachable")))
    assert found.incomplete() == {"array", "nodes"}
    assert "status of array nb-2: is unreachable within its group" in found.gap_text()


def test_alarms_that_are_switched_off_are_no_good_news(tmp_path: Path) -> None:
    found = collected(tmp_path, alarms=(), alarms_enabled=False)
    assert found.incomplete() == {"alerts"}
    assert "what is wrong with the arrays is not reported" in found.gap_text()


def test_volumes_in_folders_that_were_not_read_have_an_unknown_qos(tmp_path: Path) -> None:
    found = collected(tmp_path, {"GET folders/detail": lambda answer: {**answer, "totalRows": "many"}})
    assert found.incomplete() == {"qos_policies", "volumes"}
    assert set(found.column("array_volume", "qos_read")) == {False}


def test_a_partial_list_of_volumes_keeps_what_it_held(tmp_path: Path) -> None:
    found = collected(tmp_path, {"GET volumes/detail": lambda answer: {**answer, "messages": [{"code": "SM_epartial"}]}})
    assert {"volumes", "volume_load"} <= found.incomplete()
    assert found.column("array_volume", "name") == ["ds-1", "ds-2"]


def test_access_to_what_was_not_listed_leaves_a_gap(tmp_path: Path) -> None:
    def other(answer: Any) -> Any:
        return {**answer, "data": [{**row, "vol_id": "06ff", "initiator_group_id": "02ff"} for row in answer["data"]]}

    found = collected(tmp_path, {"GET access_control_records/detail": other})
    assert found.incomplete() == {"connections"}
    assert "is a volume that GET volumes did not list" in found.gap_text()
    assert "is a group that GET initiator_groups did not list" in found.gap_text()
