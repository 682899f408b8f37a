-- materialize: table
-- One row per vCenter and Fibre Channel port of an array: the initiators that reach it, and what they may send it together. An initiator counts
-- with the deepest queue of a disk behind it. Hosts of every vCenter count; NULL unless each
-- vCenter listed its hosts, or the array's lists let in no others, and every host of these clusters was read. A path that does not report where it
-- ends may end at any port of its device's array: the row '?' has these. Adapters that speak NVMe are left out, though they travel by Fibre Channel: a
-- namespace's queue is no depth that the limit is about (docs/domain/facts.md#2-5).
-- Source: NetApp, "Calculating queue depth overview": initiators that connect to one FC target port, times their queue depth.
WITH scsi_path AS (
    SELECT p.*
    FROM step_path AS p
    LEFT JOIN fact.hba AS b ON b.endpoint = p.endpoint AND b.host_id = p.host_id AND b.hba = p.hba AND b.kind = 'nvme'
    WHERE b.hba IS NULL
),
login AS (
    SELECT endpoint, host_id, hba, target, min(device) AS device
    FROM scsi_path
    WHERE transport IN ('fc', 'fcoe') AND target IS NOT NULL
    GROUP BY ALL
),
astray AS (
    SELECT DISTINCT p.endpoint, p.host_id, p.hba, d.host, d.cluster, d.family, d.array_name
    FROM scsi_path AS p
    JOIN device AS d ON d.endpoint = p.endpoint AND d.host_id = p.host_id AND d.device = p.device
    WHERE (p.transport IS NULL OR (p.transport IN ('fc', 'fcoe') AND p.target IS NULL)) AND d.is_shared IS DISTINCT FROM false
),
stale AS (
    -- A host of whose paths vCenter's copy is old may reach more ports than it shows, of the array behind that device.
    SELECT DISTINCT d.family, d.array_name
    FROM step_stale_path AS y
    JOIN device AS d ON d.endpoint = y.endpoint AND d.host_id = y.host_id AND d.device = y.device
    JOIN scsi_path AS p ON p.endpoint = y.endpoint AND p.host_id = y.host_id AND p.device = y.device
    WHERE p.transport IN ('fc', 'fcoe')
),
reached AS (
    SELECT
        l.target,
        count(*) AS initiators,
        TRY_CAST(sum(a.deepest_queue_depth_at_least) AS BIGINT) AS queue_depths,
        max(a.deepest_queue_depth_at_least) AS deepest,
        count(*) FILTER (WHERE a.deepest_queue_depth IS NULL) AS undetermined,
        few_distinct(coalesce(a.host, l.host_id)) AS host_names,
        bool_and(r.paths_read) AS paths_read,
        bool_and(coalesce(d.devices_read, false)) AS devices_read
    FROM login AS l
    LEFT JOIN adapter AS a ON a.endpoint = l.endpoint AND a.host_id = l.host_id AND a.hba = l.hba
    LEFT JOIN step_host_reading AS r ON r.endpoint = l.endpoint AND r.host_id = l.host_id
    LEFT JOIN step_domain_reading AS d ON d.endpoint = r.endpoint AND d.domain_id = r.domain_id
    GROUP BY l.target
),
admitted AS (
    -- By array, whether all hosts were read that its own lists let in.
    SELECT endpoint, bool_and(u.hosts_read) AND any_value(r.array_hosts_read AND r.connections_read) AS hosts_read
    FROM step_volume_audience AS u
    LEFT JOIN step_endpoint_reading AS r USING (endpoint)
    GROUP BY endpoint
),
behind AS (
    SELECT l.endpoint, l.target, min(l.device) AS device, CASE WHEN count(DISTINCT coalesce(h.cluster, '')) = 1 THEN any_value(h.cluster) END AS cluster
    FROM login AS l
    JOIN fact.host AS h USING (endpoint, host_id)
    GROUP BY l.endpoint, l.target
),
port AS (
    SELECT b.endpoint, b.target, b.cluster, s.family, a.array_name, a.array_endpoint
    FROM behind AS b
    LEFT JOIN step_seen_device AS s ON s.endpoint = b.endpoint AND s.device = b.device
    LEFT JOIN step_array_device AS a ON a.device = b.device
),
open AS (
    SELECT b.endpoint, b.target
    FROM port AS b
    CROSS JOIN astray AS p
    LEFT JOIN login AS l ON l.endpoint = p.endpoint AND l.host_id = p.host_id AND l.hba = p.hba AND l.target = b.target
    WHERE l.target IS NULL AND coalesce(p.family = b.family, true) AND coalesce(p.array_name = b.array_name, true)
    UNION
    SELECT b.endpoint, b.target
    FROM port AS b
    JOIN stale AS y ON coalesce(y.family = b.family, true) AND coalesce(y.array_name = b.array_name, true)
)
SELECT
    b.endpoint,
    b.target AS resource_id,
    b.target AS resource_name,
    b.cluster,
    CAST(NULL AS VARCHAR) AS host,
    b.target,
    b.family,
    b.array_name,
    r.initiators,
    r.host_names,
    r.deepest AS deepest_queue_depth,
    coalesce(r.queue_depths, 0) AS queue_depths_seen,
    CASE
        WHEN r.undetermined = 0 AND o.target IS NULL AND r.paths_read AND r.devices_read AND (w.hosts_read OR u.hosts_read) THEN r.queue_depths
    END AS queue_depths
FROM port AS b
JOIN reached AS r USING (target)
CROSS JOIN step_vcenter_reading AS w
LEFT JOIN admitted AS u ON u.endpoint = b.array_endpoint
LEFT JOIN open AS o ON o.endpoint = b.endpoint AND o.target = b.target
UNION ALL
SELECT
    endpoint,
    '?' AS resource_id,
    'port not known' AS resource_name,
    CASE WHEN count(DISTINCT coalesce(cluster, '')) = 1 THEN any_value(cluster) END,
    NULL,
    NULL,
    CASE WHEN count(DISTINCT family) = 1 AND count(family) = count(*) THEN any_value(family) END,
    few_distinct(array_name),
    count(DISTINCT host_id || ' ' || hba),
    few_distinct(coalesce(host, host_id)),
    NULL,
    0,
    NULL
FROM astray
GROUP BY endpoint;
