-- One row per volume on which an array deduplicates or compresses: when, on which pool, and who uses what lies in it.
CREATE VIEW efficiency AS
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
    x.duration_minutes,
    x.qos_policy AS priority,
    p.resource_name AS pool,
    p.node,
    p.media,
    p.busy_percent,
    p.disk_iops,
    p.efficiency_at_midnight AS volumes_at_midnight,
    u.volumes,
    u.devices,
    u.datastores,
    u.host_names,
    u.qos
FROM fact.array_efficiency AS x
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN array_pool AS p ON p.endpoint = x.endpoint AND p.resource_id = x.pool_id
LEFT JOIN step_path_use AS u ON u.endpoint = x.endpoint AND u.path = x.volume;
