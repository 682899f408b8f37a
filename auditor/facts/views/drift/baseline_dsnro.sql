-- materialize: view
-- One row per host and device on an array: its DSNRO now, and in the baseline; see step_setting_drift.
SELECT
    s.endpoint,
    s.host_id || '/' || s.thing AS resource_id,
    s.thing AS resource_name,
    s.cluster,
    s.host,
    s.host_id,
    s.thing AS device,
    s.is_known,
    s.is_seen,
    s.value,
    s.wanted,
    TRY_CAST(s.value AS BIGINT) AS commands,
    TRY_CAST(s.wanted AS BIGINT) AS wanted_commands,
    d.queue_depth,
    s.baseline_host,
    s.baseline_run,
    s.baseline_at,
    s.changed_by,
    s.changed_at
FROM step_setting_drift AS s
LEFT JOIN fact.device AS d ON d.endpoint = s.endpoint AND d.host_id = s.host_id AND d.device = s.thing
WHERE s.kind = 'dsnro';
