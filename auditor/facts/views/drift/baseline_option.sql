-- materialize: view
-- One row per host and advanced option that the baseline knows of it; one without an option for a host that the baseline does not know.
-- `acts_at_once`, `needs_reboot`: when a change of it takes effect, as far as that is recorded (facts/macros.py).
SELECT
    s.endpoint,
    s.host_id || '/' || coalesce(b.setting, '') AS resource_id,
    coalesce(b.setting, s.host) AS resource_name,
    s.cluster,
    s.host,
    s.host_id,
    b.setting AS option,
    b.kind IS NOT NULL AS is_known,
    s.is_own,
    o.value,
    b.value AS wanted,
    TRY_CAST(b.value AS BIGINT) AS wanted_number,
    CASE WHEN o.key IS NOT NULL THEN true WHEN r.options_read THEN false END AS is_listed,
    acts_at_boot(b.setting) AS needs_reboot,
    CASE
        WHEN b.value = '1'
            AND b.setting IN ('DataMover.HardwareAcceleratedInit', 'DataMover.HardwareAcceleratedMove', 'VMFS3.HardwareAcceleratedLocking')
        THEN CASE WHEN r.devices_read THEN concat_ws(', ', u.unsourced_arrays, CASE WHEN contains(f.families, 'eternus-dx') THEN 'eternus-dx' END) END
        ELSE ''
    END AS unsourced_arrays,
    acts_at_once(b.setting) AS acts_at_once,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM step_wanted_host AS s
JOIN step_host_reading AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id
LEFT JOIN fact.baseline AS b ON b.kind = 'option' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
LEFT JOIN fact.host_option AS o ON o.endpoint = s.endpoint AND o.host_id = s.host_id AND o.key = b.setting
LEFT JOIN step_host_offload AS u ON u.endpoint = s.endpoint AND u.host_id = s.host_id
LEFT JOIN step_host_family AS f ON f.endpoint = s.endpoint AND f.host_id = s.host_id
LEFT JOIN step_host_change AS c ON c.kind = 'option' AND c.endpoint = s.endpoint AND c.host_id = s.host_id;
