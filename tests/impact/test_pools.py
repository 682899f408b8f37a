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


def low_after(least_seconds: float | None, *, consistency: float | None = 150.0, **facts: list[dict[str, Any]]) -> float:
    """What is left at best of 100 transfers a disk: 1,000 of all disks, 500 for clients and so many reads of consistency points."""
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
    found: float = Pools(connection).of_pool("netapp", "p1", least_seconds)["after"][0]
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


def test_a_copy_away_never_takes_reads_of_consistency_points() -> None:
    assert low_after(3600, array_efficiency=[{**IDLE, "operation_state": "active"}]) == WITHOUT
    assert low_after(3600, consistency=None) == ALL
