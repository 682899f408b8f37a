-- materialize: table
-- Relationships that copy a volume away, each with the schedule that the cluster with the destination reported: a cluster that only holds the source
-- may not tell it, and is then told by the other, where that is read too and names both volumes by the same paths.
-- Likewise what the newest transfer sent, and how long it took.
-- `start_minutes` are those of the endpoint itself alone: the other cluster's clock may be of another time zone.
WITH timed AS (
    SELECT
        split_part(replication_id, '/', 1) AS relationship,
        source,
        destination,
        any_value(policy) AS policy,
        any_value(schedule) AS schedule,
        any_value(interval_seconds) AS interval_seconds,
        any_value(transfer_state) AS transfer_state,
        any_value(transfer_bytes) AS transfer_bytes,
        any_value(transfer_seconds) AS transfer_seconds
    FROM fact.array_replication
    WHERE role = 'destination' AND schedule_read
    GROUP BY ALL
    HAVING count(*) = 1
)
SELECT
    x.endpoint,
    x.replication_id,
    x.role,
    x.source,
    x.destination,
    x.pool_id,
    coalesce(x.policy, t.policy) AS policy,
    CASE WHEN x.schedule_read THEN x.schedule ELSE t.schedule END AS schedule,
    coalesce(x.schedule_read, false) OR t.relationship IS NOT NULL AS schedule_read,
    CASE WHEN x.schedule_read THEN x.interval_seconds ELSE t.interval_seconds END AS interval_seconds,
    x.start_minutes,
    x.state,
    x.is_healthy,
    x.lag_seconds,
    CASE WHEN x.transfer_state IS NOT NULL THEN x.transfer_state ELSE t.transfer_state END AS transfer_state,
    CASE WHEN x.transfer_state IS NOT NULL THEN x.transfer_bytes ELSE t.transfer_bytes END AS transfer_bytes,
    CASE WHEN x.transfer_state IS NOT NULL THEN x.transfer_seconds ELSE t.transfer_seconds END AS transfer_seconds
FROM fact.array_replication AS x
LEFT JOIN timed AS t
    ON t.relationship = split_part(x.replication_id, '/', 1) AND t.source = x.source AND t.destination = x.destination;
