-- materialize: table
-- One row per host and storage adapter, with its own queue over the last five minutes and the deepest queue among the disks behind it.
-- `deepest_queue_depth` is of one device alone on its host; `deepest_effective_depth` and `effective_depths` (all disks together) are what
-- DSNRO leaves of it once two compete. NULL when any disk behind the adapter does not tell; 0 when there is none.
WITH behind AS (
    SELECT DISTINCT p.endpoint, p.host_id, p.hba, p.device
    FROM fact.path AS p
),
deepest AS (
    SELECT
        b.endpoint,
        b.host_id,
        b.hba,
        count(*) AS devices,
        max(d.queue_depth) AS queue_depth,
        arg_max(d.device, (d.queue_depth, d.device)) FILTER (WHERE d.queue_depth IS NOT NULL) AS device,
        count(*) FILTER (WHERE d.queue_depth IS NULL) AS undetermined,
        max(least(d.queue_depth, s.dsnro)) AS effective_depth,
        TRY_CAST(sum(least(d.queue_depth, s.dsnro)) AS BIGINT) AS effective_depths,
        count(*) FILTER (WHERE s.dsnro IS NULL) AS unscheduled
    FROM behind AS b
    JOIN fact.device AS d USING (endpoint, host_id, device)
    LEFT JOIN fact.device_scheduling AS s USING (endpoint, host_id, device)
    WHERE d.device_type IS NULL OR d.device_type = 'disk'
    GROUP BY ALL
)
SELECT
    a.endpoint,
    a.host_id || '/' || a.hba AS resource_id,
    a.hba AS resource_name,
    h.cluster,
    h.name AS host,
    a.host_id,
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
    CASE WHEN r.paths_read AND r.devices_read THEN coalesce(x.devices, 0) END AS devices,
    x.device AS deepest_device,
    CASE
        WHEN r.paths_read AND r.devices_read AND coalesce(x.undetermined, 0) = 0 THEN coalesce(x.queue_depth, 0)
    END AS deepest_queue_depth,
    coalesce(x.queue_depth, 0) AS deepest_queue_depth_at_least,
    CASE
        WHEN r.paths_read AND r.devices_read AND coalesce(x.undetermined + x.unscheduled, 0) = 0 THEN coalesce(x.effective_depth, 0)
    END AS deepest_effective_depth,
    CASE
        WHEN r.paths_read AND r.devices_read AND coalesce(x.undetermined + x.unscheduled, 0) = 0 THEN coalesce(x.effective_depths, 0)
    END AS effective_depths
FROM fact.hba AS a
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN deepest AS x USING (endpoint, host_id, hba)
LEFT JOIN fact.adapter_load AS l USING (endpoint, host_id, hba);
