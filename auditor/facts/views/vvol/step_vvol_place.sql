-- materialize: table
-- Through which protocol endpoints a virtual volume is reached: those it is bound to, and the only one where the array presents no other.
WITH alone AS (
    SELECT endpoint, min(device) AS device
    FROM fact.array_protocol_endpoint
    GROUP BY endpoint
    HAVING count(DISTINCT device) = 1 AND count(device) = count(*)
),
bound AS (
    SELECT v.endpoint, v.volume_id, coalesce(b.device, p.device) AS device
    FROM fact.vvol_binding AS b
    JOIN step_volume AS v ON v.endpoint = b.endpoint AND lower(v.vvol_id) = lower(b.vvol_id)
    LEFT JOIN fact.array_protocol_endpoint AS p ON p.endpoint = b.endpoint AND p.protocol_endpoint_id = b.protocol_endpoint_id
)
SELECT endpoint, volume_id, device FROM bound WHERE device IS NOT NULL
UNION
SELECT v.endpoint, v.volume_id, a.device
FROM step_volume AS v
JOIN alone AS a USING (endpoint)
WHERE v.is_virtual;
