-- materialize: view
-- Who uses each file system of an array, with the QoS in force on what lies in it.
SELECT
    m.endpoint,
    m.path,
    few_distinct(u.volume) AS volumes,
    few_distinct(u.device) AS devices,
    few_distinct(u.datastores) AS datastores,
    few_distinct(u.host_names) AS host_names,
    few_distinct(q.qos, '; ') AS qos
FROM step_volume_member AS m
JOIN step_volume_use AS u USING (endpoint, volume_id)
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
GROUP BY ALL;
