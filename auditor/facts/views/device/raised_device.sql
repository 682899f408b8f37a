-- materialize: table
-- One row per host and device of an array whose driver's depth was set in the module's options, or may have been: what else the depth rests on.
-- Where an adapter does not report its driver, or a disk whether it lies in the host, nobody knows whether it was.
-- `disks` are virtual disks on the datastores the device carries, or that map it, of a protocol endpoint on the vVol datastores its host mounts.
WITH raised AS (
    SELECT endpoint, host_id, module, option_string, stock_depth, configured_depth, depth_is_configured, serves_capped_protocol_endpoints
    FROM host_module
    WHERE depth_parameter IS NOT NULL AND depth_is_configured IS DISTINCT FROM false
    UNION ALL
    SELECT endpoint, host_id, NULL, NULL, NULL, NULL, NULL, NULL FROM step_nameless_adapter
),
lain AS (
    SELECT x.endpoint, x.device, v.disk
    FROM fact.datastore_extent AS x
    LEFT JOIN fact.vm_disk AS v ON v.endpoint = x.endpoint AND v.datastore_id = x.datastore_id AND v.rdm_mode IS NULL
    UNION ALL
    SELECT endpoint, rdm_device, disk FROM fact.vm_disk WHERE rdm_device IS NOT NULL
),
carried AS (
    SELECT endpoint, device, count(disk) AS disks FROM lain GROUP BY endpoint, device
),
uncounted AS (
    SELECT x.endpoint, x.device, sum(u.not_off) > 0 AS any_unread
    FROM fact.datastore_extent AS x
    JOIN step_unread_machine AS u USING (endpoint, datastore_id)
    GROUP BY x.endpoint, x.device
)
SELECT
    d.endpoint,
    d.resource_id,
    d.resource_name,
    d.cluster,
    d.host,
    d.host_id,
    d.device,
    d.family,
    d.is_protocol_endpoint,
    d.array_name,
    d.volume,
    d.qos,
    d.driver,
    m.option_string,
    m.stock_depth,
    m.configured_depth,
    m.serves_capped_protocol_endpoints,
    d.queue_depth,
    CASE WHEN m.depth_is_configured AND d.is_shared THEN d.queue_depth > m.stock_depth END AS is_raised,
    d.dsnro,
    d.dsnro_advice,
    d.outstanding,
    CASE
        WHEN d.is_protocol_endpoint OR (e.datastores_read AND i.device IS NULL) THEN false
        WHEN e.datastores_read THEN i.sioc_enabled
    END AS sioc_enabled,
    CASE
        WHEN d.is_protocol_endpoint THEN l.vvol_disks
        WHEN e.datastores_read AND e.vms_read AND NOT coalesce(t.any_unread, false) THEN coalesce(c.disks, 0)
    END AS disks
FROM device_demand AS d
JOIN raised AS m ON m.endpoint = d.endpoint AND m.host_id = d.host_id AND m.module IS NOT DISTINCT FROM d.driver
LEFT JOIN step_device_sioc AS i ON i.endpoint = d.endpoint AND i.device = d.device
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint
LEFT JOIN step_vvol_load AS l ON l.endpoint = d.endpoint AND l.host_id = d.host_id
LEFT JOIN carried AS c ON c.endpoint = d.endpoint AND c.device = d.device
LEFT JOIN uncounted AS t ON t.endpoint = d.endpoint AND t.device = d.device
-- A driver's parameter governs SCSI LUNs, and not namespaces (docs/domain/facts.md#2).
WHERE d.is_shared IS DISTINCT FROM false AND d.is_namespace IS DISTINCT FROM true;
