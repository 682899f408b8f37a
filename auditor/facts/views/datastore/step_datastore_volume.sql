-- materialize: table
-- What a datastore lies on: a row for each extent of a VMFS volume, and one for an NFS mount, whether or not its share is known.
-- `joined_by` tells how sure it is: a device name is the array's own, a share goes by the server's address and the path.
-- `family` is of an NFS server; a device's is its inquiry's.
SELECT
    e.endpoint,
    e.datastore_id,
    e.device,
    'device name' AS joined_by,
    CAST(NULL AS VARCHAR) AS family,
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
    CASE WHEN n.volume_id IS NOT NULL THEN 'server and path' END,
    n.family,
    n.array_endpoint,
    n.array_endpoint,
    n.volume_id,
    v.name,
    q.qos,
    q.qos_policy,
    q.qos_max_iops,
    q.qos_max_bytes_per_second,
    q.is_capped
FROM step_nfs_server AS n
LEFT JOIN step_volume AS v ON v.endpoint = n.array_endpoint AND v.volume_id = n.volume_id
LEFT JOIN step_volume_qos AS q ON q.endpoint = n.array_endpoint AND q.volume_id = n.volume_id;
