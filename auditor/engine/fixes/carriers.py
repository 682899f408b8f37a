"""Which arrays carry the devices of the hosts that a plan changes, by the names that both sides give to a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from auditor.model import Change

_QUERY = """
SELECT d.endpoint, d.host_id, list_sort(list(DISTINCT a.endpoint))
FROM (SELECT unnest($endpoints) AS endpoint, unnest($hosts) AS host_id) h
JOIN fact.device d USING (endpoint, host_id)
JOIN (
  SELECT endpoint, device FROM fact.array_volume WHERE device IS NOT NULL
  UNION SELECT endpoint, device FROM fact.array_protocol_endpoint WHERE device IS NOT NULL
) a ON a.device = d.device
GROUP BY ALL
"""


def carriers(connection: duckdb.DuckDBPyConnection, changes: Iterable[Change]) -> dict[tuple[str, str], tuple[str, ...]]:
    """By endpoint and host id: the endpoints of arrays of which the host sees a device. A host of which none is known is not there."""
    hosts = sorted({(one.target.endpoint, one.target["host_id"]) for one in changes if "host_id" in dict(one.target.keys)})
    if not hosts:
        return {}
    found = connection.execute(_QUERY, {"endpoints": [one[0] for one in hosts], "hosts": [one[1] for one in hosts]}).fetchall()
    return {(endpoint, host): tuple(names) for endpoint, host, names in found}
