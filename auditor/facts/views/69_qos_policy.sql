-- One row per QoS policy of an array, with what the array allows.
CREATE VIEW qos_policy AS
SELECT
    p.endpoint,
    p.policy_id AS resource_id,
    p.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    p.policy_id,
    a.family,
    p.min_iops,
    p.max_iops,
    p.burst_iops,
    p.max_bytes_per_second,
    p.kind,
    p.priority,
    p.is_shared,
    p.volumes,
    l.min_iops_floor,
    l.min_iops_ceiling,
    l.max_iops_floor,
    l.max_iops_ceiling,
    l.burst_iops_ceiling
FROM fact.array_qos_policy AS p
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN fact.array_qos_limit AS l USING (endpoint);
