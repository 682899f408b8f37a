-- materialize: table
-- The hours of the week in which deduplication starts on a volume: a row for each day, 0 is Sunday, and hour, 0 to 23.
WITH minute AS (
    SELECT endpoint, pool_id, volume_id, policy_id, start_days, unnest(TRY_CAST(start_minutes AS BIGINT[])) AS minute
    FROM fact.array_efficiency
    WHERE pool_id IS NOT NULL AND coalesce(state, 'enabled') <> 'disabled'
)
SELECT DISTINCT endpoint, pool_id, volume_id, policy_id, unnest(TRY_CAST(start_days AS BIGINT[])) AS day, minute // 60 AS hour FROM minute;
