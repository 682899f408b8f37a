-- materialize: view
-- One row per QoS policy, profile or category of an array: its limits now, and in the baseline, by the array's id of it. `is_seen` is false
-- for one that is gone, and NULL where not all were read.
WITH wanted AS (
    SELECT of_endpoint AS endpoint, thing AS policy_id, value FROM fact.baseline WHERE kind = 'policy'
),
listed AS (
    SELECT p.endpoint, p.policy_id, p.name, true AS is_seen FROM fact.array_qos_policy AS p
    UNION ALL
    SELECT w.endpoint, w.policy_id, w.policy_id AS name, CASE WHEN r.qos_policies_read THEN false END AS is_seen
    FROM wanted AS w
    JOIN step_endpoint_reading AS r ON r.endpoint = w.endpoint
    LEFT JOIN fact.array_qos_policy AS p ON p.endpoint = w.endpoint AND p.policy_id = w.policy_id
    WHERE p.policy_id IS NULL
)
SELECT
    l.endpoint,
    l.policy_id AS resource_id,
    l.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    l.policy_id,
    w.value IS NOT NULL AS is_known,
    l.is_seen,
    n.value,
    w.value AS wanted,
    m.value AS baseline_run,
    m.taken_at AS baseline_at
FROM listed AS l
JOIN fact.baseline AS m ON m.kind = 'made'
LEFT JOIN wanted AS w ON w.endpoint = l.endpoint AND w.policy_id = l.policy_id
LEFT JOIN step_kept_policy AS n ON n.endpoint = l.endpoint AND n.thing = l.policy_id;
