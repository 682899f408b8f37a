-- materialize: table
-- The queues a vVol datastore's disks go through: one for each host and protocol endpoint by which a host mounts it.
-- The shallowest of them is what its disks can count on, because machines move and disks are bound anew. NULL where one was not read; what was
-- read bounds it from above.
SELECT
    m.endpoint,
    m.datastore_id,
    count(DISTINCT m.device) AS protocol_endpoints,
    CASE WHEN min(p.family) = max(p.family) AND count(p.family) = count(*) THEN min(p.family) END AS family,
    few_distinct(p.array_name) AS array_name,
    CASE WHEN bool_or(p.per_object_qos) THEN true WHEN any_value(r.datastores_read) AND count(p.per_object_qos) = count(*) THEN false END AS per_object_qos,
    CASE WHEN bool_or(p.stalls_neighbours) THEN true WHEN any_value(r.datastores_read) AND count(p.stalls_neighbours) = count(*) THEN false END AS stalls_neighbours,
    CASE WHEN count(p.dsnro) = count(*) AND count(p.queue_depth) = count(*) THEN min(least(p.dsnro, p.queue_depth)) END AS shallowest_queue,
    min(least(p.dsnro, p.queue_depth)) AS shallowest_queue_at_most,
    CASE WHEN count(p.deepest_disk_queue) = count(*) THEN max(p.deepest_disk_queue) END AS deepest_disk_queue,
    coalesce(max(p.deepest_disk_queue_at_least), 0) AS deepest_disk_queue_at_least,
    CASE WHEN count(p.deepest_disk_queue_at_most) = count(*) THEN max(p.deepest_disk_queue_at_most) END AS deepest_disk_queue_at_most
FROM fact.vvol_mount AS m
LEFT JOIN protocol_endpoint AS p USING (endpoint, host_id, device)
LEFT JOIN step_endpoint_reading AS r USING (endpoint)
GROUP BY m.endpoint, m.datastore_id;
