-- materialize: view
-- Whose settings in the baseline each host is held to: its own of then, or those of the one good host, where it is of the cluster that
-- this host was to be an example for. `is_own` is NULL for a host that the baseline does not know; of two hosts of a vCenter that have one
-- name now, it knows neither, as nobody can say which of them it was.
WITH known AS (
    SELECT of_endpoint, of_host, thing AS cluster, value AS reach FROM fact.baseline WHERE kind = 'host'
),
same AS (
    SELECT endpoint, name FROM fact.host GROUP BY endpoint, name HAVING count(*) = 1
),
-- A baseline of one host has one row here; that it is one is what the aggregates say.
example AS (
    SELECT min(of_endpoint) AS of_endpoint, min(of_host) AS of_host, min(cluster) AS cluster, min(reach) AS reach
    FROM known
    WHERE reach <> 'itself'
)
SELECT
    h.endpoint,
    h.host_id,
    h.name AS host,
    h.cluster,
    CASE
        WHEN k.of_host IS NOT NULL THEN k.of_endpoint
        WHEN x.reach = 'all' OR (x.of_endpoint = h.endpoint AND x.cluster = h.cluster) THEN x.of_endpoint
    END AS of_endpoint,
    CASE
        WHEN k.of_host IS NOT NULL THEN k.of_host
        WHEN x.reach = 'all' OR (x.of_endpoint = h.endpoint AND x.cluster = h.cluster) THEN x.of_host
    END AS of_host,
    CASE
        WHEN k.of_host IS NOT NULL THEN true
        WHEN x.reach = 'all' OR (x.of_endpoint = h.endpoint AND x.cluster = h.cluster) THEN false
    END AS is_own,
    m.value AS baseline_run,
    m.taken_at AS baseline_at
FROM fact.host AS h
CROSS JOIN example AS x
JOIN fact.baseline AS m ON m.kind = 'made'
LEFT JOIN same AS u ON u.endpoint = h.endpoint AND u.name = h.name
LEFT JOIN known AS k ON k.of_endpoint = u.endpoint AND k.of_host = u.name;
