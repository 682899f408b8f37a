"""The pools of all arrays with their load, who copies away from them, and the virtual disks on them: three queries for all findings."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from auditor.facts.efficiency_states import efficiency_works
from auditor.impact.pool import Pool, pool_impact

if TYPE_CHECKING:
    import duckdb

_Place = tuple[str, str]

_POOLS = f"""
WITH copied AS (
    SELECT
        endpoint,
        pool_id,
        list(interval_seconds ORDER BY interval_seconds) FILTER (WHERE interval_seconds > 0) AS intervals,
        count(*) FILTER (WHERE schedule IS NOT NULL AND interval_seconds IS NULL) AS without
    FROM fact.array_replication
    WHERE role = 'source'
    GROUP BY ALL
),
writing AS (
    -- Background work that writes: copies that arrive, and deduplication that is not known to rest.
    SELECT endpoint, pool_id FROM fact.array_replication WHERE role = 'destination'
    UNION
    SELECT endpoint, pool_id
    FROM fact.array_efficiency
    WHERE (state IS DISTINCT FROM 'disabled' AND operation_state IS DISTINCT FROM 'idle') OR {efficiency_works()}
),
read AS (
    SELECT endpoint
    FROM fact.reading
    WHERE topic IN ('replication', 'efficiency')
    GROUP BY endpoint
    HAVING count(DISTINCT topic) = 2 AND bool_and(complete)
)
SELECT
    p.endpoint,
    p.pool_id,
    p.name,
    l.disk_iops,
    CASE WHEN l.transfers_per_second > 0 THEN greatest(0, 1 - l.user_transfers_per_second / l.transfers_per_second) END,
    CASE WHEN l.transfers_per_second > 0 THEN l.consistency_reads_per_second / l.transfers_per_second END,
    r.endpoint IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM writing AS w WHERE w.endpoint = p.endpoint AND coalesce(w.pool_id, p.pool_id) = p.pool_id),
    CASE WHEN c.without = 0 THEN c.intervals END
FROM fact.array_pool AS p
LEFT JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
LEFT JOIN copied AS c ON c.endpoint = p.endpoint AND c.pool_id = p.pool_id
LEFT JOIN read AS r ON r.endpoint = p.endpoint
"""  # noqa: S608  what is put in is this program's own
_DISKS = """
SELECT v.endpoint, v.pool_id, list(DISTINCT s.resource_name ORDER BY s.resource_name)[:5], count(DISTINCT s.resource_name)
FROM disk_stream AS s
JOIN fact.array_volume AS v ON v.endpoint = s.array_name AND v.volume_id = s.volume_id
WHERE s.commands_per_second > 0 AND v.pool_id IS NOT NULL
GROUP BY ALL
"""


class Pools:
    """Reads what it needs when the first finding about a pool comes."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def of_pool(self, endpoint: str, pool_id: str, least_seconds: float | None = None) -> dict[str, Any]:
        """The impact of a finding about a pool; see `pool_impact`."""
        pool = self._pools.get((endpoint, pool_id))
        if pool is None:
            return {"not_computed": "the pool is not known"}
        names, count = self._disks.get((endpoint, pool_id), ((), 0))
        return pool_impact(pool, names, count, least_seconds)

    def of_copy(self, endpoint: str, replication_id: str, least_seconds: float | None) -> dict[str, Any]:
        """The impact of a finding about a relationship that copies away from a pool."""
        pool_id = self._copies.get((endpoint, replication_id))
        if pool_id is None:
            return {"not_computed": "the pool that it copies away from is not known"}
        return self.of_pool(endpoint, pool_id, least_seconds)

    @cached_property
    def _pools(self) -> dict[_Place, Pool]:
        rows = self._connection.execute(_POOLS).fetchall()
        return {
            (endpoint, pool_id): Pool(endpoint, name, transfers, share, consistency, only_clients, tuple(intervals or ()))
            for endpoint, pool_id, name, transfers, share, consistency, only_clients, intervals in rows
        }

    @cached_property
    def _disks(self) -> dict[_Place, tuple[tuple[str, ...], int]]:
        return {(row[0], row[1]): (tuple(row[2]), row[3]) for row in self._connection.execute(_DISKS).fetchall()}

    @cached_property
    def _copies(self) -> dict[_Place, str | None]:
        rows = self._connection.execute("SELECT endpoint, replication_id, pool_id FROM fact.array_replication").fetchall()
        return {(endpoint, copy): pool_id for endpoint, copy, pool_id in rows}
