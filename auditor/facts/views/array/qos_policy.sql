-- materialize: table
-- a row is called: QoS policy
-- One row per QoS policy of an array, with what the array allows.
-- `curves_of_array` counts the different curves of its policies and volumes, NULL unless each of them tells its own.
WITH stated AS (
    SELECT endpoint, curve FROM fact.array_qos_policy
    UNION ALL
    SELECT endpoint, qos_curve FROM step_volume
),
curve AS (
    SELECT endpoint, curve, count(*) AS uses FROM stated GROUP BY ALL
),
point AS (
    SELECT
        curve,
        TRY_CAST(key AS DOUBLE) AS size,
        TRY(TRY_CAST(json_extract_string(curve, '$."' || key || '"') AS DOUBLE)) AS cost
    FROM (SELECT curve, unnest(TRY(json_keys(curve))) AS key FROM (SELECT DISTINCT curve FROM curve WHERE curve IS NOT NULL))
),
worth AS (
    SELECT
        curve,
        string_agg(size || ':' || cost, ' ' ORDER BY size) AS points,
        max(size * 100 / cost) FILTER (WHERE size >= 65536 AND cost > 0) AS bytes_of_one
    FROM point
    GROUP BY curve
),
spread AS (
    SELECT
        c.endpoint,
        CASE WHEN count(w.points) = count(*) THEN count(DISTINCT w.points) END AS curves
    FROM curve AS c
    LEFT JOIN worth AS w USING (curve)
    GROUP BY c.endpoint
)
SELECT
    p.endpoint,
    p.policy_id AS resource_id,
    p.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    p.policy_id,
    a.family,
    p.min_iops,
    p.max_iops,
    p.burst_iops,
    p.max_bytes_per_second,
    p.kind,
    p.priority,
    p.is_shared,
    p.volumes,
    l.min_iops_floor,
    l.min_iops_ceiling,
    l.max_iops_floor,
    l.max_iops_ceiling,
    l.burst_iops_ceiling,
    p.max_iops * w.bytes_of_one AS large_block_bytes_per_second,
    CASE WHEN r.qos_policies_read AND r.volumes_read THEN x.curves END AS curves_of_array
FROM fact.array_qos_policy AS p
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN fact.array_qos_limit AS l USING (endpoint)
LEFT JOIN worth AS w ON w.curve = p.curve
LEFT JOIN spread AS x ON x.endpoint = p.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = p.endpoint;
