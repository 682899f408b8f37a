-- materialize: table
-- What the transfers of a pool's disks are for, one row per pool and function: clients, consistency (reads that writing takes), replication, dedup,
-- scrub (rebuilds as well), other (snapshots, moves, housekeeping, and what no source tells apart).
-- Clients and reads of consistency points are counted by the disks. Of the rest no counter of ONTAP is known that tells disks' transfers apart by
-- function: each has from nothing to all of what is left, less where it is known that it does not run, or how many bytes it sends.
-- * Replication under way takes at most a transfer for each 4 KiB that it sends, by the mean since it began; its reads of metadata are not counted.
-- * `low_per_second` of all functions together is never more than `transfers_per_second`, and none has more than the others leave.
WITH front AS (
    SELECT
        v.endpoint,
        v.pool_id,
        sum(l.actual_iops) FILTER (WHERE v.kind = 'share') AS nfs,
        sum(l.actual_iops) FILTER (WHERE v.kind <> 'share') AS san
    FROM fact.array_volume AS v
    JOIN fact.array_volume_load AS l USING (endpoint, volume_id)
    GROUP BY v.endpoint, v.pool_id
),
at_work AS (
    SELECT
        endpoint,
        pool_id,
        count(*) FILTER (WHERE kind = 'replication') AS replications,
        sum(bytes / nullif(seconds, 0) ORDER BY bytes, seconds) FILTER (WHERE kind = 'replication') AS bytes_per_second,
        count(*) FILTER (WHERE kind = 'replication' AND (bytes IS NULL OR seconds IS NULL OR seconds <= 0)) AS without_rate,
        count(*) FILTER (WHERE kind = 'rebuild') AS rebuilds
    FROM fact.background_job
    WHERE outcome = 'running'
    GROUP BY endpoint, pool_id
),
astray AS (
    -- What runs on nobody knows which pool may be on any.
    SELECT endpoint, replications > 0 AS replicates FROM at_work WHERE pool_id IS NULL
),
reduced AS (
    SELECT
        endpoint,
        pool_id,
        count(*) FILTER (WHERE efficiency_works(state, operation_state)) AS active,
        count(*) FILTER (WHERE efficiency_works(state, operation_state) IS NULL) AS unknown
    FROM fact.array_efficiency
    GROUP BY ALL
),
node AS (
    SELECT endpoint, node_id, any_value(name) AS name FROM fact.array_node GROUP BY endpoint, node_id
),
scrubbed AS (
    SELECT endpoint, node_id, bool_or(is_open) AS is_open, count(*) = count(is_open) AS is_known, any_value(schedule) AS schedule
    FROM fact.array_scrub
    GROUP BY endpoint, node_id
),
known AS (
    SELECT
        p.endpoint,
        p.pool_id,
        l.transfers_per_second AS total,
        l.user_transfers_per_second AS user_transfers,
        l.consistency_reads_per_second AS consistency_reads,
        CASE WHEN r.volumes_read AND r.volume_load_read THEN coalesce(f.nfs, 0) END AS nfs,
        CASE WHEN r.volumes_read AND r.volume_load_read THEN coalesce(f.san, 0) END AS san,
        CASE WHEN r.background_jobs_read AND NOT coalesce(x.replicates, false) THEN coalesce(w.replications, 0) END AS replications,
        CASE WHEN coalesce(w.without_rate, 0) = 0 THEN coalesce(w.bytes_per_second, 0) END AS bytes_per_second,
        CASE WHEN r.background_jobs_read THEN coalesce(w.rebuilds, 0) END AS rebuilds,
        CASE WHEN r.efficiency_read AND NOT coalesce(g.may_run, false) AND coalesce(e.unknown, 0) = 0 THEN coalesce(e.active, 0) END AS dedups,
        CASE WHEN r.scrub_read AND (s.is_open OR s.is_known) THEN s.is_open END AS may_scrub,
        s.schedule AS scrub_schedule
    FROM fact.array_pool AS p
    JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
    JOIN step_array AS a ON a.endpoint = p.endpoint AND a.family = 'ontap'
    LEFT JOIN step_endpoint_reading AS r ON r.endpoint = p.endpoint
    LEFT JOIN front AS f ON f.endpoint = p.endpoint AND f.pool_id = p.pool_id
    LEFT JOIN at_work AS w ON w.endpoint = p.endpoint AND w.pool_id = p.pool_id
    LEFT JOIN astray AS x ON x.endpoint = p.endpoint
    LEFT JOIN step_efficiency_anywhere AS g ON g.endpoint = p.endpoint
    LEFT JOIN reduced AS e ON e.endpoint = p.endpoint AND e.pool_id = p.pool_id
    LEFT JOIN node AS n ON n.endpoint = p.endpoint AND n.node_id = p.node_id
    LEFT JOIN scrubbed AS s ON s.endpoint = p.endpoint AND s.node_id = coalesce(n.name, p.node_id)
),
counted AS (
    -- Two readings of the disks' counters are not of one moment: a part is never more than what the parts before it leave.
    SELECT *, least(user_transfers, total) AS clients, least(consistency_reads, greatest(0, total - user_transfers)) AS consistency
    FROM known
    WHERE total > 0 AND user_transfers IS NOT NULL AND consistency_reads IS NOT NULL
),
rest AS (
    SELECT *, total - clients - consistency AS left_over FROM counted
),
most AS (
    SELECT
        *,
        CASE
            WHEN replications = 0 THEN 0
            WHEN replications > 0 AND bytes_per_second IS NOT NULL THEN least(left_over, bytes_per_second / 4096)
            ELSE left_over
        END AS replication_most,
        CASE WHEN dedups = 0 THEN 0 ELSE left_over END AS dedup_most,
        CASE WHEN rebuilds = 0 AND may_scrub = false THEN 0 ELSE left_over END AS scrub_most
    FROM rest
),
functions AS (
    SELECT
        *,
        'clients' AS function,
        clients AS low,
        clients AS high,
        'measured' AS basis,
        CASE
            WHEN nfs IS NULL THEN 'what they send is not known'
            ELSE 'they send ' || nfs || ' operations a second by NFS, ' || san || ' to LUNs'
        END AS why
    FROM most
    UNION ALL
    SELECT *, 'consistency', consistency, consistency, 'measured', 'reads that writing takes' FROM most
    UNION ALL
    SELECT
        *,
        'replication',
        CAST(0 AS DOUBLE),
        replication_most,
        CASE WHEN replication_most < left_over AND replications > 0 THEN 'estimate' ELSE 'bound' END,
        CASE
            WHEN replications IS NULL THEN 'which transfers are under way is not known'
            WHEN replications = 0 THEN 'no transfer is under way'
            WHEN bytes_per_second IS NULL THEN replications || ' transfers are under way; what they send is not known'
            ELSE replications || ' transfers under way send ' || round(bytes_per_second / 1e6, 1) || ' MB/s: at most a transfer of a disk for each 4 KiB'
        END
    FROM most
    UNION ALL
    SELECT
        *,
        'dedup',
        CAST(0 AS DOUBLE),
        dedup_most,
        'bound',
        CASE
            WHEN dedups IS NULL THEN 'whether it runs is not known'
            WHEN dedups = 0 THEN 'it runs on no volume'
            ELSE 'it runs on ' || dedups || ' volumes'
        END
    FROM most
    UNION ALL
    SELECT
        *,
        'scrub',
        CAST(0 AS DOUBLE),
        scrub_most,
        'bound',
        CASE
            WHEN rebuilds > 0 THEN 'a disk is made anew'
            WHEN may_scrub THEN 'a scrub may run, by its schedule ' || scrub_schedule
            WHEN rebuilds IS NULL OR may_scrub IS NULL THEN 'whether one runs is not known'
            ELSE 'none runs by its schedule ' || scrub_schedule || ', and no disk is made anew'
        END
    FROM most
    UNION ALL
    SELECT
        *,
        'other',
        greatest(0, left_over - replication_most - dedup_most - scrub_most),
        left_over,
        CASE WHEN replication_most < left_over AND replications > 0 THEN 'estimate' ELSE 'bound' END,
        'snapshots, moves, housekeeping, and what no source tells apart'
    FROM most
)
SELECT
    endpoint,
    pool_id,
    function,
    list_position(['clients', 'consistency', 'replication', 'dedup', 'scrub', 'other'], function) AS place,
    low AS low_per_second,
    high AS high_per_second,
    basis,
    why,
    total AS transfers_per_second,
    CASE WHEN function = 'clients' THEN nfs END AS nfs_operations_per_second,
    CASE WHEN function = 'clients' THEN san END AS san_operations_per_second,
    function || ' ' || CASE
        WHEN high = 0 THEN '0'
        WHEN low = high THEN TRY_CAST(round(low) AS BIGINT)::VARCHAR
        WHEN low = 0 THEN 'at most ' || TRY_CAST(round(high) AS BIGINT)
        ELSE TRY_CAST(round(low) AS BIGINT) || ' to ' || TRY_CAST(round(high) AS BIGINT)
    END AS words
FROM functions;
