"""What a platform lacks by design is an answer, not a gap; what any other cluster refuses stays one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.client import open_ontap
from auditor.endpoints.ontap.platform import AFX, ASA_R2, CLOUD, FSX, SELECT, Platform, platform_of
from auditor_lab.arrays.ontap.parts import NodeDescription
from auditor_lab.wire import Fault
from tests.endpoints.ontap.ontap_cluster import CLUSTER, collected, serving

if TYPE_CHECKING:
    from pathlib import Path

WITHOUT_AGGREGATES = ("array_pool", "array_pool_load", "array_scrub", "array_efficiency")
OF_DISKS = ("storage/disks", "cluster/counter/tables", "private/cli/storage/raid-options")


@pytest.mark.parametrize(("platform", "luns"), [pytest.param("asa-r2", True, id="ASA r2"), pytest.param("afx", False, id="AFX")])
def test_a_platform_without_aggregates_is_read_without_a_gap(tmp_path: Path, platform: str, luns: bool) -> None:
    described = dataclasses.replace(CLUSTER, version="9.17.1", platform=platform)
    with serving(tmp_path, described) as (_, endpoint, clock):
        found = collected(endpoint, clock)
    assert found.gaps == []
    assert found.incomplete() == set()
    assert [name for name in WITHOUT_AGGREGATES if found.tables[name]] == []
    assert any(row["kind"] == "lun" for row in found.tables["array_volume"]) is luns
    assert {row["generation"] for row in found.tables["array"]} == {"ASA r2" if luns else "AFX"}


def test_it_is_said_once_what_the_platform_lacks(tmp_path: Path) -> None:
    with (
        serving(tmp_path, dataclasses.replace(CLUSTER, version="9.17.1", platform="asa-r2")) as (server, endpoint, _),
        open_ontap(endpoint) as cluster,
    ):
        assert [cluster.platform(), cluster.platform()] == [ASA_R2, ASA_R2]
        assert [note for note in cluster.notes if "has no aggregates" in note] == [
            "na-east is ASA r2: this platform has no aggregates, and rules about them do not apply."
        ]
        assert server.requests.count("GET cluster/nodes") == 1


@pytest.mark.parametrize(
    ("model", "lacking"),
    [
        pytest.param("FSx", ("storage/aggregates", *OF_DISKS), id="FSx"),
        pytest.param("CDvM200", OF_DISKS, id="Cloud Volumes ONTAP"),
        pytest.param("SDvM300", OF_DISKS, id="Select"),
    ],
)
@pytest.mark.parametrize("refusal", ["lacking", "forbidden"])
def test_disks_that_are_somebody_elses_leave_no_gap(tmp_path: Path, model: str, lacking: tuple[str, ...], refusal: str) -> None:
    refused: dict[str, Any] = {"lacking": lacking} if refusal == "lacking" else {"forbidden": tuple(f"/api/{each}" for each in lacking)}
    described = dataclasses.replace(CLUSTER, nodes=tuple(NodeDescription(name=node.name, model=model) for node in CLUSTER.nodes), **refused)
    with serving(tmp_path, described) as (_, endpoint, clock):
        found = collected(endpoint, clock)
    assert (found.gaps, found.incomplete()) == ([], set())
    assert found.tables["array_pool_load"] == found.tables["array_scrub"] == []


def test_the_same_refusals_of_any_other_cluster_are_gaps(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(CLUSTER, lacking=("storage/aggregates", *OF_DISKS))) as (_, endpoint, clock):
        found = collected(endpoint, clock)
    assert found.incomplete() == {"pools", "pool_load", "node_load", "scrub", "volume_load", "background_jobs"}


def test_a_platform_without_aggregates_that_does_not_answer_leaves_its_gap(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(CLUSTER, version="9.17.1", platform="asa-r2")) as (server, endpoint, clock):
        server.faults.active.append(Fault("drop", "GET storage/volume-efficiency-policies"))
        found = collected(endpoint, clock)
    assert found.incomplete() == {"efficiency"}


@pytest.mark.parametrize(
    ("about", "models", "platform"),
    [
        ({"disaggregated": True, "san_optimized": True}, (), ASA_R2),
        ({"disaggregated": True, "san_optimized": False}, (), AFX),
        ({"disaggregated": True}, (), AFX),
        ({"disaggregated": False, "san_optimized": True}, ("ASA-A800",), None),
        ({"disaggregated": "true"}, (), None),
        ({}, ("ASA-A1K", "ASA-A1K"), ASA_R2),
        ({}, ("ASA-A250",), None),
        ({}, ("AFF-A90",), None),
        ({}, ("FSx",), FSX),
        ({}, ("CDvM200",), CLOUD),
        ({}, ("FDvM300",), SELECT),
        ({}, ("FDvM300", "FAS8200"), None),
        ({}, (), None),
    ],
)
def test_a_platform_is_known_by_its_flags_and_else_by_its_nodes(
    about: dict[str, Any], models: tuple[str, ...], platform: Platform | None
) -> None:
    assert platform_of(about, models) == platform
