-- materialize: table
-- What one I/O of a volume's average size costs on its own curve, in 4 KiB operations; linear between the curve's points, which is our
-- assumption. NULL when idle, when there is no curve, or beyond its last point.
WITH curve AS (SELECT DISTINCT qos_curve FROM step_volume WHERE qos_curve IS NOT NULL),
keyed AS (SELECT qos_curve, unnest(TRY(json_keys(qos_curve))) AS key FROM curve),
point AS (
    SELECT qos_curve, TRY_CAST(key AS BIGINT) AS size, TRY(TRY_CAST(json_extract_string(qos_curve, '$."' || key || '"') AS DOUBLE)) AS cost
    FROM keyed
),
busy AS (
    SELECT v.endpoint, v.volume_id, v.qos_curve, greatest(l.average_io_bytes, 4096) AS size
    FROM step_volume AS v
    JOIN fact.array_volume_load AS l USING (endpoint, volume_id)
    WHERE l.average_io_bytes IS NOT NULL AND v.qos_curve IS NOT NULL
),
around AS (
    SELECT
        b.endpoint,
        b.volume_id,
        b.size,
        max(p.size) FILTER (WHERE p.size <= b.size) AS size_below,
        arg_max(p.cost, p.size) FILTER (WHERE p.size <= b.size) AS cost_below,
        min(p.size) FILTER (WHERE p.size >= b.size) AS size_above,
        arg_min(p.cost, p.size) FILTER (WHERE p.size >= b.size) AS cost_above
    FROM busy AS b
    JOIN point AS p USING (qos_curve)
    GROUP BY ALL
)
SELECT
    endpoint,
    volume_id,
    CASE
        WHEN size_below = size_above THEN cost_below
        ELSE cost_below + (cost_above - cost_below) * (size - size_below) / (size_above - size_below)
    END / 100 AS cost
FROM around;
