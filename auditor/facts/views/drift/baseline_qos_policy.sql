-- materialize: view
-- One row per QoS policy, profile or category of an array: its limits now, and in the baseline, by the array's id of it; see step_setting_drift.
SELECT
    d.endpoint,
    d.thing AS resource_id,
    CASE WHEN p.policy_id IS NULL THEN d.thing ELSE p.name END AS resource_name,
    d.cluster,
    d.host,
    d.thing AS policy_id,
    a.family,
    p.max_iops,
    CASE
        WHEN regexp_matches(d.value, '^[0-9]+ IOPS') AND regexp_replace(d.value, '^[0-9]+ ', '') = regexp_replace(d.wanted, '^[0-9]+ ', '')
        THEN TRY_CAST(regexp_extract(d.wanted, '^([0-9]+) IOPS', 1) AS BIGINT)
    END AS wanted_max_iops,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN step_array AS a ON a.endpoint = d.endpoint
LEFT JOIN fact.array_qos_policy AS p ON p.endpoint = d.endpoint AND p.policy_id = d.thing
WHERE d.kind = 'policy';
