-- materialize: view
-- The rows of `device_load`, each with the number of its device's class and the key of its load.
SELECT
    d.endpoint,
    d.resource_id,
    d.resource_name,
    d.cluster,
    d.host,
    d.host_id,
    d.device,
    d.device_type,
    d.family,
    d.is_protocol_endpoint,
    d.is_shared,
    d.driver,
    d.queue_depth,
    d.dsnro,
    d.hosts,
    d.array_name,
    d.volume,
    d.volume_id,
    d.pool_id,
    d.qos_capped,
    d.qos_wait,
    o.limited_disks,
    e.busiest_disks,
    l.samples,
    l.sampled_at,
    l.commands_per_second,
    l.busy_samples,
    l.gavg_ms,
    l.davg_ms,
    l.kavg_ms,
    l.qavg_ms,
    l.davg_median_ms,
    l.kavg_max_ms,
    l.kavg_run_over_1ms,
    l.kavg_run_over_2ms,
    l.max_queue_depth,
    l.commands_aborted,
    l.bus_resets,
    l.troubled_samples,
    d.class_number,
    k.load_key
FROM step_device_of_class AS d
LEFT JOIN step_device_load AS k USING (host_number, device_number)
LEFT JOIN step_load AS l USING (load_key)
LEFT JOIN step_limited_disk AS o ON o.endpoint = d.endpoint AND o.host_id = d.host_id AND o.device = d.device
LEFT JOIN step_disk_sender AS e ON e.endpoint = d.endpoint AND e.host_id = d.host_id AND e.kind = 'device' AND e.place = d.device;
