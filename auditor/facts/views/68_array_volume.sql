-- One row per volume of an array, virtual ones included, with what its ceiling is worth at the size of I/O it does.
CREATE VIEW array_volume AS
SELECT
    v.endpoint,
    v.volume_id AS resource_id,
    v.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    v.volume_id,
    a.family,
    v.is_virtual,
    v.vvol_id,
    v.device,
    v.qos_policy_id,
    v.qos_policy,
    v.qos_min_iops,
    v.qos_max_iops,
    v.qos_burst_iops,
    CASE WHEN v.qos_read THEN v.qos_max_iops IS NOT NULL END AS is_capped,
    l.average_io_bytes,
    l.utilization,
    l.latency_us,
    CASE WHEN r.volume_load_read OR l.volume_id IS NOT NULL THEN coalesce(l.average_io_bytes, 0) > 0 END AS is_busy,
    round(v.qos_max_iops / c.cost, 1) AS effective_max_iops,
    round(v.qos_burst_iops / c.cost, 1) AS effective_burst_iops
FROM fact.array_volume AS v
LEFT JOIN fact.array AS a USING (endpoint)
LEFT JOIN fact.array_volume_load AS l USING (endpoint, volume_id)
LEFT JOIN step_curve_cost AS c USING (endpoint, volume_id)
LEFT JOIN step_endpoint_reading AS r USING (endpoint);
