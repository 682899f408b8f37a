"""What an Element cluster does in the background: each method's answer into rows of background_job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from auditor.facts.needs import needs
from auditor.model import EndpointKind
from auditor_lab.arrays.element.description import ElementDescription
from auditor_lab.faults import Fault
from tests.endpoints import arrays
from tests.endpoints.element.element_collecting import collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.topics import Row

NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
JOBS = needs([("background_job", "kind")])
# In the shapes of the reference's printed answers, with values of our own.
SLICE = {
    "bytesPerSecond": 100.5,
    "currentBytes": 4096,
    "dstServiceID": 3,
    "elapsedTime": 600.0,
    "sliceID": 5,
    "stage": "whole",
    "type": "slice",
}
CLONE = {"cloneID": 1, "currentBytes": 8192, "elapsedTime": 60, "srcVolumeID": 5, "dstVolumeID": 6, "type": "clone"}
REMOTE = {"branchType": "volume", "blocksPerSecond": 7, "dstVolumeID": 2, "elapsedTime": 0, "type": "remote"}
BULK = {"bulkVolumeID": 2, "createTime": "2026-11-28T12:00:00Z", "elapsedTime": "44", "srcVolumeID": 3, "status": "running", "type": "read"}
ASYNC = {
    "asyncResultID": 47, "completed": True, "createTime": "2026-11-28T11:00:00Z", "lastUpdateTime": "2026-11-28T12:00:00Z",
    "data": {"volumeID": 48}, "resultType": "Clone", "success": True,
}  # fmt: skip
MIRROR = {
    "snapMirrorRelationshipID": "R-1", "sourceVolume": {"type": "solidfire", "volumeID": 9}, "relationshipStatus": "idle",
    "lastTransferDuration": 3600, "lastTransferEndTimestamp": "2026-11-28T12:00:00Z", "lastTransferSize": 77, "scheduleName": "nightly",
}  # fmt: skip


@pytest.fixture
def served(tmp_path: Any) -> Iterator[Any]:
    with arrays.serving_array(EndpointKind.ELEMENT, ElementDescription(name="sf", unique_id="ab12"), tmp_path) as (server, endpoint):
        yield server, endpoint


def read(served: Any, **answers: list[dict[str, Any]]) -> tuple[dict[str, Row], list[str]]:
    """The rows by job id of a cluster that lists these, and the gaps."""
    server, endpoint = served
    under = {
        "syncJobs": "ListSyncJobs",
        "bulkVolumeJobs": "ListBulkVolumeJobs",
        "asyncHandles": "ListAsyncResults",
        "snapMirrorRelationships": "ListSnapMirrorRelationships",
    }
    for name, listed in answers.items():
        server.alterations[under[name]] = lambda _, __, name=name, listed=listed: {name: listed}
    enabled = [{"enabled": "snapMirrorRelationships" in answers, "feature": "snapMirror"}]
    server.alterations["GetFeatureStatus"] = lambda _, __: {"features": enabled}
    found = collected(endpoint, JOBS)
    return {row["job_id"]: row for row in found.tables["background_job"]}, [f"{gap.what}: {gap.why}" for gap in found.gaps]


def told(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("kind", "outcome", "subject", "subject_id", "seconds", "bytes"))


def test_synchronisations_run_since_as_long_as_they_say(served: Any) -> None:
    rows, gaps = read(served, syncJobs=[SLICE, CLONE, REMOTE])
    assert (list(map(told, rows.values())), gaps) == (
        [
            ("rebuild", "running", "array", None, 600.0, 4096),
            ("other", "running", "volume", "5", 60.0, 8192),
            ("replication", "running", "volume", "2", 0.0, None),
        ],
        [],
    )
    (slice_begin, clone_begin, _) = (row["begin_at"] for row in rows.values())
    assert timedelta(seconds=539) < clone_begin - slice_begin < timedelta(seconds=541)


def test_bulk_jobs_and_results_have_their_times_and_outcome(served: Any) -> None:
    rows, gaps = read(served, bulkVolumeJobs=[BULK], asyncHandles=[ASYNC, ASYNC | {"asyncResultID": 48, "success": False}])
    assert gaps == []
    assert told(rows["bulk 2"]) == ("backup", "running", "volume", "3", 44.0, None)
    assert (rows["bulk 2"]["begin_at"], rows["bulk 2"]["end_at"]) == (NOON, None)
    assert told(rows["async 47"]) == ("other", "ok", "volume", "48", 3600.0, None)
    assert (rows["async 47"]["begin_at"], rows["async 47"]["end_at"]) == (NOON - HOUR, NOON)
    assert rows["async 48"]["outcome"] == "failed"


def test_a_result_under_way_that_another_list_has_is_left_to_it(served: Any) -> None:
    rows, _ = read(
        served, asyncHandles=[ASYNC | {"completed": False}, ASYNC | {"asyncResultID": 1, "completed": False, "resultType": "DriveRemoval"}]
    )
    assert {name: (row["kind"], row["outcome"], row["end_at"]) for name, row in rows.items()} == {"async 1": ("move", "running", None)}


@pytest.mark.parametrize(
    ("mirror", "outcome", "begin", "end", "size"),
    [
        pytest.param(MIRROR, "ok", NOON - HOUR, NOON, 77, id="over"),
        pytest.param(MIRROR | {"lastTransferError": "no route"}, "failed", NOON - HOUR, NOON, 77, id="not well"),
        pytest.param(MIRROR | {"relationshipStatus": "transferring", "relationshipProgress": 5}, "running", None, None, 5, id="under way"),
    ],
)
def test_a_transfer_of_snapmirror_is_the_newest_or_the_one_under_way(
    served: Any, mirror: dict[str, Any], outcome: str, begin: datetime | None, end: datetime | None, size: int
) -> None:
    rows, gaps = read(served, snapMirrorRelationships=[mirror])
    ((name, row),) = rows.items()
    assert (name, row["kind"], row["subject_id"], row["schedule"], gaps) == ("snapmirror r-1", "replication", "9", "nightly", [])
    assert (row["outcome"], row["begin_at"], row["end_at"], row["bytes"]) == (outcome, begin, end, size)


def test_a_relationship_that_never_sent_anything_is_no_job(served: Any) -> None:
    assert read(served, snapMirrorRelationships=[{**MIRROR, "lastTransferEndTimestamp": ""}]) == ({}, [])


def test_where_snapmirror_is_not_in_use_its_relationships_are_not_asked_for(served: Any) -> None:
    read(served)
    assert "ListSnapMirrorRelationships" not in served[0].requests


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"syncJobs": [SLICE | {"type": "moss"}]}, "ListSyncJobs: type of job 0: is 'moss', which is not known"),
        ({"bulkVolumeJobs": [BULK | {"status": "resting"}]}, "ListBulkVolumeJobs: status of job 2: is 'resting', which is not known"),
        ({"asyncHandles": [ASYNC | {"createTime": "once"}]}, "ListAsyncResults: createTime of job 47: is not a time"),
    ],
)
def test_a_word_or_time_that_is_not_understood_is_a_gap_and_its_job_stays(served: Any, answers: dict[str, Any], why: str) -> None:
    rows, gaps = read(served, **answers)
    assert (len(rows), gaps) == (1, [why])


def test_a_list_that_cannot_be_asked_leaves_the_others(served: Any) -> None:
    served[0].faults.active.append(Fault("status", "ListSyncJobs", status=500))
    rows, gaps = read(served, asyncHandles=[ASYNC])
    assert list(rows) == ["async 47"]
    assert [gap.partition(":")[0] for gap in gaps] == ["ListSyncJobs"]
