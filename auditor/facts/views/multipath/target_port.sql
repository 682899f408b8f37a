-- materialize: table
-- One row per vCenter and Fibre Channel port of an array: the initiators that reach it, and what they may send it together. An initiator counts
-- with the deepest queue of a disk behind it. Hosts of every vCenter count; NULL unless each
-- vCenter listed its hosts, or the array's lists let in no others, and every host of these clusters was read.
-- Source: NetApp, "Calculating queue depth overview": initiators that connect to one FC target port, times their queue depth.
WITH login AS (
    SELECT endpoint, host_id, hba, target, min(device) AS device
    FROM fact.path
    WHERE transport IN ('fc', 'fcoe') AND target IS NOT NULL
    GROUP BY ALL
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
    -- Whoever may use an array at all, by its own lists.
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
)
SELECT
    b.endpoint,
    b.target AS resource_id,
    b.target AS resource_name,
    b.cluster,
    CAST(NULL AS VARCHAR) AS host,
    b.target,
    s.family,
    a.array_name,
    r.initiators,
    r.host_names,
    r.deepest AS deepest_queue_depth,
    coalesce(r.queue_depths, 0) AS queue_depths_seen,
    CASE WHEN r.undetermined = 0 AND r.paths_read AND r.devices_read AND (w.hosts_read OR u.hosts_read) THEN r.queue_depths END AS queue_depths
FROM behind AS b
JOIN reached AS r USING (target)
CROSS JOIN step_vcenter_reading AS w
LEFT JOIN step_seen_device AS s ON s.endpoint = b.endpoint AND s.device = b.device
LEFT JOIN step_array_device AS a ON a.device = b.device
LEFT JOIN admitted AS u ON u.endpoint = a.array_endpoint;
