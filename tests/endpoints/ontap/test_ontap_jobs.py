"""What an ONTAP cluster did in the background: each list of REST into rows of background_job."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import job_rows, jobs
from auditor.endpoints.ontap.qos import NO_POLICY
from auditor.endpoints.ontap.rows import Container
from auditor_lab.arrays.ontap.parts import JobDescription
from auditor_lab.wire import Fault
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Collected, collected, serving
from tests.endpoints.ontap.ontap_reading import all_of, picked

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from auditor.endpoints.common.topics import Row

NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
CONTAINERS = {"svm:vol": Container("v-1", "svm", "vol", "a-1", NO_POLICY)}


def record(**value: Any) -> Record:
    return Record(value, "it", ParseErrors("x"))


def errors(one: Record) -> list[str]:
    """The fields that could not be understood."""
    return [what for (what, _), labels in one.parse_errors._heard.items() for _ in labels]


def times(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    return [(row["outcome"], row["begin_at"], row["end_at"]) for row in rows]


def transfer(role: str = "source", **fields: Any) -> tuple[Row | None, list[str]]:
    """The row of a relationship whose newest transfer has these fields, and what was not understood."""
    of = record(uuid="R-1", source={"path": "svm:vol"}, destination={"path": "away:copy"}, transfer=fields)
    return job_rows.transfer_row(of, role, CONTAINERS), errors(of)


def test_a_transfer_that_is_over_began_its_length_before_its_end() -> None:
    row, wrong = transfer(state="success", end_time="2026-11-28T13:00:00+01:00", total_duration="PT1H", bytes_transferred=4096)
    assert wrong == []
    assert row == {
        "job_id": "snapmirror r-1/source", "kind": "replication", "subject": "volume", "subject_id": "v-1", "subject_name": "svm:vol",
        "pool_id": "a-1", "begin_at": NOON - HOUR, "end_at": NOON, "seconds": 3600.0, "bytes": 4096, "outcome": "ok", "schedule": None,
        "detail": "SnapMirror to away:copy",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "found", "wrong"),
    [
        # total_duration is of the last successful transfer: it says nothing of one that failed, or runs.
        pytest.param({"state": "failed", "end_time": NOON.isoformat(), "total_duration": "PT1H"}, ("failed", None, NOON), [], id="failed"),
        pytest.param({"state": "hard_aborted"}, ("failed", None, None), [], id="stopped, nobody knows when"),
        pytest.param(
            {"state": "transferring", "end_time": NOON.isoformat(), "total_duration": "PT1H"}, ("running", None, None), [], id="under way"
        ),
        pytest.param({"state": "success", "end_time": NOON.isoformat()}, ("ok", None, NOON), [], id="of no known length"),
        pytest.param(
            {"state": "success", "end_time": NOON.isoformat(), "total_duration": "long"},
            ("ok", None, NOON),
            ["total_duration"],
            id="a length that is none",
        ),
        pytest.param({"state": "success", "end_time": "noon"}, ("ok", None, None), ["transfer.end_time"], id="an end that is none"),
        pytest.param(
            {"state": "success", "end_time": "2026-11-28T12:00:00"}, ("ok", None, None), ["transfer.end_time"], id="an end without offset"
        ),
    ],
)
def test_what_a_transfer_does_not_report_is_not_known(fields: dict[str, Any], found: tuple[Any, ...], wrong: list[str]) -> None:
    row, not_understood = transfer(**fields)
    assert row is not None
    assert (times([row]), not_understood) == ([found], wrong)


@pytest.mark.parametrize("fields", [{"state": "queued"}, {}], ids=["waits", "was never one"])
def test_a_transfer_that_has_not_begun_is_no_job(fields: dict[str, Any]) -> None:
    assert transfer(**fields) == (None, [])


def runs(**efficiency: Any) -> tuple[list[Row], list[str]]:
    of = record(uuid="V-1", name="vol", svm={"name": "svm"}, aggregates=[{"uuid": "A-1"}], efficiency=efficiency)
    return list(job_rows.volume_rows(of, lambda: BERLIN)), errors(of)


BEFORE = {"last_op_begin": "2026-11-28T11:00:00Z", "last_op_end": "2026-11-28T12:00:00Z"}
AGAIN = {"last_op_begin": "2026-11-28T13:00:00Z", "last_op_end": "2026-11-28T12:00:00Z"}


@pytest.mark.parametrize(
    ("efficiency", "found"),
    [
        pytest.param({"op_state": "idle", "last_op_state": "Success", **BEFORE}, [("ok", NOON - HOUR, NOON)], id="well"),
        pytest.param({"op_state": "idle", "last_op_state": "Failure", **BEFORE}, [("failed", NOON - HOUR, NOON)], id="not well"),
        pytest.param({"op_state": "idle", "last_op_state": "Stopped", **BEFORE}, [("unknown", NOON - HOUR, NOON)], id="another word"),
        pytest.param(
            {"op_state": "active", "last_op_state": "Success", **BEFORE},
            [("running", None, None), ("ok", NOON - HOUR, NOON)],
            id="it runs again, nobody knows since when",
        ),
        pytest.param({"op_state": "active", **AGAIN}, [("running", NOON + HOUR, None)], id="it began after its last end"),
        pytest.param({"op_state": "undoing"}, [("running", None, None)], id="for the first time"),
        pytest.param({"op_state": "pending", "last_op_begin": "-", "last_op_end": "-"}, [], id="it waits, and never ran"),
        pytest.param({}, [], id="nothing reported"),
        # As the command line prints times, in the cluster's zone: an hour east of UTC in November.
        pytest.param(
            {"last_op_begin": "Sat Nov 28 12:00:00 2026", "last_op_end": "Sat Nov 28 13:00:00 2026", "last_op_state": "Success"},
            [("ok", NOON - HOUR, NOON)],
            id="times of the command line",
        ),
    ],
)
def test_runs_of_efficiency_are_those_under_way_and_the_newest_that_is_over(efficiency: dict[str, Any], found: list[Any]) -> None:
    rows, wrong = runs(**efficiency)
    assert (times(rows), wrong) == (found, [])
    assert {row["kind"] for row in rows} <= {"dedup"}


def test_a_time_of_efficiency_that_is_none_is_a_parse_error() -> None:
    rows, wrong = runs(last_op_begin="yesterday", last_op_end="2026-11-28T12:00:00Z")
    assert (times(rows), wrong) == ([("unknown", None, NOON)], ["efficiency.last_op_begin"])


def test_the_zone_of_the_cluster_is_asked_and_may_be_unknown() -> None:
    assert job_rows.zone_of({"timezone": {"name": "Europe/Berlin"}}) == BERLIN
    unknown: list[dict[str, Any]] = [{}, {"timezone": {}}, {"timezone": {"name": "Mars/Base"}}, {"timezone": "UTC"}]
    assert [job_rows.zone_of(each) for each in unknown] == [None] * 4


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        ("App Snapshot Job", "snapshot"),
        ("Cluster Backup Job", "backup"),
        ('Vol move of "v1" to aggregate "a2"', "move"),
        ("SnapMirror update of a snapshot", "replication"),
        ("PATCH /api/storage/volumes/1", "other"),
        (None, "other"),
    ],
)
def test_the_kind_of_a_listed_job_goes_by_its_description(description: str | None, kind: str) -> None:
    assert job_rows.listed_row(record(uuid="J", state="running", description=description))["kind"] == kind


STARTED, ENDED = "2026-11-28T11:00:00Z", "2026-11-28T12:00:00Z"


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    """What is read of a cluster with one job of each kind."""
    now = datetime.now(UTC)
    recent, old = ((now - timedelta(hours=hours)).isoformat(timespec="seconds") for hours in (1, 25))
    first, second, *others = CLUSTER.relationships
    nfs1, nfs2, *volumes = CLUSTER.volumes
    sas, ssd = CLUSTER.aggregates
    described = dataclasses.replace(
        CLUSTER,
        relationships=(
            dataclasses.replace(first, transfer_state="transferring", transfer_bytes=7 << 20, transfer_duration="PT20M"),
            dataclasses.replace(second, transfer_state="transferring", transfer_bytes=1 << 30),  # its destination is elsewhere
            *others,
        ),
        volumes=(
            dataclasses.replace(nfs1, snapshots=(recent, old)),
            dataclasses.replace(nfs2, move_state="replicating", move_to="ssd1", move_began=STARTED),
            *volumes,
        ),
        aggregates=(dataclasses.replace(sas, rebuild_percent=12), ssd),
        jobs=(JobDescription(description="Cluster Backup Job", start_time=STARTED, end_time=ENDED),),
    )
    with serving(tmp_path_factory.mktemp("busy"), described) as (server, endpoint, clock):
        found = collected(endpoint, clock, all_of("background_job"))
        assert server.requests.count("GET snapmirror/relationships/transfers") == 1
    assert (found.gaps, found.incomplete()) == ([], set())
    return found


def of_kind(found: Collected, kind: str) -> list[Row]:
    return [row for row in found.tables["background_job"] if row["kind"] == kind]


def test_a_transfer_under_way_began_as_long_ago_as_its_own_resource_says(busy: Collected) -> None:
    running = [row for row in of_kind(busy, "replication") if row["outcome"] == "running"]
    assert picked(running, "subject_name", "bytes", "schedule", "end_at") == [
        ("nas:dr", 7 << 20, "quarterly", None),
        ("nas:nfs1", 7 << 20, "quarterly", None),
        ("nas:nfs2", 1 << 30, None, None),
    ]
    here, there, elsewhere = (row["begin_at"] for row in running)
    assert abs(datetime.now(UTC) - here - timedelta(minutes=20)) < timedelta(minutes=2)
    assert (there, elsewhere) == (here, None)
    assert [row["seconds"] for row in running] == [1200.0, 1200.0, None]


def test_moves_rebuilds_snapshots_of_the_last_day_and_listed_jobs_are_rows(busy: Collected) -> None:
    assert [(row["subject_name"], *times([row])[0], row["detail"]) for row in of_kind(busy, "move")] == [
        ("nas:nfs2", "running", NOON - HOUR, None, "volume move to ssd1")
    ]
    assert picked(of_kind(busy, "rebuild"), "subject", "subject_name", "outcome", "begin_at", "detail") == [
        ("pool", "sas1", "running", None, "/sas1/plex0/rg0: a disk is made anew, 12 %")
    ]
    assert [(row["subject_name"], row["outcome"], row["begin_at"] == row["end_at"]) for row in of_kind(busy, "snapshot")] == [
        ("nas:nfs1", "ok", True)
    ]
    assert [(row["subject"], *times([row])[0]) for row in of_kind(busy, "backup")] == [("array", "ok", NOON - HOUR, NOON)]


@pytest.mark.parametrize("path", ["cluster/jobs", "storage/volumes/*/snapshots", "storage/aggregates", "snapmirror/relationships"])
def test_a_list_that_may_not_be_read_leaves_the_other_jobs_and_one_gap(tmp_path: Path, path: str) -> None:
    described = dataclasses.replace(CLUSTER, jobs=(JobDescription(description="Cluster Backup Job"),), volumes=CLUSTER.volumes)
    with serving(tmp_path, described) as (server, endpoint, clock):
        server.faults.active.append(Fault("status", f"GET {path}", status=403))
        found = collected(endpoint, clock, all_of("background_job"))
    assert [gap.what for gap in found.gaps] == [f"GET {path}, jobs"]
    assert {row["kind"] for row in found.tables["background_job"]} == {"replication", "dedup", "backup"} - {
        {"cluster/jobs": "backup", "snapmirror/relationships": "replication"}.get(path)
    }


def test_more_snapshots_or_transfers_than_are_read_are_gaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_SNAPSHOTS", 1)
    monkeypatch.setattr(jobs, "MOST_RUNNING", 0)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    described = dataclasses.replace(
        CLUSTER,
        relationships=tuple(dataclasses.replace(each, transfer_state="transferring") for each in CLUSTER.relationships),
        volumes=tuple(dataclasses.replace(each, snapshots=(now,)) for each in CLUSTER.volumes),
    )
    with serving(tmp_path, described) as (_, endpoint, clock):
        found = collected(endpoint, clock, all_of("background_job"))
    assert len(of_kind(found, "snapshot")) == 1
    assert {row["begin_at"] for row in of_kind(found, "replication")} == {None}
    assert [gap.what for gap in found.gaps] == ["storage/volumes/*/snapshots", "snapmirror/relationships: when transfers began"]


def test_the_zone_is_not_asked_for_where_every_time_names_its_own() -> None:
    def asked() -> ZoneInfo:
        raise AssertionError("nobody needs it")

    of = record(uuid="V-1", name="vol", svm={"name": "svm"}, aggregates=[], efficiency=BEFORE)
    assert [row["begin_at"] for row in job_rows.volume_rows(of, asked)] == [NOON - HOUR]
