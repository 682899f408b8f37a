-- materialize: view
-- The QoS of each volume of an array, in one text; on Element as the remediator element.volume_limits has it, elsewhere policies and
-- ceilings in words. By the array's own id, since names of volumes may come twice. Volumes whose QoS was not understood are left out.
WITH volume AS (
    SELECT
        v.endpoint,
        v.volume_id,
        CASE
            WHEN a.family IS DISTINCT FROM 'solidfire' THEN q.qos
            WHEN v.qos_policy_id IS NULL THEN printf('own %d/%d/%d', v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
            WHEN v.qos_min_iops = o.min_iops AND v.qos_max_iops = o.max_iops AND v.qos_burst_iops = o.burst_iops
            THEN 'policy ' || v.qos_policy_id
            WHEN v.qos_min_iops <> o.min_iops OR v.qos_max_iops <> o.max_iops OR v.qos_burst_iops <> o.burst_iops
            THEN printf('policy %s with own %d/%d/%d', v.qos_policy_id, v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
        END AS qos
    FROM fact.array_volume AS v
    JOIN step_array AS a ON a.endpoint = v.endpoint
    LEFT JOIN step_volume_qos AS q ON q.endpoint = v.endpoint AND q.volume_id = v.volume_id
    LEFT JOIN fact.array_qos_policy AS o ON o.endpoint = v.endpoint AND o.policy_id = v.qos_policy_id
    WHERE v.qos_read AND a.family IS NOT NULL
)
SELECT endpoint, '' AS host_id, volume_id AS thing, 'qos' AS setting, qos AS value
FROM volume
WHERE qos IS NOT NULL;
