-- materialize: view
-- One row per volume of an array: all that limits it now, and in the baseline, by the array's id of it; see step_setting_drift.
-- `wanted_policy` is the policy of that array by whose name the baseline's text begins; of two such names the longer one. What a group around the
-- volume gives it comes last in the text, and has to be the same for the policy alone to be what differs.
WITH named AS (
    SELECT d.endpoint, d.thing, arg_max(p.name, length(p.name)) AS name
    FROM step_setting_drift AS d
    JOIN fact.array_qos_policy AS p ON p.endpoint = d.endpoint AND starts_with(d.wanted, p.name || ': ')
    WHERE d.kind = 'volume_qos'
    GROUP BY d.endpoint, d.thing
)
SELECT
    d.endpoint,
    d.thing AS resource_id,
    CASE WHEN v.volume_id IS NULL THEN d.thing ELSE v.name END AS resource_name,
    d.cluster,
    d.host,
    d.thing AS volume_id,
    a.family,
    v.is_virtual,
    v.kind,
    v.qos_policy AS policy,
    w.name AS wanted_policy,
    w.name IS NOT NULL
    AND v.qos_policy IS DISTINCT FROM w.name
    AND regexp_extract(d.value, '(^|; )(group .*)$', 2) IS NOT DISTINCT FROM regexp_extract(d.wanted, '(^|; )(group .*)$', 2) AS policy_alone_differs,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN named AS w ON w.endpoint = d.endpoint AND w.thing = d.thing
LEFT JOIN step_array AS a ON a.endpoint = d.endpoint
LEFT JOIN step_volume AS v ON v.endpoint = d.endpoint AND v.volume_id = d.thing
WHERE d.kind = 'volume_qos';
