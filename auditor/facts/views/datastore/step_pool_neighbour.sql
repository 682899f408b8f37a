-- materialize: table
-- Of each datastore on a pool of an array that has Storage I/O Control, or may have it: its neighbours on the same disks that have it too, unless all
-- of them lose it together. Switched off on one alone, it throttles the others for a load that they did not make (docs/domain/facts.md#4-8).
-- `leaves`: a rule proposes it off, whatever else is on the pool: it is known by two vCenters, the array caps it and is no ONTAP, or its blocks move
-- between tiers. `is_open` where there may be more: one of the two lies on several pools (an ONTAP FlexGroup), or on nobody knows which. One of several extents may lie on a second pool, and one whose datastore cluster weighs I/O gets it back: these do not count.
WITH extended AS (
    SELECT endpoint, datastore_id, count(*) AS extents
    FROM step_datastore_volume
    GROUP BY ALL
),
known AS (
    SELECT array_endpoint, volume_id, count(DISTINCT endpoint) AS vcenters
    FROM step_datastore_volume
    GROUP BY ALL
),
managed AS (
    SELECT
        b.endpoint,
        b.datastore_id,
        d.name,
        v.endpoint AS array_endpoint,
        coalesce(g.disk_group, v.pool_id) AS disk_group,
        v.pool_id IS NULL AND a.family NOT IN ('solidfire', 'flasharray') AS is_astray,  -- these two have no pools
        coalesce(
            d.sioc_enabled
            AND d.type = 'VMFS'
            AND x.extents = 1
            AND CASE WHEN d.pod_id IS NULL THEN e.datastores_read AND e.pods_read ELSE NOT (o.sdrs_enabled AND o.io_metric_enabled) END
            AND (k.vcenters > 1 OR (b.qos_capped AND a.family <> 'ontap') OR (v.tiers > 1 AND a.family = 'dell-sc')),
            false
        ) AS leaves
    FROM step_datastore_volume AS b
    JOIN extended AS x USING (endpoint, datastore_id)
    JOIN known AS k ON k.array_endpoint = b.array_endpoint AND k.volume_id = b.volume_id
    JOIN fact.datastore AS d ON d.endpoint = b.endpoint AND d.datastore_id = b.datastore_id
    JOIN step_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
    LEFT JOIN step_disk_group AS g ON g.endpoint = v.endpoint AND g.pool_id = v.pool_id
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = b.endpoint
    LEFT JOIN fact.storage_pod AS o ON o.endpoint = d.endpoint AND o.pod_id = d.pod_id
    WHERE (d.type IS NULL OR d.type IN ('VMFS', 'NFS'))
        AND coalesce(d.sioc_enabled, d.sioc_supported IS DISTINCT FROM false)
),
parting AS (
    SELECT array_endpoint, disk_group
    FROM managed
    GROUP BY ALL
    HAVING NOT bool_and(leaves)
),
beside AS (
    SELECT m.endpoint, m.datastore_id, few_distinct(n.name) AS neighbours
    FROM managed AS m
    JOIN parting AS p ON p.array_endpoint = m.array_endpoint AND p.disk_group = m.disk_group
    JOIN managed AS n ON n.array_endpoint = m.array_endpoint AND n.disk_group = m.disk_group
    WHERE n.endpoint <> m.endpoint OR n.datastore_id <> m.datastore_id
    GROUP BY m.endpoint, m.datastore_id
),
mixed AS (
    -- Arrays on which one stays on and may lie on any pool, or one that stays may lie beside it.
    SELECT array_endpoint, bool_or(is_astray AND NOT leaves) AS stays_astray, bool_or(NOT leaves) AS stays
    FROM managed
    GROUP BY array_endpoint
    HAVING bool_or(is_astray) AND count(DISTINCT (endpoint, datastore_id)) > 1
),
open AS (
    SELECT m.endpoint, m.datastore_id
    FROM managed AS m
    JOIN mixed AS x USING (array_endpoint)
    WHERE CASE WHEN m.is_astray THEN x.stays ELSE x.stays_astray OR NOT m.leaves END
    GROUP BY m.endpoint, m.datastore_id
)
SELECT x.endpoint, x.datastore_id, b.neighbours, o.datastore_id IS NOT NULL AS is_open
FROM extended AS x
LEFT JOIN beside AS b ON b.endpoint = x.endpoint AND b.datastore_id = x.datastore_id
LEFT JOIN open AS o ON o.endpoint = x.endpoint AND o.datastore_id = x.datastore_id
WHERE b.datastore_id IS NOT NULL OR o.datastore_id IS NOT NULL;
