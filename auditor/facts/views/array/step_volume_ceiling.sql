-- materialize: table
-- How near each volume is to the nearest of its ceilings when the array was asked, and that ceiling in words.
-- * Several volumes may share a ceiling: those of a group, of a shared policy, or of one file system. It is compared with what they do together.
--   The volumes whose load is known do at least a part of that.
-- * A ceiling on a FlashArray's host or host group holds for what that host does, which no volume reports.
-- * On Element a large operation counts several times, by the volume's own curve. Other families count it several times, too, or once:
--   `share_at_least` holds for all families, `share_at_most` for those that count each operation once.
-- * A PowerStore lets a volume, or a group, go above its ceilings for a while (`burst_share`, of each of them): until then it may be held back or not.
--   So does an ONTAP; what it does where nothing was set, half as much again for a second, is lost in a mean of 15 seconds (docs/domain/facts.md#7-8).
-- * Where a ceiling depends on a size, only bounds of it may be known: above the upper bound it is reached, below the lower bound it is not.
-- `is_countable`: every volume under each of its ceilings is listed. That is not so for a policy of an ONTAP's file system or SVM, nor where the
-- bounds of a ceiling decide nothing. `is_told`: the load of each volume under them was read.
WITH member AS (
    SELECT
        v.endpoint,
        v.volume_id,
        a.family,
        v.qos_policy_id,
        v.qos_policy_id IS NOT NULL AND coalesce(v.qos_shared, false) AS is_shared,
        v.qos_policy_id IS NULL OR a.family = 'solidfire' OR NOT v.qos_shared AS is_alone,
        v.qos_group_id,
        v.svm || ':' || coalesce(nullif(regexp_extract(v.name, '^(?:/vol/)?([^/]+)/', 1), ''), v.name) AS path,
        l.actual_iops,
        l.bytes_per_second
    FROM step_volume AS v
    LEFT JOIN step_array AS a USING (endpoint)
    LEFT JOIN fact.array_volume_load AS l USING (endpoint, volume_id)
),
policy AS (
    SELECT
        endpoint,
        policy_id,
        is_shared,
        volumes,
        1 + coalesce(
            TRY(TRY_CAST(json_extract_string(raw, '$.burst_percentage') AS DOUBLE)),
            nullif(TRY(TRY_CAST(json_extract_string(raw, '$.burst.percent') AS DOUBLE)), 0)
        ) / 100 AS burst_share,
        nullif(TRY(TRY_CAST(json_extract_string(raw, '$.burst.iops') AS DOUBLE)), 0) AS burst_iops,
        TRY(TRY_CAST(json_extract_string(raw, '$.burst.duration') AS DOUBLE)) AS burst_seconds
    FROM fact.array_qos_policy
),
under AS (
    SELECT endpoint, qos_policy_id AS holder, '' AS part, volume_id, family, actual_iops, bytes_per_second, true AS is_own
    FROM member
    WHERE qos_policy_id IS NOT NULL AND is_shared
    UNION ALL
    SELECT
        m.endpoint,
        m.qos_group_id,
        CASE WHEN m.family IS DISTINCT FROM 'ontap' OR p.is_shared THEN '' ELSE m.path END,
        m.volume_id,
        m.family,
        m.actual_iops,
        m.bytes_per_second,
        m.family IS DISTINCT FROM 'ontap'
    FROM member AS m
    LEFT JOIN policy AS p ON p.endpoint = m.endpoint AND p.policy_id = m.qos_group_id
    WHERE m.qos_group_id IS NOT NULL AND NOT (m.is_shared AND m.qos_policy_id IS NOT DISTINCT FROM m.qos_group_id)
),
together AS (
    SELECT
        u.endpoint,
        u.holder,
        u.part,
        sum(u.actual_iops) AS iops,
        sum(u.bytes_per_second) AS bytes_per_second,
        count(*) AS volumes,
        bool_and(u.is_own) AND NOT coalesce(any_value(p.volumes) > count(*), false) AS is_countable,
        count(u.actual_iops) = count(*) AND count(u.bytes_per_second) = count(*) AS is_told,
        any_value(p.volumes) = count(*) AS is_whole
    FROM under AS u
    LEFT JOIN policy AS p ON p.endpoint = u.endpoint AND p.policy_id = u.holder
    GROUP BY u.endpoint, u.holder, u.part
),
ceiling AS (
    SELECT
        m.endpoint,
        m.volume_id,
        CASE WHEN q.is_own_adaptive THEN q.own_max_iops_at_most ELSE q.own_max_iops END AS max_iops,
        CASE WHEN q.is_own_adaptive THEN q.own_max_iops_at_least ELSE q.own_max_iops END AS least_iops,
        q.own_block_bytes AS block_bytes,
        q.is_own_adaptive AND coalesce(q.own_max_iops, 0) = 0 AS is_between,
        CASE
            WHEN q.is_own_adaptive THEN q.own_max_iops_at_most * q.own_block_bytes
            ELSE q.own_max_bytes_per_second
        END AS max_bytes_per_second,
        CASE WHEN m.is_shared THEN t.iops ELSE m.actual_iops END AS iops,
        CASE WHEN m.is_shared THEN t.bytes_per_second ELSE m.bytes_per_second END AS bytes_per_second,
        NOT m.is_shared OR t.is_countable AS is_countable,
        coalesce(m.is_alone, false) OR coalesce(t.is_countable AND t.is_told AND t.is_whole, false) AS is_whole,
        CASE WHEN m.is_shared THEN t.is_told ELSE m.actual_iops IS NOT NULL AND m.bytes_per_second IS NOT NULL END AS is_told,
        CASE WHEN m.is_shared THEN ' of policy ' || coalesce(q.qos_policy, m.qos_policy_id) || ', shared by ' || t.volumes || ' volumes' ELSE '' END AS whose,
        p.burst_share,
        p.burst_iops,
        p.burst_seconds
    FROM member AS m
    JOIN step_volume_qos AS q USING (endpoint, volume_id)
    LEFT JOIN policy AS p ON p.endpoint = m.endpoint AND p.policy_id = m.qos_policy_id
    LEFT JOIN together AS t ON t.endpoint = m.endpoint AND t.holder = m.qos_policy_id AND t.part = ''
    WHERE q.is_own_adaptive OR q.own_max_iops IS NOT NULL OR q.own_max_bytes_per_second IS NOT NULL
    UNION ALL
    SELECT
        m.endpoint,
        m.volume_id,
        CASE WHEN q.is_group_adaptive THEN q.group_max_iops_at_most ELSE q.qos_group_max_iops END,
        CASE WHEN q.is_group_adaptive THEN q.group_max_iops_at_least ELSE q.qos_group_max_iops END,
        q.group_block_bytes,
        q.is_group_adaptive AND coalesce(q.qos_group_max_iops, 0) = 0,
        CASE WHEN q.is_group_adaptive THEN q.group_max_iops_at_most * q.group_block_bytes ELSE q.qos_group_max_bytes_per_second END,
        CASE WHEN m.family = 'flasharray' AND starts_with(q.qos_group, 'host ') THEN NULL ELSE t.iops END,
        CASE WHEN m.family = 'flasharray' AND starts_with(q.qos_group, 'host ') THEN NULL ELSE t.bytes_per_second END,
        coalesce(t.is_countable, false),
        coalesce(t.is_countable AND t.is_told AND t.is_whole, false),
        coalesce(t.is_told, false),
        ' of ' || q.qos_group || CASE WHEN t.volumes > 1 THEN ', shared by ' || t.volumes || ' volumes' ELSE '' END,
        p.burst_share,
        p.burst_iops,
        p.burst_seconds
    FROM member AS m
    JOIN step_volume_qos AS q USING (endpoint, volume_id)
    LEFT JOIN policy AS p ON p.endpoint = m.endpoint AND p.policy_id = m.qos_group_id
    LEFT JOIN together AS t ON t.endpoint = m.endpoint AND t.holder = m.qos_group_id
        AND t.part = CASE WHEN m.family IS DISTINCT FROM 'ontap' OR p.is_shared THEN '' ELSE m.path END
    WHERE q.is_group_adaptive OR q.qos_group_max_iops IS NOT NULL OR q.qos_group_max_bytes_per_second IS NOT NULL
),
used AS (
    SELECT
        c.*,
        a.family,
        c.iops * CASE WHEN a.family = 'solidfire' THEN k.cost ELSE 1 END / nullif(c.max_iops, 0) AS of_iops,
        c.bytes_per_second / nullif(c.max_bytes_per_second, 0) AS of_bytes,
        coalesce(c.burst_share, c.burst_iops / nullif(c.max_iops, 0), CASE WHEN a.family = 'ontap' THEN 1.5 END) AS of_burst
    FROM ceiling AS c
    LEFT JOIN step_array AS a USING (endpoint)
    LEFT JOIN step_curve_cost AS k USING (endpoint, volume_id)
),
compared AS (
    SELECT
        *,
        greatest(of_iops, of_bytes) AS share,
        CASE
            WHEN is_between
            THEN CASE
                WHEN is_whole AND (block_bytes IS NULL OR bytes_per_second IS NOT NULL)
                THEN greatest(iops / nullif(least_iops, 0), bytes_per_second / nullif(least_iops * block_bytes, 0))
            END
            WHEN is_whole AND (max_iops IS NULL OR of_iops IS NOT NULL) AND (max_bytes_per_second IS NULL OR of_bytes IS NOT NULL)
            THEN greatest(of_iops, of_bytes)
        END AS share_of_all,
        CASE WHEN is_between THEN 'at most ' ELSE '' END || CASE
            WHEN max_iops IS NULL OR (of_bytes IS NOT NULL AND of_bytes > coalesce(of_iops, 0))
            THEN round(max_bytes_per_second / 1048576, 1) || ' MiB/s'
            ELSE format('{:,}', max_iops) || ' IOPS'
        END || whose AS words
    FROM used
)
SELECT
    endpoint,
    volume_id,
    arg_max(words, (coalesce(share, -1), words)) AS ceiling,
    max(share) AS share_at_least,
    CASE WHEN count(share_of_all) = count(*) AND any_value(family) IN ('ontap', 'flasharray', 'solidfire') THEN max(share_of_all) END AS share_at_most,
    bool_and(is_countable AND (NOT is_between OR coalesce(share >= at_ceiling() OR share_of_all < at_ceiling(), false))) AS is_countable,
    bool_and(is_told) AS is_told,
    max(CASE WHEN family IS DISTINCT FROM 'ontap' OR of_burst > 1.5 OR burst_seconds > 1 THEN of_burst END) AS burst_share
FROM compared
GROUP BY endpoint, volume_id;
