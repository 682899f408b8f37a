-- materialize: view
-- One row per kind of setting, host and device on an array: what the baseline has of it. Of a device that the baseline knows of the host itself
-- and that the host no longer sees `is_seen` is false, and NULL where not all its devices were read.
WITH kind AS (
    SELECT * FROM (VALUES ('dsnro'), ('queue_depth'), ('path_policy')) AS t (kind)
),
listed AS (
    SELECT k.kind, d.endpoint, d.host_id, d.device, true AS is_seen
    FROM fact.device AS d
    CROSS JOIN kind AS k
    WHERE d.is_local IS DISTINCT FROM true AND NOT starts_with(d.device, 'mpx.')
    UNION ALL
    SELECT b.kind, s.endpoint, s.host_id, b.thing AS device, CASE WHEN r.devices_read THEN false END AS is_seen
    FROM step_wanted_host AS s
    JOIN step_host_reading AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id
    JOIN fact.baseline AS b ON b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
    JOIN kind AS k ON k.kind = b.kind
    LEFT JOIN fact.device AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id AND d.device = b.thing
    WHERE s.is_own AND d.device IS NULL
)
SELECT
    l.kind,
    l.endpoint,
    l.host_id || '/' || l.device AS resource_id,
    l.device AS resource_name,
    s.cluster,
    s.host,
    l.host_id,
    l.device,
    b.kind IS NOT NULL AS is_known,
    l.is_seen,
    b.value AS wanted,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM listed AS l
JOIN step_wanted_host AS s ON s.endpoint = l.endpoint AND s.host_id = l.host_id
LEFT JOIN fact.baseline AS b ON b.kind = l.kind AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host AND b.thing = l.device
LEFT JOIN step_host_change AS c ON c.kind = l.kind AND c.endpoint = l.endpoint AND c.host_id = l.host_id;
