-- materialize: table
-- a row is called: datastore
-- One row per VMFS or NFS datastore, and each of no known type: everything that may hold its I/O back.
-- The array: a ceiling on a volume, or a relative priority other than the one every volume starts with (Dell SC: Medium). vSphere: Storage I/O
-- Control, and the I/O metric of Storage DRS, which turns it on. Single disks: more than half of those on it have a limit of their own.
-- `throttled_twice` is about the array's QoS and one of the other two. Element's ceilings and limits of single disks go together (rule
-- qos/host-limit-below-array-limit wants them), as do Storage I/O Control and limits, which it enforces itself.
WITH prioritised AS (
    SELECT
        b.endpoint,
        b.datastore_id,
        CASE
            WHEN bool_or(q.qos_priority NOT IN ('Medium')) THEN true
            WHEN bool_and(v.qos_read) AND count(v.qos_read) = count(*) THEN false
        END AS has_priority,
        CASE
            WHEN bool_or(q.qos_priority = 'Low') THEN true
            WHEN bool_and(v.qos_read) AND count(v.qos_read) = count(*) THEN false
        END AS has_low_priority,
        max(a.latency_threshold_ms) AS latency_threshold_ms
    FROM step_datastore_volume AS b
    LEFT JOIN step_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    LEFT JOIN step_volume_qos AS q ON q.endpoint = b.array_endpoint AND q.volume_id = b.volume_id
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
    GROUP BY ALL
),
held AS (
    SELECT endpoint, datastore_id, count(*) AS disks, count(iops_limit) AS limited
    FROM fact.vm_disk
    WHERE rdm_mode IS NULL
    GROUP BY endpoint, datastore_id
),
told AS (
    SELECT
        d.endpoint,
        d.datastore_id,
        d.resource_name,
        d.cluster,
        d.type,
        d.families,
        d.arrays,
        d.volumes,
        d.qos,
        d.qos_max_bytes_per_second,
        d.has_array_qos,
        d.has_array_qos OR p.has_priority AS array_throttles,
        p.has_low_priority,
        p.latency_threshold_ms,
        CASE WHEN f.pod_id IS NOT NULL THEN true WHEN r.datastores_read AND r.pods_read THEN false END AS is_in_pod,
        coalesce(d.sioc_enabled, CASE WHEN NOT f.sioc_supported THEN false END) AS sioc_enabled,
        d.io_metric_in_force,
        d.sioc_neighbours,
        CASE
            WHEN f.pod_id IS NOT NULL THEN s.moves_by_itself
            WHEN r.datastores_read AND r.pods_read THEN false
        END AS moves_by_itself,
        s.resource_name AS pod,
        CASE WHEN r.vms_read AND u.machines IS NULL THEN coalesce(c.disks, 0) END AS disks,
        CASE WHEN r.vms_read AND u.machines IS NULL THEN coalesce(c.limited, 0) END AS limited_disks,
        d.host_names
    FROM datastore AS d
    JOIN fact.datastore AS f USING (endpoint, datastore_id)
    LEFT JOIN step_endpoint_reading AS r ON r.endpoint = d.endpoint
    LEFT JOIN prioritised AS p ON p.endpoint = d.endpoint AND p.datastore_id = d.datastore_id
    LEFT JOIN storage_pod AS s ON s.endpoint = f.endpoint AND s.pod_id = f.pod_id
    LEFT JOIN step_unread_machine AS u ON u.endpoint = d.endpoint AND u.datastore_id = d.datastore_id
    LEFT JOIN held AS c ON c.endpoint = d.endpoint AND c.datastore_id = d.datastore_id
    WHERE d.type IS NULL OR d.type IN ('VMFS', 'NFS', 'NFS41')
)
SELECT
    endpoint,
    datastore_id AS resource_id,
    resource_name,
    cluster,
    CAST(NULL AS VARCHAR) AS host,
    datastore_id,
    type,
    families,
    arrays,
    volumes,
    qos,
    qos_max_bytes_per_second,
    has_array_qos,
    array_throttles,
    has_low_priority,
    latency_threshold_ms,
    sioc_enabled,
    pod,
    is_in_pod,
    io_metric_in_force,
    sioc_neighbours,
    moves_by_itself,
    disks,
    limited_disks,
    concat_ws(
        ', ',
        CASE WHEN array_throttles THEN 'array QoS' END,
        CASE WHEN sioc_enabled THEN 'Storage I/O Control' END,
        CASE WHEN io_metric_in_force THEN 'the I/O metric of Storage DRS' END,
        CASE WHEN limited_disks * 2 > disks THEN 'limits of single disks' END
    ) AS throttles,
    array_throttles
        AND (sioc_enabled OR io_metric_in_force OR (families <> 'solidfire' AND limited_disks * 2 > disks)) AS throttled_twice,
    array_throttles
        AND (io_metric_in_force OR (families <> 'solidfire' AND limited_disks * 2 > disks)) AS throttled_twice_without_sioc,
    host_names
FROM told;
