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
unlisted AS (
    -- A device that the list does not name has no DSNRO either: only where that is missing is the list asked, usually of few.
    SELECT n.endpoint, n.host_id, m.device
    FROM step_device_row AS d
    JOIN step_host_number AS n USING (host_number)
    JOIN step_device_number AS m USING (device_number)
    LEFT JOIN fact.device_scheduling AS s ON s.endpoint = n.endpoint AND s.host_id = n.host_id AND s.device = m.device
    WHERE d.dsnro IS NULL AND s.device IS NULL
),
scheduled AS (
    SELECT endpoint, host_id, device, queue_full_sample_size, queue_full_threshold FROM fact.device_scheduling
    UNION ALL
    SELECT endpoint, host_id, device, NULL AS queue_full_sample_size, NULL AS queue_full_threshold FROM unlisted
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
