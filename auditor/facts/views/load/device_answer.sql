-- materialize: view
-- One row per host and device of an array that was read: how long the host waited for it over the last five minutes, how long the array
-- says its volume took when it was asked, and, of a protocol endpoint, which of the host's own virtual disks behind it was nearest to its
-- ceiling. The two sides are not of the same instant. The columns of virtual disks are NULL unless machines, what the array's volumes were doing and
-- which of them are behind the endpoint were all read whole, each volume has the id of its disk, and so were the disks of every machine that runs
-- there, or may.
WITH behind AS (
    SELECT
        p.endpoint,
        p.device,
        m.host_key,
        count(DISTINCT m.vvol_id) AS disks,
        count(*) FILTER (WHERE ceiling_use(l.utilization, l.throttle_us) IS NULL) AS undetermined,
        arg_max(m.disk, (ceiling_use(l.utilization, l.throttle_us), m.disk)) AS busiest_disk,  -- counts where none is undetermined
        max(ceiling_use(l.utilization, l.throttle_us)) AS highest_utilization
    FROM step_vvol_place AS p
    JOIN step_volume AS v ON v.endpoint = p.endpoint AND v.volume_id = p.volume_id
    JOIN step_vvol_vm AS m ON m.vvol_id = lower(v.vvol_id)
    LEFT JOIN fact.array_volume_load AS l ON l.endpoint = p.endpoint AND l.volume_id = p.volume_id
    GROUP BY p.endpoint, p.device, m.host_key
),
unread AS (
    -- A machine whose disks could not be read may have any; one whose host is not reported may run on any.
    SELECT r.endpoint, r.host_id, count(*) AS machines
    FROM step_host_reading AS r
    JOIN fact.vm AS vm ON vm.endpoint = r.endpoint AND coalesce(vm.host_id, r.host_id) = r.host_id
    WHERE NOT coalesce(vm.disks_read, false) AND vm.power_state IS DISTINCT FROM 'poweredOff'
    GROUP BY r.endpoint, r.host_id
),
nameless AS (
    SELECT p.endpoint, p.device, count(*) AS volumes
    FROM step_vvol_place AS p
    JOIN step_volume AS v USING (endpoint, volume_id)
    WHERE v.vvol_id IS NULL
    GROUP BY p.endpoint, p.device
),
placed AS (
    SELECT
        d.*,
        a.array_endpoint,
        a.volume_id AS volume_of_array,
        d.is_protocol_endpoint
            AND c.vms_read
            AND r.volume_load_read
            AND e.bound_volumes IS NOT NULL
            AND n.volumes IS NULL
            AND u.machines IS NULL AS is_whole,
        f.stalls_neighbours
    FROM device_load AS d
    JOIN step_array_device AS a ON a.device = d.device AND a.array_endpoint IS NOT NULL
    LEFT JOIN step_endpoint_reading AS r ON r.endpoint = a.array_endpoint
    LEFT JOIN step_endpoint_reading AS c ON c.endpoint = d.endpoint
    LEFT JOIN step_endpoint_volumes AS e ON e.array_endpoint = a.array_endpoint AND e.device = d.device
    LEFT JOIN nameless AS n ON n.endpoint = a.array_endpoint AND n.device = d.device
    LEFT JOIN step_shared_queue AS f ON f.family = d.family
    LEFT JOIN unread AS u ON u.endpoint = d.endpoint AND u.host_id = d.host_id
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
    CASE WHEN d.family IS NOT NULL THEN coalesce(d.stalls_neighbours, false) END AS stalls_neighbours,
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
    -- Only a FlashArray tells apart what QoS held back: where it was not read there, neither is the whole known.
    (CAST(v.latency_us AS HUGEINT) + CASE WHEN a.family <> 'flasharray' THEN 0 ELSE v.throttle_us END) / 1000 AS array_latency_ms,
    CASE WHEN d.is_whole THEN coalesce(b.disks, 0) END AS disks,
    CASE WHEN d.is_whole AND b.undetermined = 0 THEN b.busiest_disk END AS busiest_disk,
    CASE WHEN d.is_whole AND coalesce(b.undetermined, 0) = 0 THEN coalesce(b.highest_utilization, 0) END AS highest_utilization
FROM placed AS d
LEFT JOIN fact.array_volume_load AS v ON v.endpoint = d.array_endpoint AND v.volume_id = d.volume_of_array
LEFT JOIN step_array AS a ON a.endpoint = d.array_endpoint
LEFT JOIN behind AS b ON b.endpoint = d.array_endpoint AND b.device = d.device AND b.host_key = d.endpoint || '/' || d.host_id;
