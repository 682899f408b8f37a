-- The one join from a device name to what an array presents under it. A name that two arrays present is nobody's: its rows are NULL,
-- and what rests on them is unknown.
CREATE VIEW step_array_device AS
WITH presented AS (
    SELECT v.device, v.endpoint, a.family, v.volume_id, v.name, NULL AS protocol_endpoint_id, v.qos_read, v.qos_policy, v.qos_max_iops,
        v.qos_max_bytes_per_second
    FROM fact.array_volume AS v
    LEFT JOIN fact.array AS a USING (endpoint)
    WHERE v.device IS NOT NULL AND NOT coalesce(v.is_virtual, false)
    UNION ALL
    SELECT p.device, p.endpoint, a.family, NULL, NULL, p.protocol_endpoint_id, NULL, NULL, NULL, NULL
    FROM fact.array_protocol_endpoint AS p
    LEFT JOIN fact.array AS a USING (endpoint)
    WHERE p.device IS NOT NULL
)
SELECT
    device,
    CASE WHEN count(*) = 1 THEN any_value(endpoint) END AS array_name,
    CASE WHEN count(*) = 1 THEN any_value(family) END AS array_family,
    CASE WHEN count(*) = 1 THEN any_value(volume_id) END AS volume_id,
    CASE WHEN count(*) = 1 THEN any_value(name) END AS volume,
    CASE WHEN count(*) = 1 THEN any_value(protocol_endpoint_id) END AS protocol_endpoint_id,
    CASE WHEN count(*) = 1 THEN any_value(qos_policy) END AS qos_policy,
    CASE WHEN count(*) = 1 THEN any_value(qos_max_iops) END AS qos_max_iops,
    CASE WHEN count(*) = 1 AND any_value(qos_read)
        THEN any_value(qos_max_iops) IS NOT NULL OR any_value(qos_max_bytes_per_second) IS NOT NULL
    END AS qos_capped
FROM presented
GROUP BY device;
