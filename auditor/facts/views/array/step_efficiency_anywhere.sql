-- materialize: table
-- Arrays on which deduplication starts or runs, or may, on a volume that lies on several aggregates (an ONTAP FlexGroup), or on nobody knows which:
-- what is counted by aggregate leaves it out, and is a lower bound.
SELECT
    endpoint,
    bool_or(CASE WHEN start_minutes IS NULL THEN coalesce(NOT is_automatic(schedule, policy), false) ELSE start_minutes <> '[]' END) AS may_start,
    bool_or(operation_state IS NULL OR operation_state = 'active') AS may_run
FROM fact.array_efficiency
WHERE pool_id IS NULL AND state IS DISTINCT FROM 'disabled'
GROUP BY endpoint;
