-- One row per host and block device or protocol endpoint, with what the array behind it does.
CREATE VIEW device AS
SELECT
    d.endpoint,
    d.host_id || '/' || d.device AS resource_id,
    d.device AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.device,
    r.domain_id,
    d.vendor,
    d.model,
    f.family,
    d.device_type,
    coalesce(d.is_protocol_endpoint, s.is_vvol_pe, starts_with(d.device, 'naa.6f47acc2')) AS is_protocol_endpoint,
    CASE
        WHEN coalesce(d.is_protocol_endpoint, s.is_vvol_pe, starts_with(d.device, 'naa.6f47acc2')) THEN true
        WHEN d.device_type <> 'disk' THEN false
        ELSE NOT d.is_local
    END AS is_shared,
    d.queue_depth,
    s.dsnro,
    p.driver,
    a.array_name,
    a.volume,
    a.volume_id,
    a.protocol_endpoint_id,
    a.qos_policy,
    a.qos_max_iops,
    a.qos_capped,
    c.declared_model,
    c.declared_generation,
    c.declared_firmware,
    c.firmware_level
FROM fact.device AS d
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN fact.device_scheduling AS s USING (endpoint, host_id, device)
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM d.vendor AND f.model IS NOT DISTINCT FROM d.model
LEFT JOIN step_device_driver AS p USING (endpoint, host_id, device)
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_declared AS c USING (device);
