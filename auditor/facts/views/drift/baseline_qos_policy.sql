-- materialize: view
-- One row per QoS policy, profile or category of an array: its limits now, and in the baseline, by the array's id of it; see step_setting_drift.
SELECT
    d.endpoint,
    d.thing AS resource_id,
    CASE WHEN p.policy_id IS NULL THEN d.thing ELSE p.name END AS resource_name,
    d.cluster,
    d.host,
    d.thing AS policy_id,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN fact.array_qos_policy AS p ON p.endpoint = d.endpoint AND p.policy_id = d.thing
WHERE d.kind = 'policy';
