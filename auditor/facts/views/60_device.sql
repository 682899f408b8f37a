-- One row per host and block device or protocol endpoint, with what the array behind it does.
-- `hosts` and `host_names` are those that see the same name, of the hosts that were read; NULL for a name that is only one host's (mpx.).
-- `qos_max_iops` and `qos_max_bytes_per_second` are what is in force: the tighter of the volume's own and its group's.
-- Model, generation and firmware are the array's own words where it was read, and fleet.yaml's elsewhere.
CREATE VIEW device AS
WITH sharing AS (
    SELECT d.device, count(*) AS hosts, FIRST(coalesce(h.name, h.host_id)) AS host_names
    FROM fact.device AS d
    JOIN fact.host AS h USING (endpoint, host_id)
    WHERE NOT starts_with(d.device, 'mpx.')
    GROUP BY d.device
)
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
    coalesce(nullif(f.family, 'other'), k.name_family, f.family) AS family,
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
    x.hosts,
    x.host_names,
    a.array_name,
    a.is_stretched,
    a.volume,
    a.volume_id,
    a.pool_id,
    a.protocol_endpoint_id,
    a.qos,
    a.qos_policy,
    a.qos_group,
    a.qos_max_iops,
    a.qos_max_bytes_per_second,
    a.qos_capped,
    a.qos_sharers,
    a.qos_shared_by,
    k.array_model,
    k.array_generation,
    k.array_firmware,
    k.firmware_level
FROM fact.device AS d
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN fact.device_scheduling AS s USING (endpoint, host_id, device)
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM d.vendor AND f.model IS NOT DISTINCT FROM d.model
LEFT JOIN step_device_driver AS p USING (endpoint, host_id, device)
LEFT JOIN sharing AS x USING (device)
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_known_device AS k USING (device);
