-- materialize: view
-- One row per device that arrays present under its name: the offloads its hosts say it supports; esxcli storage core device vaai status get.
-- A host says no as well where it only gave up after an offload failed. Protocol endpoints are left out, names that are one host's own, and hosts that
-- detached the device or may have.
-- NULL unless each vCenter listed its hosts, or the array's lists name who sees it, and every one that does reported it; an offload that one host
-- says no to is missing whatever the others say.
WITH presented AS (
    SELECT device FROM protocol_endpoint
),
seen AS (
    SELECT
        s.device,
        min(s.endpoint) AS endpoint,
        one_family(s.family) AS family,
        max(s.hosts) AS hosts,
        min(s.host_names) AS host_names
    FROM step_seen_device AS s
    LEFT JOIN presented AS p ON p.device = s.device
    WHERE s.hosts IS NOT NULL AND p.device IS NULL
    GROUP BY s.device
),
reporting AS (
    SELECT
        o.device,
        count(o.ats_status || o.clone_status || o.zero_status) AS hosts,
        bool_or(o.ats_status = 'unsupported') AS without_ats,
        bool_or(o.clone_status = 'unsupported') AS without_clone,
        bool_or(o.zero_status = 'unsupported') AS without_zero,
        count(o.delete_status) AS hosts_with_delete,
        bool_or(o.delete_status = 'unsupported') AS without_delete
    FROM fact.device_offload AS o
    LEFT JOIN step_aside AS x ON x.endpoint = o.endpoint AND x.host_id = o.host_id AND x.device = o.device
    WHERE x.device IS NULL
    GROUP BY o.device
),
worded AS (
    SELECT
        *,
        concat_ws(
            ', ', CASE WHEN without_ats THEN 'ATS' END, CASE WHEN without_clone THEN 'Clone' END, CASE WHEN without_zero THEN 'Zero' END
        ) AS missing
    FROM reporting
)
SELECT
    s.endpoint,
    s.device AS resource_id,
    s.device AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    s.device,
    s.family,
    a.array_name,
    a.volume,
    s.hosts,
    s.host_names,
    CASE WHEN w.missing <> '' OR (w.hosts >= s.hosts AND (k.hosts_read OR u.hosts_read)) THEN w.missing END AS missing_offloads,
    CASE WHEN w.without_delete OR (w.hosts_with_delete >= s.hosts AND (k.hosts_read OR u.hosts_read)) THEN w.without_delete END AS without_delete
FROM seen AS s
CROSS JOIN step_vcenter_reading AS k
LEFT JOIN worded AS w USING (device)
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_device_audience AS u USING (device);
