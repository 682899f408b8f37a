-- materialize: table
-- One row per host and storage adapter, with its own queue over the last five minutes and the deepest queue among the disks behind it.
-- `deepest_queue_depth` is of one device alone on its host; `deepest_effective_depth` and `effective_depths` (all disks together) are what
-- DSNRO leaves of it once two compete. NULL when any disk behind the adapter does not tell, or one of the host may be behind it that vCenter's copy shows
-- elsewhere; 0 when there is none. `usable_paths` are NULL likewise, and where the state of a path is not known.
WITH behind AS (
    SELECT
        set_key,
        host_number,
        hba,
        count(*) FILTER (WHERE state IN ('active', 'standby')) AS usable_paths,
        count(*) FILTER (WHERE state IS NULL OR state = 'unknown') AS stateless_paths
    FROM step_path_of_set
    GROUP BY ALL
),
reached AS (
    -- The disks of a host with one set of paths, which are many. Where nobody knows whether one is a disk of an array at all, it is undetermined.
    SELECT
        p.set_key,
        count(*) FILTER (WHERE NOT i.is_aside) AS devices,
        count(*) FILTER (WHERE i.is_aside IS NULL) AS uncertain,
        max(d.queue_depth) FILTER (WHERE NOT i.is_aside) AS queue_depth,
        arg_max(d.device_number, (d.queue_depth, d.device_number)) FILTER (WHERE d.queue_depth IS NOT NULL AND NOT i.is_aside) AS device_number,
        count(*) FILTER (WHERE d.queue_depth IS NULL OR i.is_aside IS NULL) AS undetermined,
        max(least(d.queue_depth, d.dsnro)) FILTER (WHERE NOT i.is_aside) AS effective_depth,
        sum(least(d.queue_depth, d.dsnro)) FILTER (WHERE NOT i.is_aside) AS effective_depths,
        count(*) FILTER (WHERE d.dsnro IS NULL) AS unscheduled
    FROM step_path_row AS p
    JOIN step_device_row AS d USING (host_number, device_number)
    LEFT JOIN step_inquiry AS i USING (inquiry_number)
    WHERE (i.device_type IS NULL OR i.device_type = 'disk') AND i.is_aside IS NOT true
    GROUP BY p.set_key
),
summed AS (
    SELECT
        b.host_number,
        b.hba,
        CAST(sum(d.devices) AS BIGINT) AS devices,
        sum(d.uncertain) AS uncertain,
        max(d.queue_depth) AS queue_depth,
        arg_max(d.device_number, (d.queue_depth, d.device_number)) FILTER (WHERE d.queue_depth IS NOT NULL) AS device_number,
        sum(d.undetermined) AS undetermined,
        max(d.effective_depth) AS effective_depth,
        TRY_CAST(sum(d.effective_depths) AS BIGINT) AS effective_depths,
        sum(d.unscheduled) AS unscheduled,
        CAST(sum(b.usable_paths * d.devices) AS BIGINT) AS usable_paths,
        sum(b.stateless_paths) AS stateless_paths
    FROM behind AS b
    JOIN reached AS d USING (set_key)
    GROUP BY b.host_number, b.hba
),
target AS (
    SELECT endpoint, host_id, hba, count(*) AS targets FROM fact.iscsi_target GROUP BY ALL
),
stale AS (
    SELECT DISTINCT host_number FROM step_stale_path
),
shown AS (
    SELECT
        a.endpoint,
        a.host_id || '/' || a.hba AS resource_id,
        a.hba AS resource_name,
        h.cluster,
        h.name AS host,
        a.host_id,
        h.in_maintenance_mode,
        a.hba,
        a.kind,
        a.driver,
        a.model,
        a.status,
        a.is_software,
        l.samples,
        l.sampled_at,
        l.queue_depth AS adapter_depth,
        l.queued,
        l.queued_max,
        l.outstanding,
        l.outstanding_max,
        l.queue_ms,
        l.commands_per_second,
        CASE
            WHEN r.paths_read AND r.devices_read AND (x.devices > 0 OR (y.host_number IS NULL AND coalesce(x.uncertain, 0) = 0)) THEN coalesce(x.devices, 0)
        END AS devices,
        CASE
            WHEN r.paths_read AND r.devices_read AND y.host_number IS NULL AND coalesce(x.uncertain + x.stateless_paths, 0) = 0 THEN coalesce(x.usable_paths, 0)
        END AS usable_paths,
        CASE WHEN t.targets IS NOT NULL OR (r.hbas_read AND a.kind IS NOT NULL) THEN coalesce(t.targets, 0) END AS targets,
        m.device AS deepest_device,
        CASE
            WHEN r.paths_read AND r.devices_read AND y.host_number IS NULL AND coalesce(x.undetermined, 0) = 0 THEN coalesce(x.queue_depth, 0)
        END AS deepest_queue_depth,
        coalesce(x.queue_depth, 0) AS deepest_queue_depth_at_least,
        CASE
            WHEN r.paths_read AND r.devices_read AND y.host_number IS NULL AND coalesce(x.undetermined + x.unscheduled, 0) = 0 THEN coalesce(x.effective_depth, 0)
        END AS deepest_effective_depth,
        CASE
            WHEN r.paths_read AND r.devices_read AND y.host_number IS NULL AND coalesce(x.undetermined + x.unscheduled, 0) = 0 THEN coalesce(x.effective_depths, 0)
        END AS effective_depths
    FROM fact.hba AS a
    JOIN fact.host AS h USING (endpoint, host_id)
    JOIN step_host_reading AS r USING (endpoint, host_id)
    JOIN step_host_number AS n USING (endpoint, host_id)
    LEFT JOIN stale AS y ON y.host_number = n.host_number
    LEFT JOIN summed AS x ON x.host_number = n.host_number AND x.hba = a.hba
    LEFT JOIN step_device_number AS m ON m.device_number = x.device_number
    LEFT JOIN target AS t ON t.endpoint = a.endpoint AND t.host_id = a.host_id AND t.hba = a.hba
    LEFT JOIN fact.adapter_load AS l ON l.endpoint = a.endpoint AND l.host_id = a.host_id AND l.hba = a.hba
)
SELECT
    *,
    CASE WHEN status = 'online' THEN true WHEN status IN ('offline', 'unbound') AND usable_paths = 0 THEN false END AS is_online
FROM shown;
