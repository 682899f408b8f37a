"""Rows of the view `pool_function`: what the transfers of an aggregate are for, each part counted or between bounds."""

import itertools
from typing import Any

import pytest

from .elsewhere import with_namesakes
from .single import rows_over

# Incident S3 (docs/domain/incidents.md#s3): of 6,800 transfers 3,400 SnapMirror and about 1,000 VMware NFS.
TOTAL, CLIENTS, CONSISTENCY, SNAPMIRROR = 6800.0, 1000.0, 1000.0, 3400.0
LEFT = TOTAL - CLIENTS - CONSISTENCY
READ = dict.fromkeys(("volumes_read", "volume_load_read", "background_jobs_read", "efficiency_read", "scrub_read"), True)
POOL: dict[str, Any] = {"endpoint": "na", "pool_id": "p", "name": "aggr", "node_id": "n1", "rpm": 10000, "data_disks": 57}
LOAD: dict[str, Any] = {
    "endpoint": "na", "pool_id": "p", "transfers_per_second": TOTAL, "user_transfers_per_second": CLIENTS,
    "consistency_reads_per_second": CONSISTENCY,
}  # fmt: skip


def job(kind: str, pool_id: str | None = "p", *, operations: float = 0.0, **more: Any) -> dict[str, Any]:
    """A job under way; one that sends causes so many operations of 4 KiB a second, over 600 seconds."""
    return {
        "endpoint": "na", "job_id": f"{kind} {pool_id} {operations}", "kind": kind, "outcome": "running", "pool_id": pool_id,
        "bytes": int(operations * 4096 * 600), "seconds": 600.0, **more,
    }  # fmt: skip


def seen(
    *jobs: dict[str, Any],
    load: dict[str, Any] | None = None,
    read: dict[str, bool] | None = None,
    state: str | None = "idle",
    is_open: bool | None = False,
    family: str = "ontap",
    pool: dict[str, Any] | None = None,
) -> dict[str, dict[str, Any]]:
    """The rows by function, over the step."""
    [found] = all_of([tables_of(*jobs, load=load, read=read, state=state, is_open=is_open, family=family, pool=pool)])
    return found


