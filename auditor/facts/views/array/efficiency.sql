-- materialize: table
-- a row is called: volume
-- One row per volume on which an array deduplicates or compresses: when, on which pool, and who uses what lies in it.
SELECT
    x.endpoint,
    x.volume_id AS resource_id,
    x.volume AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    x.volume_id,
    a.family,
    x.volume,
    x.state,
    x.policy_id,
    x.policy,
    x.schedule,
    x.start_minutes,
    list_min(TRY_CAST(x.start_minutes AS BIGINT[])) AS first_start_minute,
    CASE
        WHEN x.state = 'disabled' OR is_automatic(x.schedule, x.policy) THEN false
        WHEN x.schedule IS NULL AND r.efficiency_read THEN false
        WHEN x.start_minutes = '[]' THEN false
        WHEN x.state IS NOT NULL AND x.schedule IS NOT NULL AND x.start_minutes IS NOT NULL THEN true
    END AS is_scheduled,
    x.duration_minutes,
    x.qos_policy AS priority,
    x.operation_state,
    x.operation_bytes,
    p.resource_name AS pool,
    p.node,
    p.media,
    p.busy_percent,
    p.disk_iops,
    p.efficiency_at_midnight AS volumes_at_midnight,
    w.volumes_in_wave,
    w.volumes_in_wave_at_least,
    m.policy_volumes,
    m.free_schedule,
    u.volumes,
    u.devices,
    u.datastores,
    u.host_names,
    u.qos,
    p.volume_names AS volumes_of_pool,
    p.devices AS devices_of_pool,
    p.datastores AS datastores_of_pool,
    p.host_names AS host_names_of_pool,
    p.qos AS qos_of_pool
FROM fact.array_efficiency AS x
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = x.endpoint
LEFT JOIN array_pool AS p ON p.endpoint = x.endpoint AND p.resource_id = x.pool_id
LEFT JOIN step_efficiency_wave AS w ON w.endpoint = x.endpoint AND w.volume_id = x.volume_id
LEFT JOIN step_efficiency_move AS m ON m.endpoint = x.endpoint AND m.policy_id = x.policy_id
LEFT JOIN step_path_use AS u ON u.endpoint = x.endpoint AND u.path = x.volume;
