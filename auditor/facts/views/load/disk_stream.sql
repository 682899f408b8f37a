-- materialize: table
-- One row per virtual disk of a machine that runs, or may: the commands that it sends into a queue of its host, and what the array says of the
-- volume behind it. What the disk does is counted by its machine over five minutes; it is NULL where the machine was not asked, with fewer than 5
-- samples of 20 seconds, and where the newest of them is older than a quarter of an hour. A virtual volume's device is the one protocol endpoint
-- by which the disk's own host reaches it. The array's figures are of the disk's own virtual volume, or of the whole LUN or share.
-- `windows_overlap`: the array was asked within those five minutes, give or take the minute that clocks may differ without a note.
WITH counted AS (
    SELECT k.*
    FROM fact.vm_disk_load AS k
    LEFT JOIN step_load_reading AS t ON t.endpoint = k.endpoint AND t.scope = '' AND t.topic = 'disk_load'
    WHERE k.samples >= 5 AND coalesce(epoch(t.read_at) - epoch(k.sampled_at) <= 900, true)
),
shared AS (
    SELECT endpoint, datastore_id, min(array_endpoint) AS array_endpoint, min(volume_id) AS volume_id
    FROM step_datastore_volume
    WHERE device IS NULL
    GROUP BY endpoint, datastore_id
    HAVING count(*) = 1
),
virtual AS (
    SELECT v.endpoint, v.volume_id, lower(v.vvol_id) AS vvol_id, count(p.device) AS places
    FROM step_volume AS v
    JOIN step_array AS a ON a.endpoint = v.endpoint AND a.known_as = v.endpoint
    LEFT JOIN step_vvol_place AS p ON p.endpoint = v.endpoint AND p.volume_id = v.volume_id
    WHERE v.is_virtual AND v.vvol_id IS NOT NULL
    GROUP BY ALL
),
running AS (
    SELECT
        d.endpoint, d.vm_id, d.disk, d.disk_key, d.node, d.datastore_id, d.rdm_mode, d.rdm_device, d.iops_limit, d.controller, g.runs, vm.name AS vm,
        vm.host_id, s.name AS datastore, s.type AS datastore_type, v.endpoint AS vvol_array, v.volume_id AS vvol_volume, v.places
    FROM fact.vm_disk AS d
    JOIN fact.vm AS vm USING (endpoint, vm_id)
    JOIN step_guest AS g USING (endpoint, vm_id)
    LEFT JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
    LEFT JOIN virtual AS v ON v.vvol_id = regexp_replace(lower(d.backing_object_id), '^rfc4122\.', '')
    WHERE g.runs IS DISTINCT FROM false AND NOT coalesce(vm.is_template, false)
),
reached AS (
    SELECT r.endpoint, r.vm_id, r.disk, min(m.device) AS device
    FROM running AS r
    JOIN fact.vvol_mount AS m ON m.endpoint = r.endpoint AND m.datastore_id = r.datastore_id AND m.host_id = r.host_id
    LEFT JOIN step_vvol_place AS p ON p.endpoint = r.vvol_array AND p.volume_id = r.vvol_volume AND p.device = m.device
    WHERE p.device IS NOT NULL OR coalesce(r.places, 0) = 0
    GROUP BY r.endpoint, r.vm_id, r.disk
    HAVING count(DISTINCT m.device) = 1
),
placed AS (
    SELECT
        r.*,
        CASE
            WHEN r.rdm_mode IS NOT NULL THEN r.rdm_device
            WHEN r.datastore_type = 'VVOL' THEN b.device
            WHEN r.datastore_type IS NOT NULL THEN x.device
        END AS device,
        coalesce(n.array_endpoint, CASE WHEN r.rdm_mode IS NULL THEN r.vvol_array END) AS share_array,
        coalesce(n.volume_id, CASE WHEN r.rdm_mode IS NULL THEN r.vvol_volume END) AS share_volume
    FROM running AS r
    LEFT JOIN step_sole_extent AS x ON x.endpoint = r.endpoint AND x.datastore_id = r.datastore_id
    LEFT JOIN reached AS b ON b.endpoint = r.endpoint AND b.vm_id = r.vm_id AND b.disk = r.disk
    LEFT JOIN shared AS n ON n.endpoint = r.endpoint AND n.datastore_id = r.datastore_id AND r.rdm_mode IS NULL
)
SELECT
    d.endpoint,
    d.vm_id || '/' || d.disk AS resource_id,
    d.vm || ' ' || d.disk AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.vm,
    d.vm_id,
    d.disk_key,
    d.disk,
    d.node,
    d.runs,
    d.controller,
    CASE WHEN p.depth_at_least = p.depth_at_most THEN p.depth_at_least END AS controller_depth,
    p.depth_at_least AS controller_depth_at_least,
    p.depth_at_most AS controller_depth_at_most,
    d.iops_limit,
    o.policy_iops_limit,
    d.datastore_id,
    d.datastore,
    d.datastore_type,
    d.rdm_mode,
    d.device,
    CASE WHEN d.rdm_mode IS NOT NULL THEN false ELSE d.datastore_type = 'VVOL' END AS is_protocol_endpoint,
    v.driver,
    CASE WHEN v.driver = 'iscsi_vmk' THEN y.iscsi_max_io_size_kb * 1024 END AS largest_io_bytes,
    k.samples,
    k.window_begin,
    k.sampled_at,
    k.commands_per_second,
    k.outstanding,
    k.latency_ms,
    k.io_bytes,
    coalesce(e.family, v.family) AS family,
    coalesce(d.share_array, a.array_endpoint) AS array_name,
    coalesce(d.share_volume, a.volume_id) AS volume_id,
    w.name AS volume,
    coalesce(l.is_capped, q.is_capped) AS is_capped,
    q.qos_max_iops,
    q.qos_max_bytes_per_second,
    l.average_io_bytes,
    l.limit_per_second,
    l.is_at_limit,
    l.burst_credit,
    l.latency_ms AS array_latency_ms,
    l.iops AS array_iops,
    l.read_at AS array_read_at,
    epoch(l.read_at) BETWEEN epoch(k.window_begin) - 60 AND epoch(k.sampled_at) + 60 AS windows_overlap
FROM placed AS d
JOIN step_disk_depth AS p ON p.endpoint = d.endpoint AND p.vm_id = d.vm_id AND p.disk = d.disk
LEFT JOIN fact.host AS h ON h.endpoint = d.endpoint AND h.host_id = d.host_id
LEFT JOIN step_disk_policy AS o ON o.endpoint = d.endpoint AND o.vm_id = d.vm_id AND o.disk = d.disk
LEFT JOIN counted AS k ON k.endpoint = d.endpoint AND k.vm_id = d.vm_id AND k.node = d.node
LEFT JOIN step_option AS y ON y.endpoint = d.endpoint AND y.host_id = d.host_id
LEFT JOIN device AS v ON v.endpoint = d.endpoint AND v.host_id = d.host_id AND v.device = d.device
LEFT JOIN step_array_device AS a ON a.device = d.device AND a.protocol_endpoint_id IS NULL
LEFT JOIN step_volume AS w
    ON w.endpoint = coalesce(d.share_array, a.array_endpoint) AND w.volume_id = coalesce(d.share_volume, a.volume_id)
LEFT JOIN step_array AS e ON e.endpoint = w.endpoint
LEFT JOIN step_volume_qos AS q ON q.endpoint = w.endpoint AND q.volume_id = w.volume_id
LEFT JOIN step_volume_load AS l ON l.endpoint = w.endpoint AND l.volume_id = w.volume_id;
