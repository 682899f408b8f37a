"""A policy on a qtree or a file limits part of a share: such a share's QoS is not whole, nor is one where that was not read."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap.qos import Policy
from auditor.endpoints.ontap.workloads import limited_within
from tests.endpoints.ontap.ontap_cluster import CLUSTER, collected, serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.endpoints.ontap.ontap_cluster import Served

POLICIES = {
    "g": Policy("g", "gold", None, 5000, None, is_shared=False, is_read=True),
    "b": Policy("b", "bytes", None, None, 1000, is_shared=False, is_read=True),
    "f": Policy("f", "free", None, None, None, is_shared=False, is_read=True),
    "a": Policy("a", "by-size", None, None, None, is_shared=False, is_read=False),
}
WITHIN = ("nas", "nfs1")


def workload(policy: Any = "g", **more: str) -> dict[str, Any]:
    named = {"policy": {"uuid": policy, "name": "x"}} if policy is not None else {}
    return {"uuid": "w-1", "name": "nfs1-wid9", "svm": {"name": "nas"}, "volume": "nfs1", **named, **more}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(workload(qtree="q1"), WITHIN, id="a qtree with a ceiling"),
        pytest.param(workload("b", file="vm/vm-flat.vmdk"), WITHIN, id="a file with a ceiling on bytes"),
        pytest.param(workload("a", file="vm.vmdk"), WITHIN, id="a file whose limit goes by its size"),
        pytest.param(workload("gone", file="vm.vmdk"), WITHIN, id="a policy that is not listed"),
        pytest.param(workload("f", qtree="q1"), None, id="a policy that limits nothing"),
        pytest.param(workload(None, qtree="q1"), None, id="no policy"),
        pytest.param(workload(), None, id="the FlexVol itself, whose policy stands with it"),
        pytest.param(workload(qtree="", file="-"), None, id="neither"),
        pytest.param(workload(qtree="q1", lun="/vol/nfs1/q1/lun"), None, id="a LUN, whose policy stands with it"),
        pytest.param(workload(qtree="q1") | {"policy": {"uuid": "p", "name": "User-Best-Effort"}}, None, id="the policy of those without"),
    ],
)
def test_a_qtree_or_file_with_a_limit_is_named_by_its_share(given: dict[str, Any], expected: tuple[str, str] | None) -> None:
    assert limited_within(Record(given, "workload", ParseErrors("GET")), POLICIES) == expected


def levels(found: Any) -> dict[str, bool | None]:
    return {row["name"]: row["qos_levels_read"] for row in found.tables["array_volume"] if row["kind"] == "share"}


def test_a_share_with_a_limited_file_is_not_whole_and_the_others_are(served: Served) -> None:
    server, endpoint, clock = served
    gold = CLUSTER.derived_id("qos", "san", "gold")

    def alter(answer: dict[str, Any]) -> dict[str, Any]:
        more = [workload(gold, file="vm.vmdk")]
        return answer | {"records": [*answer["records"], *more], "num_records": len(answer["records"]) + 1}

    server.alterations["GET storage/qos/workloads"] = alter
    found = collected(endpoint, clock)
    assert levels(found) == {"nfs1": False, "nfs2": True}
    assert found.gaps == []


def test_where_workloads_are_not_shown_no_share_is_whole_and_a_gap_says_so(tmp_path: Path) -> None:
    description = dataclasses.replace(CLUSTER, forbidden=("/api/storage/qos/workloads",))
    with serving(tmp_path, description) as (_, endpoint, clock):
        found = collected(endpoint, clock)
    assert levels(found) == {"nfs1": False, "nfs2": False}
    assert [gap.what.partition(":")[0] for gap in found.gaps] == ["GET storage/qos/workloads"]
    assert found.incomplete() == {"volumes"}


def test_a_release_without_that_list_is_not_asked_and_its_shares_are_not_whole(tmp_path: Path) -> None:
    with serving(tmp_path, dataclasses.replace(CLUSTER, version="9.9.1")) as (server, endpoint, clock):
        found = collected(endpoint, clock)
        asked = [request for request in server.requests if "workloads" in str(request)]
    assert (levels(found), asked) == ({"nfs1": False, "nfs2": False}, [])
