-- materialize: table
-- Does an array cap single virtual volumes? True as soon as one cap is seen, false only when all were read, and each that has
-- a cap is known to be virtual or not; else NULL. A PowerStore lists its virtual volumes apart, so that its others do not matter.
SELECT
    a.endpoint AS array_name,
    CASE
        WHEN bool_or(v.is_virtual AND q.is_capped) THEN true
        WHEN any_value(r.volumes_read) AND bool_and(
            v.volume_id IS NULL OR (a.family = 'powerstore' AND NOT v.is_virtual) OR (coalesce(q.is_whole, false) AND (v.is_virtual IS NOT NULL OR coalesce(NOT q.is_capped, false)))
        )
        THEN false
    END AS per_object_qos
FROM step_array AS a
LEFT JOIN step_volume AS v ON v.endpoint = a.endpoint
LEFT JOIN step_volume_qos AS q ON q.endpoint = v.endpoint AND q.volume_id = v.volume_id
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = a.endpoint
GROUP BY a.endpoint;
