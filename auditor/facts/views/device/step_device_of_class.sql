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
    i.* EXCLUDE (inquiry_number, vendor, model, family, is_tiny, is_detached, is_aside),
    d.* EXCLUDE (host_number, device_number, inquiry_number, driver_number, class_number),
    v.driver,
    x.hosts,
    x.host_names,
    m.* EXCLUDE (
        device_number, array_number, array_name_number, device, name_family, array_model, array_generation, array_firmware, firmware_level, qos_wait
    ),
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
