-- materialize: view
-- One row per host and device of an array that was read: how long the host waited for it over the last five minutes, how long the array
-- says its volume took when it was asked, and, of a protocol endpoint, which of the host's own virtual disks behind it was nearest to its
-- ceiling. The two sides are not of the same instant. The columns of virtual disks are NULL unless machines, what the array's volumes were doing and
-- which of them are behind the endpoint were all read whole, each volume has the id of its disk, and so were the disks of every machine that runs
-- there, or may. Its neighbours are the other disks of running machines there: what each of them waited its own machine counted. That of a disk at
-- its own ceiling, or with a limit on its host, may be that limit's: it says how long a neighbour waits at most, and not at least. Where none of
-- them was measured the mean over all disks of the endpoint is what is left, the throttled one's own wait included: it does not say that nobody waits.
WITH owned AS (
    -- A disk that machines of several hosts share is each one's.
    SELECT vvol_id, disk, unnest(host_keys) AS host_key FROM step_vvol_vm
),
behind AS (
    SELECT
        p.endpoint,
        p.device,
        m.host_key,
        count(DISTINCT m.vvol_id) AS disks,
        count(*) FILTER (WHERE ceiling_use(l.utilization, l.throttle_us) IS NULL) AS undetermined,
        arg_max(m.disk, (ceiling_use(l.utilization, l.throttle_us), m.disk, m.vvol_id)) AS busiest_disk,  -- counts where none is undetermined
        arg_max(m.vvol_id, (ceiling_use(l.utilization, l.throttle_us), m.disk, m.vvol_id)) AS busiest_volume,
        max(ceiling_use(l.utilization, l.throttle_us)) AS highest_utilization
    FROM step_vvol_place AS p
    JOIN step_volume AS v ON v.endpoint = p.endpoint AND v.volume_id = p.volume_id
    JOIN owned AS m ON m.vvol_id = lower(v.vvol_id)
    LEFT JOIN fact.array_volume_load AS l ON l.endpoint = p.endpoint AND l.volume_id = p.volume_id
    GROUP BY p.endpoint, p.device, m.host_key
),
disk AS (
    SELECT
        p.endpoint,
        p.device,
        s.endpoint || '/' || s.host_id AS host_key,
        lower(v.vvol_id) AS vvol_id,
        s.resource_name AS disk,
        s.samples,
        s.latency_ms,
        s.node,
        ceiling_use(l.utilization, l.throttle_us) < 1 AND s.iops_limit IS NULL AND s.policy_iops_limit IS NULL AS waits_for_others
    FROM step_vvol_place AS p
    JOIN step_volume AS v ON v.endpoint = p.endpoint AND v.volume_id = p.volume_id
    JOIN fact.vm_disk AS d ON regexp_replace(lower(d.backing_object_id), '^rfc4122\.', '') = lower(v.vvol_id)
    JOIN disk_stream AS s ON s.endpoint = d.endpoint AND s.resource_id = d.vm_id || '/' || d.disk
    LEFT JOIN fact.array_volume_load AS l ON l.endpoint = p.endpoint AND l.volume_id = p.volume_id
),
neighbour AS (
    SELECT
        k.endpoint,
        k.device,
        k.host_key,
        count(DISTINCT k.disk) AS neighbours,
        count(*) FILTER (WHERE k.samples IS NULL AND k.node IS NOT NULL) = count(*) AS none_measured,
        count(*) FILTER (WHERE k.latency_ms IS NULL) AS undetermined,
        max(k.latency_ms) FILTER (WHERE k.waits_for_others) AS at_least_ms,
        max(k.latency_ms) AS at_most_ms,
        arg_max(k.disk, (k.latency_ms, k.disk)) FILTER (WHERE k.waits_for_others AND k.latency_ms IS NOT NULL) AS slowest
    FROM disk AS k
    JOIN behind AS b USING (endpoint, device, host_key)
    WHERE k.vvol_id IS DISTINCT FROM b.busiest_volume
    GROUP BY k.endpoint, k.device, k.host_key
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
    d.qos_wait,
    v.actual_iops AS array_iops,
    -- Only a FlashArray tells apart what QoS held back: where it was not read there, neither is the whole known. No command takes no time: 0 is of
    -- an idle volume, or was not measured.
    (CAST(nullif(v.latency_us, 0) AS HUGEINT) + CASE WHEN a.family <> 'flasharray' THEN 0 ELSE v.throttle_us END) / 1000 AS array_latency_ms,
    CASE WHEN d.is_whole THEN coalesce(b.disks, 0) END AS disks,
    CASE WHEN d.is_whole AND b.undetermined = 0 THEN b.busiest_disk END AS busiest_disk,
    CASE WHEN d.is_whole AND coalesce(b.undetermined, 0) = 0 THEN coalesce(b.highest_utilization, 0) END AS highest_utilization,
    CASE WHEN d.is_whole THEN coalesce(n.neighbours, 0) END AS neighbours,
    CASE WHEN d.is_whole THEN NOT coalesce(n.none_measured, false) END AS is_measured_singly,
    CASE
        WHEN NOT d.is_whole THEN NULL
        WHEN n.none_measured THEN 'the mean over all ' || (n.neighbours + 1) || ' disks (none was measured by itself),'
        ELSE n.slowest
    END AS who_waits,
    CASE WHEN NOT d.is_whole THEN NULL WHEN n.none_measured THEN d.davg_median_ms ELSE n.at_least_ms END AS neighbour_wait_ms,
    CASE WHEN d.is_whole AND coalesce(n.undetermined, 0) = 0 THEN coalesce(n.at_most_ms, 0) END AS neighbour_wait_ms_at_most
FROM placed AS d
LEFT JOIN fact.array_volume_load AS v ON v.endpoint = d.array_endpoint AND v.volume_id = d.volume_of_array
LEFT JOIN step_array AS a ON a.endpoint = d.array_endpoint
LEFT JOIN behind AS b ON b.endpoint = d.array_endpoint AND b.device = d.device AND b.host_key = d.endpoint || '/' || d.host_id
LEFT JOIN neighbour AS n ON n.endpoint = b.endpoint AND n.device = b.device AND n.host_key = b.host_key;
