-- One row per Example Array: how many of its volumes have a ceiling, and how many have none.
WITH told AS (
    SELECT
        v.endpoint,
        count(*) FILTER (WHERE v.qos_read AND v.qos_max_iops IS NOT NULL) AS capped,
        count(*) FILTER (WHERE v.qos_read AND v.qos_max_iops IS NULL) AS uncapped,
        count(*) FILTER (WHERE v.qos_read IS DISTINCT FROM true) AS unread
    FROM fact.array_volume AS v
    GROUP BY v.endpoint
),
listed AS (
    SELECT endpoint, bool_and(complete) AS is_whole FROM fact.reading WHERE topic = 'volumes' GROUP BY endpoint
)
SELECT
    a.endpoint,
    a.array_id AS resource_id,
    a.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    -- A volume that was not listed, or whose ceiling was not read, may be of either kind: then neither number is known.
    CASE WHEN l.is_whole AND coalesce(t.unread, 0) = 0 THEN coalesce(t.capped, 0) END AS capped_volumes,
    CASE WHEN l.is_whole AND coalesce(t.unread, 0) = 0 THEN coalesce(t.uncapped, 0) END AS uncapped_volumes
FROM fact.array AS a
LEFT JOIN listed AS l ON l.endpoint = a.endpoint
LEFT JOIN told AS t ON t.endpoint = a.endpoint
WHERE a.family = 'example-array'
