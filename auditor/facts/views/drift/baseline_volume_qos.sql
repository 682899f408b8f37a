-- materialize: view
-- One row per volume of an array: all that limits it now, and in the baseline, by the array's id of it; see step_setting_drift.
SELECT
    d.endpoint,
    d.thing AS resource_id,
    CASE WHEN v.volume_id IS NULL THEN d.thing ELSE v.name END AS resource_name,
    d.cluster,
    d.host,
    d.thing AS volume_id,
    a.family,
    v.is_virtual,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN step_array AS a ON a.endpoint = d.endpoint
LEFT JOIN step_volume AS v ON v.endpoint = d.endpoint AND v.volume_id = d.thing
WHERE d.kind = 'volume_qos';
