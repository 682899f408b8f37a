-- materialize: view
-- One row per host and device on an array: its queue depth now, and in the baseline; see step_setting_drift.
SELECT
    endpoint,
    host_id || '/' || thing AS resource_id,
    thing AS resource_name,
    cluster,
    host,
    host_id,
    thing AS device,
    is_known,
    is_seen,
    value,
    wanted,
    TRY_CAST(value AS BIGINT) AS commands,
    TRY_CAST(wanted AS BIGINT) AS wanted_commands,
    baseline_host,
    baseline_run,
    baseline_at,
    changed_by,
    changed_at
FROM step_setting_drift
WHERE kind = 'queue_depth';
