-- materialize: table
-- One row per host and datastore that it mounts, with how the datastore did over the last five minutes; see table datastore_load.
-- Storage I/O Control's figures are of the datastore as a whole, told by each host; `iops` and `latency_ms` are this host's own.
-- `relocations` are those that ran, or were queued, of machines on any host that mounts the datastore: a task names neither source nor target.
-- Source: vSphere API reference, TaskInfo.descriptionId; VirtualMachine.relocate is verified, other words for it are not.
WITH moving AS (
    SELECT m.endpoint, m.datastore_id, few_distinct(t.entity_name || coalesce(' (' || t.progress_percent || ' %)', '')) AS relocations
    FROM fact.running_task AS t
    JOIN fact.vm AS v ON v.endpoint = t.endpoint AND v.vm_id = t.entity_id
    JOIN fact.datastore_mount AS m ON m.endpoint = v.endpoint AND m.host_id = v.host_id
    WHERE t.description_id ILIKE '%relocate%' OR t.description_id ILIKE '%storagevmotion%'
    GROUP BY m.endpoint, m.datastore_id
)
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
    l.max_queue_depth,
    b.busiest_disks,
    CASE WHEN v.relocations IS NOT NULL THEN v.relocations WHEN r.tasks_read AND r.vms_read THEN 'none' END AS relocations
FROM fact.datastore_mount AS m
JOIN datastore AS d USING (endpoint, datastore_id)
JOIN fact.host AS h USING (endpoint, host_id)
LEFT JOIN fact.datastore_load AS l USING (endpoint, datastore_id, host_id)
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = m.endpoint
LEFT JOIN moving AS v ON v.endpoint = m.endpoint AND v.datastore_id = m.datastore_id
LEFT JOIN step_disk_sender AS b ON b.endpoint = m.endpoint AND b.host_id = m.host_id AND b.kind = 'datastore' AND b.place = m.datastore_id;
