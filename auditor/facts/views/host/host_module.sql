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
depth AS (
    -- What the option string says of the depth of all its ports and, with Emulex, of single ports, which goes before; see module_instance.
    SELECT
        w.endpoint,
        w.host_id,
        w.module,
        count(*) AS names,
        count(*) FILTER (WHERE w.name <> q.depth_parameter) AS ports,
        max(w.times_given) AS times_given,
        count(w.number) AS numbers,
        min(w.number) AS least,
        max(w.number) AS greatest,
        count(w.number) FILTER (WHERE w.name <> q.depth_parameter) AS port_numbers,
        min(w.number) FILTER (WHERE w.name <> q.depth_parameter) AS least_of_ports,
        max(w.number) FILTER (WHERE w.name <> q.depth_parameter) AS greatest_of_ports
    FROM step_module_word AS w
    JOIN step_depth_parameter AS q USING (module)
    WHERE w.name = q.depth_parameter OR (q.depth_parameter = 'lpfc_lun_queue_depth' AND regexp_matches(w.name, '^lpfc\d+_lun_queue_depth$'))
    GROUP BY w.endpoint, w.host_id, w.module
),
unclear AS (
    -- The host's own list of the module's parameters has another depth than its option string, as the API reports it: neither is believed, and
    -- facts/snapshots/two_readings.py leaves a gap. A list without a value says nothing here.
    SELECT m.endpoint, m.host_id, m.module
    FROM fact.host_module AS m
    JOIN step_depth_parameter AS q USING (module)
    JOIN fact.host_module_parameter AS l
        ON l.endpoint = m.endpoint AND l.host_id = m.host_id AND l.module = m.module AND l.name = q.depth_parameter
    LEFT JOIN step_module_word AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module AND w.name = q.depth_parameter
    WHERE CASE
        WHEN w.name IS NOT NULL THEN plain_number(trim(l.value)) <> w.number
        ELSE trim(l.value) <> '' AND option_words(m.option_string) IS NOT NULL
    END
    UNION
    -- Whether a driver takes a name that differs from its parameter's by case alone has no source.
    SELECT w.endpoint, w.host_id, w.module
    FROM step_module_word AS w
    JOIN step_depth_parameter AS q USING (module)
    WHERE (lower(w.name) = lower(q.depth_parameter) AND w.name <> q.depth_parameter)
        OR (q.depth_parameter = 'lpfc_lun_queue_depth' AND regexp_matches(lower(w.name), '^lpfc\d+_lun_queue_depth$') AND w.name <> lower(w.name))
),
versioned AS (
    -- A version as numbers: 900.14.4.390.20-36vmw.901.0.24957456 is [14, 4, 390, 20], and made for 901.
    SELECT
        endpoint,
        host_id,
        module,
        list_transform(
            string_split(nullif(regexp_extract(version, '^(?:900[.])?([0-9]+([.][0-9]+)+)', 1), ''), '.'), lambda x: TRY_CAST(x AS BIGINT)
        ) AS numbers,
        nullif(regexp_extract(version, '-[0-9]+[A-Za-z]+[.]([0-9]{3})[.]', 1), '') AS made_for
    FROM fact.host_module
),
sheet AS (
    SELECT
        v.endpoint,
        v.host_id,
        v.module,
        v.numbers,
        count(f.module) > 0 AS is_on_sheet,
        coalesce(bool_or(v.numbers >= f.first_version AND v.numbers < f.fixed_version AND v.made_for IS NULL), false) AS is_open,
        few_distinct(
            CASE WHEN v.numbers >= f.first_version AND v.numbers < f.fixed_version AND regexp_full_match(v.made_for, f.made_for) THEN f.fault END, '; '
        ) AS fault
    FROM versioned AS v
    LEFT JOIN step_driver_fault AS f USING (module)
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
    CASE
        WHEN c.module IS NOT NULL THEN NULL
        WHEN w.ports = a.ports THEN CASE WHEN w.port_numbers = w.ports AND w.least_of_ports = w.greatest_of_ports THEN w.least_of_ports END
        WHEN w.names > w.ports AND w.numbers = w.names AND w.least = w.greatest THEN w.least
    END AS configured_depth,
    CASE
        WHEN c.module IS NOT NULL THEN NULL
        WHEN trim(m.option_string) = '' THEN false
        WHEN option_words(m.option_string) IS NOT NULL AND q.module IS NOT NULL THEN w.names IS NOT NULL
    END AS depth_is_configured,
    CASE
        WHEN c.module IS NOT NULL THEN NULL
        WHEN option_words(m.option_string) IS NOT NULL AND q.module IS NOT NULL THEN coalesce(w.ports = 0 AND w.times_given = 1, true)
    END AS depth_is_plain,
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
        WHEN NOT r.modules_read OR option_words(m.option_string) IS NULL THEN NULL
        ELSE coalesce(x.names, '')
    END AS unknown_parameters,
    CASE WHEN r.modules_read THEN x.corrections END AS corrections,
    CASE WHEN q.module IS NOT NULL THEN q.depth_parameter IS NOT NULL END AS has_depth_parameter,
    CASE
        WHEN l.name IS NOT NULL THEN true
        WHEN r.modules_read AND q.depth_parameter IS NOT NULL THEN false
    END AS depth_parameter_listed,
    m.version AS driver_version,
    CASE
        WHEN y.fault IS NOT NULL THEN y.fault
        WHEN (y.numbers IS NOT NULL AND NOT y.is_open) OR NOT y.is_on_sheet THEN ''
    END AS driver_fault,
    y.is_on_sheet,
    CASE
        WHEN s.families_with_own > 0 THEN 'own'
        WHEN s.families_without > 0 THEN 'none'
        WHEN u.all_placed AND coalesce(s.unknown_families, 0) = 0 THEN 'default'
    END AS depth_advice
FROM fact.host_module AS m
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_depth_parameter AS q USING (module)
LEFT JOIN depth AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module
LEFT JOIN step_module_port AS a ON a.endpoint = m.endpoint AND a.host_id = m.host_id AND a.module = m.module
LEFT JOIN unclear AS c ON c.endpoint = m.endpoint AND c.host_id = m.host_id AND c.module = m.module
LEFT JOIN sheet AS y ON y.endpoint = m.endpoint AND y.host_id = m.host_id AND y.module = m.module
LEFT JOIN fact.host_module_parameter AS l
    ON l.endpoint = m.endpoint AND l.host_id = m.host_id AND l.module = m.module AND l.name = q.depth_parameter
LEFT JOIN served AS s ON s.endpoint = m.endpoint AND s.host_id = m.host_id AND s.module = m.module
LEFT JOIN beside AS z ON z.endpoint = m.endpoint AND z.host_id = m.host_id AND z.module = m.module
LEFT JOIN placed AS u ON u.endpoint = m.endpoint AND u.host_id = m.host_id
LEFT JOIN pe ON pe.endpoint = m.endpoint AND pe.host_id = m.host_id AND pe.module = m.module
LEFT JOIN carrying AS b ON b.endpoint = m.endpoint AND b.host_id = m.host_id AND b.module = m.module
LEFT JOIN strange AS x ON x.endpoint = m.endpoint AND x.host_id = m.host_id AND x.module = m.module;
