-- materialize: view
-- The rows of `device`, each with the number of its class, and the numbers of its host and its name.
SELECT
    n.endpoint,
    n.host_id || '/' || m.device AS resource_id,
    m.device AS resource_name,
    n.cluster,
    n.host,
    n.host_id,
    m.device,
    n.domain_id,
    i.vendor,
    i.model,
    believed_family(i.family, m.name_family) AS family,
    i.device_type,
    i.device_state,
    i.special_purpose,
    i.is_namespace,
    d.is_protocol_endpoint,
    d.is_shared,
    d.queue_depth,
    d.dsnro,
    v.driver,
    x.hosts,
    x.host_names,
    m.array_name,
    m.is_stretched,
    m.volume,
    m.volume_id,
    m.pool_id,
    m.protocol_endpoint_id,
    m.qos,
    m.qos_policy,
    m.qos_group,
    m.qos_max_iops,
    m.qos_max_bytes_per_second,
    m.qos_capped,
    m.qos_sharers,
    m.qos_shared_by,
    CASE WHEN NOT d.is_shared THEN 'not held back by QoS' ELSE m.qos_wait END AS qos_wait,
    m.array_model,
    m.array_generation,
    m.array_firmware,
    m.firmware_level,
    dsnro_advice(believed_family(i.family, m.name_family)) AS dsnro_advice,
    d.class_number,
    d.host_number,
    d.device_number
FROM step_device_row AS d
JOIN step_host_number AS n USING (host_number)
LEFT JOIN step_device_number AS m USING (device_number)
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN step_driver AS v USING (driver_number)
LEFT JOIN step_device_hosts AS x USING (device_number);
