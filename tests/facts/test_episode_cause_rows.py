"""Rows of the step `episode_cause`: what ran on a thing with episodes, beside things and machines that share a part of their names."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .single import Rows, of_vc, rows_over

NIGHT = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)
LAST = 50
"""The minute in which the history ends; it begins in the hour before, in its minute 40."""

RELOCATE, STORAGE_VMOTION = "VirtualMachine.relocate", "com.vmware.STORAGEVMOTION.task"


def at(minute: float) -> datetime:
    return NIGHT + timedelta(minutes=minute)


def things() -> dict[str, Rows]:
    """Datastores, and devices, of one vCenter on volumes of one array, and a datastore of the same id of another vCenter."""
    keys = [("vc", "datastore", "d1"), ("vc", "datastore", "d2"), ("vc", "device", "naa.1"), ("vc-2", "datastore", "d1")]
    lying = [("east", "v1", "p1"), ("east", "v2", "p9"), ("east", "v1", "p1"), ("west", "v1", "p1")]
    names = ("endpoint", "subject_kind", "subject")
    subjects = [dict(zip(names, key, strict=True)) for key in keys]
    return {
        "step_episode": [*subjects, subjects[0]],
        "step_history_subject": [{**one, "first_at": at(-20), "last_at": at(LAST)} for one in subjects],
        "step_history_volume": [
            {**one, "array_endpoint": array, "volume_id": volume, "pool_id": pool}
            for one, (array, volume, pool) in zip(subjects, lying, strict=True)
        ],
        "fact.datastore_extent": [
            *of_vc({"datastore_id": "d1", "device": "naa.1"}, {"datastore_id": "d2", "device": "naa.2"}),
            {"endpoint": "vc-2", "datastore_id": "d1", "device": "naa.7"},
        ],
    }


def causes(subject: str, given: dict[str, Rows], endpoint: str = "vc") -> list[tuple[Any, ...]]:
    """What is a cause at this thing, as (cause, its name, whose, the minutes from when to when)."""
    return sorted(
        (row["cause"], row["cause_name"], row["detail"], (row["begin_at"] - NIGHT).total_seconds() / 60, _minutes(row["end_at"]))
        for row in rows_over("step_episode_cause", things() | given)
        if (row["endpoint"], row["subject"]) == (endpoint, subject)
    )


def _minutes(when: datetime) -> float:
    return (when - NIGHT).total_seconds() / 60


def job(**more: Any) -> dict[str, Any]:
    usual = {"endpoint": "east", "job_id": "j", "kind": "dedup", "subject": "volume", "subject_id": "v1", "outcome": "ok"}
    return {**usual, "begin_at": at(10), "end_at": at(20), **more}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, ("dedup", 10, 20), id="on its volume"),
        pytest.param({"pool_id": "p2"}, ("dedup", 10, 20), id="on its volume, as it was in another pool"),
        pytest.param({"subject_id": "v9"}, ("dedup", 10, 20), id="on a volume of its pool"),
        pytest.param({"subject_id": "v8"}, None, id="on a volume of another pool"),
        pytest.param({"subject_id": "not listed"}, ("dedup", 10, 20), id="on a volume whose pool is not known"),
        pytest.param({"subject": "pool", "subject_id": "p1"}, ("dedup", 10, 20), id="on its pool"),
        pytest.param({"subject": "pool", "subject_id": "p2"}, None, id="on another pool"),
        pytest.param({"subject": "pool", "subject_id": "v1", "pool_id": "p2"}, None, id="on a pool that is called like its volume"),
        pytest.param({"subject": "volume", "subject_id": "p1", "pool_id": "p2"}, None, id="on a volume that is called like its pool"),
        pytest.param({"endpoint": "west"}, None, id="of another array"),
        pytest.param({"schedule": "nightly"}, ("dedup, schedule nightly", 10, 20), id="by a schedule"),
        pytest.param({"begin_at": None}, None, id="nobody knows since when"),
        pytest.param({"begin_at": at(21)}, None, id="it ended before it began"),
        pytest.param({"begin_at": at(20)}, ("dedup", 20, 20), id="it took no time"),
        pytest.param({"end_at": None, "outcome": "running"}, ("dedup", 10, LAST), id="it runs"),
        pytest.param({"end_at": None, "seconds": 300.0}, ("dedup", 10, 15), id="how long it took is known"),
        pytest.param({"end_at": None}, ("dedup", 10, 10), id="how long it took is not known"),
        pytest.param({"end_at": None, "seconds": -1.0}, ("dedup", 10, 10), id="less than nothing is no length"),
        pytest.param({"end_at": None, "seconds": 31622400.0}, ("dedup", 10, 10 + 366 * 24 * 60), id="a year of 366 days"),
        pytest.param({"end_at": None, "seconds": 31622401.0}, ("dedup", 10, 10), id="more than a year is no length"),
    ],
)
def test_a_job_counts_where_it_may_be_on_the_things_volume_or_pool(given: dict[str, Any], expected: tuple[Any, ...] | None) -> None:
    tables = {
        "fact.background_job": [job(**given), job(**given)],
        "step_volume": [
            {"endpoint": endpoint, "volume_id": volume, "pool_id": pool}
            for endpoint, volume, pool in (("east", "v1", "p1"), ("east", "v9", "p1"), ("east", "v8", "p2"), ("west", "v8", "p1"))
        ],
    }
    name, begin, end = expected or (None, None, None)
    wanted = [] if expected is None else [("job", name, None, begin, end)]
    assert causes("d1", tables) == wanted
    assert causes("naa.1", tables) == wanted


def test_a_job_in_one_pool_is_no_cause_on_another_pool_of_the_array() -> None:
    tables = {"fact.background_job": [job(pool_id="p1")]}
    assert (len(causes("d1", tables)), causes("d2", tables)) == (1, [])


def test_what_a_schedule_starts_every_hour_began_in_each_hour_of_the_history() -> None:
    usual = {"endpoint": "east", "pool_id": "p1", "interval_seconds": 3600, "start_minutes": "[15]", "schedule": "hourly"}
    rows = [
        {**usual, "transfer_seconds": 120.0},
        {**usual, "transfer_seconds": 60.0},
        {**usual, "transfer_seconds": 31622401.0},
        {**usual, "schedule": None, "start_minutes": "[5, 1465]", "interval_seconds": 1800},
        {**usual, "schedule": "daily", "interval_seconds": 3601},
        {**usual, "schedule": "another pool's", "pool_id": "p2"},
        {**usual, "schedule": "another array's", "endpoint": "west"},
    ]
    rows = [{**row, "replication_id": str(n)} for n, row in enumerate(rows)]
    # The history is from 1:40 to 2:50, in the hours of 1 and 2 o'clock; 1,465 minutes are a day and 25 minutes.
    assert causes("d1", {"step_replication": rows}) == [
        ("job", "replication", None, -55, -55),
        ("job", "replication", None, -35, -35),
        ("job", "replication", None, 5, 5),
        ("job", "replication", None, 25, 25),
        ("job", "replication, schedule hourly", None, -45, -43),
        ("job", "replication, schedule hourly", None, 15, 17),
    ]


def event(minute: float, kind: str, vm: str = "m1", endpoint: str = "vc", **more: Any) -> dict[str, Any]:
    return {"endpoint": endpoint, "kind": kind, "vm_id": vm, "happened_at": at(minute), **more}


BETWEEN = {"from_datastore_id": "d1", "to_datastore_id": "d3"}
NAMES = [*of_vc({"vm_id": "m1", "name": "web"}), {"endpoint": "vc-2", "vm_id": "m1", "name": "far"}]


@pytest.mark.parametrize(
    ("events", "moves"),
    [
        pytest.param([event(5, "moving", **BETWEEN), event(9, "moved", **BETWEEN)], [(5, 9)], id="it ended"),
        pytest.param([event(5, "moving", from_datastore_id="d3", to_datastore_id="d1"), event(8, "not moved")], [(5, 8)], id="it failed"),
        pytest.param([event(5, "moving", **BETWEEN), event(5, "moved"), event(9, "moved")], [(5, 5)], id="the first end counts"),
        pytest.param([event(5, "moving", **BETWEEN), event(4, "moved")], [(5, LAST)], id="an end before it began"),
        pytest.param([event(5, "moving", **BETWEEN), event(9, "slow")], [(5, LAST)], id="no end"),
        pytest.param([event(5, "moving", **BETWEEN), event(9, "moved", "m2")], [(5, LAST)], id="another machine's end"),
        pytest.param([event(5, "moving", **BETWEEN), event(9, "moved", endpoint="vc-2")], [(5, LAST)], id="an end in another vCenter"),
        pytest.param([event(5, "moved", **BETWEEN)], [], id="its end alone"),
        pytest.param([event(5, "moving", from_datastore_id="d1", to_datastore_id="d1")], [], id="to another host alone"),
        pytest.param([event(5, "moving", from_datastore_id="d3", to_datastore_id="d4")], [], id="between other datastores"),
        pytest.param([event(5, "moving", endpoint="vc-3", **BETWEEN)], [], id="in another vCenter"),
        pytest.param([event(LAST, "moving", **BETWEEN)], [(LAST, LAST)], id="as the history ends"),
        pytest.param([event(LAST + 1, "moving", **BETWEEN)], [], id="after the history"),
    ],
)
def test_a_move_lasts_from_its_begin_to_the_next_event_that_ends_it(events: Rows, moves: list[tuple[float, float]]) -> None:
    tables = {"fact.storage_event": events, "fact.vm": NAMES}
    wanted = [("move", "moves of disks", "web", begin, end) for begin, end in moves]
    assert causes("d1", tables) == wanted
    assert causes("naa.1", tables) == wanted


@pytest.mark.parametrize(
    ("task", "count"),
    [
        pytest.param({"description_id": RELOCATE}, 1, id="relocate"),
        pytest.param({"description_id": STORAGE_VMOTION}, 1, id="Storage vMotion"),
        pytest.param({"description_id": "VirtualMachine.powerOn"}, 0, id="another task"),
        pytest.param({"description_id": RELOCATE, "started_at": None}, 0, id="it waits"),
        pytest.param({"description_id": RELOCATE, "entity_id": "m2"}, 0, id="of a machine that is elsewhere"),
        pytest.param({"description_id": RELOCATE, "entity_id": "m2", "target_datastore_id": "d1"}, 1, id="to here"),
        pytest.param({"description_id": RELOCATE, "endpoint": "vc-2", "entity_id": "m3"}, 0, id="of another vCenter"),
    ],
)
def test_a_move_that_vcenter_lists_still_runs(task: dict[str, Any], count: int) -> None:
    running = {"endpoint": "vc", "task_id": "t", "entity_id": "m1", "started_at": at(7), **task}
    disks = [("vc", "m1", "d1"), ("vc", "m2", "d3"), ("vc-2", "m2", "d1"), ("vc", "m3", "d1"), ("vc-2", "m3", "d4")]
    tables = {
        "fact.running_task": [running],
        "fact.vm_disk": [{"endpoint": endpoint, "vm_id": vm, "disk": "a", "datastore_id": store} for endpoint, vm, store in disks],
    }
    wanted = [("move", "moves of disks", running["entity_id"], 7, LAST)] * count
    assert causes("d1", tables) == wanted
    assert causes("naa.1", tables) == wanted


@pytest.mark.parametrize(
    ("stop", "count"),
    [
        pytest.param({}, 1, id="its machine"),
        pytest.param({"kind": "moved"}, 0, id="no restart"),
        pytest.param({"vm_id": "m2"}, 0, id="a machine that is elsewhere"),
        pytest.param({"endpoint": "vc-2"}, 0, id="of another vCenter"),
    ],
)
def test_a_restart_counts_for_ten_minutes_before_it_once_for_each_time(stop: dict[str, Any], count: int) -> None:
    disks = [("vc", "m1", "a", "d1"), ("vc", "m1", "b", "d1"), ("vc", "m2", "a", "d3"), ("vc-2", "m2", "a", "d1")]
    tables = {
        "fact.storage_event": [{**event(30, "restarted"), **stop}],
        "fact.vm_disk": [{"endpoint": endpoint, "vm_id": vm, "disk": disk, "datastore_id": store} for endpoint, vm, disk, store in disks],
    }
    wanted = [("restart", "restarts by vSphere HA", None, 20, 30)] * count
    assert causes("d1", tables) == wanted
    assert causes("naa.1", tables) == wanted
