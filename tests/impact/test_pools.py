"""Which pools' reads of consistency points are all for clients: no background work is known to write there."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from auditor.facts.schema import create_tables
from auditor.impact.pools import Pools

READ = [{"scope": "", "topic": topic, "complete": True} for topic in ("replication", "efficiency")]
IDLE = {"volume_id": "v1", "pool_id": "p1", "state": "enabled", "operation_state": "idle"}
AWAY = {"replication_id": "r1/source", "role": "source", "pool_id": "p1", "schedule": "often", "interval_seconds": 900}


def add(connection: duckdb.DuckDBPyConnection, table: str, *rows: dict[str, Any]) -> None:
    for row in rows:
        given = {"endpoint": "netapp", **row}
        connection.execute(f"INSERT INTO fact.{table} ({', '.join(given)}) VALUES ({', '.join('?' * len(given))})", [*given.values()])


def pools(*, consistency: float | None = 150.0, **facts: list[dict[str, Any]]) -> Pools:
    """A pool with 100 transfers a disk: 1,000 of all disks, 500 for clients and so many reads of consistency points."""
    connection = duckdb.connect()
    create_tables(connection)
    connection.execute(
        "CREATE TABLE disk_stream (array_name VARCHAR, volume_id VARCHAR, resource_name VARCHAR, commands_per_second DOUBLE)"
    )
    add(connection, "array_pool", {"pool_id": "p1", "name": "aggr"})
    load = {"pool_id": "p1", "disk_iops": 100.0, "transfers_per_second": 1000.0, "user_transfers_per_second": 500.0}
    add(connection, "array_pool_load", {**load, "consistency_reads_per_second": consistency})
    given: dict[str, list[dict[str, Any]]] = {"reading": READ, "array_replication": [AWAY], "array_efficiency": [IDLE]}
    for table, rows in (given | facts).items():
        add(connection, table, *rows)
    disks = [("netapp", "v1", "db", 5), ("netapp", "v1", "idle", 0), ("netapp", "v2", "web", 5), ("x", "v1", "far", 5)]
    connection.executemany("INSERT INTO disk_stream VALUES (?, ?, ?, ?)", disks)
    return Pools(connection)


def low_after(least_seconds: float | None, *, consistency: float | None = 150.0, **facts: list[dict[str, Any]]) -> float:
    """What is left at best of 100 transfers a disk."""
    found: float = pools(consistency=consistency, **facts).of_pool("netapp", "p1", least_seconds)["after"][0]
    return found


ALL = pytest.approx(99 * 0.5, rel=1e-3)  # 99: 1 % less than 100
WITHOUT = pytest.approx(99 * 0.65, rel=1e-3)


@pytest.mark.parametrize(
    ("facts", "left"),
    [
        pytest.param({}, WITHOUT, id="nothing writes there"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": "active"}]}, ALL, id="deduplication runs"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": None}]}, ALL, id="nobody knows whether deduplication runs"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": None, "state": "disabled"}]}, WITHOUT, id="deduplication is off"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": "undoing", "state": "disabled"}]}, ALL, id="off, and undone"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": "active", "pool_id": "p2"}]}, WITHOUT, id="it runs on another pool"),
        pytest.param({"array_efficiency": [{**IDLE, "operation_state": "active", "pool_id": None}]}, ALL, id="it runs on some pool"),
        pytest.param(
            {"array_efficiency": [{**IDLE, "operation_state": "active", "endpoint": "x"}]}, WITHOUT, id="it runs on another array"
        ),
        pytest.param({"array_replication": [AWAY, {**AWAY, "role": "destination"}]}, ALL, id="copies arrive there"),
        pytest.param({"reading": READ[:1]}, ALL, id="deduplication was not read"),
        pytest.param({"reading": [READ[0], {**READ[1], "complete": False}]}, ALL, id="deduplication was not read whole"),
    ],
)
def test_reads_of_consistency_points_are_left_where_only_clients_write(facts: dict[str, Any], left: float) -> None:
    assert low_after(None, **facts) == left


def test_a_pool_from_which_nothing_is_copied_has_figures() -> None:
    assert low_after(None, array_replication=[]) == WITHOUT


def test_a_copy_away_never_takes_reads_of_consistency_points() -> None:
    assert low_after(3600, array_efficiency=[{**IDLE, "operation_state": "active"}]) == WITHOUT
    assert low_after(3600, consistency=None) == ALL


def test_a_pool_names_the_disks_on_its_volumes_that_send() -> None:
    volumes = [{"volume_id": "v1", "pool_id": "p1"}, {"volume_id": "v2", "pool_id": "p2"}]
    found = pools(array_volume=volumes).of_pool("netapp", "p1")
    assert (found["victims"], found["victims_count"]) == (["db"], 1)
    without = pools().of_pool("netapp", "p1")
    assert (without["victims"], without["victims_count"]) == ([], 0)


def test_a_copy_has_the_impact_of_the_pool_that_it_copies_from() -> None:
    known = pools()
    found = known.of_copy("netapp", "r1/source", 3600)
    assert found == known.of_pool("netapp", "p1", 3600)
    # A start every 900 s and one every 3,600 s: a quarter is left.
    assert next(one["value"] for one in found["inputs"] if one["name"] == "starts that are left") == [0, 0.25]


def test_what_is_not_known_of_a_pool_or_a_copy_is_said() -> None:
    known = pools()
    assert known.of_pool("netapp", "p9") == {"not_computed": "the pool is not known"}
    assert known.of_copy("netapp", "r9/source", 3600) == {"not_computed": "the pool that it copies away from is not known"}
