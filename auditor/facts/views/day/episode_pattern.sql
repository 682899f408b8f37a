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
logged AS (
    -- Since when all that happened is known: a day is listed, and what happened while the fleet was read is taken as read.
    SELECT
        endpoint,
        CASE
            WHEN bool_and(complete) FILTER (WHERE topic = 'storage_events')
            THEN max(read_at) FILTER (WHERE topic = 'storage_events') - INTERVAL 1 DAY - INTERVAL 15 MINUTE
        END AS events_since,
        CASE
            WHEN bool_and(complete) FILTER (WHERE topic = 'background_jobs')
            THEN max(read_at) FILTER (WHERE topic = 'background_jobs') - INTERVAL 1 DAY - INTERVAL 15 MINUTE
        END AS jobs_since
    FROM fact.reading
    WHERE scope = ''
    GROUP BY endpoint
),
jobs_logged AS (
    -- A FlashArray lists all jobs of the last day; of others it is the newest run of each, or as many as they keep (docs/domain/arrays.md#jobs).
    SELECT p.endpoint, p.subject_kind, p.subject, max(l.jobs_since) AS since
    FROM step_history_volume AS p
    LEFT JOIN step_array AS a ON a.endpoint = p.array_endpoint AND a.family = 'flasharray'
    LEFT JOIN logged AS l ON l.endpoint = a.endpoint
    GROUP BY p.endpoint, p.subject_kind, p.subject
    HAVING count(l.jobs_since) = count(*)
),
scheduled AS (
    SELECT p.endpoint, p.subject_kind, p.subject, 'replication' || coalesce(', schedule ' || x.schedule, '') AS cause_name
    FROM step_history_volume AS p
    JOIN step_replication AS x ON x.endpoint = p.array_endpoint AND x.pool_id = p.pool_id
    WHERE x.interval_seconds <= 3600
    GROUP BY ALL
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
    CASE
        WHEN c.cause IN ('move', 'restart') AND coalesce(s.first_at < v.events_since, true) THEN NULL
        WHEN c.cause = 'job' AND r.cause_name IS NULL AND coalesce(s.first_at < j.since, true) THEN NULL
        ELSE s.is_whole
    END AS is_whole,
    CASE WHEN x.chance IS NOT NULL THEN x.chance ELSE 1.0 END AS job_chance
FROM chanced AS c
JOIN step_history_subject AS s USING (endpoint, subject_kind, subject)
LEFT JOIN explained AS x USING (endpoint, subject_kind, subject)
LEFT JOIN logged AS v ON v.endpoint = c.endpoint
LEFT JOIN jobs_logged AS j ON j.endpoint = c.endpoint AND j.subject_kind = c.subject_kind AND j.subject = c.subject
LEFT JOIN scheduled AS r ON r.endpoint = c.endpoint AND r.subject_kind = c.subject_kind AND r.subject = c.subject AND r.cause_name = c.cause_name;
