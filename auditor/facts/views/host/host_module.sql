-- materialize: table
-- One row per host and kernel module of a storage adapter.
WITH served AS (
    SELECT
        endpoint,
        host_id,
        driver AS module,
        CAST(sum(devices) AS BIGINT) AS devices,
        CAST(sum(luns) AS BIGINT) AS luns,
        CAST(sum(namespaces) AS BIGINT) AS namespaces,
        max(deepest_lun_queue) AS deepest_lun_queue,
        sum(undetermined_luns) AS undetermined_luns,
        list_sort(list(DISTINCT family)) AS families,  -- counts where none is NULL
        count(*) FILTER (WHERE family IS NULL) AS unknown_families,
        count(*) FILTER (WHERE depth_advice(family) = 'own') AS families_with_own,
        count(*) FILTER (WHERE depth_advice(family) = 'none') AS families_without
    FROM step_host_group
    GROUP BY ALL
),
beside AS (
    -- What else is behind a driver that serves protocol endpoints of an array that caps each volume.
    SELECT
        g.endpoint,
        g.host_id,
        g.driver AS module,
        string_agg(coalesce(g.family, 'not known') || ' (' || g.devices || CASE WHEN g.devices = 1 THEN ' device)' ELSE ' devices)' END, ', ' ORDER BY g.family) AS families
    FROM step_host_group AS g
    LEFT JOIN (SELECT endpoint, host_id, driver, family FROM protocol_endpoint WHERE per_object_qos) AS p
        ON p.endpoint = g.endpoint AND p.host_id = g.host_id AND p.driver = g.driver AND p.family = g.family
    WHERE p.family IS NULL
    GROUP BY ALL
),
placed AS (
    -- Is every device of the host known to belong to one driver? If not, any module may serve it.
    SELECT
        r.endpoint,
        r.host_id,
        any_value(r.devices_read AND r.paths_read AND r.hbas_read)
            AND count(*) FILTER (WHERE g.devices > 0 AND g.driver IS NULL) = 0 AS all_placed
    FROM step_host_reading AS r
    LEFT JOIN step_host_group AS g USING (endpoint, host_id)
    GROUP BY r.endpoint, r.host_id
),
pe AS (
    SELECT
        endpoint,
        host_id,
        driver AS module,
        bool_or(per_object_qos) AS any_capped,
        count(*) FILTER (WHERE per_object_qos IS NULL) AS undetermined,
        max(deepest_disk_queue_at_least) FILTER (WHERE per_object_qos) AS at_least,
        max(deepest_disk_queue_at_most) FILTER (WHERE per_object_qos IS DISTINCT FROM false) AS at_most,
        count(*) FILTER (WHERE per_object_qos IS DISTINCT FROM false AND deepest_disk_queue_at_most IS NULL) AS unbounded
    FROM protocol_endpoint
    WHERE is_deepened IS DISTINCT FROM false
    GROUP BY ALL
),
carrying AS (
    -- Endpoints whose queue may have to be longer than that of a LUN: those of arrays whose vendors ask to leave the defaults are left out.
    SELECT
        endpoint,
        host_id,
        driver AS module,
        count(*) FILTER (WHERE family IS NOT NULL AND vvol_disks > 0) AS endpoints,
        count(*) FILTER (WHERE family IS NULL OR vvol_disks IS NULL) AS undetermined
    FROM protocol_endpoint
    WHERE keeps_defaults IS DISTINCT FROM true
    GROUP BY ALL
),
strange AS (
    SELECT
        endpoint,
        host_id,
        module,
        string_agg(name, ', ' ORDER BY name) FILTER (WHERE is_known IS DISTINCT FROM true) AS names,
        string_agg(coalesce(nearest, '?'), ', ' ORDER BY name) FILTER (WHERE is_known IS DISTINCT FROM true) AS corrections
    FROM step_module_word
    GROUP BY ALL
)
SELECT
    m.endpoint,
    m.host_id || '/' || m.module AS resource_id,
    m.module AS resource_name,
    h.cluster,
    h.name AS host,
    m.host_id,
    m.module,
    m.loaded,
    m.option_string,
    q.depth_parameter,
    q.stock_depth,
    TRY_CAST(w.value AS BIGINT) AS configured_depth,
    CASE
        WHEN trim(m.option_string) = '' THEN false
        WHEN m.option_string IS NOT NULL AND q.module IS NOT NULL THEN w.name IS NOT NULL
    END AS depth_is_configured,
    CASE WHEN u.all_placed THEN coalesce(s.devices, 0) END AS devices,
    CASE WHEN u.all_placed AND coalesce(s.luns + s.namespaces = s.devices, true) THEN coalesce(s.luns, 0) END AS luns,
    CASE WHEN s.undetermined_luns = 0 AND s.luns + s.namespaces = s.devices THEN s.deepest_lun_queue END AS depth_in_effect,
    CASE WHEN u.all_placed AND coalesce(s.unknown_families, 0) = 0 THEN array_to_string(coalesce(s.families, []), ', ') END AS families,
    CASE WHEN u.all_placed THEN coalesce(z.families, '') END AS families_beside_capped,
    CASE
        WHEN pe.any_capped THEN true
        WHEN u.all_placed AND coalesce(pe.undetermined, 0) = 0 THEN false
    END AS serves_capped_protocol_endpoints,
    CASE
        WHEN u.all_placed AND coalesce(pe.unbounded, 0) = 0 AND coalesce(pe.at_least, 0) = coalesce(pe.at_most, 0) THEN coalesce(pe.at_least, 0)
    END AS deepest_disk_queue,
    coalesce(pe.at_least, 0) AS deepest_disk_queue_at_least,
    CASE WHEN u.all_placed AND coalesce(pe.unbounded, 0) = 0 THEN coalesce(pe.at_most, 0) END AS deepest_disk_queue_at_most,
    CASE
        WHEN b.endpoints > 0 THEN b.endpoints
        WHEN u.all_placed AND coalesce(b.undetermined, 0) = 0 THEN 0
    END AS vvol_endpoints,
    CASE
        WHEN m.option_string IS NULL THEN NULL
        WHEN trim(m.option_string) = '' THEN ''
        WHEN NOT r.modules_read THEN NULL
        ELSE coalesce(x.names, '')
    END AS unknown_parameters,
    CASE WHEN r.modules_read THEN x.corrections END AS corrections,
    CASE WHEN q.module IS NOT NULL THEN q.depth_parameter IS NOT NULL END AS has_depth_parameter,
    CASE
        WHEN s.families_with_own > 0 THEN 'own'
        WHEN s.families_without > 0 THEN 'none'
        WHEN u.all_placed AND coalesce(s.unknown_families, 0) = 0 THEN 'default'
    END AS depth_advice
FROM fact.host_module AS m
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_depth_parameter AS q USING (module)
LEFT JOIN step_module_word AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module AND w.name = q.depth_parameter
LEFT JOIN served AS s ON s.endpoint = m.endpoint AND s.host_id = m.host_id AND s.module = m.module
LEFT JOIN beside AS z ON z.endpoint = m.endpoint AND z.host_id = m.host_id AND z.module = m.module
LEFT JOIN placed AS u ON u.endpoint = m.endpoint AND u.host_id = m.host_id
LEFT JOIN pe ON pe.endpoint = m.endpoint AND pe.host_id = m.host_id AND pe.module = m.module
LEFT JOIN carrying AS b ON b.endpoint = m.endpoint AND b.host_id = m.host_id AND b.module = m.module
LEFT JOIN strange AS x ON x.endpoint = m.endpoint AND x.host_id = m.host_id AND x.module = m.module;
