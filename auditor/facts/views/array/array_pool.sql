-- materialize: table
-- One row per pool of an array (aggregate, RAID group, storage type): its load, the background work on it, and who lies on it.
-- * `background_share` is the share of its transfers that no client asked for, 0 to 1; `other_share` that without the reads that writing takes:
--   what copies, deduplication, scrubs and rebuilds have together. No source tells these apart.
-- * `replication_bytes_per_second` is what the newest transfers sent, spread over the time between two starts.
-- * `replications` are relationships that copy away from it; `replication_starts_in_one_minute` is the most of them that start together, in
--   any minute of the day; `shortest_replication_seconds` is the least mean time between two starts of one of them.
-- * `efficiency_at_midnight` are volumes whose deduplication starts between 00:00 and 00:59.
-- Each is NULL when what it rests on was not read whole, or a schedule was not understood, or one lies on several pools or on nobody knows which;
-- `..._at_least` counts what is surely of this pool.
WITH copied AS (
    SELECT
        endpoint,
        pool_id,
        count(*) AS replications,
        min(interval_seconds) AS shortest,
        count(*) FILTER (WHERE schedule_read IS NOT TRUE OR (schedule IS NOT NULL AND interval_seconds IS NULL)) AS without_interval,
        count(*) FILTER (WHERE schedule_read IS NOT TRUE OR (schedule IS NOT NULL AND start_minutes IS NULL)) AS without_starts,
        sum(86400.0 / interval_seconds ORDER BY interval_seconds) AS starts_a_day,
        count(*) FILTER (WHERE transfer_state = 'transferring') AS transferring,
        count(*) FILTER (WHERE transfer_state IS NULL) AS without_state,
        sum(transfer_bytes / interval_seconds ORDER BY transfer_bytes, interval_seconds) AS bytes_per_second,
        count(*) FILTER (WHERE transfer_bytes IS NULL) AS without_bytes
    FROM step_replication
    WHERE role = 'source'
    GROUP BY ALL
),
unplaced AS (
    -- A copy away from nobody knows which pool may be one of any.
    SELECT DISTINCT endpoint FROM step_replication WHERE role = 'source' AND pool_id IS NULL
),
homeless AS (
    SELECT DISTINCT endpoint FROM step_volume WHERE pool_id IS NULL
),
started AS (
    SELECT endpoint, pool_id, replication_id, unnest(TRY_CAST(start_minutes AS BIGINT[])) AS minute
    FROM step_replication
    WHERE role = 'source'
),
minutes AS (
    SELECT endpoint, pool_id, minute, count(DISTINCT replication_id) AS together FROM started GROUP BY ALL
),
busiest AS (
    SELECT endpoint, pool_id, max(together) AS together, arg_max(minute, (together, -minute)) AS minute FROM minutes GROUP BY endpoint, pool_id
),
reduced AS (
    SELECT
        endpoint,
        pool_id,
        count(*) FILTER (WHERE state IS DISTINCT FROM 'disabled' AND list_min(TRY_CAST(start_minutes AS BIGINT[])) < 60) AS at_midnight,
        count(*) FILTER (
            WHERE (state IS DISTINCT FROM 'disabled' AND start_minutes IS NULL AND NOT is_automatic(schedule, policy))
                OR (start_minutes <> '[]' AND state IS NULL)
        ) AS without_starts,
        count(*) FILTER (WHERE efficiency_works(state, operation_state)) AS active,
        count(*) FILTER (WHERE efficiency_works(state, operation_state) IS NULL) AS without_operation
    FROM fact.array_efficiency
    GROUP BY ALL
),
node AS (
    SELECT endpoint, node_id, any_value(name) AS name FROM fact.array_node GROUP BY endpoint, node_id
),
processors AS (
    -- The five domains that take most; by ONTAP's own names, whose meaning is in no reference.
    SELECT
        endpoint,
        node_id,
        array_to_string(list_slice(list(domain || ' ' || TRY_CAST(round(percent) AS BIGINT) || ' %' ORDER BY percent DESC, domain), 1, 5), ', ') AS cpu_domains,
        sum(percent ORDER BY percent) AS cpu_percent
    FROM fact.array_node_cpu
    WHERE domain <> 'idle'
    GROUP BY endpoint, node_id
),
functions AS (
    SELECT endpoint, pool_id, string_agg(words, ', ' ORDER BY place) AS functions FROM step_pool_function GROUP BY endpoint, pool_id
),
scrubbed AS (
    SELECT endpoint, node_id, any_value(schedule) AS schedule, any_value(start_minutes) AS start_minutes, max(duration_minutes) AS duration_minutes
    FROM fact.array_scrub
    GROUP BY endpoint, node_id
)
SELECT
    p.endpoint,
    p.pool_id AS resource_id,
    p.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    p.pool_id,
    a.family,
    coalesce(n.name, p.node_id) AS node,
    p.media,
    p.rpm,
    p.disks,
    p.data_disks,
    p.raid_type,
    p.size_bytes,
    l.busy_percent,
    l.disk_iops,
    l.transfers_per_second,
    l.user_transfers_per_second,
    CASE
        WHEN l.transfers_per_second > 0 AND l.user_transfers_per_second IS NOT NULL
        THEN greatest(0, 1 - l.user_transfers_per_second / l.transfers_per_second)
    END AS background_share,
    l.consistency_reads_per_second,
    CASE
        WHEN l.transfers_per_second > 0 AND l.user_transfers_per_second IS NOT NULL AND l.consistency_reads_per_second IS NOT NULL
        THEN greatest(0, 1 - (l.user_transfers_per_second + l.consistency_reads_per_second) / l.transfers_per_second)
    END AS other_share,
    f.functions,
    m.candidates,
    q.cpu_percent,
    q.cpu_domains,
    l.current_ops,
    l.optimal_ops,
    l.current_latency_us,
    CASE WHEN r.replication_read AND x.endpoint IS NULL THEN coalesce(c.replications, 0) END AS replications,
    coalesce(c.replications, 0) AS replications_at_least,
    CASE WHEN r.replication_read AND x.endpoint IS NULL AND coalesce(c.without_state, 0) = 0 THEN coalesce(c.transferring, 0) END
        AS replications_transferring,
    CASE
        WHEN r.replication_read AND x.endpoint IS NULL AND coalesce(c.without_interval, 0) = 0 AND coalesce(c.without_bytes, 0) = 0
        THEN coalesce(c.bytes_per_second, 0)
    END AS replication_bytes_per_second,
    CASE WHEN r.replication_read AND x.endpoint IS NULL AND c.without_interval = 0 THEN c.shortest END AS shortest_replication_seconds,
    CASE WHEN r.replication_read AND x.endpoint IS NULL AND coalesce(c.without_interval, 0) = 0 THEN round(coalesce(c.starts_a_day, 0), 1) END
        AS replication_starts_a_day,
    CASE WHEN r.replication_read AND x.endpoint IS NULL AND coalesce(c.without_starts, 0) = 0 THEN coalesce(b.together, 0) END
        AS replication_starts_in_one_minute,
    coalesce(b.together, 0) AS replication_starts_in_one_minute_at_least,
    CASE WHEN r.replication_read AND x.endpoint IS NULL AND c.without_starts = 0 THEN b.minute END AS busiest_minute,
    CASE WHEN r.efficiency_read AND NOT coalesce(g.may_start, false) AND coalesce(e.without_starts, 0) = 0 THEN coalesce(e.at_midnight, 0) END
        AS efficiency_at_midnight,
    CASE WHEN r.efficiency_read AND NOT coalesce(g.may_run, false) AND coalesce(e.without_operation, 0) = 0 THEN coalesce(e.active, 0) END
        AS efficiency_active,
    s.schedule AS scrub_schedule,
    s.start_minutes AS scrub_start_minutes,
    s.duration_minutes AS scrub_duration_minutes,
    CASE WHEN r.volumes_read AND h.endpoint IS NULL THEN coalesce(u.volumes, 0) END AS volumes,
    u.volume_names,
    u.devices,
    u.datastores,
    u.host_names,
    u.qos
