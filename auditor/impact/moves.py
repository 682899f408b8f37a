"""The machines that are being moved, the pool that each is copied away from, and the disks of others on it: four queries for all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from auditor.impact.move import READS_OF_A_COPY, End, Load, move_impact

if TYPE_CHECKING:
    import duckdb

_Place = tuple[str, str]

# Disks of one source datastore are copied one after the other (docs/domain/facts.md#3-11).
_MOVES = """
WITH lying AS (
    SELECT
        t.endpoint,
        t.task_id,
        t.state,
        s.array_name,
        v.pool_id,
        s.datastore_id,
        min(q.queue_depth) AS depth,
        min(CASE WHEN q.sioc_enabled OR q.dsnro IS NULL THEN q.queue_depth ELSE least(q.queue_depth, q.dsnro) END) AS slots
    FROM fact.running_task AS t
    JOIN disk_stream AS s ON s.endpoint = t.endpoint AND s.vm_id = t.entity_id
    JOIN fact.array_volume AS v ON v.endpoint = s.array_name AND v.volume_id = s.volume_id
    LEFT JOIN device_queue AS q ON q.endpoint = s.endpoint AND q.host_id = s.host_id AND q.device = s.device
    GROUP BY ALL
)
SELECT endpoint, task_id, state = 'running', array_name, pool_id, sum(least(?, coalesce(depth, ?))), min(slots)
FROM lying
GROUP BY ALL
ORDER BY endpoint, task_id, array_name, pool_id
"""
LATENCY_MS = "CASE WHEN l.latency_us > 0 OR l.actual_iops = 0 THEN l.latency_us / 1000 END"
"""SQL: of a volume. No command takes no time: 0 beside commands was not measured."""
_LOADS = f"""
SELECT v.endpoint, v.pool_id, l.actual_iops, {LATENCY_MS}
FROM fact.array_volume AS v
LEFT JOIN fact.array_volume_load AS l ON l.endpoint = v.endpoint AND l.volume_id = v.volume_id
WHERE v.pool_id IS NOT NULL
"""  # noqa: S608  what is put in is this program's own
_POOLS = """
SELECT p.endpoint, p.pool_id, p.name, CASE WHEN p.media = 'hdd' THEN p.rpm END, p.disks, l.disk_iops
FROM fact.array_pool AS p
LEFT JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
"""
_DISKS = """
SELECT
    t.endpoint,
    t.task_id,
    s.array_name,
    v.pool_id,
    list(DISTINCT s.resource_name ORDER BY s.resource_name)[:5],
    count(DISTINCT s.resource_name)
FROM fact.running_task AS t
CROSS JOIN disk_stream AS s
JOIN fact.array_volume AS v ON v.endpoint = s.array_name AND v.volume_id = s.volume_id
WHERE s.commands_per_second > 0 AND v.pool_id IS NOT NULL AND NOT (s.endpoint = t.endpoint AND s.vm_id IS NOT DISTINCT FROM t.entity_id)
GROUP BY ALL
"""


class Moves:
    """Reads what it needs when the first finding about a move comes."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def of_task(self, endpoint: str, task_id: str) -> dict[str, Any]:
        """The impact of a finding about a move, on the pool whose machines it slows most; see `move_impact`."""
        found = [
            move_impact(source, *self._disks.get((endpoint, task_id, *place), ((), 0)))
            for place, source in self._sources.get((endpoint, task_id), ())
        ]
        if not found:
            return {"not_computed": "the pool that it is copied away from is not known"}
        return max(found, key=lambda one: one["worst_now"][1] if "worst_now" in one else 0.0)

    @cached_property
    def _sources(self) -> dict[_Place, list[tuple[_Place, End]]]:
        found: dict[_Place, list[tuple[_Place, End]]] = {}
        rows = self._connection.execute(_MOVES, [READS_OF_A_COPY, READS_OF_A_COPY]).fetchall()
        for endpoint, task_id, is_running, array, pool_id, reads, slots in rows:
            pool = self._pools.get((array, pool_id))
            if pool is not None:
                name, rpm, disks, disk_iops = pool
                loads = tuple(self._loads[array, pool_id])
                source = End(array, name, is_running, float(reads), slots, loads, rpm, disks, disk_iops)
                found.setdefault((endpoint, task_id), []).append(((array, pool_id), source))
        return found

    @cached_property
    def _loads(self) -> dict[_Place, list[Load]]:
        found: dict[_Place, list[Load]] = {}
        for endpoint, pool_id, rate, latency in self._connection.execute(_LOADS).fetchall():
            found.setdefault((endpoint, pool_id), []).append(Load(rate, latency))
        return found

    @cached_property
    def _pools(self) -> dict[_Place, tuple[Any, ...]]:
        return {(row[0], row[1]): row[2:] for row in self._connection.execute(_POOLS).fetchall()}

    @cached_property
    def _disks(self) -> dict[tuple[str, str, str, str], tuple[tuple[str, ...], int]]:
        return {tuple(row[:4]): (tuple(row[4]), row[5]) for row in self._connection.execute(_DISKS).fetchall()}
