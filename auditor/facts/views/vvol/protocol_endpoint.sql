-- materialize: table
-- One row per host and vVol protocol endpoint, with the virtual volumes behind it and their ceilings as the array tells them.
-- One whose family nobody knows may be of any: it is compared with itself on the other hosts.
-- A PowerStore tells no protocol endpoints (docs/domain/arrays.md#powerstore): whether its array caps single virtual volumes is known by the
-- virtual volumes that datastores behind the endpoint hold, where all that are known of are of one array.
WITH pe AS (
    SELECT
        endpoint, resource_id, resource_name, cluster, host, host_id, device, device_state, domain_id, family, array_name, queue_depth, dsnro, driver, hosts,
        host_names
    FROM device
    WHERE is_protocol_endpoint
),
reached AS (
    SELECT
        t.endpoint,
        t.host_id,
        t.device,
        count(*) AS paths,
        count(*) FILTER (WHERE t.state = 'active') AS active,
        count(*) FILTER (WHERE t.state IS NULL OR t.state = 'unknown') AS undetermined,
        CASE WHEN min(t.psp) = max(t.psp) THEN min(t.psp) END AS psp
    FROM fact.path AS t
    JOIN pe AS p ON p.endpoint = t.endpoint AND p.host_id = t.host_id AND p.device = t.device
    GROUP BY ALL
),
deepest AS (
    -- All protocol endpoints of one family in a cluster carry the same machines, so they are compared with each other, by the queue in force: DSNRO
    -- counts for nothing above the device's own depth (docs/domain/facts.md#1-6), and that depth is its driver's, which rule
    -- queue/device-depth-uniform compares driver by driver. One whose depth is not known has its DSNRO in force at most.
    SELECT
        p.endpoint,
        p.domain_id,
        coalesce(p.family, p.device) AS comparable,
        max(p.dsnro) AS deepest_dsnro,
        max(CASE WHEN p.queue_depth < p.dsnro THEN p.queue_depth WHEN p.dsnro <= p.queue_depth THEN p.dsnro END) AS deepest_queue,
        max(CASE WHEN p.queue_depth < p.dsnro THEN p.queue_depth ELSE p.dsnro END) AS deepest_queue_at_most,
        any_value(r.scheduling_read) AND count(p.dsnro) = count(*) AS all_read
    FROM pe AS p
    LEFT JOIN step_domain_reading AS r USING (endpoint, domain_id)
    GROUP BY ALL
),
behind AS (
    SELECT t.endpoint, t.host_id, t.device, min(v.endpoint) AS array_name
    FROM fact.vvol_mount AS t
    JOIN pe AS p ON p.endpoint = t.endpoint AND p.host_id = t.host_id AND p.device = t.device AND p.family = 'powerstore' AND p.array_name IS NULL
    JOIN fact.vm_disk AS d ON d.endpoint = t.endpoint AND d.datastore_id = t.datastore_id
    JOIN step_volume AS v ON v.is_virtual AND lower(v.vvol_id) = regexp_replace(lower(d.backing_object_id), '^rfc4122\.', '')
    GROUP BY ALL
    HAVING min(v.endpoint) = max(v.endpoint)
),
stray AS (
    SELECT endpoint, domain_id, count(*) AS endpoints FROM pe WHERE family IS NULL GROUP BY endpoint, domain_id
)
SELECT
    p.endpoint,
    p.resource_id,
    p.resource_name,
    p.cluster,
    p.host,
    p.host_id,
    h.in_maintenance_mode,
    p.device,
    p.device_state,
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
    l.deepest_disk_queue_at_least,
    l.deepest_disk_queue_at_most,
    l.vvol_disks,
    l.carries_vvol_disks,
    CASE WHEN p.family IS NOT NULL THEN coalesce(f.stalls_neighbours, false) END AS stalls_neighbours,
    CASE WHEN p.family IS NOT NULL THEN coalesce(f.is_deepened, false) END AS is_deepened,
    CASE WHEN p.family IS NOT NULL THEN coalesce(f.keeps_defaults, false) END AS keeps_defaults,
    x.deepest_dsnro AS deepest_dsnro_in_cluster,
    x.deepest_queue AS deepest_queue_in_cluster,
    CASE
        WHEN p.dsnro < x.deepest_queue AND p.dsnro < p.queue_depth THEN true
        WHEN x.all_read AND z.endpoints IS NULL AND (p.dsnro >= x.deepest_queue_at_most OR p.dsnro >= p.queue_depth) THEN false
    END AS is_behind_cluster,
    CASE WHEN t.paths_read AND y.device IS NULL THEN coalesce(a.paths, 0) END AS paths,
    CASE WHEN t.paths_read AND y.device IS NULL AND coalesce(a.undetermined, 0) = 0 THEN coalesce(a.active, 0) END AS active_paths,
    a.psp,
    o.vvol_pe_dsnro_default,
    k.stock_pe_dsnro AS stock_dsnro
FROM pe AS p
LEFT JOIN fact.host AS h ON h.endpoint = p.endpoint AND h.host_id = p.host_id
LEFT JOIN behind AS b ON b.endpoint = p.endpoint AND b.host_id = p.host_id AND b.device = p.device
LEFT JOIN step_array_caps AS c ON c.array_name = coalesce(p.array_name, b.array_name)
LEFT JOIN step_endpoint_volumes AS v ON v.array_endpoint = p.array_name AND v.device = p.device
LEFT JOIN step_vvol_load AS l ON l.endpoint = p.endpoint AND l.host_id = p.host_id
LEFT JOIN reached AS a ON a.endpoint = p.endpoint AND a.host_id = p.host_id AND a.device = p.device
LEFT JOIN step_stale_path AS y ON y.endpoint = p.endpoint AND y.host_id = p.host_id AND y.device = p.device
LEFT JOIN step_host_reading AS t ON t.endpoint = p.endpoint AND t.host_id = p.host_id
LEFT JOIN step_stock_queue AS k ON k.endpoint = p.endpoint AND k.host_id = p.host_id
LEFT JOIN step_shared_queue AS f ON f.family = p.family
LEFT JOIN step_option AS o ON o.endpoint = p.endpoint AND o.host_id = p.host_id
LEFT JOIN deepest AS x ON x.endpoint = p.endpoint AND x.domain_id = p.domain_id AND x.comparable = coalesce(p.family, p.device)
LEFT JOIN stray AS z ON z.endpoint = p.endpoint AND z.domain_id = p.domain_id;
