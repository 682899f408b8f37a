-- materialize: table
-- One row per vVol datastore: which others share its protocol endpoints, and what the array caps of what lies on it.
-- Two datastores share a queue where one host mounts both by the same protocol endpoint. A machine whose disks could not be read may have
-- some on any that its host mounts. A datastore of no known type may be one.
WITH together AS (
    SELECT m.endpoint, m.datastore_id, count(DISTINCT o.datastore_id) AS others, few_distinct(s.name) AS other_names
    FROM fact.vvol_mount AS m
    JOIN fact.vvol_mount AS o ON o.endpoint = m.endpoint AND o.host_id = m.host_id AND o.device = m.device AND o.datastore_id <> m.datastore_id
    JOIN fact.datastore AS s ON s.endpoint = o.endpoint AND s.datastore_id = o.datastore_id
    GROUP BY ALL
),
held AS (
    SELECT
        endpoint,
        datastore_id,
        count(*) AS disks,
        count(*) FILTER (WHERE is_capped) AS capped,
        count(*) FILTER (WHERE is_capped AND NOT is_limited_below_array) AS unlimited,
        count(*) FILTER (WHERE is_capped IS NULL OR (is_capped AND is_limited_below_array IS NULL)) AS undetermined,
        count(*) FILTER (WHERE runs AND is_capped AND NOT is_limited_below_array) AS unlimited_at_least,
        count(*) FILTER (
            WHERE runs IS DISTINCT FROM false AND is_capped IS DISTINCT FROM false AND is_limited_below_array IS DISTINCT FROM true
        ) AS unlimited_at_most,
        few_distinct(CASE WHEN is_capped AND NOT is_limited_below_array THEN resource_name END) AS unlimited_names
    FROM vvol_disk
    GROUP BY ALL
)
SELECT
    d.endpoint,
    d.datastore_id AS resource_id,
    d.name AS resource_name,
    x.cluster,
    CAST(NULL AS VARCHAR) AS host,
    d.datastore_id,
    g.family,
    g.array_name,
    g.per_object_qos,
    g.protocol_endpoints,
    coalesce(t.others, CASE WHEN r.datastores_read THEN 0 END) AS sharing_datastores,
    coalesce(t.other_names, CASE WHEN r.datastores_read THEN '' END) AS sharing_names,
    CASE WHEN r.vms_read AND u.machines IS NULL THEN coalesce(c.disks, 0) END AS disks,
    CASE WHEN r.vms_read AND u.machines IS NULL AND coalesce(c.undetermined, 0) = 0 THEN coalesce(c.capped, 0) END AS capped_disks,
    CASE WHEN r.vms_read AND u.machines IS NULL AND coalesce(c.undetermined, 0) = 0 THEN coalesce(c.unlimited, 0) END AS unlimited_disks,
    CASE
        WHEN c.capped > 0 THEN true
        WHEN r.vms_read AND u.machines IS NULL AND coalesce(c.undetermined, 0) = 0 THEN false
        WHEN NOT g.per_object_qos THEN false
    END AS has_capped_disks,
    coalesce(c.unlimited_at_least, 0) AS unlimited_running_disks_at_least,
    CASE WHEN r.vms_read AND coalesce(u.running, 0) = 0 THEN coalesce(c.unlimited_at_most, 0) END AS unlimited_running_disks_at_most,
    c.unlimited_names,
    CASE WHEN r.datastores_read THEN g.shallowest_queue END AS shallowest_queue,
    g.shallowest_queue_at_most,
    CASE WHEN r.datastores_read THEN g.deepest_disk_queue END AS deepest_disk_queue,
    coalesce(g.deepest_disk_queue_at_least, 0) AS deepest_disk_queue_at_least,
    CASE WHEN r.datastores_read THEN g.deepest_disk_queue_at_most END AS deepest_disk_queue_at_most,
    g.stalls_neighbours,
    x.host_names
FROM fact.datastore AS d
JOIN datastore AS x USING (endpoint, datastore_id)
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = d.endpoint
LEFT JOIN step_unread_machine AS u ON u.endpoint = d.endpoint AND u.datastore_id = d.datastore_id AND u.no_templates > 0
LEFT JOIN step_vvol_queue AS g ON g.endpoint = d.endpoint AND g.datastore_id = d.datastore_id
LEFT JOIN together AS t ON t.endpoint = d.endpoint AND t.datastore_id = d.datastore_id
LEFT JOIN held AS c ON c.endpoint = d.endpoint AND c.datastore_id = d.datastore_id
WHERE d.type IS NULL OR d.type = 'VVOL';
