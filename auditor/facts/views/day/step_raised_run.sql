-- materialize: table
-- One row per run of intervals in a row in which a thing's latency, measured by one host, was raised far enough and for long enough to have left its
-- normal: one interval above once_ms, two in a row above twice_ms, or six in a row above long_ms. A hole in the history ends a run.
WITH raised AS (
    SELECT
        h.endpoint,
        h.subject_kind,
        h.subject,
        h.host_id,
        h.begin_at,
        h.seconds,
        h.latency_ms,
        n.long_ms,
        n.twice_ms,
        n.once_ms,
        epoch(h.begin_at) // h.seconds AS place
    FROM fact.load_history AS h
    JOIN step_history_normal AS n USING (endpoint, subject_kind, subject, host_id, seconds)
    WHERE h.latency_ms > n.raised_ms AND NOT coalesce(h.iops < 1, false)
),
numbered AS (
    -- Neighbours have one difference of place and number: each line of such is a run.
    SELECT *, place - row_number() OVER (ORDER BY endpoint, subject_kind, subject, host_id, place) AS run
    FROM raised
),
far AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        host_id,
        run,
        place - row_number() OVER (ORDER BY endpoint, subject_kind, subject, host_id, place) AS run_of_long
    FROM numbered
    WHERE latency_ms > long_ms
),
long AS (
    SELECT endpoint, subject_kind, subject, host_id, run, run_of_long, count(*) AS intervals
    FROM far
    GROUP BY endpoint, subject_kind, subject, host_id, run, run_of_long
),
longest AS (
    SELECT endpoint, subject_kind, subject, host_id, run, max(intervals) AS intervals FROM long GROUP BY endpoint, subject_kind, subject, host_id, run
)
SELECT
    n.endpoint,
    n.subject_kind,
    n.subject,
    n.host_id,
    n.seconds,
    min(n.begin_at) AS begin_at,
    max(n.begin_at) + to_seconds(n.seconds) AS end_at
FROM numbered AS n
LEFT JOIN longest AS l
    ON l.endpoint = n.endpoint AND l.subject_kind = n.subject_kind AND l.subject = n.subject AND l.host_id = n.host_id AND l.run = n.run
LEFT JOIN raised AS e
    ON e.endpoint = n.endpoint AND e.subject_kind = n.subject_kind AND e.subject = n.subject AND e.host_id = n.host_id AND e.place = n.place - 1
GROUP BY n.endpoint, n.subject_kind, n.subject, n.host_id, n.seconds, n.run
HAVING
    bool_or(n.latency_ms > n.once_ms)
    OR bool_or(n.latency_ms > n.twice_ms AND e.latency_ms > n.twice_ms)
    OR max(l.intervals) >= 6;
