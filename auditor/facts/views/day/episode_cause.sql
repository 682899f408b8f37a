-- materialize: table
-- One row per run of what may go with the episodes of a thing, whether or not it does: an array's job, a move, a restart; for pictures of the day.
SELECT
    c.endpoint,
    c.subject_kind || ' ' || c.subject || ': ' || c.cause || ' ' || c.cause_name || coalesce(' ' || c.detail, '') || ' '
    || strftime(c.begin_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') || ' ' || strftime(c.end_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS resource_id,
    s.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    CAST(NULL AS VARCHAR) AS host_id,
    c.subject_kind,
    c.subject,
    c.cause,
    c.cause_name,
    c.detail,
    c.begin_at,
    c.end_at
FROM step_episode_cause AS c
JOIN step_history_subject AS s USING (endpoint, subject_kind, subject);
