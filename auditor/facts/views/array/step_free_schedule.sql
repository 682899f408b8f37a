-- materialize: table
-- Schedules that a cluster has and that an efficiency policy could be moved to, in order: one start a day at most and one a week at least, after
-- 01:00, in hours in which no deduplication of the cluster starts, not while disks are scrubbed, and no two in the same hour. None where
-- starts or scrubs of the cluster are not all known.
WITH daily AS (
    SELECT endpoint, name, CAST(json_extract(start_minutes, '$[0]') AS BIGINT) AS minute, start_days
    FROM fact.array_schedule
    WHERE interval_seconds BETWEEN 86400 AND 604800 AND json_array_length(start_minutes) = 1
),
slot AS (
    SELECT endpoint, name, minute, minute // 60 AS hour, unnest(TRY_CAST(start_days AS BIGINT[])) AS day FROM daily WHERE minute >= 60
),
run AS (
    SELECT endpoint, unnest(TRY_CAST(start_minutes AS BIGINT[])) AS minute, coalesce(duration_minutes, 1440) AS minutes
    FROM fact.array_scrub
),
taken AS (
    SELECT s.endpoint, s.name FROM slot AS s JOIN step_efficiency_start AS e USING (endpoint, day, hour)
    UNION
    SELECT s.endpoint, s.name FROM slot AS s JOIN run AS r ON r.endpoint = s.endpoint AND (s.minute - r.minute + 1440) % 1440 < r.minutes
    UNION
    SELECT s.endpoint, s.name FROM slot AS s JOIN slot AS o ON o.endpoint = s.endpoint AND o.day = s.day AND o.hour = s.hour AND o.name < s.name
),
unknown AS (
    SELECT DISTINCT x.endpoint FROM fact.array_efficiency AS x JOIN step_efficiency_wave AS w USING (endpoint, volume_id) WHERE w.volumes_in_wave IS NULL
    UNION
    SELECT endpoint FROM fact.array_scrub WHERE start_minutes IS NULL
),
free AS (
    SELECT DISTINCT s.endpoint, s.name
    FROM slot AS s
    JOIN step_endpoint_reading AS r ON r.endpoint = s.endpoint
    LEFT JOIN taken AS t ON t.endpoint = s.endpoint AND t.name = s.name
    LEFT JOIN unknown AS u ON u.endpoint = s.endpoint
    WHERE r.efficiency_read AND r.scrub_read AND t.name IS NULL AND u.endpoint IS NULL
)
SELECT f.endpoint, f.name, count(*) AS place
FROM free AS f
JOIN free AS o ON o.endpoint = f.endpoint AND o.name <= f.name
GROUP BY f.endpoint, f.name;
