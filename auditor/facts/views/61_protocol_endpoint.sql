-- One row per host and vVol protocol endpoint, with the virtual volumes behind it and their ceilings as the array tells them.
CREATE VIEW protocol_endpoint AS
WITH pe AS (
    SELECT
        endpoint, resource_id, resource_name, cluster, host, host_id, device, domain_id, family, array_name, queue_depth, dsnro, driver, hosts,
        host_names
    FROM device
    WHERE is_protocol_endpoint
),
deepest AS (
    -- All protocol endpoints of one family in a cluster carry the same machines, so they are compared with each other.
    SELECT p.endpoint, p.domain_id, p.family, max(p.dsnro) AS deepest_dsnro, coalesce(any_value(r.scheduling_read), false) AS all_read
    FROM pe AS p
    LEFT JOIN step_domain_reading AS r USING (endpoint, domain_id)
    GROUP BY ALL
)
SELECT
    p.endpoint,
    p.resource_id,
    p.resource_name,
    p.cluster,
    p.host,
    p.host_id,
    p.device,
    p.family,
    p.array_name,
    p.queue_depth,
    p.dsnro,
    p.driver,
    p.hosts,
    p.host_names,
    v.bound_volumes,
    v.throttled,
    v.throttled_volumes,
    v.qos,
    v.qos_policies,
    v.qos_max_iops,
    c.per_object_qos,
    l.deepest_disk_queue,
    l.vvol_disks,
    x.deepest_dsnro AS deepest_dsnro_in_cluster,
    CASE
        WHEN p.dsnro < x.deepest_dsnro THEN true
        WHEN p.dsnro IS NOT NULL AND x.all_read THEN false
    END AS is_behind_cluster
FROM pe AS p
LEFT JOIN step_array_caps AS c USING (array_name)
LEFT JOIN step_endpoint_volumes AS v ON v.array_endpoint = p.array_name AND v.device = p.device
LEFT JOIN step_vvol_load AS l USING (endpoint, host_id)
LEFT JOIN deepest AS x ON x.endpoint = p.endpoint AND x.domain_id = p.domain_id AND x.family IS NOT DISTINCT FROM p.family;
