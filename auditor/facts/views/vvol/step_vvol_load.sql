-- materialize: table
-- The deepest virtual disk of a running machine behind the vVol datastores a host mounts: 0 when there is none. `..._at_least` holds whatever was
-- not read; `..._at_most` is NULL where something unread, or a controller without a bound, may be deeper. A machine whose disks could not be read may be
-- the deepest of its cluster, and one whose host is not reported of any, unless it does not run.
WITH mounted AS (
    SELECT DISTINCT m.endpoint, m.host_id, r.domain_id, m.datastore_id
    FROM fact.vvol_mount AS m
    JOIN step_host_reading AS r USING (endpoint, host_id)
),
unread AS (
    SELECT DISTINCT r.endpoint, r.domain_id
    FROM step_host_reading AS r
    JOIN fact.vm AS vm ON vm.endpoint = r.endpoint AND coalesce(vm.host_id, r.host_id) = r.host_id
    JOIN step_guest AS g ON g.endpoint = vm.endpoint AND g.vm_id = vm.vm_id
    WHERE (NOT coalesce(vm.disks_read, false) OR vm.host_id IS NULL) AND g.runs IS DISTINCT FROM false
),
counted AS (
    SELECT
        r.endpoint,
        r.host_id,
        any_value(e.vms_read AND e.datastores_read) AND count(u.domain_id) = 0 AS is_whole,
        count(d.disk) AS disks,
        count(*) FILTER (WHERE d.may_be_of_template) AS of_templates_perhaps,
        coalesce(max(d.depth_at_least) FILTER (WHERE d.runs), 0) AS at_least,
        coalesce(max(d.depth_at_most) FILTER (WHERE d.runs IS DISTINCT FROM false), 0) AS at_most,
        count(*) FILTER (WHERE d.disk IS NOT NULL AND d.runs IS DISTINCT FROM false AND d.depth_at_most IS NULL) AS unbounded
    FROM step_host_reading AS r
    LEFT JOIN mounted AS m ON m.endpoint = r.endpoint AND m.host_id = r.host_id
    LEFT JOIN step_vvol_disk AS d ON d.endpoint = m.endpoint AND d.datastore_id = m.datastore_id AND d.domain_id = m.domain_id
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = r.endpoint
    LEFT JOIN unread AS u ON u.endpoint = r.endpoint AND u.domain_id = r.domain_id
    GROUP BY r.endpoint, r.host_id
),
bounded AS (
    SELECT *, CASE WHEN is_whole AND unbounded = 0 THEN at_most END AS known_at_most FROM counted
)
SELECT
    endpoint,
    host_id,
    CASE WHEN known_at_most = at_least THEN at_least END AS deepest_disk_queue,
    at_least AS deepest_disk_queue_at_least,
    known_at_most AS deepest_disk_queue_at_most,
    CASE WHEN is_whole AND of_templates_perhaps = 0 THEN disks END AS vvol_disks,
    CASE WHEN disks > of_templates_perhaps THEN true WHEN is_whole AND disks = 0 THEN false END AS carries_vvol_disks
FROM bounded;
