-- Who uses each file system of an array, with the QoS in force on what lies in it.
CREATE VIEW step_path_use AS
SELECT
    m.endpoint,
    m.path,
    FEW(u.volume) AS volumes,
    FEW(u.device) AS devices,
    FEW(u.datastores) AS datastores,
    FEW(u.host_names) AS host_names,
    EACH(q.qos) AS qos
FROM step_volume_member AS m
JOIN step_volume_use AS u USING (endpoint, volume_id)
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
GROUP BY ALL;
