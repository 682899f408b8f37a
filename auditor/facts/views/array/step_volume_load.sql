-- materialize: table
-- What each volume of an array was doing when it was read, how many operations a second its ceiling is worth at the size it does then, and whether
-- its QoS holds it back.
-- A ceiling in operations is worth fewer of them on Element, by the volume's own curve: that of its burst while it has credits for one. ONTAP and
-- FlashArray are taken to count operations of any size, and of the other families nothing is known. One in bytes a second is divided by the mean
-- size. NULL where there is no ceiling, or its worth is not known.
-- `latency_ms` has what QoS held back in it. Only a FlashArray tells that apart: where it was not read there, neither is known. An ONTAP's may lie
-- below the delay of its QoS (NetApp KB, QoS latency).
-- `is_at_limit`: by what the array says (a FlashArray that delays, an Element volume that does all it may), else by what it does under its ceilings.
-- PowerStore, and ONTAP where a burst was set: between a ceiling and its burst nobody knows.
-- Element: above its maximum a volume with credits bursts, and is held at the burst alone. Its cluster may hold a volume below its maximum
-- (docs/domain/facts.md#6-7): then that is its ceiling. One that does more than its maximum all the same is not held there.
-- A FlashArray that delays nothing has to do all of a ceiling. One whose QoS scheduling takes more than a tenth of the latency, a policy, holds back
-- without a ceiling: whether the wait is QoS, nobody knows then.
WITH asked AS (
    SELECT endpoint, max(read_at) AS read_at FROM fact.reading WHERE topic = 'volume_load' AND scope = '' GROUP BY endpoint
),
loaded AS (
    SELECT *, CASE WHEN throttled_share > 0 AND coalesce(utilization <= 1, true) THEN throttled_share END AS held_below FROM fact.array_volume_load
),
limited AS (
    SELECT
        v.endpoint,
        v.volume_id,
        a.family,
        q.is_capped,
        q.qos_max_iops,
        q.qos_max_bytes_per_second,
        l.average_io_bytes,
        l.actual_iops,
        l.latency_us,
        l.throttle_us,
        coalesce(l.scheduled_us > coalesce(l.latency_us, 0) / 10, false) AS is_scheduled,
        l.burst_credit,
        l.held_below,
        CASE
            WHEN q.qos_max_bytes_per_second IS NOT NULL AND l.average_io_bytes IS NULL THEN NULL
            WHEN a.family = 'solidfire' AND l.held_below IS NOT NULL THEN nullif(q.qos_max_iops * (1 - l.held_below), 0) / c.cost
            WHEN a.family = 'solidfire' THEN CASE WHEN l.burst_credit > 0 THEN coalesce(q.qos_burst_iops, q.qos_max_iops) ELSE q.qos_max_iops END / c.cost
            WHEN a.family IN ('ontap', 'flasharray') THEN least(q.qos_max_iops, q.qos_max_bytes_per_second / l.average_io_bytes)
        END AS limit_per_second,
        x.ceiling,
        x.share_at_least,
        x.share_at_most,
        x.burst_share,
        x.is_told,
        l.utilization,
        coalesce(q.qos_burst_iops > q.qos_max_iops, false) AS may_burst,
        l.utilization * q.qos_max_iops >= at_ceiling() * q.qos_burst_iops AS is_at_burst,
        t.read_at
    FROM step_volume AS v
    JOIN loaded AS l USING (endpoint, volume_id)
    LEFT JOIN step_array AS a USING (endpoint)
    LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
    LEFT JOIN step_curve_cost AS c USING (endpoint, volume_id)
    LEFT JOIN step_volume_ceiling AS x USING (endpoint, volume_id)
    LEFT JOIN asked AS t USING (endpoint)
),
held AS (
    SELECT
        *,
        CASE
            WHEN throttle_us > 0 THEN true
            WHEN is_scheduled THEN NULL
            WHEN utilization >= 1 AND (NOT may_burst OR is_at_burst OR burst_credit = 0) THEN true
            WHEN utilization > 0 AND utilization >= at_ceiling() * (1 - held_below) THEN true
            WHEN utilization >= 1 AND burst_credit IS NULL THEN NULL
            WHEN utilization IS NOT NULL THEN false
            WHEN share_at_least >= at_ceiling() AND share_at_least < at_ceiling() * coalesce(burst_share, 1) THEN NULL
            WHEN share_at_least >= CASE WHEN throttle_us = 0 THEN 1 ELSE at_ceiling() END THEN true
            WHEN throttle_us = 0 THEN CASE WHEN is_told IS DISTINCT FROM false THEN false END
            WHEN share_at_most < at_ceiling() OR NOT is_capped THEN false
        END AS is_at_limit
    FROM limited
)
SELECT
    endpoint,
    volume_id,
    is_capped,
    qos_max_iops,
    qos_max_bytes_per_second,
    average_io_bytes,
    actual_iops AS iops,
    (CAST(nullif(latency_us, 0) AS HUGEINT) + CASE WHEN family <> 'flasharray' THEN 0 ELSE throttle_us END) / 1000 AS latency_ms,
    is_at_limit,
    burst_credit,
    limit_per_second,
    CASE
        WHEN utilization IS NOT NULL THEN utilization
        WHEN throttle_us > 0 THEN greatest(share_at_least, 1)
        ELSE share_at_least
    END AS ceiling_use_at_least,
    CASE
        WHEN is_at_limit AND held_below IS NOT NULL THEN
            'held by its cluster to ' || printf('%.4g', 100 * (1 - held_below)) || ' % of its ceiling' || coalesce(' of ' || ceiling, '')
            || ': the wait is QoS'
        WHEN is_at_limit THEN
            coalesce(
                CASE WHEN may_burst AND is_at_burst THEN 'at the burst above its ceiling of ' ELSE 'at its ceiling of ' END || ceiling,
                'held back by a ceiling that was not found'
            ) || ': the wait is QoS'
        WHEN NOT is_at_limit THEN 'not held back by QoS'
    END AS qos_wait,
    read_at
FROM held;
