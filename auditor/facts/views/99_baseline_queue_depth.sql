-- One row per host and device on an array: its queue depth now, and in the baseline. Of a device that the baseline knows of the host itself and
-- that the host no longer sees `is_seen` is false, and NULL where not all its devices were read.
CREATE VIEW baseline_queue_depth AS
WITH here AS (
    SELECT s.endpoint, s.host_id, d.device, d.is_local IS DISTINCT FROM true AND NOT starts_with(d.device, 'mpx.') AS is_kept
    FROM step_wanted_host AS s
    JOIN fact.device AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id
),
gone AS (
    SELECT s.endpoint, s.host_id, b.thing AS device
    FROM step_wanted_host AS s
    JOIN fact.baseline AS b ON b.kind = 'queue_depth' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
    LEFT JOIN here AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id AND d.device = b.thing
    WHERE s.is_own AND d.device IS NULL
),
listed AS (
    SELECT endpoint, host_id, device, true AS is_seen FROM here WHERE is_kept
    UNION ALL
    SELECT g.endpoint, g.host_id, g.device, CASE WHEN r.devices_read THEN false END AS is_seen
    FROM gone AS g
    JOIN step_host_reading AS r ON r.endpoint = g.endpoint AND r.host_id = g.host_id
)
SELECT
    l.endpoint,
    l.host_id || '/' || l.device AS resource_id,
    l.device AS resource_name,
    s.cluster,
    s.host,
    l.host_id,
    l.device,
    b.kind IS NOT NULL AS is_known,
    l.is_seen,
    n.value,
    b.value AS wanted,
    TRY_CAST(n.value AS BIGINT) AS commands,
    TRY_CAST(b.value AS BIGINT) AS wanted_commands,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM listed AS l
JOIN step_wanted_host AS s ON s.endpoint = l.endpoint AND s.host_id = l.host_id
LEFT JOIN fact.baseline AS b ON b.kind = 'queue_depth' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host AND b.thing = l.device
LEFT JOIN step_kept_queue_depth AS n ON n.endpoint = l.endpoint AND n.host_id = l.host_id AND n.thing = l.device
LEFT JOIN step_host_change AS c ON c.kind = 'queue_depth' AND c.endpoint = l.endpoint AND c.host_id = l.host_id;
