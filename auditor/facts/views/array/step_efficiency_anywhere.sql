-- materialize: table
-- Arrays on which deduplication starts or runs, or may, on a volume that lies on several aggregates (an ONTAP FlexGroup), or on nobody knows which:
-- what is counted by aggregate leaves it out, and is a lower bound.
SELECT
    endpoint,
    bool_or(
        state IS DISTINCT FROM 'disabled'
        AND CASE WHEN start_minutes IS NULL THEN coalesce(NOT is_automatic(schedule, policy), false) ELSE start_minutes <> '[]' END
    ) AS may_start,
    bool_or(efficiency_works(state, operation_state) IS DISTINCT FROM false) AS may_run
FROM fact.array_efficiency
WHERE pool_id IS NULL AND (state IS DISTINCT FROM 'disabled' OR efficiency_works(state, operation_state))
GROUP BY endpoint;
