-- materialize: view
-- One row per array volume for which settings.yaml declares one ceiling: its own ceiling now, in I/O operations a second. What a policy or a group gives
-- it is not its own.
SELECT
    d.endpoint,
    d.volume_id || '/max_iops' AS resource_id,
    d.volume AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    d.volume_id,
    a.family,
    v.is_virtual,
    v.qos_policy AS policy,
    CASE WHEN v.qos_read THEN v.qos_policy_id IS NOT NULL END AS has_policy,
    v.qos_max_iops AS own_max_iops,
    CASE WHEN v.qos_read THEN coalesce(CAST(v.qos_max_iops AS VARCHAR), 'no limit') END AS value,
    d.wanted,
    TRY_CAST(d.wanted AS BIGINT) AS wanted_iops,
    d.declared_at
FROM step_declared_limit AS d
JOIN fact.array_volume AS v ON v.endpoint = d.endpoint AND v.volume_id = d.volume_id
LEFT JOIN step_array AS a ON a.endpoint = d.endpoint
WHERE d.wanted_values = 1;
