-- materialize: view
-- The limits of each named set of limits of an array: what its volumes get by it.
SELECT
    endpoint,
    '' AS host_id,
    policy_id AS thing,
    'limits' AS setting,
    concat_ws(
        ', ',
        CASE WHEN max_iops IS NOT NULL THEN max_iops || ' IOPS' WHEN max_bytes_per_second IS NULL THEN 'no ceiling' END,
        'burst ' || burst_iops,
        'at least ' || min_iops,
        max_bytes_per_second || ' bytes/s',
        'priority ' || priority
    ) AS value
FROM fact.array_qos_policy
WHERE is_read;
