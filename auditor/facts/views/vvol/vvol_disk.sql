-- materialize: table
-- One row per virtual disk that is a virtual volume: the ceiling the array puts on it, the limit the host puts on it (its own, or its storage policy's), and the queue it shares.
-- ESXi counts its limit in I/O of 32 KiB, so the array's ceiling is told at that size as well (`ceiling_at_32k`, by the curve the array
-- reports): below it the host holds a disk back before the array does. An array listed twice in fleet.yaml counts once. A datastore of no known type may be one of virtual volumes.
WITH worth AS (
    SELECT v.endpoint, v.volume_id, v.vvol_id, TRY(TRY_CAST(json_extract_string(v.qos_curve, '$."32768"') AS DOUBLE)) / 100 AS cost
    FROM step_volume AS v
    JOIN step_array AS a ON a.endpoint = v.endpoint AND a.known_as = v.endpoint
    WHERE v.is_virtual
)
SELECT
    d.endpoint,
    d.vm_id || '/' || d.disk AS resource_id,
    m.name || ' ' || d.disk AS resource_name,
    h.cluster,
    h.name AS host,
    m.name AS vm,
    d.vm_id,
    d.disk_key,
    d.disk,
    d.datastore_id,
    s.name AS datastore,
    coalesce(a.family, g.family) AS family,
    coalesce(w.endpoint, g.array_name) AS array_name,
    w.volume_id,
    q.qos,
    q.qos_policy,
    q.qos_max_iops,
    CASE WHEN q.is_capped IS NULL AND NOT g.per_object_qos THEN false ELSE q.is_capped END AS is_capped,
    u.runs,
    g.stalls_neighbours,
    l.average_io_bytes,
    ceiling_use(l.utilization, l.throttle_us) AS utilization,
    l.latency_us,
    d.iops_limit,
    coalesce(d.iops_limit, -1) AS iops_limit_setting,
    coalesce(d.iops_limit, o.policy_iops_limit) IS NOT NULL AS is_limited,
    o.storage_policy,
    o.policy_iops_limit,
    CASE WHEN o.vm_id IS NOT NULL THEN o.policy_has_limit WHEN e.storage_policies_read THEN false END AS policy_has_limit,
    CASE WHEN d.iops_limit IS NULL THEN o.policy_iops_limit IS NOT NULL ELSE o.is_limit_by_policy END AS is_limit_by_policy,
    floor(q.qos_max_iops / w.cost) AS ceiling_at_32k,
    CASE
        WHEN coalesce(d.iops_limit, o.policy_iops_limit) IS NULL THEN false
        ELSE least(d.iops_limit, o.policy_iops_limit) <= floor(q.qos_max_iops / w.cost)
    END AS is_limited_below_array,
    g.shallowest_queue,
    g.shallowest_queue_at_most,
    g.deepest_disk_queue,
    g.deepest_disk_queue_at_least,
    g.deepest_disk_queue_at_most
FROM fact.vm_disk AS d
JOIN fact.vm AS m USING (endpoint, vm_id)
JOIN step_guest AS u USING (endpoint, vm_id)
JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id AND (s.type IS NULL OR s.type = 'VVOL')
LEFT JOIN step_disk_policy AS o ON o.endpoint = d.endpoint AND o.vm_id = d.vm_id AND o.disk = d.disk
LEFT JOIN fact.host AS h ON h.endpoint = m.endpoint AND h.host_id = m.host_id
LEFT JOIN worth AS w ON lower(w.vvol_id) = regexp_replace(lower(d.backing_object_id), '^rfc4122\.', '')
LEFT JOIN step_array AS a ON a.endpoint = w.endpoint
LEFT JOIN step_volume_qos AS q ON q.endpoint = w.endpoint AND q.volume_id = w.volume_id
LEFT JOIN fact.array_volume_load AS l ON l.endpoint = w.endpoint AND l.volume_id = w.volume_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint
LEFT JOIN step_vvol_queue AS g ON g.endpoint = d.endpoint AND g.datastore_id = d.datastore_id
WHERE NOT coalesce(m.is_template, false);
