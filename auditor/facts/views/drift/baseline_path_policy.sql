-- materialize: view
-- One row per host and device on an array: its path policy now, and in the baseline; see step_setting_drift.
SELECT
    p.endpoint,
    p.host_id || '/' || p.thing AS resource_id,
    p.thing AS resource_name,
    p.cluster,
    p.host,
    p.host_id,
    p.thing AS device,
    s.family,
    p.is_known,
    p.is_seen,
    p.value,
    p.wanted,
    p.baseline_host,
    p.baseline_run,
    p.baseline_at,
    p.changed_by,
    p.changed_at
FROM step_setting_drift AS p
LEFT JOIN step_seen_device AS s ON s.endpoint = p.endpoint AND s.device = p.thing
WHERE p.kind = 'path_policy';
