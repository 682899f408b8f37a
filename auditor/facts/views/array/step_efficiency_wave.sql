-- materialize: table
-- How many volumes of an aggregate start their deduplication in one hour of the week with each volume: the most of any hour it starts in.
-- NULL where a start on the same aggregate was not understood, or may be of a volume on which it is switched off, or where a volume that lies on
-- several aggregates, or on nobody knows which, starts too: `volumes_in_wave_at_least` counts those that surely start on this one.
WITH hour AS (
    SELECT s.endpoint, s.pool_id, s.day, s.hour, count(DISTINCT s.volume_id) AS volumes
    FROM step_efficiency_start AS s
    JOIN fact.array_efficiency AS x USING (endpoint, volume_id)
    WHERE x.state IS NOT NULL
    GROUP BY ALL
),
wave AS (
    SELECT s.endpoint, s.volume_id, max(h.volumes) AS volumes
    FROM step_efficiency_start AS s
    JOIN hour AS h USING (endpoint, pool_id, day, hour)
    GROUP BY s.endpoint, s.volume_id
),
unknown AS (
    SELECT
        endpoint,
        pool_id,
        count(*) FILTER (
            WHERE (schedule IS NOT NULL AND start_minutes IS NULL AND NOT is_automatic(schedule, policy))
                OR (start_minutes <> '[]' AND (start_days IS NULL OR state IS NULL))
        ) AS volumes
    FROM fact.array_efficiency
    WHERE coalesce(state, 'enabled') <> 'disabled'
    GROUP BY endpoint, pool_id
)
SELECT
    x.endpoint,
    x.volume_id,
    coalesce(w.volumes, 0) AS volumes_in_wave_at_least,
    CASE WHEN r.efficiency_read AND u.volumes = 0 AND NOT coalesce(e.may_start, false) THEN coalesce(w.volumes, 0) END AS volumes_in_wave
FROM fact.array_efficiency AS x
LEFT JOIN wave AS w USING (endpoint, volume_id)
LEFT JOIN unknown AS u ON u.endpoint = x.endpoint AND u.pool_id = x.pool_id
LEFT JOIN step_efficiency_anywhere AS e ON e.endpoint = x.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = x.endpoint;
