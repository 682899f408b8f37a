-- One row per host and device of an array that was read: how long the host waited for it over the last five minutes, how long the array
-- says its volume took when it was asked, and, of a protocol endpoint, which of the host's own virtual disks behind it was nearest to its
-- ceiling. The two sides are not of the same instant. What is told of virtual disks is NULL unless machines, the array's volumes, what they
-- were doing and their bindings were all read whole.
CREATE VIEW device_answer AS
WITH behind AS (
    SELECT
        p.endpoint,
        p.device,
        m.host,
        count(DISTINCT m.disk) AS disks,
        arg_max(m.disk, (l.utilization, m.disk)) FILTER (WHERE l.utilization IS NOT NULL) AS busiest_disk,
        max(l.utilization) AS highest_utilization
    FROM step_vvol_place AS p
    JOIN fact.array_volume AS v ON v.endpoint = p.endpoint AND v.volume_id = p.volume_id
    JOIN step_vvol_vm AS m ON m.vvol_id = lower(v.vvol_id)
    LEFT JOIN fact.array_volume_load AS l ON l.endpoint = p.endpoint AND l.volume_id = p.volume_id
    GROUP BY p.endpoint, p.device, m.host
),
placed AS (
    SELECT
        d.*,
        a.array_endpoint,
        a.volume_id AS volume_of_array,
        coalesce(d.is_protocol_endpoint AND c.vms_read AND r.volumes_read AND r.bindings_read AND r.volume_load_read, false) AS is_whole
    FROM device_load AS d
    JOIN step_array_device AS a ON a.device = d.device AND a.array_endpoint IS NOT NULL
    LEFT JOIN step_endpoint_reading AS r ON r.endpoint = a.array_endpoint
    LEFT JOIN step_endpoint_reading AS c ON c.endpoint = d.endpoint
)
SELECT
    d.endpoint,
    d.resource_id,
    d.resource_name,
    d.cluster,
    d.host,
    d.device,
    d.family,
    d.is_protocol_endpoint,
    d.hosts,
    d.array_name,
    d.volume,
    d.queue_depth,
    d.dsnro,
    d.commands_per_second,
    d.davg_ms,
    d.davg_median_ms,
    d.kavg_ms,
    d.gavg_ms,
    d.sampled_at,
    v.actual_iops AS array_iops,
    (v.latency_us + coalesce(v.throttle_us, 0)) / 1000 AS array_latency_ms,
    CASE WHEN d.is_whole THEN coalesce(b.disks, 0) END AS disks,
    CASE WHEN d.is_whole THEN b.busiest_disk END AS busiest_disk,
    CASE WHEN d.is_whole THEN coalesce(b.highest_utilization, 0) END AS highest_utilization
FROM placed AS d
LEFT JOIN fact.array_volume_load AS v ON v.endpoint = d.array_endpoint AND v.volume_id = d.volume_of_array
LEFT JOIN behind AS b ON b.endpoint = d.array_endpoint AND b.device = d.device AND b.host = d.host;