FROM fact.array_pool AS p
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN step_endpoint_reading AS r USING (endpoint)
LEFT JOIN fact.array_pool_load AS l ON l.endpoint = p.endpoint AND l.pool_id = p.pool_id
LEFT JOIN copied AS c ON c.endpoint = p.endpoint AND c.pool_id = p.pool_id
LEFT JOIN homeless AS h ON h.endpoint = p.endpoint
LEFT JOIN unplaced AS x ON x.endpoint = p.endpoint
LEFT JOIN step_efficiency_anywhere AS g ON g.endpoint = p.endpoint
LEFT JOIN busiest AS b ON b.endpoint = p.endpoint AND b.pool_id = p.pool_id
LEFT JOIN reduced AS e ON e.endpoint = p.endpoint AND e.pool_id = p.pool_id
LEFT JOIN node AS n ON n.endpoint = p.endpoint AND n.node_id = p.node_id
LEFT JOIN scrubbed AS s ON s.endpoint = p.endpoint AND s.node_id = coalesce(n.name, p.node_id)
LEFT JOIN functions AS f ON f.endpoint = p.endpoint AND f.pool_id = p.pool_id
LEFT JOIN processors AS q ON q.endpoint = p.endpoint AND q.node_id = coalesce(n.name, p.node_id)
LEFT JOIN step_pool_room AS m ON m.endpoint = p.endpoint AND m.pool_id = p.pool_id
LEFT JOIN step_pool_use AS u ON u.endpoint = p.endpoint AND u.pool_id = p.pool_id;
