-- materialize: table
-- One row per host and family of arrays: how the paths of its devices are chosen, of those that have more than one. A policy comes from the host's claim
-- rule for the family unless somebody set it on a device, so a host is named once, with its devices. Devices of which nobody knows the family may be of any.
WITH chosen AS (
    SELECT
        endpoint,
        host_id,
        cluster,
        host,
        family,
        device,
        array_name,
        psp,
        CASE WHEN rr_policy IN ('iops', 'rr') THEN rr_policy || '=' || rr_iops ELSE rr_policy END AS round_robin,
        is_shared AND NOT is_protocol_endpoint AND active_paths > 1 AS is_lun,
        is_shared AND active_paths > 1 AND psp = 'VMW_PSP_RR' AS is_round_robin
    FROM path_policy
),
by_policy AS (
    SELECT
        endpoint,
        host_id,
        family,
        psp,
        count(*) FILTER (WHERE is_lun) AS luns,
        few_distinct(CASE WHEN is_lun THEN device END) AS names
    FROM chosen
    GROUP BY endpoint, host_id, family, psp
),
by_round_robin AS (
    SELECT
        endpoint,
        host_id,
        family,
        round_robin,
        count(*) FILTER (WHERE is_round_robin) AS devices,
        few_distinct(CASE WHEN is_round_robin THEN device END) AS names
    FROM chosen
    GROUP BY endpoint, host_id, family, round_robin
),
policies AS (
    SELECT
        endpoint,
        host_id,
        family,
        string_agg(psp, ', ' ORDER BY psp) AS psps,
        string_agg(coalesce(psp, 'not known') || ' on ' || luns, ', ' ORDER BY psp) AS counts,
        string_agg(coalesce(psp, 'not known') || ': ' || names, '; ' ORDER BY psp) AS names
    FROM by_policy
    WHERE luns > 0
    GROUP BY endpoint, host_id, family
),
round_robins AS (
    SELECT
        endpoint,
        host_id,
        family,
        string_agg(round_robin, ', ' ORDER BY round_robin) AS texts,
        string_agg(coalesce(round_robin, 'not known') || ' on ' || devices, ', ' ORDER BY round_robin) AS counts,
        string_agg(coalesce(round_robin, 'not known') || ': ' || names, '; ' ORDER BY round_robin) AS names
    FROM by_round_robin
    WHERE devices > 0
    GROUP BY endpoint, host_id, family
),
summed AS (
    SELECT
        endpoint,
        host_id,
        cluster,
        host,
        family,
        few_distinct(array_name) AS array_names,
        count(*) FILTER (WHERE is_lun) AS luns,
        count(*) FILTER (WHERE is_lun IS NULL) AS open_luns,
        count(*) FILTER (WHERE is_lun AND psp IS NULL) AS luns_without,
        count(*) FILTER (WHERE is_round_robin) AS round_robin_devices,
        count(*) FILTER (WHERE is_round_robin IS NULL) AS open_devices,
        count(*) FILTER (WHERE is_round_robin AND round_robin IS NULL) AS devices_without
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
    s.array_names,
    CASE WHEN s.luns > 0 THEN s.luns WHEN s.open_luns + coalesce(x.luns, 0) = 0 THEN 0 END AS luns,
    p.psps,
    CASE WHEN s.open_luns + s.luns_without + coalesce(x.luns, 0) = 0 THEN true END AS psps_are_known,
    p.counts AS psp_counts,
    p.names AS psp_device_names,
    CASE WHEN s.round_robin_devices > 0 THEN s.round_robin_devices WHEN s.open_devices + coalesce(x.round_robin_devices, 0) = 0 THEN 0 END AS round_robin_devices,
    r.texts AS round_robins,
    CASE WHEN s.open_devices + s.devices_without + coalesce(x.round_robin_devices, 0) = 0 THEN true END AS round_robins_are_known,
    r.counts AS round_robin_counts,
    r.names AS round_robin_device_names
FROM summed AS s
LEFT JOIN stray AS x ON x.endpoint = s.endpoint AND x.host_id = s.host_id AND s.family IS NOT NULL
LEFT JOIN policies AS p ON p.endpoint = s.endpoint AND p.host_id = s.host_id AND p.family IS NOT DISTINCT FROM s.family
LEFT JOIN round_robins AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id AND r.family IS NOT DISTINCT FROM s.family;
