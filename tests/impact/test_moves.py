"""Which pool a machine is copied away from, what its volumes do, and which disks of others lie on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from auditor.facts.schema import TABLES
from auditor.impact.moves import Moves

if TYPE_CHECKING:
    from collections.abc import Iterator

STREAM = "endpoint VARCHAR, host_id VARCHAR, vm_id VARCHAR, resource_name VARCHAR, datastore_id VARCHAR, device VARCHAR"
QUEUE = "endpoint VARCHAR, host_id VARCHAR, device VARCHAR, queue_depth BIGINT, dsnro BIGINT, sioc_enabled BOOLEAN"


@pytest.fixture
def fleet() -> Iterator[duckdb.DuckDBPyConnection]:
    """An array with two pools; the machine that is moved has disks on a volume of the first, a neighbour on another volume of it."""
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE disk_stream ({STREAM}, array_name VARCHAR, volume_id VARCHAR, commands_per_second DOUBLE)")
    connection.execute(f"CREATE TABLE device_queue ({QUEUE})")
    connection.execute("CREATE SCHEMA fact")
    for name in ("running_task", "array_volume", "array_volume_load", "array_pool", "array_pool_load"):
        connection.execute(f"CREATE TABLE fact.{name} ({', '.join(f'{one.name} {one.type}' for one in TABLES[name].columns)})")
    connection.execute("INSERT INTO fact.running_task (endpoint, task_id, entity_id, state) VALUES ('vc', 't1', 'vm-1', 'running')")
    for disk in (
        ("vc", "h1", "vm-1", "mover disk 1", "ds-1", "naa.1", "md3", "v1", 60),
        ("vc", "h1", "vm-1", "mover disk 2", "ds-1", "naa.1", "md3", "v1", 0),
        ("vc", "h2", "vm-2", "app disk", "ds-1", "naa.1", "md3", "v1", 20),
        ("vc-2", "h9", "vm-1", "mail disk", "ds-9", "naa.2", "md3", "v2", 5),
        ("vc", "h2", "vm-3", "idle disk", "ds-1", "naa.1", "md3", "v1", 0),
        ("vc", "h2", "vm-4", "far disk", "ds-3", "naa.3", "md3", "v3", 9),
        ("vc", "h2", "vm-5", "other disk", "ds-4", "naa.4", "x", "v1", 9),
    ):
        connection.execute(f"INSERT INTO disk_stream VALUES ({', '.join('?' * len(disk))})", disk)
    connection.execute("INSERT INTO device_queue VALUES ('vc', 'h1', 'naa.1', 254, 64, false), ('vc', 'h2', 'naa.1', 254, 8, false)")
    for volume, pool, iops, latency in (("v1", "p1", 200, 6000), ("v2", "p1", 50, 5000), ("v3", "p2", 900, 90_000)):
        connection.execute("INSERT INTO fact.array_volume (endpoint, volume_id, pool_id) VALUES ('md3', ?, ?)", [volume, pool])
        connection.execute(
            "INSERT INTO fact.array_volume_load (endpoint, volume_id, actual_iops, latency_us) VALUES ('md3', ?, ?, ?)",
            [volume, iops, latency],
        )
    connection.execute(
        "INSERT INTO fact.array_pool (endpoint, pool_id, name, media, rpm, disks) VALUES ('md3', 'p1', 'sas', 'hdd', 10000, 24), "
        "('md3', 'p2', 'nl', 'hdd', 7200, 12)"
    )
    connection.execute("INSERT INTO fact.array_pool_load (endpoint, pool_id, disk_iops) VALUES ('md3', 'p1', 12), ('md3', 'p2', 80)")
    yield connection
    connection.close()


def reads(found: dict[str, object]) -> object:
    return next(one["value"][1] for one in found["inputs"] if one["name"] == "reads of the copy")  # type: ignore[attr-defined]


def test_the_pool_and_the_machines_of_any_vcenter_on_it_are_found(fleet: duckdb.DuckDBPyConnection) -> None:
    found = Moves(fleet).of_task("vc", "t1")
    assert found["queue"] == "md3/sas"
    assert (found["victims"], found["victims_count"]) == (["app disk", "mail disk"], 2)
    assert found["now"] == [4.75, 6.3]  # both volumes of p1, 5 % either way; none of p2
    # 8.333 * (1 + 32 / 24) / 0.9: see test_move.py. The host's 64 places take all.
    assert found["worst_now"][1] == pytest.approx(21.60, abs=0.01)
    assert reads(found) == 32, "disks of one datastore are copied one after the other"


def test_disks_of_two_datastores_are_copied_side_by_side_and_a_shallow_queue_bounds_each(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("INSERT INTO disk_stream VALUES ('vc', 'h1', 'vm-1', 'mover disk 3', 'ds-2', 'naa.5', 'md3', 'v2', 1)")
    fleet.execute("INSERT INTO device_queue VALUES ('vc', 'h1', 'naa.5', 20, NULL, NULL)")
    assert reads(Moves(fleet).of_task("vc", "t1")) == 52


def test_a_copy_that_fills_the_queue_it_shares_makes_others_wait_there(fleet: duckdb.DuckDBPyConnection) -> None:
    deep = Moves(fleet).of_task("vc", "t1")["worst_now"][1]
    fleet.execute("UPDATE device_queue SET dsnro = 16")
    assert Moves(fleet).of_task("vc", "t1")["worst_now"][1] > 2 * deep
    fleet.execute("UPDATE device_queue SET sioc_enabled = true")
    assert Moves(fleet).of_task("vc", "t1")["worst_now"][1] == deep, "DSNRO is not used with Storage I/O Control"


def test_of_two_pools_the_one_that_suffers_most_is_shown(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("INSERT INTO disk_stream VALUES ('vc', 'h1', 'vm-1', 'mover disk 3', 'ds-3', 'naa.3', 'md3', 'v3', 1)")
    assert Moves(fleet).of_task("vc", "t1")["queue"] == "md3/nl"
    fleet.execute("UPDATE fact.array_volume_load SET latency_us = NULL WHERE volume_id = 'v3'")
    assert Moves(fleet).of_task("vc", "t1")["queue"] == "md3/sas", "one with a figure goes before one without"


def test_a_pool_that_stays_below_a_millisecond_goes_before_one_without_a_figure(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("INSERT INTO disk_stream VALUES ('vc', 'h1', 'vm-1', 'mover disk 3', 'ds-3', 'naa.3', 'md3', 'v3', 1)")
    fleet.execute("UPDATE fact.array_pool SET media = 'ssd' WHERE pool_id = 'p2'")
    fleet.execute("UPDATE fact.array_volume_load SET latency_us = NULL WHERE volume_id = 'v1'")
    fleet.execute("UPDATE fact.array_volume_load SET actual_iops = 100000, latency_us = 50 WHERE volume_id = 'v3'")
    found = Moves(fleet).of_task("vc", "t1")
    assert found["queue"] == "md3/nl"
    # 5 are under way, 5 % either way: (32 + 5.25) / 4.75 of 0.0525 ms.
    assert found["worst_now"] == [0.0475, pytest.approx(0.4117, abs=1e-4)]


def test_a_move_that_waits_in_the_queue_of_tasks_leaves_all_as_it_is(fleet: duckdb.DuckDBPyConnection) -> None:
    assert Moves(fleet).of_task("vc", "t1")["after"] == [0.1, 6.3], "of a copy that runs nobody knows what it takes now"
    fleet.execute("UPDATE fact.running_task SET state = 'queued'")
    assert Moves(fleet).of_task("vc", "t1")["after"] == [4.75, 6.3]


def test_media_that_do_not_all_spin_have_no_speed(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("UPDATE fact.array_pool SET media = 'mixed'")
    assert Moves(fleet).of_task("vc", "t1")["worst_now"][1] > 100


def test_a_volume_without_a_row_of_load_leaves_the_size_open(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("DELETE FROM fact.array_volume_load WHERE volume_id = 'v2'")
    assert "the direction is known, the size is not" in Moves(fleet).of_task("vc", "t1")["not_computed"]


def test_a_machine_whose_disks_lie_on_no_known_pool_has_no_figure(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("DELETE FROM fact.array_pool")
    for task in ("t1", "t2"):
        assert Moves(fleet).of_task("vc", task) == {"not_computed": "the pool that it is copied away from is not known"}


def test_a_machine_that_shares_its_pool_with_nobody_has_no_victims(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("DELETE FROM disk_stream WHERE vm_id <> 'vm-1' OR endpoint <> 'vc'")
    found = Moves(fleet).of_task("vc", "t1")
    assert (found["victims"], found["victims_count"]) == ([], 0)


def test_a_latency_of_0_beside_commands_bounds_nothing(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("UPDATE fact.array_volume_load SET latency_us = 0 WHERE volume_id = 'v2'")
    found = Moves(fleet).of_task("vc", "t1")
    assert "the direction is known, the size is not" in found["not_computed"]
    fleet.execute("UPDATE fact.array_volume_load SET actual_iops = 0 WHERE volume_id = 'v2'")
    assert "worst_now" in Moves(fleet).of_task("vc", "t1"), "an idle volume takes nothing from the pool"
