-- materialize: table
-- One row per machine that vSphere HA restarted, reset or terminated in the last day. What was lost or slow at the same time, within ten minutes,
-- is named where it is a device or a datastore that the machine's disks lie on now; events of NFS name a datastore among their words.
-- A machine that vSphere HA terminates for lost storage and then restarts has stopped once: `stop_key` is that of the event that ends it.
WITH seen AS (
    SELECT endpoint, vm_id, event_key, happened_at, what FROM fact.storage_event WHERE kind = 'restarted' AND vm_id IS NOT NULL
),
after AS (
    SELECT
        t.endpoint,
        t.event_key,
        arg_min(n.what, (n.happened_at, n.event_key, n.what)) AS next_what,
        arg_min(n.event_key, (n.happened_at, n.event_key)) AS next_key
    FROM seen AS t
    JOIN seen AS n
        ON n.endpoint = t.endpoint
        AND n.vm_id = t.vm_id
        AND (n.happened_at > t.happened_at OR (n.happened_at = t.happened_at AND n.event_key > t.event_key))
    WHERE t.what = 'terminated for lost storage'
    GROUP BY t.endpoint, t.event_key
),
stopped AS (
    SELECT s.*, CASE WHEN a.next_what = 'restarted by vSphere HA' THEN a.next_key ELSE s.event_key END AS stop_key
    FROM seen AS s
    LEFT JOIN after AS a USING (endpoint, event_key)
),
machine AS (
    SELECT endpoint, vm_id FROM stopped GROUP BY endpoint, vm_id
),
place AS (
    SELECT d.endpoint, d.vm_id, d.datastore_id, s.name, s.vmfs_uuid, x.device, s.type IN ('NFS', 'NFS41') AS is_nfs
    FROM machine AS m
    JOIN fact.vm_disk AS d ON d.endpoint = m.endpoint AND d.vm_id = m.vm_id
    JOIN fact.datastore AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
    LEFT JOIN fact.datastore_extent AS x ON x.endpoint = s.endpoint AND x.datastore_id = s.datastore_id
),
beside AS (
    SELECT s.endpoint, s.vm_id, few_distinct(e.what || ': ' || coalesce(e.device, p.name), '; ') AS words, count(DISTINCT s.stop_key) AS restarts
    FROM stopped AS s
    JOIN place AS p ON p.endpoint = s.endpoint AND p.vm_id = s.vm_id
    JOIN fact.storage_event AS e
        ON e.endpoint = s.endpoint
        AND e.kind IN ('lost', 'slow')
        AND (
            e.device = p.device OR e.datastore_id = p.datastore_id OR e.vmfs_uuid = p.vmfs_uuid
            OR (p.is_nfs AND contains(e.what, 'NFS') AND list_contains(string_split(e.said, ', '), p.name))
        )
        AND e.happened_at BETWEEN s.happened_at - INTERVAL 10 MINUTE AND s.happened_at + INTERVAL 10 MINUTE
    GROUP BY s.endpoint, s.vm_id
),
log AS (
    SELECT endpoint, bool_and(complete) AS is_whole FROM fact.reading WHERE topic = 'storage_events' AND scope = '' GROUP BY endpoint
),
home AS (
    SELECT endpoint, vm_id, few_distinct(name) AS datastores FROM place GROUP BY endpoint, vm_id
)
SELECT
    s.endpoint,
    s.vm_id AS resource_id,
    coalesce(min(v.name), s.vm_id) AS resource_name,
    min(h.cluster) AS cluster,
    min(h.name) AS host,
    min(v.host_id) AS host_id,
    s.vm_id,
    few_distinct(s.what) AS what,
    count(DISTINCT s.stop_key) AS restarts,
    min(s.happened_at) AS first_at,
    max(s.happened_at) AS last_at,
    min(p.datastores) AS datastores,
    CASE
        WHEN min(b.restarts) > 0 THEN min(b.restarts)
        WHEN min(p.datastores) IS NOT NULL AND bool_or(l.is_whole) IS DISTINCT FROM false THEN 0
    END AS restarts_beside_storage,
    CASE
        WHEN min(p.datastores) IS NULL THEN 'not known, as its disks were not read'
        WHEN min(b.restarts) IS NULL AND NOT bool_or(l.is_whole) THEN 'nothing in what was read of the log'
        ELSE min(b.words)
    END AS storage_words
FROM stopped AS s
LEFT JOIN fact.vm AS v ON v.endpoint = s.endpoint AND v.vm_id = s.vm_id
LEFT JOIN fact.host AS h ON h.endpoint = v.endpoint AND h.host_id = v.host_id
LEFT JOIN home AS p ON p.endpoint = s.endpoint AND p.vm_id = s.vm_id
LEFT JOIN beside AS b ON b.endpoint = s.endpoint AND b.vm_id = s.vm_id
LEFT JOIN log AS l ON l.endpoint = s.endpoint
GROUP BY s.endpoint, s.vm_id;
