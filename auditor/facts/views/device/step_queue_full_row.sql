-- materialize: view
-- What the adaptive queue depth of each device on each host does. A device that sets nothing itself goes by the host's options.
-- Detached devices, and what is no disk, are left out; of what may be one of these, nothing is known. Nor is it of a device that the host's own list
-- of devices does not name.
-- Source: help text of Disk.QFullSampleSize ("device specific QFull options will take precedence"), KB 311232.
WITH option AS (
    SELECT
        endpoint,
        host_id,
        any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'Disk.QFullSampleSize') AS sample_size,
        any_value(TRY_CAST(value AS BIGINT)) FILTER (WHERE key = 'Disk.QFullThreshold') AS threshold
    FROM fact.host_option
    WHERE key IN ('Disk.QFullSampleSize', 'Disk.QFullThreshold')
    GROUP BY ALL
),
scheduled AS (
    SELECT endpoint, host_id, device, queue_full_sample_size, queue_full_threshold FROM fact.device_scheduling
    UNION ALL
    SELECT d.endpoint, d.host_id, d.device, NULL AS queue_full_sample_size, NULL AS queue_full_threshold
    FROM fact.device AS d
    LEFT JOIN fact.device_scheduling AS s ON s.endpoint = d.endpoint AND s.host_id = d.host_id AND s.device = d.device
    WHERE s.device IS NULL
)
SELECT
    s.endpoint,
    s.host_id,
    s.device,
    CASE WHEN x.device IS NOT NULL THEN NULL WHEN s.queue_full_sample_size > 0 THEN s.queue_full_sample_size WHEN s.queue_full_sample_size = 0 THEN o.sample_size END AS sample_size,
    CASE WHEN x.device IS NOT NULL THEN NULL WHEN s.queue_full_sample_size > 0 THEN s.queue_full_threshold WHEN s.queue_full_sample_size = 0 THEN o.threshold END AS threshold
FROM scheduled AS s
LEFT JOIN option AS o USING (endpoint, host_id)
LEFT JOIN step_aside AS x USING (endpoint, host_id, device)
WHERE x.is_aside IS NOT true;
