-- materialize: table
-- One row per host and device of an array on which commands passed in the last five minutes, or of which that is not known: how deep its queue is,
-- how many commands are in it, and how many wait for a place. Figures are NULL with fewer than 5 samples of 20 seconds, and where the newest of them
-- is older than a quarter of an hour.
-- What its machines' disks send (`outstanding`) is exact, and is compared with the depth where all of them are known, the host splits none of their
-- commands, and the device's own counters do not show more, as when the kernel sends too. Elsewhere Little's law goes by the device's rate and its
-- latencies, which are whole milliseconds: less than one shows as none. `worlds` are disks that send.
WITH counted AS (
    SELECT l.*
    FROM fact.device_load AS l
    LEFT JOIN step_load_reading AS t ON t.endpoint = l.endpoint AND t.scope = l.host_id AND t.topic = 'device_load'
    WHERE l.samples >= 5 AND coalesce(epoch(t.read_at) - epoch(l.sampled_at) <= 900, true)
),
sent AS (
    SELECT
        endpoint,
        host_id,
        device,
        count(*) FILTER (WHERE runs AND (outstanding > 0 OR commands_per_second > 0)) AS worlds,
        sum(outstanding) FILTER (WHERE runs) AS outstanding,
        count(*) FILTER (WHERE runs IS NULL OR outstanding IS NULL) AS undetermined,
        count(*) FILTER (WHERE driver = 'iscsi_vmk' AND outstanding > 0 AND NOT coalesce(io_bytes <= largest_io_bytes, false)) AS split
    FROM disk_stream
    WHERE device IS NOT NULL
    GROUP BY endpoint, host_id, device
),
perhaps AS (
    -- Disks that lie on one of several devices, and nobody knows which.
    SELECT s.endpoint, s.host_id, x.device
    FROM disk_stream AS s
    JOIN fact.datastore_extent AS x ON x.endpoint = s.endpoint AND x.datastore_id = s.datastore_id
    WHERE s.device IS NULL AND s.rdm_mode IS NULL
    UNION
    SELECT s.endpoint, s.host_id, m.device
    FROM disk_stream AS s
    JOIN fact.vvol_mount AS m ON m.endpoint = s.endpoint AND m.datastore_id = s.datastore_id AND m.host_id = s.host_id
    WHERE s.device IS NULL AND s.rdm_mode IS NULL
),
anywhere AS (
    -- Disks, and machines whose disks or host were not read, that may send to any device of the host.
    SELECT endpoint, host_id FROM disk_stream WHERE device IS NULL AND (rdm_mode IS NOT NULL OR datastore_type IS NULL)
    UNION
    SELECT r.endpoint, r.host_id
    FROM step_host_reading AS r
    JOIN fact.vm AS vm ON vm.endpoint = r.endpoint AND coalesce(vm.host_id, r.host_id) = r.host_id
    JOIN step_guest AS g ON g.endpoint = vm.endpoint AND g.vm_id = vm.vm_id
    WHERE (NOT coalesce(vm.disks_read, false) OR vm.host_id IS NULL) AND g.runs IS DISTINCT FROM false
),
passing AS (
    SELECT DISTINCT p.endpoint, p.host_id, p.device, p.hba
    FROM fact.path AS p
    JOIN counted AS l USING (endpoint, host_id, device)
    WHERE l.commands_per_second > 0
),
carried AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.device,
        few_distinct(p.hba) AS adapter,
        CASE WHEN count(a.queue_depth) = count(*) THEN min(a.queue_depth) END AS adapter_queue_depth
    FROM passing AS p
    LEFT JOIN fact.adapter_load AS a USING (endpoint, host_id, hba)
    GROUP BY p.endpoint, p.host_id, p.device
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
        coalesce(s.worlds, 0) AS worlds_at_least,
        e.vms_read AND p.device IS NULL AND y.host_id IS NULL AND coalesce(s.undetermined, 0) = 0 AS are_known,
        coalesce(s.outstanding, 0) AS known_outstanding,
        coalesce(s.split, 0) > 0 AS is_split
    FROM device AS d
    LEFT JOIN counted AS l USING (endpoint, host_id, device)
    LEFT JOIN step_array_device AS a ON a.device = d.device
    LEFT JOIN step_device_sioc AS i ON i.endpoint = d.endpoint AND i.device = d.device
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint
    LEFT JOIN sent AS s ON s.endpoint = d.endpoint AND s.host_id = d.host_id AND s.device = d.device
    LEFT JOIN perhaps AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.device = d.device
    LEFT JOIN anywhere AS y ON y.endpoint = d.endpoint AND y.host_id = d.host_id
    WHERE d.is_shared IS DISTINCT FROM false AND l.commands_per_second IS DISTINCT FROM 0
),
deep AS (
    SELECT
        *,
        CASE WHEN are_known THEN worlds_at_least END AS worlds,
        CASE WHEN are_known THEN known_outstanding END AS outstanding,
        CASE
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
        WHEN 'disks' THEN greatest(f.outstanding - f.depth_in_effect, 0)
        WHEN 'littles-law' THEN f.commands_per_second * f.kavg_ms / 1000
    END AS queued,
    CASE f.queue_basis
        WHEN 'disks' THEN f.outstanding > f.depth_in_effect
        WHEN 'littles-law' THEN
            CASE
                WHEN f.qavg_ms >= 1 AND f.commands_per_second * f.qavg_ms >= 1000 THEN true
                WHEN f.commands_per_second * (f.kavg_ms + 1) < 1000 THEN false
            END
    END AS is_full,
    c.adapter,
    c.adapter_queue_depth,
    w.latency_ms AS array_latency_ms,
    CASE
        WHEN epoch(w.read_at) BETWEEN epoch(f.window_begin) - 60 AND epoch(f.sampled_at) + 60 THEN w.latency_ms
    END AS array_latency_in_window_ms,
    w.iops AS array_iops,
    w.is_at_limit,
    w.read_at AS array_read_at,
    epoch(w.read_at) BETWEEN epoch(f.window_begin) - 60 AND epoch(f.sampled_at) + 60 AS windows_overlap
FROM filled AS f
LEFT JOIN carried AS c ON c.endpoint = f.endpoint AND c.host_id = f.host_id AND c.device = f.device
LEFT JOIN throttled AS t ON t.endpoint = f.endpoint AND t.host_id = f.host_id AND t.device = f.device
LEFT JOIN step_volume_load AS w ON w.endpoint = f.array_endpoint AND w.volume_id = f.volume_id;
