-- materialize: table
-- One row per disk of a guest that said how its disks are set. Which machine it is shows where one machine alone has
-- the UUID of its BIOS. Partitions below 1 GiB count for nothing: boot files, containers of others.
WITH part AS (
    SELECT
        endpoint,
        guest_id,
        disk,
        count(*) AS partitions,
        count(*) FILTER (WHERE start_bytes % 4096 <> 0) AS misaligned,
        count(*) FILTER (WHERE start_bytes IS NULL) AS unsaid,
        few_distinct(CASE WHEN start_bytes % 4096 <> 0 THEN partition || ' at byte ' || start_bytes END) AS misaligned_names
    FROM fact.guest_partition
    WHERE size_bytes >= 1024 * 1024 * 1024 OR size_bytes IS NULL
    GROUP BY endpoint, guest_id, disk
)
SELECT
    g.endpoint,
    g.guest_id || '/' || d.disk AS resource_id,
    g.hostname || ' ' || d.disk AS resource_name,
    h.cluster,
    h.name AS host,
    v.name AS vm,
    g.hostname AS guest,
    g.system,
    d.disk,
    d.driver,
    d.model,
    d.driver NOT IN ('iscsi_tcp', 'nvme', 'virtio_blk', 'virtio_scsi') AND contains(lower(d.model), 'virtual disk') AS is_virtual_scsi_disk,
    d.timeout_s,
    CASE WHEN d.driver = 'pvscsi' AND g.system = 'windows' THEN g.pvscsi_depth_set END AS depth_set,
    d.queue_depth,
    d.adapter_depth,
    d.size_bytes,
    coalesce(p.partitions, 0) AS partitions,
    CASE WHEN p.unsaid > 0 THEN NULL ELSE coalesce(p.misaligned, 0) END AS misaligned_partitions,
    p.misaligned_names,
    g.taken_at,
    g.place
FROM fact.guest AS g
JOIN fact.guest_disk AS d ON d.endpoint = g.endpoint AND d.guest_id = g.guest_id
LEFT JOIN part AS p ON p.endpoint = d.endpoint AND p.guest_id = d.guest_id AND p.disk = d.disk
LEFT JOIN step_guest_machine AS m ON m.guest_endpoint = g.endpoint AND m.guest_id = g.guest_id
LEFT JOIN fact.vm AS v ON v.endpoint = m.endpoint AND v.vm_id = m.vm_id
LEFT JOIN fact.host AS h ON h.endpoint = v.endpoint AND h.host_id = v.host_id;
