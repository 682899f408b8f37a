-- materialize: table
-- The deepest virtual disk behind the vVol datastores a host mounts: 0 when there is none, NULL when any of it was not read or a
-- controller's depth is not known. A machine whose disks could not be read may be the deepest of its cluster, unless it is powered off.
WITH mounted AS (
    SELECT DISTINCT m.endpoint, m.host_id, r.domain_id, m.datastore_id
    FROM fact.vvol_mount AS m
    JOIN step_host_reading AS r USING (endpoint, host_id)
),
unread AS (
    SELECT DISTINCT r.endpoint, r.domain_id
    FROM fact.vm AS vm
    JOIN step_host_reading AS r USING (endpoint, host_id)
    WHERE NOT coalesce(vm.disks_read, false) AND vm.power_state IS DISTINCT FROM 'poweredOff'
),
counted AS (
    SELECT
        r.endpoint,
        r.host_id,
        coalesce(any_value(e.vms_read AND e.datastores_read), false) AND count(u.domain_id) = 0 AS is_whole,
        count(d.disk) AS disks,
        count(d.depth) AS known,
        max(d.depth) AS deepest
    FROM step_host_reading AS r
    LEFT JOIN mounted AS m ON m.endpoint = r.endpoint AND m.host_id = r.host_id
    LEFT JOIN step_vvol_disk AS d ON d.endpoint = m.endpoint AND d.datastore_id = m.datastore_id AND d.domain_id = m.domain_id
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = r.endpoint
    LEFT JOIN unread AS u ON u.endpoint = r.endpoint AND u.domain_id = r.domain_id
    GROUP BY r.endpoint, r.host_id
)
SELECT
    endpoint,
    host_id,
    CASE WHEN is_whole AND disks = 0 THEN 0 WHEN is_whole AND known = disks THEN deepest END AS deepest_disk_queue,
    CASE WHEN is_whole THEN disks END AS vvol_disks
FROM counted;
