-- materialize: table
-- What a datastore lies on: a row for each extent of a VMFS volume, and one for an NFS mount whose share is known.
-- `joined_by` tells how sure it is: a device name is the array's own, an export path may be another server's too.
WITH nfs AS (
    SELECT endpoint, datastore_id, coalesce(nullif(rtrim(nfs_path, '/'), ''), '/') AS path
    FROM fact.datastore
    WHERE nfs_path IS NOT NULL
)
SELECT
    e.endpoint,
    e.datastore_id,
    e.device,
    'device name' AS joined_by,
    a.array_name,
    a.array_endpoint,
    a.volume_id,
    a.volume,
    a.qos,
    a.qos_policy,
    a.qos_max_iops,
    a.qos_max_bytes_per_second,
    a.qos_capped
FROM fact.datastore_extent AS e
LEFT JOIN step_array_device AS a USING (device)
UNION ALL
SELECT
    n.endpoint,
    n.datastore_id,
    NULL,
    'export path',
    s.array_endpoint,
    s.array_endpoint,
    s.volume_id,
    v.name,
    q.qos,
    q.qos_policy,
    q.qos_max_iops,
    q.qos_max_bytes_per_second,
    q.is_capped
FROM nfs AS n
JOIN step_share AS s USING (path)
LEFT JOIN step_volume AS v ON v.endpoint = s.array_endpoint AND v.volume_id = s.volume_id
LEFT JOIN step_volume_qos AS q ON q.endpoint = s.array_endpoint AND q.volume_id = s.volume_id;
