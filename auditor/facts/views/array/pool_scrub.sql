-- materialize: table
-- One row per pool of an array that scrubs its disks: what else starts while it does.
-- A run counts for every day of the week, with the length of the longest; so a start on a Tuesday meets one that only Sunday has.
-- What starts then is NULL when the runs, or the starts, are not all known; `..._at_least` counts those that are.
WITH run AS (
    SELECT
        p.endpoint,
        p.pool_id,
        unnest(TRY_CAST(p.scrub_start_minutes AS BIGINT[])) AS minute,
        p.scrub_duration_minutes AS minutes
    FROM array_pool AS p
),
transfer AS (
    SELECT endpoint, pool_id, replication_id, unnest(TRY_CAST(start_minutes AS BIGINT[])) AS minute
    FROM step_replication
    WHERE role = 'source'
),
together AS (
    SELECT t.endpoint, t.pool_id, t.minute, count(DISTINCT t.replication_id) AS transfers
    FROM transfer AS t
    JOIN run AS s ON s.endpoint = t.endpoint AND s.pool_id = t.pool_id AND (t.minute - s.minute + 1440) % 1440 < s.minutes
    GROUP BY ALL
),
copied AS (
    SELECT endpoint, pool_id, max(transfers) AS transfers FROM together GROUP BY endpoint, pool_id
),
pass AS (
    SELECT endpoint, pool_id, volume_id, unnest(TRY_CAST(start_minutes AS BIGINT[])) AS minute
    FROM fact.array_efficiency
    WHERE state <> 'disabled'
),
reduced AS (
    SELECT e.endpoint, e.pool_id, count(DISTINCT e.volume_id) AS volumes
    FROM pass AS e
    JOIN run AS s ON s.endpoint = e.endpoint AND s.pool_id = e.pool_id AND (e.minute - s.minute + 1440) % 1440 < s.minutes
    GROUP BY ALL
)
SELECT
    p.endpoint,
    p.resource_id,
    p.resource_name,
    p.cluster,
    p.host,
    p.pool_id,
    p.family,
    p.node,
    p.media,
    p.scrub_schedule,
    p.scrub_start_minutes,
    p.scrub_duration_minutes,
    CASE
        WHEN p.scrub_start_minutes IS NOT NULL AND p.scrub_duration_minutes IS NOT NULL AND p.replication_starts_in_one_minute IS NOT NULL
            THEN coalesce(c.transfers, 0)
    END AS replication_starts_in_one_minute,
    CASE
        WHEN p.scrub_start_minutes IS NOT NULL AND p.scrub_duration_minutes IS NOT NULL AND p.efficiency_at_midnight IS NOT NULL
            THEN coalesce(e.volumes, 0)
    END AS efficiency_starts,
    coalesce(c.transfers, 0) AS replication_starts_in_one_minute_at_least,
    coalesce(e.volumes, 0) AS efficiency_starts_at_least,
    p.replications,
    p.volume_names,
    p.devices,
    p.datastores,
    p.host_names,
    p.qos
FROM array_pool AS p
LEFT JOIN copied AS c ON c.endpoint = p.endpoint AND c.pool_id = p.pool_id
LEFT JOIN reduced AS e ON e.endpoint = p.endpoint AND e.pool_id = p.pool_id;
