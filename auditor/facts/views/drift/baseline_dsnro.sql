-- materialize: view
-- One row per host and device on an array: its DSNRO now, and in the baseline; see step_wanted_device.
SELECT
    d.endpoint,
    d.resource_id,
    d.resource_name,
    d.cluster,
    d.host,
    d.host_id,
    d.device,
    d.is_known,
    d.is_seen,
    n.value,
    d.wanted,
    TRY_CAST(n.value AS BIGINT) AS commands,
    TRY_CAST(d.wanted AS BIGINT) AS wanted_commands,
    d.baseline_host,
    d.baseline_run,
    d.baseline_at,
    d.changed_by,
    d.changed_at
FROM step_wanted_device AS d
LEFT JOIN step_kept_dsnro AS n ON n.endpoint = d.endpoint AND n.host_id = d.host_id AND n.thing = d.device
WHERE d.kind = 'dsnro';
