-- materialize: table
-- One row per host and datastore that it mounts, with how the datastore did over the last five minutes; see table datastore_load.
-- Storage I/O Control's figures are of the datastore as a whole, told by each host; `iops` and `latency_ms` are this host's own.
SELECT
    m.endpoint,
    m.datastore_id || '/' || m.host_id AS resource_id,
    d.resource_name,
    h.cluster,
    h.name AS host,
    m.datastore_id,
    m.host_id,
    d.type,
    d.sioc_enabled,
    d.sioc_mode,
    d.sioc_threshold_ms,
    d.families,
    d.arrays,
    d.volumes,
    d.has_array_qos,
    l.samples,
    l.sampled_at,
    l.iops,
    l.latency_ms,
    l.sioc_active_percent,
    l.observed_latency_us,
    l.normalized_latency_us,
    l.max_queue_depth
FROM fact.datastore_mount AS m
JOIN datastore AS d USING (endpoint, datastore_id)
JOIN fact.host AS h USING (endpoint, host_id)
LEFT JOIN fact.datastore_load AS l USING (endpoint, datastore_id, host_id);
