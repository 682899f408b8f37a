-- materialize: view
-- One row per host and advanced option that settings.yaml declares for it, each by one value; see step_declared_setting.
-- When it acts, and which arrays hinder it, is as in baseline_option.
SELECT
    d.endpoint,
    d.host_id || '/' || d.setting AS resource_id,
    d.setting AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.setting AS option,
    o.value,
    TRY_CAST(o.value AS BIGINT) AS value_number,
    d.wanted,
    CASE WHEN o.value_type IN ('long', 'int', 'short', 'byte') THEN TRY_CAST(d.wanted AS BIGINT) END AS wanted_number,
    CASE WHEN o.key IS NOT NULL THEN true WHEN r.options_read THEN false END AS is_listed,
    acts_at_boot(d.setting) AS needs_reboot,
    CASE
        WHEN d.wanted = '1'
            AND d.setting IN ('DataMover.HardwareAcceleratedInit', 'DataMover.HardwareAcceleratedMove', 'VMFS3.HardwareAcceleratedLocking')
        THEN CASE WHEN r.devices_read THEN concat_ws(', ', u.unsourced_arrays, CASE WHEN contains(f.families, 'eternus-dx') THEN 'eternus-dx' END) END
        ELSE ''
    END AS unsourced_arrays,
    acts_at_once(d.setting) AS acts_at_once,
    d.declared_at
FROM step_declared_setting AS d
JOIN fact.host AS h ON h.endpoint = d.endpoint AND h.host_id = d.host_id
JOIN step_host_reading AS r ON r.endpoint = d.endpoint AND r.host_id = d.host_id
LEFT JOIN fact.host_option AS o ON o.endpoint = d.endpoint AND o.host_id = d.host_id AND o.key = d.setting
LEFT JOIN step_host_offload AS u ON u.endpoint = d.endpoint AND u.host_id = d.host_id
LEFT JOIN step_host_family AS f ON f.endpoint = d.endpoint AND f.host_id = d.host_id
WHERE d.kind = 'option' AND d.wanted_values = 1;
