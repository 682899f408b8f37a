-- materialize: table
-- One row per host and family of arrays: how the paths of its devices are chosen, of those that have more than one. A policy comes from the host's claim
-- rule for the family unless somebody set it on a device, so a host is named once, with its devices. Devices whose family nobody knows may be of any.
WITH kind AS (
    -- A host's devices are of few kinds, and all that they share is worked out once.
    SELECT
        d.host_number,
        d.inquiry_number,
        m.name_family,
        d.is_protocol_endpoint,
        d.is_shared,
        d.set_key,
        d.paths_differ,
        d.policies_differ,
        count(*) AS devices,
        min(d.device_number, 5) AS first_devices
    FROM step_device_path AS d
    JOIN step_device_number AS m USING (device_number)
    GROUP BY ALL
),
known AS (
    SELECT
        k.*,
        n.endpoint,
        n.host_id,
        n.cluster,
        n.host,
        believed_family(i.family, k.name_family) AS family,
        CASE WHEN NOT k.policies_differ THEN s.psp END AS psp,
        CASE WHEN r.paths_read AND NOT k.paths_differ AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.active_paths, 0) END AS active_paths
    FROM kind AS k
    JOIN step_host_number AS n USING (host_number)
    JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
    LEFT JOIN step_inquiry AS i USING (inquiry_number)
    LEFT JOIN step_path_set AS s USING (set_key)
),
chosen AS (
    SELECT
        *,
        is_shared AND NOT is_protocol_endpoint AND active_paths > 1 AS is_lun,
        is_shared AND active_paths > 1 AND psp = 'VMW_PSP_RR' AS is_round_robin
    FROM known
),
by_policy AS (
    SELECT endpoint, host_id, family, psp, CAST(sum(devices) AS BIGINT) AS luns
    FROM chosen
    WHERE is_lun
    GROUP BY endpoint, host_id, family, psp
),
lun AS (
    SELECT endpoint, host_id, family, psp, unnest(first_devices) AS device_number
    FROM chosen
    WHERE is_lun
),
lun_names AS (
    SELECT l.endpoint, l.host_id, l.family, l.psp, array_to_string(min(m.device, 5), ', ') AS names
    FROM lun AS l
    JOIN step_device_number AS m USING (device_number)
    GROUP BY l.endpoint, l.host_id, l.family, l.psp
),
tuned AS (
    SELECT
        d.host_number,
        d.inquiry_number,
        m.name_family,
        d.is_protocol_endpoint,
        d.is_shared,
        d.set_key,
        d.paths_differ,
        d.policies_differ,
        d.policy_key,
        count(*) AS devices,
        min(d.device_number, 5) AS first_devices
    FROM step_device_path AS d
    JOIN step_device_number AS m USING (device_number)
    GROUP BY ALL
),
turned AS (
    SELECT
        k.endpoint,
        k.host_id,
        k.family,
        CASE WHEN p.rr_policy IN ('iops', 'rr') THEN p.rr_policy || '=' || p.rr_iops ELSE p.rr_policy END AS round_robin,
        t.devices,
        t.first_devices
    FROM tuned AS t
    JOIN chosen AS k ON k.host_number = t.host_number AND k.inquiry_number IS NOT DISTINCT FROM t.inquiry_number
        AND k.name_family IS NOT DISTINCT FROM t.name_family AND k.is_protocol_endpoint IS NOT DISTINCT FROM t.is_protocol_endpoint
        AND k.is_shared IS NOT DISTINCT FROM t.is_shared AND k.set_key IS NOT DISTINCT FROM t.set_key
        AND k.paths_differ = t.paths_differ AND k.policies_differ = t.policies_differ
    LEFT JOIN step_policy AS p ON p.policy_key = t.policy_key
    WHERE k.is_round_robin
),
by_round_robin AS (
    SELECT endpoint, host_id, family, round_robin, CAST(sum(devices) AS BIGINT) AS devices
    FROM turned
    GROUP BY endpoint, host_id, family, round_robin
),
turned_device AS (
    SELECT endpoint, host_id, family, round_robin, unnest(first_devices) AS device_number
    FROM turned
),
round_robin_names AS (
    SELECT l.endpoint, l.host_id, l.family, l.round_robin, array_to_string(min(m.device, 5), ', ') AS names
    FROM turned_device AS l
    JOIN step_device_number AS m USING (device_number)
    GROUP BY l.endpoint, l.host_id, l.family, l.round_robin
),
lying AS (
    SELECT DISTINCT
        d.host_number,
        d.inquiry_number,
        m.name_family,
        d.is_protocol_endpoint,
        d.is_shared,
        d.set_key,
        d.paths_differ,
        d.policies_differ,
        m.array_name_number
    FROM step_device_path AS d
    JOIN step_device_number AS m USING (device_number)
),
array_name AS (
    SELECT DISTINCT array_name_number, array_name FROM step_device_number
),
arrays AS (
    SELECT k.endpoint, k.host_id, k.family, few_distinct(a.array_name) AS array_names
    FROM lying AS t
    JOIN chosen AS k ON k.host_number = t.host_number AND k.inquiry_number IS NOT DISTINCT FROM t.inquiry_number
        AND k.name_family IS NOT DISTINCT FROM t.name_family AND k.is_protocol_endpoint IS NOT DISTINCT FROM t.is_protocol_endpoint
        AND k.is_shared IS NOT DISTINCT FROM t.is_shared AND k.set_key IS NOT DISTINCT FROM t.set_key
        AND k.paths_differ = t.paths_differ AND k.policies_differ = t.policies_differ
    LEFT JOIN array_name AS a ON a.array_name_number = t.array_name_number
    WHERE k.is_lun IS DISTINCT FROM false OR k.is_round_robin IS DISTINCT FROM false
    GROUP BY k.endpoint, k.host_id, k.family
),
policies AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.family,
        string_agg(p.psp, ', ' ORDER BY p.psp) AS psps,
        string_agg(coalesce(p.psp, 'not known') || ' on ' || p.luns, ', ' ORDER BY p.psp) AS counts,
        string_agg(
            coalesce(p.psp, 'not known') || ': ' || n.names || CASE WHEN p.luns > 5 THEN ' and ' || (p.luns - 5) || ' more' ELSE '' END,
            '; ' ORDER BY p.psp
        ) AS names
    FROM by_policy AS p
    JOIN lun_names AS n
        ON n.endpoint = p.endpoint AND n.host_id = p.host_id AND n.family IS NOT DISTINCT FROM p.family AND n.psp IS NOT DISTINCT FROM p.psp
    GROUP BY p.endpoint, p.host_id, p.family
),
round_robins AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.family,
        string_agg(p.round_robin, ', ' ORDER BY p.round_robin) AS texts,
        bool_or(p.round_robin IS NULL) AS any_without,
        string_agg(coalesce(p.round_robin, 'not known') || ' on ' || p.devices, ', ' ORDER BY p.round_robin) AS counts,
        string_agg(
            coalesce(p.round_robin, 'not known') || ': ' || n.names || CASE WHEN p.devices > 5 THEN ' and ' || (p.devices - 5) || ' more' ELSE '' END,
            '; ' ORDER BY p.round_robin
        ) AS names
    FROM by_round_robin AS p
    JOIN round_robin_names AS n
        ON n.endpoint = p.endpoint AND n.host_id = p.host_id AND n.family IS NOT DISTINCT FROM p.family
        AND n.round_robin IS NOT DISTINCT FROM p.round_robin
    GROUP BY p.endpoint, p.host_id, p.family
),
summed AS (
    SELECT
        endpoint,
        host_id,
        cluster,
        host,
        family,
        CAST(coalesce(sum(devices) FILTER (WHERE is_lun), 0) AS BIGINT) AS luns,
        CAST(coalesce(sum(devices) FILTER (WHERE is_lun IS NULL), 0) AS BIGINT) AS open_luns,
        CAST(coalesce(sum(devices) FILTER (WHERE is_lun AND psp IS NULL), 0) AS BIGINT) AS luns_without,
        CAST(coalesce(sum(devices) FILTER (WHERE is_round_robin), 0) AS BIGINT) AS round_robin_devices,
        CAST(coalesce(sum(devices) FILTER (WHERE is_round_robin IS NULL), 0) AS BIGINT) AS open_devices
    FROM chosen
    WHERE is_lun IS DISTINCT FROM false OR is_round_robin IS DISTINCT FROM false
    GROUP BY endpoint, host_id, cluster, host, family
),
stray AS (
    SELECT endpoint, host_id, luns + open_luns AS luns, round_robin_devices + open_devices AS round_robin_devices FROM summed WHERE family IS NULL
)
SELECT
    s.endpoint,
    s.host_id || '/' || coalesce(s.family, '?') AS resource_id,
    coalesce(s.family, 'family not known') AS resource_name,
    s.cluster,
    s.host,
    s.host_id,
    s.family,
    a.array_names,
    CASE WHEN s.luns > 0 THEN s.luns WHEN s.open_luns + coalesce(x.luns, 0) = 0 THEN 0 END AS luns,
    p.psps,
    CASE WHEN s.open_luns + s.luns_without + coalesce(x.luns, 0) = 0 THEN true END AS psps_are_known,
    p.counts AS psp_counts,
    p.names AS psp_device_names,
    CASE WHEN s.round_robin_devices > 0 THEN s.round_robin_devices WHEN s.open_devices + coalesce(x.round_robin_devices, 0) = 0 THEN 0 END AS round_robin_devices,
    r.texts AS round_robins,
    CASE WHEN s.open_devices + coalesce(x.round_robin_devices, 0) = 0 AND NOT coalesce(r.any_without, false) THEN true END AS round_robins_are_known,
    r.counts AS round_robin_counts,
    r.names AS round_robin_device_names
FROM summed AS s
LEFT JOIN stray AS x ON x.endpoint = s.endpoint AND x.host_id = s.host_id AND s.family IS NOT NULL
LEFT JOIN policies AS p ON p.endpoint = s.endpoint AND p.host_id = s.host_id AND p.family IS NOT DISTINCT FROM s.family
LEFT JOIN round_robins AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id AND r.family IS NOT DISTINCT FROM s.family
LEFT JOIN arrays AS a ON a.endpoint = s.endpoint AND a.host_id = s.host_id AND a.family IS NOT DISTINCT FROM s.family;
