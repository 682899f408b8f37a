-- materialize: table
-- One row per datastore on which machines may have disks that were not read: how many such machines there are, and how many of them are no
-- template, are not powered off, or may run. A machine has its disks where its host has its datastores; where none is known to be, on any of its vCenter.
WITH unread AS (
    SELECT
        endpoint,
        host_id,
        count(*) AS machines,
        count(*) FILTER (WHERE NOT coalesce(is_template, false)) AS no_templates,
        count(*) FILTER (WHERE power_state IS DISTINCT FROM 'poweredOff') AS not_off,
        count(*) FILTER (WHERE NOT coalesce(is_template, false) AND (power_state IS NULL OR power_state = 'poweredOn')) AS running
    FROM fact.vm
    WHERE NOT coalesce(disks_read, false)
    GROUP BY endpoint, host_id
),
mount AS (
    SELECT DISTINCT endpoint, host_id, datastore_id FROM fact.datastore_mount
),
mounting AS (
    SELECT DISTINCT endpoint, host_id FROM mount
)
SELECT
    d.endpoint,
    d.datastore_id,
    CAST(sum(u.machines) AS BIGINT) AS machines,
    CAST(sum(u.no_templates) AS BIGINT) AS no_templates,
    CAST(sum(u.not_off) AS BIGINT) AS not_off,
    CAST(sum(u.running) AS BIGINT) AS running
FROM unread AS u
JOIN fact.datastore AS d ON d.endpoint = u.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = u.endpoint
LEFT JOIN mounting AS h ON h.endpoint = u.endpoint AND h.host_id = u.host_id
LEFT JOIN mount AS m ON m.endpoint = u.endpoint AND m.host_id = u.host_id AND m.datastore_id = d.datastore_id
WHERE h.host_id IS NULL OR NOT coalesce(r.datastores_read, false) OR m.datastore_id IS NOT NULL
GROUP BY d.endpoint, d.datastore_id;
