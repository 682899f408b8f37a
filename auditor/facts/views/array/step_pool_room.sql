-- materialize: table
-- To which aggregates of the same ONTAP cluster load of a pool could go: those whose busiest data disk is at most 40 % busy (what S3's disks were after
-- the cure, docs/domain/incidents.md#s3), that are below their optimal point, and have space; the three with most room.
-- `candidates` is 'none' where every other aggregate was read, and none is so; NULL where one was not.
WITH pool AS (
    SELECT
        p.endpoint,
        p.pool_id,
        p.name,
        coalesce(n.name, p.node_id) AS node,
        p.media,
        p.free_bytes,
        l.busy_percent,
        l.optimal_ops - l.current_ops AS room,
        CASE
            WHEN l.busy_percent > 40 OR l.current_ops >= l.optimal_ops OR p.free_bytes = 0 THEN false
            WHEN l.busy_percent IS NOT NULL AND l.current_ops IS NOT NULL AND l.optimal_ops IS NOT NULL AND p.free_bytes IS NOT NULL THEN true
        END AS has_room
    FROM fact.array_pool AS p
    JOIN step_array AS a ON a.endpoint = p.endpoint AND a.family = 'ontap'
    LEFT JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
    LEFT JOIN (SELECT endpoint, node_id, any_value(name) AS name FROM fact.array_node GROUP BY endpoint, node_id) AS n
        ON n.endpoint = p.endpoint AND n.node_id = p.node_id
),
other AS (
    SELECT
        p.endpoint,
        p.pool_id,
        o.has_room,
        o.room,
        concat(
            o.name, ' on ', coalesce(o.node, 'a node that was not reported'), ': ', coalesce(o.media || ', ', ''),
            TRY_CAST(round(o.busy_percent) AS BIGINT), ' % busy, ',
            TRY_CAST(round(o.room) AS BIGINT), ' operations a second below its optimal point, ', round(o.free_bytes / 1e12, 1), ' TB free'
        ) AS words
    FROM pool AS p
    JOIN pool AS o ON o.endpoint = p.endpoint AND o.pool_id <> p.pool_id
)
SELECT
    p.endpoint,
    p.pool_id,
    CASE
        WHEN count(*) FILTER (WHERE o.has_room) > 0
        THEN array_to_string(list_slice(list(o.words ORDER BY o.room DESC, o.words) FILTER (WHERE o.has_room), 1, 3), '; ')
        WHEN r.pools_read AND count(o.endpoint) = count(o.has_room) THEN 'none'
    END AS candidates
FROM pool AS p
LEFT JOIN other AS o ON o.endpoint = p.endpoint AND o.pool_id = p.pool_id
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = p.endpoint
GROUP BY p.endpoint, p.pool_id, r.pools_read;
