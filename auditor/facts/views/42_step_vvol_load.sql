-- The deepest virtual disk behind the vVol datastores a host mounts: 0 when there is none, NULL when any of it was not read or a
-- controller's depth is not known.
CREATE VIEW step_vvol_load AS
WITH mounted AS (
    SELECT DISTINCT m.endpoint, m.host_id, r.domain_id, m.datastore_id
    FROM fact.vvol_mount AS m
    JOIN step_host_reading AS r USING (endpoint, host_id)
)
SELECT
    r.endpoint,
    r.host_id,
    CASE
        WHEN NOT coalesce(any_value(e.vms_read AND e.datastores_read), false) THEN NULL
        WHEN count(d.disk) = 0 THEN 0
        WHEN count(d.depth) = count(d.disk) THEN max(d.depth)
    END AS deepest_disk_queue,
    CASE WHEN coalesce(any_value(e.vms_read AND e.datastores_read), false) THEN count(d.disk) END AS vvol_disks
FROM step_host_reading AS r
LEFT JOIN mounted AS m ON m.endpoint = r.endpoint AND m.host_id = r.host_id
LEFT JOIN step_vvol_disk AS d ON d.endpoint = m.endpoint AND d.datastore_id = m.datastore_id AND d.domain_id = m.domain_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = r.endpoint
GROUP BY r.endpoint, r.host_id;
