-- materialize: view
-- a row is called: volume
-- One row per volume of an array: all that limits it now, and in the baseline, by the array's id of it; see step_setting_drift.
-- `wanted_policy` is the policy of that array by whose name the baseline's text begins, and behind which it has nothing but limits, as
-- step_volume_qos writes them: where "gold: night" is gone from the array, "gold" is not meant. Of two such names it is the longer one. What a
-- group around the volume gives it comes last in the text, and has to be the same for the policy alone to be what differs; so has the priority of a
-- PowerStore, which is of another policy of the volume.
WITH grammar AS (
    SELECT '(adaptive|per GB|no ceiling|[0-9]+ IOPS|burst [0-9]+|at least [0-9]+|[0-9.]+ MiB/s|priority [^:;]*)' AS one_limit
),
named AS (
    SELECT d.endpoint, d.thing, arg_max(p.name, (length(p.name), p.name, p.policy_id)) AS name,
        arg_max(p.policy_id, (length(p.name), p.name, p.policy_id)) AS policy_id
    FROM step_setting_drift AS d
    JOIN fact.array_qos_policy AS p ON p.endpoint = d.endpoint AND starts_with(d.wanted, p.name || ': ')
    CROSS JOIN grammar AS g
    WHERE d.kind = 'volume_qos'
        AND regexp_full_match(d.wanted[length(p.name) + 3:], '(' || g.one_limit || '(, ' || g.one_limit || ')*)?(; .*)?')
    GROUP BY d.endpoint, d.thing
),
ceiling AS (
    -- Ceilings in I/O operations that are there now and were there then, where all else of the text is the same.
    SELECT
        endpoint,
        thing,
        CASE
            WHEN regexp_matches(value, '^the volume itself: [0-9]+ IOPS')
                AND regexp_replace(value, '^(the volume itself:) [0-9]+ ', '') = regexp_replace(wanted, '^(the volume itself:) [0-9]+ ', '')
            THEN TRY_CAST(regexp_extract(wanted, '^the volume itself: ([0-9]+) IOPS', 1) AS BIGINT)
        END AS own_iops,
        CASE
            WHEN regexp_matches(value, '(^|; )group .*: [0-9]+ IOPS')
                AND regexp_replace(value, '(group .*:) [0-9]+ IOPS', '\1') = regexp_replace(wanted, '(group .*:) [0-9]+ IOPS', '\1')
            THEN TRY_CAST(regexp_extract(wanted, 'group .*: ([0-9]+) IOPS', 1) AS BIGINT)
        END AS group_iops
    FROM step_setting_drift
    WHERE kind = 'volume_qos'
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
    v.qos_policy_id AS policy_id,
    w.policy_id AS wanted_policy_id,
    v.qos_max_iops AS own_max_iops,
    c.own_iops AS wanted_own_iops,
    v.qos_group AS volume_group,
    CASE WHEN v.volume_id IS NOT NULL THEN v.qos_group IS NOT NULL END AS is_in_group,
    v.qos_group_max_iops AS group_max_iops,
    c.group_iops AS wanted_group_iops,
    coalesce(c.group_iops <> v.qos_group_max_iops, false) AS group_alone_differs,
    w.name IS NOT NULL
    AND v.qos_policy IS DISTINCT FROM w.name
    AND regexp_extract(d.value, '(^|; )(group .*)$', 2) IS NOT DISTINCT FROM regexp_extract(d.wanted, '(^|; )(group .*)$', 2)
    AND (
        a.family IS DISTINCT FROM 'powerstore'
        OR regexp_extract(d.value, ', priority ([^:;]*)(;|$)', 1) = regexp_extract(d.wanted, ', priority ([^:;]*)(;|$)', 1)
    ) AS policy_alone_differs,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN named AS w ON w.endpoint = d.endpoint AND w.thing = d.thing
LEFT JOIN ceiling AS c ON c.endpoint = d.endpoint AND c.thing = d.thing
LEFT JOIN step_array AS a ON a.endpoint = d.endpoint
LEFT JOIN step_volume AS v ON v.endpoint = d.endpoint AND v.volume_id = d.thing
WHERE d.kind = 'volume_qos';
