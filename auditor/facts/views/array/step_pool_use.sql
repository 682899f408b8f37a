-- materialize: table
-- Who uses each pool of an array, with the QoS in force on its volumes.
SELECT
    u.endpoint,
    u.pool_id,
    count(*) AS volumes,
    few_distinct(u.volume) AS volume_names,
    few_distinct(u.device) AS devices,
    few_distinct(u.datastores) AS datastores,
    few_distinct(u.host_names) AS host_names,
    few_distinct(q.qos, '; ') AS qos
FROM step_volume_use AS u
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
WHERE u.pool_id IS NOT NULL
GROUP BY ALL;
