-- materialize: view
-- One row per setting of a device, a volume, a QoS policy or a replication: its value now, and in the baseline. `is_known` is false for what the baseline does
-- not hold. Of a thing that the baseline knows of the same host or array, and that is no longer there, `is_seen` is false, and NULL where not
-- all of its kind were read.
WITH on_host AS (
    SELECT kind, endpoint, host_id, thing, value, true AS is_seen
    FROM step_setting_now
    WHERE kind IN ('dsnro', 'queue_depth', 'path_policy')
    UNION ALL
    SELECT b.kind, s.endpoint, s.host_id, b.thing, NULL AS value, CASE WHEN r.devices_read THEN false END AS is_seen
    FROM step_wanted_host AS s
    JOIN step_host_reading AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id
    JOIN fact.baseline AS b ON b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
    LEFT JOIN fact.device AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id AND d.device = b.thing
    WHERE b.kind IN ('dsnro', 'queue_depth', 'path_policy') AND s.is_own AND d.device IS NULL
),
on_array AS (
    SELECT kind, endpoint, thing, value, true AS is_seen FROM step_setting_now WHERE kind IN ('volume_qos', 'policy', 'replication')
    UNION ALL
    SELECT 'volume_qos' AS kind, b.of_endpoint AS endpoint, b.thing, NULL AS value, CASE WHEN r.volumes_read THEN false END AS is_seen
    FROM fact.baseline AS b
    JOIN step_endpoint_reading AS r ON r.endpoint = b.of_endpoint
    LEFT JOIN step_volume AS v ON v.endpoint = b.of_endpoint AND v.volume_id = b.thing
    WHERE b.kind = 'volume_qos' AND v.volume_id IS NULL
    UNION ALL
    SELECT 'policy' AS kind, b.of_endpoint AS endpoint, b.thing, NULL AS value, CASE WHEN r.qos_policies_read THEN false END AS is_seen
    FROM fact.baseline AS b
    JOIN step_endpoint_reading AS r ON r.endpoint = b.of_endpoint
    LEFT JOIN fact.array_qos_policy AS p ON p.endpoint = b.of_endpoint AND p.policy_id = b.thing
    WHERE b.kind = 'policy' AND p.policy_id IS NULL
    UNION ALL
    SELECT 'replication' AS kind, b.of_endpoint AS endpoint, b.thing, NULL AS value, CASE WHEN r.replication_read THEN false END AS is_seen
    FROM fact.baseline AS b
    JOIN step_endpoint_reading AS r ON r.endpoint = b.of_endpoint
    LEFT JOIN fact.array_replication AS x ON x.endpoint = b.of_endpoint AND x.replication_id = b.thing
    WHERE b.kind = 'replication' AND x.replication_id IS NULL
)
SELECT
    n.kind,
    n.endpoint,
    s.cluster,
    s.host,
    n.host_id,
    n.thing,
    b.kind IS NOT NULL AS is_known,
    n.is_seen,
    n.value,
    b.value AS wanted,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM on_host AS n
JOIN step_wanted_host AS s ON s.endpoint = n.endpoint AND s.host_id = n.host_id
LEFT JOIN fact.baseline AS b ON b.kind = n.kind AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host AND b.thing = n.thing
LEFT JOIN step_host_change AS c ON c.kind = n.kind AND c.endpoint = n.endpoint AND c.host_id = n.host_id
WHERE n.kind IN ('dsnro', 'queue_depth', 'path_policy')
UNION ALL
SELECT
    n.kind,
    n.endpoint,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    CAST(NULL AS VARCHAR) AS host_id,
    n.thing,
    b.kind IS NOT NULL AS is_known,
    n.is_seen,
    n.value,
    b.value AS wanted,
    CAST(NULL AS VARCHAR) AS baseline_host,
    m.value AS baseline_run,
    m.taken_at AS baseline_at,
    CAST(NULL AS VARCHAR) AS changed_by,
    CAST(NULL AS TIMESTAMPTZ) AS changed_at
FROM on_array AS n
JOIN fact.baseline AS m ON m.kind = 'made'
LEFT JOIN fact.baseline AS b ON b.kind = n.kind AND b.of_endpoint = n.endpoint AND b.thing = n.thing
WHERE n.kind IN ('volume_qos', 'policy', 'replication');
