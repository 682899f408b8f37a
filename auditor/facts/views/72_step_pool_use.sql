-- Who uses each pool of an array, with the QoS in force on its volumes.
CREATE VIEW step_pool_use AS
SELECT
    u.endpoint,
    u.pool_id,
    count(*) AS volumes,
    FEW(u.volume) AS volume_names,
    FEW(u.device) AS devices,
    FEW(u.datastores) AS datastores,
    FEW(u.host_names) AS host_names,
    EACH(q.qos) AS qos
FROM step_volume_use AS u
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
WHERE u.pool_id IS NOT NULL
GROUP BY ALL;
