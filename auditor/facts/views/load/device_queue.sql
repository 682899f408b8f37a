-- materialize: table
-- One row per host and device, local ones too, on which commands passed in the last five minutes, or where that is not known: how deep its
-- queue is, how many commands are in it, and how many wait for a place. Figures are NULL with fewer than 5 samples of 20 seconds, and where the
-- newest of them is older than a quarter of an hour.
-- What its machines' disks send (`outstanding`) is exact, and is compared with the depth where all of them are known, the host splits none of their
-- commands, and the device's own counters do not show more, as when the kernel sends too. Elsewhere Little's law goes by the device's rate and its
-- latencies, which are whole milliseconds: less than one shows as none, and `..._at_most` count one more. Of a rate without its latency nothing
-- says which of the two counts, and neither does. `worlds` are disks that send. A disk whose counter shows more places than its device can have
-- (docs/domain/facts.md#1-1) has two readings that differ, and the depth in effect is not known.
WITH leaving AS (
    SELECT DISTINCT set_key, host_number, hba FROM step_path_of_set
),
carried AS (
    SELECT
        s.set_key,
        few_distinct(s.hba) AS adapter,
        CASE WHEN count(a.queue_depth) = count(*) THEN min(a.queue_depth) END AS adapter_queue_depth
    FROM leaving AS s
    JOIN step_host_number AS n USING (host_number)
    LEFT JOIN fact.adapter_load AS a ON a.endpoint = n.endpoint AND a.host_id = n.host_id AND a.hba = s.hba
    GROUP BY s.set_key
),
passing AS (
    SELECT q.host_number, q.device_number, any_value(p.set_key) AS set_key
    FROM step_queue AS q
    JOIN step_path_row AS p USING (host_number, device_number)
    GROUP BY q.host_number, q.device_number
),
throttled AS (
    SELECT x.endpoint, l.host_id, x.device, max(l.sioc_active_percent) AS sioc_active_percent
    FROM fact.datastore_extent AS x
    JOIN fact.datastore_load AS l USING (endpoint, datastore_id)
    GROUP BY x.endpoint, l.host_id, x.device
),
queue AS (
    SELECT
        d.*,
        a.array_endpoint,
        l.samples,
        l.window_begin,
        l.sampled_at,
        l.commands_per_second,
        l.davg_ms,
        l.kavg_ms,
        l.gavg_ms,
        l.qavg_ms,
        l.max_queue_depth,
        CASE WHEN d.is_protocol_endpoint OR (e.datastores_read AND i.device IS NULL) THEN false WHEN e.datastores_read THEN i.sioc_enabled END AS sioc_enabled,
        q.worlds_at_least,
        q.are_known,
        q.outstanding,
        q.is_split
    FROM step_queue AS q
    JOIN step_device_of_class AS d USING (host_number, device_number)
    LEFT JOIN step_load AS l USING (load_key)
    LEFT JOIN step_array_device AS a ON a.device = d.device
    LEFT JOIN step_device_sioc AS i ON i.endpoint = d.endpoint AND i.device = d.device
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint
),
deep AS (
    SELECT
        *,
        CASE WHEN are_known THEN worlds_at_least END AS worlds,
        CASE
            WHEN max_queue_depth > queue_depth AND NOT coalesce(is_protocol_endpoint OR is_namespace, false) THEN NULL
            WHEN max_queue_depth IS NOT NULL THEN max_queue_depth
            WHEN sioc_enabled IS DISTINCT FROM false OR queue_depth IS NULL THEN NULL
            WHEN is_namespace OR queue_depth <= dsnro THEN queue_depth
            WHEN worlds_at_least > 1 THEN dsnro
            WHEN are_known THEN queue_depth
        END AS depth_in_effect,
        CASE WHEN max_queue_depth IS NOT NULL THEN 'counter' ELSE 'settings' END AS depth_source
    FROM queue
),
filled AS (
    SELECT
        *,
        CASE
            WHEN commands_per_second IS NOT NULL AND gavg_ms IS NULL THEN NULL
            WHEN outstanding IS NOT NULL AND NOT is_split AND depth_in_effect IS NOT NULL
                AND NOT coalesce(commands_per_second * (gavg_ms - 1) / 1000 > outstanding + 1, false)
            THEN 'disks'
            WHEN commands_per_second * kavg_ms IS NOT NULL THEN 'littles-law'
        END AS queue_basis
    FROM deep
)
SELECT
    f.endpoint,
    f.resource_id,
    f.resource_name,
    f.cluster,
    f.host,
    f.host_id,
    f.device,
    f.device_type,
    f.is_shared,
    f.is_protocol_endpoint,
    f.is_namespace,
    f.family,
    f.driver,
    f.array_name,
    f.volume,
    f.volume_id,
    f.qos_capped,
    f.qos_wait,
    f.queue_depth,
    f.dsnro,
    f.depth_in_effect,
    CASE WHEN f.depth_in_effect IS NOT NULL THEN f.depth_source END AS depth_basis,
    f.sioc_enabled,
    t.sioc_active_percent,
    f.worlds,
    f.worlds_at_least,
    f.outstanding,
    f.samples,
    f.window_begin,
    f.sampled_at,
    f.commands_per_second,
    f.davg_ms,
    f.kavg_ms,
    f.gavg_ms,
    f.qavg_ms,
    f.queue_basis,
    CASE f.queue_basis
        WHEN 'disks' THEN least(f.outstanding, f.depth_in_effect)
        WHEN 'littles-law' THEN f.commands_per_second * f.davg_ms / 1000
    END AS active,
    CASE f.queue_basis
        WHEN 'disks' THEN least(f.outstanding, f.depth_in_effect)
        WHEN 'littles-law' THEN f.commands_per_second * (f.davg_ms + 1) / 1000
    END AS active_at_most,
    CASE f.queue_basis
        WHEN 'disks' THEN greatest(f.outstanding - f.depth_in_effect, 0)
        WHEN 'littles-law' THEN f.commands_per_second * f.kavg_ms / 1000
    END AS queued,
    CASE f.queue_basis
        WHEN 'disks' THEN greatest(f.outstanding - f.depth_in_effect, 0)
        WHEN 'littles-law' THEN f.commands_per_second * (f.kavg_ms + 1) / 1000
    END AS queued_at_most,
    CASE
        WHEN f.queue_basis = 'disks' AND f.outstanding <= f.depth_in_effect THEN false
        WHEN o.holds_back AND (f.queue_basis = 'disks' OR (f.qavg_ms >= 1 AND f.commands_per_second * f.qavg_ms >= 1000))
        THEN NULL  -- what waits may wait before the device's queue, for a limit
        WHEN f.queue_basis = 'disks' THEN true
        WHEN f.queue_basis = 'littles-law' THEN
            CASE
                WHEN f.qavg_ms >= 1 AND f.commands_per_second * f.qavg_ms >= 1000 THEN true
                WHEN f.commands_per_second * (f.kavg_ms + 1) < 1000 THEN false
            END
    END AS is_full,
    o.limited_disks,
    e.busiest_disks,
    c.adapter,
    c.adapter_queue_depth,
    w.latency_ms AS array_latency_ms,
    CASE
        -- The mean of very few commands is no measure: one that an ONTAP lost count of took 600,000 s (NetApp/harvest#2597). Policy: 10, as
        -- in diag/array-vs-host.
        WHEN w.iops >= 10 AND epoch(w.read_at) BETWEEN epoch(f.window_begin) - 60 AND epoch(f.sampled_at) + 60 THEN w.latency_ms
    END AS array_latency_in_window_ms,
    w.iops AS array_iops,
    w.is_at_limit,
    w.read_at AS array_read_at,
    epoch(w.read_at) BETWEEN epoch(f.window_begin) - 60 AND epoch(f.sampled_at) + 60 AS windows_overlap
FROM filled AS f
LEFT JOIN passing AS p ON p.host_number = f.host_number AND p.device_number = f.device_number AND f.commands_per_second > 0
LEFT JOIN carried AS c ON c.set_key = p.set_key
LEFT JOIN step_limited_disk AS o ON o.endpoint = f.endpoint AND o.host_id = f.host_id AND o.device = f.device
LEFT JOIN step_disk_sender AS e ON e.endpoint = f.endpoint AND e.host_id = f.host_id AND e.kind = 'device' AND e.place = f.device
LEFT JOIN throttled AS t ON t.endpoint = f.endpoint AND t.host_id = f.host_id AND t.device = f.device
LEFT JOIN step_volume_load AS w ON w.endpoint = f.array_endpoint AND w.volume_id = f.volume_id;
