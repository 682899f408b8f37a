-- materialize: table
-- The QoS in force on each volume: the tighter of its own (or its policy's) and its group's, and who else is under the same ceiling.
-- `qos` says it in words: NULL when nothing of it was read, 'none' when all was read and there is none; `own_qos` leaves out whether limits on other
-- levels were read: those of ports, hosts and LUNs of an ETERNUS, of qtrees and files within a share of ONTAP, and of the domain of a 3PAR.
-- `qos_sharers` counts the others, `qos_shared_by` names it and them. A FlashArray's priority adjustment of +0 is none.
-- The ceiling of an adaptive policy (ONTAP), or of one per GB (PowerStore), is worked out from the size. Where only bounds are known, `_at_least` and `_at_most` have them, and
-- the volume still counts as capped.
-- On Element each volume of a policy has the policy's limits to itself. Source: API reference, QoS policies.
-- An ETERNUS may limit the reads of a volume, or its writes, by categories of their own. Then the volume is capped, whatever the two do together.
-- A policy of ONTAP may have a floor, a ceiling in IOPS and one in MB/s. ONTAP does not enforce the one in MB/s then, on a volume or on its group.
-- `qos` shows it, and it does not count as a ceiling (docs/domain/facts.md#7-8).
WITH set_only AS (
    SELECT p.endpoint, p.policy_id, p.max_bytes_per_second
    FROM fact.array_qos_policy AS p
    JOIN step_array AS a USING (endpoint)
    WHERE a.family = 'ontap' AND p.max_iops IS NOT NULL AND p.max_bytes_per_second IS NOT NULL AND (
        p.min_iops IS NOT NULL
        OR coalesce(TRY(TRY_CAST(json_extract_string(p.raw, '$.min_throughput_mbps') AS DOUBLE)) > 0, false)
        OR coalesce(regexp_matches(TRY(json_extract_string(p.raw, '$.min_throughput')), '[1-9]'), false)
    )
),
volume AS (
    SELECT
        v.endpoint,
        v.volume_id,
        v.name,
        v.qos_policy_id,
        v.qos_policy,
        v.qos_group_id,
        coalesce(v.qos_group, v.qos_group_id) AS qos_group,
        v.qos_min_iops,
        coalesce(v.qos_max_iops, o.max_iops) AS own_max_iops,
        coalesce(v.qos_group_max_iops, g.max_iops) AS qos_group_max_iops,
        least(coalesce(v.qos_max_iops, o.max_iops), coalesce(v.qos_group_max_iops, g.max_iops)) AS qos_max_iops,
        v.qos_burst_iops,
        CASE WHEN f.policy_id IS NULL THEN coalesce(v.qos_max_bytes_per_second, o.max_bytes_per_second) END AS own_max_bytes_per_second,
        CASE
            WHEN h.policy_id IS NULL THEN coalesce(v.qos_group_max_bytes_per_second, g.max_bytes_per_second)
        END AS qos_group_max_bytes_per_second,
        least(
            CASE WHEN f.policy_id IS NULL THEN coalesce(v.qos_max_bytes_per_second, o.max_bytes_per_second) END,
            CASE WHEN h.policy_id IS NULL THEN coalesce(v.qos_group_max_bytes_per_second, g.max_bytes_per_second) END
        ) AS qos_max_bytes_per_second,
        f.max_bytes_per_second AS own_set_only,
        h.max_bytes_per_second AS group_set_only,
        o.volume_id IS NOT NULL AS is_own_adaptive,
        g.volume_id IS NOT NULL AS is_group_adaptive,
        o.max_iops_at_least AS own_max_iops_at_least,
        o.max_iops_at_most AS own_max_iops_at_most,
        o.block_bytes AS own_block_bytes,
        o.words AS own_adaptive,
        g.words AS group_adaptive,
        g.max_iops_at_least AS group_max_iops_at_least,
        g.max_iops_at_most AS group_max_iops_at_most,
        g.block_bytes AS group_block_bytes,
        nullif(v.qos_priority, '+0') AS qos_priority,
        -- An array whose QoS delays a volume has a ceiling over it, wherever that stands: where none was found, not all of its QoS was read. So
        -- it is where a FlashArray, which tells what it delays, did not.
        v.qos_read AND (o.volume_id IS NULL OR o.max_iops IS NOT NULL) AND (g.volume_id IS NULL OR g.max_iops IS NOT NULL) AND NOT (
            l.volume_id IS NOT NULL AND coalesce(l.throttle_us, CASE WHEN a.family = 'flasharray' THEN 1 ELSE 0 END) > 0
            AND coalesce(v.qos_max_iops, v.qos_group_max_iops, v.qos_max_bytes_per_second, v.qos_group_max_bytes_per_second) IS NULL
        ) AS qos_read,
        -- A snapshot of an older auditor does not have it.
        CASE
            WHEN v.qos_levels_read IS NOT NULL THEN v.qos_levels_read
            ELSE a.family IS DISTINCT FROM 'eternus-dx' AND coalesce(v.kind <> 'share', false)
        END AS levels_read,
        coalesce(v.qos_shared, CASE WHEN a.family = 'solidfire' THEN false END) AS qos_shared
    FROM step_volume AS v
    LEFT JOIN step_array AS a USING (endpoint)
    LEFT JOIN fact.array_volume_load AS l ON l.endpoint = v.endpoint AND l.volume_id = v.volume_id
    LEFT JOIN step_adaptive_ceiling AS o ON o.endpoint = v.endpoint AND o.volume_id = v.volume_id AND o.is_own
    LEFT JOIN step_adaptive_ceiling AS g ON g.endpoint = v.endpoint AND g.volume_id = v.volume_id AND NOT g.is_own
    LEFT JOIN set_only AS f ON f.endpoint = v.endpoint AND f.policy_id = v.qos_policy_id
    LEFT JOIN set_only AS h ON h.endpoint = v.endpoint AND h.policy_id = v.qos_group_id
),
policy AS (
    SELECT endpoint, qos_policy_id, count(*) AS volumes, few(name) AS names
    FROM volume
    WHERE qos_policy_id IS NOT NULL AND qos_shared
    GROUP BY ALL
),
grouped AS (
    SELECT endpoint, qos_group_id, count(*) AS volumes, few(name) AS names FROM volume WHERE qos_group_id IS NOT NULL GROUP BY ALL
),
one_way AS (
    SELECT
        w.endpoint,
        w.volume_id,
        string_agg(
            coalesce(p.name, p.policy_id) || ': '
            || concat_ws(', ', p.max_iops || ' IOPS', round(p.max_bytes_per_second / 1048576, 1) || ' MiB/s'),
            '; ' ORDER BY p.policy_id
        ) AS words
    FROM (
        SELECT endpoint, volume_id, qos_reads_policy_id AS policy_id
        FROM step_volume
        UNION ALL
        SELECT endpoint, volume_id, qos_writes_policy_id
        FROM step_volume
    ) AS w
    JOIN fact.array_qos_policy AS p ON p.endpoint = w.endpoint AND p.policy_id = w.policy_id
    WHERE p.max_iops IS NOT NULL OR p.max_bytes_per_second IS NOT NULL
    GROUP BY w.endpoint, w.volume_id
),
worded AS (
    SELECT
        endpoint,
        volume_id,
        CASE
            WHEN qos_policy IS NOT NULL OR coalesce(qos_min_iops, own_max_iops, qos_burst_iops, own_max_bytes_per_second) IS NOT NULL
                OR qos_priority IS NOT NULL
            THEN coalesce(qos_policy, 'the volume itself') || ': ' || concat_ws(
                ', ',
                CASE
                    WHEN is_own_adaptive THEN own_adaptive
                    WHEN own_max_iops IS NOT NULL THEN own_max_iops || ' IOPS'
                    WHEN qos_read AND own_max_bytes_per_second IS NULL THEN 'no ceiling'
                END,
                'burst ' || qos_burst_iops,
                'at least ' || qos_min_iops,
                CASE WHEN NOT is_own_adaptive THEN round(coalesce(own_max_bytes_per_second, own_set_only) / 1048576, 1) || ' MiB/s' END,
                'priority ' || qos_priority
            )
        END AS own_words,
        CASE
            WHEN qos_group_id IS NOT NULL
            THEN 'group ' || qos_group || ': ' || concat_ws(
                ', ',
                CASE
                    WHEN is_group_adaptive THEN group_adaptive
                    WHEN qos_group_max_iops IS NOT NULL THEN qos_group_max_iops || ' IOPS'
                    WHEN qos_read AND qos_group_max_bytes_per_second IS NULL THEN 'no ceiling'
                END,
                CASE
                    WHEN NOT is_group_adaptive THEN round(coalesce(qos_group_max_bytes_per_second, group_set_only) / 1048576, 1) || ' MiB/s'
                END
            )
        END AS group_words
    FROM volume
),
told AS (
    SELECT
        w.endpoint,
        w.volume_id,
        CASE
            WHEN w.own_words IS NULL AND w.group_words IS NULL AND o.words IS NULL AND NOT coalesce(v.qos_read, false) THEN NULL
            ELSE coalesce(
                nullif(
                    concat_ws(
                        '; ', w.own_words, w.group_words, o.words, CASE WHEN NOT coalesce(v.qos_read, false) THEN 'the rest was not read' END
                    ),
                    ''
                ),
                'none'
            )
        END AS own_qos
    FROM worded AS w
    JOIN volume AS v USING (endpoint, volume_id)
    LEFT JOIN one_way AS o USING (endpoint, volume_id)
)
SELECT
    v.endpoint,
    v.volume_id,
    v.qos_policy,
    v.qos_group,
    v.qos_min_iops,
    v.own_max_iops,
    v.qos_group_max_iops,
    v.qos_max_iops,
    v.qos_burst_iops,
    v.own_max_bytes_per_second,
    v.qos_group_max_bytes_per_second,
    v.qos_max_bytes_per_second,
    v.qos_priority,
    v.is_own_adaptive,
    v.own_max_iops_at_least,
    v.own_max_iops_at_most,
    v.own_block_bytes,
    v.is_group_adaptive,
    v.group_max_iops_at_least,
    v.group_max_iops_at_most,
    v.group_block_bytes,
    CASE
        WHEN v.is_own_adaptive OR v.is_group_adaptive OR v.qos_max_iops IS NOT NULL OR v.qos_max_bytes_per_second IS NOT NULL THEN true
        WHEN o.volume_id IS NOT NULL THEN true
        WHEN v.qos_read AND v.levels_read THEN false
    END AS is_capped,
    v.qos_read AND v.levels_read AS is_whole,
    w.own_qos,
    CASE
        WHEN v.levels_read OR NOT coalesce(v.qos_read, false) THEN w.own_qos
        ELSE CASE WHEN w.own_qos = 'none' THEN 'none of its own' ELSE w.own_qos END || '; the rest was not read'
    END || CASE WHEN v.own_set_only IS NULL AND v.group_set_only IS NULL THEN '' ELSE ' (MiB/s are not enforced beside a floor)' END AS qos,
    CASE
        WHEN r.volumes_read IS NOT true OR (v.qos_policy_id IS NOT NULL AND v.qos_shared IS NULL) THEN NULL
        ELSE greatest(coalesce(p.volumes, 1), coalesce(g.volumes, 1)) - 1
    END AS qos_sharers,
    CASE
        WHEN r.volumes_read IS NOT true OR (v.qos_policy_id IS NOT NULL AND v.qos_shared IS NULL) THEN NULL
        WHEN greatest(coalesce(p.volumes, 1), coalesce(g.volumes, 1)) = 1 THEN ''
        WHEN coalesce(g.volumes, 0) > coalesce(p.volumes, 0) THEN g.names
        ELSE p.names
    END AS qos_shared_by
FROM volume AS v
LEFT JOIN told AS w USING (endpoint, volume_id)
LEFT JOIN one_way AS o USING (endpoint, volume_id)
LEFT JOIN policy AS p USING (endpoint, qos_policy_id)
LEFT JOIN grouped AS g USING (endpoint, qos_group_id)
LEFT JOIN step_endpoint_reading AS r USING (endpoint);
