-- materialize: table
-- One row per thing that was lost or slow in the last day, and what happened to it: a device, a VMFS volume, an NFS mount, and where the event
-- names none of these, a host. Times and hosts are those of vCenter's log. It is over where each host on which it happened reported the end
-- of it afterwards. A VMFS volume of two datacenters is two datastores with one UUID: its events count once.
WITH volume AS (
    SELECT endpoint, vmfs_uuid, min(datastore_id) AS datastore_id FROM fact.datastore WHERE vmfs_uuid IS NOT NULL GROUP BY endpoint, vmfs_uuid
),
event AS (
    SELECT
        e.*,
        coalesce(e.device, e.vmfs_uuid, e.datastore_id, e.said, e.host_id, '') AS subject,
        coalesce(e.datastore_id, v.datastore_id) AS on_datastore
    FROM fact.storage_event AS e
    LEFT JOIN volume AS v ON v.endpoint = e.endpoint AND v.vmfs_uuid = e.vmfs_uuid
),
ended AS (
    SELECT endpoint, what, subject, host_id, max(happened_at) AS ended_at
    FROM event
    WHERE kind = 'over'
    GROUP BY endpoint, what, subject, host_id
),
of_host AS (
    SELECT
        e.endpoint,
        e.kind,
        e.what,
        e.subject,
        e.host_id,
        min(e.device) AS device,
        min(e.on_datastore) AS on_datastore,
        min(e.said) AS said,
        count(*) AS events,
        min(e.happened_at) AS first_at,
        max(e.happened_at) AS last_at,
        max(e.latency_us) AS worst_us,
        count(e.latency_us) = count(*) AS is_latency_said,
        coalesce(max(o.ended_at) >= max(e.happened_at), false) AS is_over
    FROM event AS e
    LEFT JOIN ended AS o
        -- One event ends a heartbeat that came late, and one that never came.
        ON o.endpoint = e.endpoint AND o.what = CASE e.what WHEN 'VMFS volume lost' THEN 'VMFS heartbeat late' ELSE e.what END
        AND o.subject = e.subject AND o.host_id IS NOT DISTINCT FROM e.host_id
    WHERE e.kind IN ('lost', 'slow')
    GROUP BY e.endpoint, e.kind, e.what, e.subject, e.host_id
),
lying AS (
    SELECT x.endpoint, x.device, few_distinct(d.name) AS datastores
    FROM fact.datastore_extent AS x
    JOIN fact.datastore AS d ON d.endpoint = x.endpoint AND d.datastore_id = x.datastore_id
    GROUP BY x.endpoint, x.device
)
SELECT
    o.endpoint,
    o.what || ' ' || o.subject AS resource_id,
    coalesce(min(o.device), min(d.name), min(o.said), min(h.name), 'a host that the log does not name') AS resource_name,
    CASE WHEN count(h.cluster) = count(*) AND min(h.cluster) = max(h.cluster) THEN min(h.cluster) END AS cluster,
    CASE WHEN count(*) = 1 THEN min(h.name) END AS host,
    CASE WHEN count(*) = 1 THEN min(o.host_id) END AS host_id,
    o.kind,
    o.what,
    o.what IN ('paths lost', 'paths go up and down') AS is_of_paths,
    coalesce(starts_with(min(o.device), 'mpx.'), false) AS is_local,
    min(o.device) AS device,
    coalesce(min(d.name), min(l.datastores)) AS datastores,
    min(a.array_name) AS array_name,
    sum(o.events)::BIGINT AS events,
    count(o.host_id) AS hosts,
    few_distinct(h.name) AS host_names,
    min(o.first_at) AS first_at,
    max(o.last_at) AS last_at,
    max(o.worst_us) / 1000.0 AS worst_ms,
    CASE WHEN bool_and(o.is_latency_said) THEN true END AS is_worst_known,
    bool_and(o.is_over) AS is_over,
    min(o.said) AS said
FROM of_host AS o
LEFT JOIN fact.host AS h ON h.endpoint = o.endpoint AND h.host_id = o.host_id
LEFT JOIN fact.datastore AS d ON d.endpoint = o.endpoint AND d.datastore_id = o.on_datastore
LEFT JOIN lying AS l ON l.endpoint = o.endpoint AND l.device = o.device
LEFT JOIN step_array_device AS a ON a.device = o.device
GROUP BY o.endpoint, o.kind, o.what, o.subject;
