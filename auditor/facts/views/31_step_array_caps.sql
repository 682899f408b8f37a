-- Does an array cap single virtual volumes? True as soon as one cap is seen, false only when all were read, else NULL.
CREATE VIEW step_array_caps AS
SELECT
    a.endpoint AS array_name,
    CASE
        WHEN coalesce(bool_or(v.is_virtual AND (v.qos_max_iops IS NOT NULL OR v.qos_max_bytes_per_second IS NOT NULL)), false) THEN true
        WHEN coalesce(any_value(r.volumes_read), false) AND coalesce(bool_and(v.qos_read), true) THEN false
    END AS per_object_qos
FROM fact.array AS a
LEFT JOIN fact.array_volume AS v ON v.endpoint = a.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = a.endpoint
GROUP BY a.endpoint;
