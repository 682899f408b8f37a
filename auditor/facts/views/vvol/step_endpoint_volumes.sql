-- materialize: view
-- The virtual volumes behind each protocol endpoint of an array, and the ceilings on them. NULL when volumes or bindings were not read whole;
-- an array that presents a single endpoint has all of them behind it, bindings or not.
WITH behind AS (
    SELECT
        p.endpoint,
        p.device,
        CASE WHEN q.is_capped THEN coalesce(m.disk, v.name, v.volume_id) END AS throttled,
        q.qos,
        q.qos_policy,
        q.qos_max_iops
    FROM step_vvol_place AS p
    JOIN step_volume AS v USING (endpoint, volume_id)
    LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
    LEFT JOIN step_vvol_vm AS m ON m.vvol_id = lower(v.vvol_id)
),
told AS (
    SELECT
        endpoint,
        device,
        count(*) AS volumes,
        count(throttled) AS capped,
        few(throttled) AS throttled_labels,
        few_distinct(qos, '; ') AS ceilings,
        few_distinct(qos_policy) AS policies,
        min(qos_max_iops) AS qos_max_iops
    FROM behind
    GROUP BY ALL
),
presented AS (
    SELECT endpoint, count(DISTINCT device) AS endpoints FROM fact.array_protocol_endpoint GROUP BY endpoint
),
known AS (
    SELECT DISTINCT
        p.endpoint,
        p.device,
        coalesce(r.volumes_read AND (r.bindings_read OR (r.protocol_endpoints_read AND n.endpoints = 1)), false) AS is_whole
    FROM fact.array_protocol_endpoint AS p
    LEFT JOIN step_endpoint_reading AS r USING (endpoint)
    LEFT JOIN presented AS n USING (endpoint)
)
SELECT
    k.endpoint AS array_endpoint,
    k.device,
    CASE WHEN k.is_whole THEN coalesce(t.volumes, 0) END AS bound_volumes,
    CASE WHEN k.is_whole THEN coalesce(t.capped, 0) END AS throttled,
    CASE WHEN k.is_whole THEN coalesce(t.throttled_labels, '') END AS throttled_volumes,
    CASE WHEN k.is_whole THEN coalesce(t.ceilings, 'none') END AS qos,
    CASE WHEN k.is_whole THEN coalesce(t.policies, '') END AS qos_policies,
    CASE WHEN k.is_whole THEN t.qos_max_iops END AS qos_max_iops
FROM known AS k
LEFT JOIN told AS t USING (endpoint, device);
