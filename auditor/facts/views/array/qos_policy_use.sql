-- materialize: table
-- One row per QoS policy of an array, with who is under it: its volumes, and the datastores on them.
-- A policy that holds around a volume (its group's, its containing volume's) counts as well as its own.
WITH ruled AS (
    SELECT endpoint, volume_id, qos_policy_id AS policy_id FROM step_volume WHERE qos_policy_id IS NOT NULL
    UNION
    SELECT endpoint, volume_id, qos_group_id AS policy_id FROM step_volume WHERE qos_group_id IS NOT NULL
),
store AS (
    -- One that several vCenters manage is one: the same file system, or what is mounted of one volume.
    SELECT x.endpoint, x.policy_id, count(DISTINCT coalesce(d.vmfs_uuid, b.volume_id)) AS datastores
    FROM ruled AS x
    JOIN step_datastore_volume AS b ON b.array_endpoint = x.endpoint AND b.volume_id = x.volume_id
    JOIN fact.datastore AS d ON d.endpoint = b.endpoint AND d.datastore_id = b.datastore_id
    GROUP BY x.endpoint, x.policy_id
),
audience AS (
    SELECT x.endpoint, x.policy_id, bool_and(coalesce(v.is_virtual OR s.datastores_read, false)) AS datastores_read
    FROM ruled AS x
    JOIN step_volume AS v USING (endpoint, volume_id)
    LEFT JOIN step_device_audience AS s ON s.device = v.device
    GROUP BY x.endpoint, x.policy_id
),
astray AS (
    -- Arrays with a volume that may be under any of its policies.
    SELECT DISTINCT endpoint FROM step_volume WHERE qos_policy_id IS NULL AND NOT coalesce(qos_read, false)
),
used AS (
    SELECT
        x.endpoint,
        x.policy_id,
        count(*) AS volumes,
        few_distinct(u.volume) AS volume_names,
        few_distinct(u.device) AS devices,
        few_distinct(u.datastores) AS datastores,
        few_distinct(u.host_names) AS host_names
    FROM ruled AS x
    JOIN step_volume_use AS u ON u.endpoint = x.endpoint AND u.volume_id = x.volume_id
    GROUP BY x.endpoint, x.policy_id
),
counted AS (
    -- The array counts those under a policy itself: a file, a qtree or a volume that was not read counts there, and its datastores are not known.
    SELECT q.endpoint, q.policy_id, NOT coalesce(q.volumes > coalesce(u.volumes, 0), false) AS are_all
    FROM fact.array_qos_policy AS q
    LEFT JOIN used AS u USING (endpoint, policy_id)
)
SELECT
    q.endpoint,
    q.policy_id AS resource_id,
    q.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    q.policy_id,
    a.family,
    q.kind,
    q.is_shared,
    q.max_iops,
    q.max_bytes_per_second,
    CASE WHEN r.volumes_read AND t.endpoint IS NULL AND c.are_all THEN coalesce(u.volumes, 0) END AS volumes,
    coalesce(s.datastores, 0) AS datastores_seen_under_it,
    CASE WHEN r.volumes_read AND t.endpoint IS NULL AND c.are_all AND (k.datastores_read OR h.datastores_read) THEN coalesce(s.datastores, 0) END AS datastores_under_it,
    u.volume_names,
    u.devices,
    u.datastores,
    u.host_names
FROM fact.array_qos_policy AS q
CROSS JOIN step_vcenter_reading AS k
LEFT JOIN step_array AS a ON a.endpoint = q.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = q.endpoint
LEFT JOIN astray AS t ON t.endpoint = q.endpoint
LEFT JOIN audience AS h ON h.endpoint = q.endpoint AND h.policy_id = q.policy_id
LEFT JOIN counted AS c ON c.endpoint = q.endpoint AND c.policy_id = q.policy_id
LEFT JOIN used AS u ON u.endpoint = q.endpoint AND u.policy_id = q.policy_id
LEFT JOIN store AS s ON s.endpoint = q.endpoint AND s.policy_id = q.policy_id;