def tables_of(
    *jobs: dict[str, Any],
    load: dict[str, Any] | None = None,
    read: dict[str, bool] | None = None,
    state: str | None = "idle",
    is_open: bool | None = False,
    family: str = "ontap",
    pool: dict[str, Any] | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """What is known of one array with one pool."""
    volumes = [("v1", "share", 1000), ("v2", "lun", 75), ("v3", "vvol", 50)]
    return {
        "fact.array_pool": [POOL | (pool or {})],
        "fact.array_pool_load": [LOAD | (load or {})],
        "step_array": [{"endpoint": "na", "family": family}],
        "step_endpoint_reading": [{"endpoint": "na", **READ, **(read or {})}],
        "fact.array_volume": [{"endpoint": "na", "volume_id": name, "kind": kind, "pool_id": "p"} for name, kind, _ in volumes],
        "fact.array_volume_load": [{"endpoint": "na", "volume_id": name, "actual_iops": iops} for name, _, iops in volumes],
        "fact.background_job": list(jobs),
        "fact.array_efficiency": [{"endpoint": "na", "volume_id": "v1", "pool_id": "p", "state": "enabled", "operation_state": state}],
        "fact.array_node": [{"endpoint": "na", "node_id": "n1", "name": "n1"}],
        "fact.array_scrub": [{"endpoint": "na", "node_id": "n1", "schedule": "300m@sun@2", "is_open": is_open}],
    }


def all_of(arrays: list[dict[str, list[dict[str, Any]]]]) -> list[dict[str, dict[str, Any]]]:
    """The rows by function of each of several arrays, in their order."""
    tables: dict[str, list[dict[str, Any]]] = {}
    for at, array in enumerate(arrays):
        for name, rows in array.items():
            tables.setdefault(name, []).extend({**row, "endpoint": f"na-{at}"} for row in rows)
    steps = rows_over("step_pool_function", tables)
    shown = rows_over("pool_function", {"fact.array_pool": tables["fact.array_pool"], "step_pool_function": steps})
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in shown:
        found.setdefault(row["endpoint"], {})[row["function"]] = row
    return [found.get(f"na-{at}", {}) for at in range(len(arrays))]


def bounds(found: dict[str, dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {name: (row["low_per_second"], row["high_per_second"], row["basis"]) for name, row in found.items()}


def test_s3_half_of_all_transfers_may_be_copies_and_the_rest_is_named() -> None:
    found = seen(job("replication", operations=SNAPMIRROR))
    assert bounds(found) == {
        "clients": (CLIENTS, CLIENTS, "measured"),
        "consistency": (CONSISTENCY, CONSISTENCY, "measured"),
        "replication": (0, pytest.approx(SNAPMIRROR), "estimate"),
        "dedup": (0, 0, "bound"),
        "scrub": (0, 0, "bound"),
        "other": (pytest.approx(LEFT - SNAPMIRROR), LEFT, "estimate"),
    }
    assert found["replication"]["high_share"] == pytest.approx(0.5)
    clients = found["clients"]
    assert (clients["nfs_operations_per_second"], clients["san_operations_per_second"]) == (1000, 125)
    # 120 to 150 for each of 57 data disks.
    assert (clients["limit_low_per_second"], clients["limit_high_per_second"]) == (6840, 8550)
    assert (clients["resource_id"], clients["resource_name"], clients["pool"]) == ("p/clients", "aggr: clients", "aggr")


@pytest.mark.parametrize(
    ("jobs", "more", "function", "high"),
    [
        pytest.param([job("replication")], {}, "replication", 0.0, id="a transfer that has sent nothing"),
        pytest.param([], {}, "replication", 0.0, id="no transfer"),
        pytest.param([job("replication", "another", operations=9e9)], {}, "replication", 0.0, id="a transfer of another pool"),
        pytest.param([job("replication", operations=9e9)], {}, "replication", LEFT, id="more than is left"),
        pytest.param([job("replication", None)], {}, "replication", LEFT, id="a transfer of nobody knows which pool"),
        pytest.param([job("replication", seconds=None)], {}, "replication", LEFT, id="nobody knows since when"),
        pytest.param([job("replication", seconds=0.0)], {}, "replication", LEFT, id="just begun"),
        pytest.param([job("replication", outcome="ok")], {}, "replication", 0.0, id="one that is over"),
        pytest.param([], {"read": {"background_jobs_read": False}}, "replication", LEFT, id="jobs not read"),
        pytest.param([], {"state": "active"}, "dedup", LEFT, id="deduplication runs"),
        pytest.param([], {"state": None}, "dedup", LEFT, id="whether it runs is not reported"),
        pytest.param([], {"read": {"efficiency_read": False}}, "dedup", LEFT, id="efficiency not read"),
        pytest.param([], {"is_open": True}, "scrub", LEFT, id="in the time of a scrub"),
        pytest.param([], {"is_open": None}, "scrub", LEFT, id="the time of scrubs is not known"),
        pytest.param([], {"read": {"scrub_read": False}}, "scrub", LEFT, id="scrubs not read"),
        pytest.param([job("rebuild")], {}, "scrub", LEFT, id="a rebuild"),
        pytest.param([job("rebuild", "another")], {}, "scrub", 0.0, id="a rebuild of another pool"),
    ],
)
def test_what_may_run_has_up_to_all_that_is_left_and_what_does_not_has_nothing(
    jobs: list[dict[str, Any]], more: dict[str, Any], function: str, high: float
) -> None:
    found = seen(*jobs, **more)
    assert (found[function]["low_per_second"], found[function]["high_per_second"]) == (0, pytest.approx(high))
    others = sum(row["high_per_second"] for name, row in found.items() if name in ("replication", "dedup", "scrub"))
    assert found["other"]["low_per_second"] == pytest.approx(max(0.0, LEFT - others))


@pytest.mark.parametrize(
    ("load", "family"),
    [
        ({"transfers_per_second": None}, "ontap"),
        ({"user_transfers_per_second": None}, "ontap"),
        ({"consistency_reads_per_second": None}, "ontap"),
        ({"transfers_per_second": 0.0}, "ontap"),
        ({}, "eseries"),
    ],
)
def test_without_its_counters_a_pool_is_not_divided(load: dict[str, Any], family: str) -> None:
    assert seen(load=load, family=family) == {}


def test_what_clients_send_is_not_known_where_volumes_were_not_read_whole_and_the_limit_where_no_source_has_it() -> None:
    found = seen(read={"volume_load_read": False}, pool={"rpm": 15000})["clients"]
    names = ("nfs_operations_per_second", "san_operations_per_second", "limit_low_per_second", "limit_high_per_second")
    assert [found[name] for name in names] == [None] * 4


@pytest.mark.long
def test_the_parts_are_never_more_than_the_whole() -> None:
    """Law: the least of all parts is no more than the whole, the most no less, and no part has more than the others leave."""
    arrays = [
        tables_of(
            *([] if operations is None else [job("replication", operations=operations)]),
            load={"user_transfers_per_second": clients, "consistency_reads_per_second": consistency},
            state=state,
            is_open=is_open,
        )
        for clients, consistency, operations, state, is_open in itertools.product(
            (0.0, 1000.0, 7000.0), (0.0, 1000.0, 7000.0), (None, 0.0, 500.0, 9000.0), ("idle", "active"), (False, True)
        )
    ]
    for found in all_of(arrays):
        assert len(found) > 3
        lows = sum(row["low_per_second"] for row in found.values())
        assert lows <= TOTAL + 1e-6
        assert sum(row["high_per_second"] for row in found.values()) >= TOTAL - 1e-6
        assert all(row["high_per_second"] <= TOTAL - (lows - row["low_per_second"]) + 1e-6 for row in found.values())
        assert all(0 <= row["low_per_second"] <= row["high_per_second"] for row in found.values())


def told(*jobs: dict[str, Any], **more: Any) -> dict[str, tuple[Any, ...]]:
    """The words, the reason and the basis of each function, over an array beside one of the same ids; as (words, why, basis)."""
    rows = rows_over("step_pool_function", with_namesakes(tables_of(*jobs, **more)))
    return {row["function"]: (row["words"], row["why"], row["basis"]) for row in rows if row["endpoint"] == "na"}


# 3,400 blocks of 4,096 bytes a second are 13,926,400 bytes.
SENDS = "1 transfers under way send 13.9 MB/s: at most a transfer of a disk for each 4 KiB"
RESTS = "none runs by its schedule 300m@sun@2, and no disk is made anew"
HOUSEKEEPING = "snapshots, moves, housekeeping, and what no source tells apart"


@pytest.mark.parametrize(
    ("jobs", "more", "expected"),
    [
        pytest.param(
            [job("replication", operations=SNAPMIRROR)],
            {},
            {
                "clients": ("clients 1000", "they send 1000 operations a second by NFS, 125 to LUNs", "measured"),
                "consistency": ("consistency 1000", "reads that writing takes", "measured"),
                "replication": ("replication at most 3400", SENDS, "estimate"),
                "dedup": ("dedup 0", "it runs on no volume", "bound"),
                "scrub": ("scrub 0", RESTS, "bound"),
                "other": ("other 1400 to 4800", HOUSEKEEPING, "estimate"),
            },
            id="copies",
        ),
        pytest.param(
            [],
            {"state": "active", "is_open": True},
            {
                "replication": ("replication 0", "no transfer is under way", "bound"),
                "dedup": ("dedup at most 4800", "it runs on 1 volumes", "bound"),
                "scrub": ("scrub at most 4800", "a scrub may run, by its schedule 300m@sun@2", "bound"),
                "other": ("other at most 4800", HOUSEKEEPING, "bound"),
            },
            id="no copies",
        ),
        pytest.param([], {}, {"other": ("other 4800", HOUSEKEEPING, "bound")}, id="nothing runs"),
        pytest.param(
            [],
            {"read": {"background_jobs_read": False, "volume_load_read": False}, "state": None},
            {
                "clients": ("clients 1000", "what they send is not known", "measured"),
                "replication": ("replication at most 4800", "which transfers are under way is not known", "bound"),
                "dedup": ("dedup at most 4800", "whether it runs is not known", "bound"),
                "scrub": ("scrub at most 4800", "whether one runs is not known", "bound"),
            },
            id="not read",
        ),
        pytest.param(
            [job("replication", seconds=None), job("rebuild")],
            {},
            {
                "replication": ("replication at most 4800", "1 transfers are under way; what they send is not known", "bound"),
                "scrub": ("scrub at most 4800", "a disk is made anew", "bound"),
            },
            id="since when is not known, and a rebuild",
        ),
    ],
)
def test_each_function_says_how_much_and_why(
    jobs: list[dict[str, Any]], more: dict[str, Any], expected: dict[str, tuple[str, ...]]
) -> None:
    found = told(*jobs, **more)
    assert {name: found[name] for name in expected} == expected


def test_scrubs_are_of_the_pools_node_by_its_name_or_where_that_was_not_read_by_its_id() -> None:
    tables = tables_of()
    tables["fact.array_node"] = [{"endpoint": "na", "node_id": "n1", "name": "first"}]
    by_name = tables | {"fact.array_scrub": [{**tables["fact.array_scrub"][0], "node_id": "first"}]}
    for given in (by_name, tables | {"fact.array_node": []}):
        [scrub] = [row for row in rows_over("step_pool_function", given) if row["function"] == "scrub"]
        assert (scrub["words"], scrub["why"]) == ("scrub 0", RESTS)


def test_operations_of_clients_are_the_sum_of_all_volumes_of_the_pool() -> None:
    tables = tables_of()
    more = [("v4", "share", "p", 30), ("v5", "share", "q", 500), ("v6", "lun", "p", None)]
    tables["fact.array_volume"] += [{"endpoint": "na", "volume_id": name, "kind": kind, "pool_id": pool} for name, kind, pool, _ in more]
    tables["fact.array_volume_load"] += [{"endpoint": "na", "volume_id": name, "actual_iops": iops} for name, _, _, iops in more]
    [clients] = [row for row in rows_over("step_pool_function", tables) if row["function"] == "clients"]
    assert (clients["nfs_operations_per_second"], clients["san_operations_per_second"]) == (1030, 125)
