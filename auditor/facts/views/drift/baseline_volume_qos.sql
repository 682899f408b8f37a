-- materialize: view
-- One row per volume of an array: all that limits it now, and in the baseline, by the array's id of it. `is_seen` is false for one that is
-- gone, and NULL where not all volumes were read.
WITH wanted AS (
    SELECT of_endpoint AS endpoint, thing AS volume_id, value FROM fact.baseline WHERE kind = 'volume_qos'
),
listed AS (
    SELECT v.endpoint, v.volume_id, v.name, v.is_virtual, true AS is_seen FROM fact.array_volume AS v
    UNION ALL
    SELECT w.endpoint, w.volume_id, w.volume_id AS name, NULL AS is_virtual, CASE WHEN r.volumes_read THEN false END AS is_seen
    FROM wanted AS w
    JOIN step_endpoint_reading AS r ON r.endpoint = w.endpoint
    LEFT JOIN fact.array_volume AS v ON v.endpoint = w.endpoint AND v.volume_id = w.volume_id
    WHERE v.volume_id IS NULL
)
SELECT
    l.endpoint,
    l.volume_id AS resource_id,
    l.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    l.volume_id,
    a.family,
    l.is_virtual,
    w.value IS NOT NULL AS is_known,
    l.is_seen,
    n.value,
    w.value AS wanted,
    m.value AS baseline_run,
    m.taken_at AS baseline_at
FROM listed AS l
JOIN fact.baseline AS m ON m.kind = 'made'
LEFT JOIN step_array AS a ON a.endpoint = l.endpoint
LEFT JOIN wanted AS w ON w.endpoint = l.endpoint AND w.volume_id = l.volume_id
LEFT JOIN step_kept_volume_qos AS n ON n.endpoint = l.endpoint AND n.thing = l.volume_id;
