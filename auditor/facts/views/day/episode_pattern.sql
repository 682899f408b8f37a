-- materialize: table
-- One row per thing with episodes and what they may go with: an array's job that comes again, a clock time, a move while Storage I/O Control held hosts
-- back, restarts of machines, collapse. How many of how many episodes fit, how many would by chance, and how likely so many are by chance, times what
-- was tried on this thing (docs/design/episodes.md#chance). With fewer than three episodes nothing fits: NULL.
WITH rated AS (
    SELECT *, chance_of(begun, episodes, share_begun) AS chance_begun, chance_of(ran, episodes, share_ran) AS chance_ran
    FROM step_episode_fit
),
job_count AS (
    SELECT endpoint, subject_kind, subject, count(*) AS jobs FROM step_episode_fit WHERE cause = 'job' GROUP BY endpoint, subject_kind, subject
),
pattern AS (
    SELECT
        r.endpoint,
        r.subject_kind,
        r.subject,
        r.cause,
        r.cause_name,
        CASE WHEN r.cause = 'job' AND r.chance_begun < r.chance_ran THEN 'begin with it' ELSE 'go while it runs' END AS way,
        r.episodes,
        CASE WHEN r.cause = 'job' AND r.chance_begun < r.chance_ran THEN r.begun ELSE r.ran END AS fitting,
        CASE WHEN r.cause = 'job' AND r.chance_begun < r.chance_ran THEN r.share_begun ELSE r.share_ran END AS share,
        CASE WHEN r.cause = 'job' THEN 2 * j.jobs ELSE 1 END AS tried,
        CASE WHEN r.cause = 'job' THEN r.runs END AS runs,
        CASE WHEN r.cause = 'job' THEN r.runs_met END AS runs_met,
        r.first_at,
        r.last_at,
        r.worst_ms
    FROM rated AS r
    LEFT JOIN job_count AS j USING (endpoint, subject_kind, subject)
    UNION ALL
    SELECT
        endpoint, subject_kind, subject, 'clock', cause_name, 'begin with it', episodes, begun, share_begun, tried, runs, runs_met, first_at, last_at, worst_ms
    FROM step_episode_clock
    UNION ALL
    SELECT
        endpoint, subject_kind, subject, 'collapse', 'more asked, less done', 'show it', episodes, collapsed, share_ran, 1, NULL, NULL, first_at, last_at,
        worst_ms
    FROM step_episode_collapse
),
chanced AS (
    SELECT *, least(1.0, tried * chance_of(fitting, episodes, share)) AS chance FROM pattern WHERE episodes >= 3 OR fitting > 0
),
explained AS (
    SELECT endpoint, subject_kind, subject, min(chance) AS chance FROM chanced WHERE cause = 'job' AND fitting >= 3 GROUP BY endpoint, subject_kind, subject
)
SELECT
    c.endpoint,
    c.subject_kind || ' ' || c.subject || ': ' || c.cause || ' ' || c.cause_name AS resource_id,
    s.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    CAST(NULL AS VARCHAR) AS host_id,
    c.subject_kind,
    c.subject,
    s.is_nearest,
    s.array_name,
    c.cause,
    c.cause_name,
    c.way,
    c.episodes,
    c.fitting,
    CASE WHEN c.episodes >= 3 THEN c.share END AS share,
    CASE WHEN c.episodes >= 3 THEN c.share * c.episodes END AS fitting_by_chance,
    CASE WHEN c.episodes >= 3 THEN c.tried END AS tried,
    CASE WHEN c.episodes >= 3 THEN c.chance END AS chance,
    c.runs,
    c.runs_met,
    c.first_at,
    c.last_at,
    c.worst_ms,
    (epoch(s.last_at) - epoch(s.first_at)) / 3600 AS hours,
    s.is_whole,
    CASE WHEN x.chance IS NOT NULL THEN x.chance ELSE 1.0 END AS job_chance
FROM chanced AS c
JOIN step_history_subject AS s USING (endpoint, subject_kind, subject)
LEFT JOIN explained AS x USING (endpoint, subject_kind, subject);
