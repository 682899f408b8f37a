-- materialize: table
-- One row per thing with episodes and cause: how many of its episodes fit the cause, and what share of all intervals of its history would have fitted,
-- had an episode of the mean length begun there. Two ways: the cause began within five minutes before the episode or while its first interval ran
-- (`begun`), or it ran at some time in the episode (`ran`). Episodes whose begin was not read count for neither. `runs` are different times at which the cause
-- began, `runs_met` those after which an episode began.
WITH episode AS (
    SELECT endpoint, subject_kind, subject, episode, seconds, begin_at, end_at, latency_max_ms, coalesce(sioc_active_percent >= 50, false) AS is_held_back
    FROM step_episode
    WHERE is_begin_read
),
counted AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        seconds,
        count(*) AS episodes,
        avg(epoch(end_at) - epoch(begin_at) ORDER BY begin_at, end_at) AS mean_seconds
    FROM episode
    GROUP BY endpoint, subject_kind, subject, seconds
),
place AS (
    SELECT h.endpoint, h.subject_kind, h.subject, h.begin_at, h.begin_at + to_seconds(c.mean_seconds) AS end_at, c.seconds
    FROM counted AS c
    JOIN fact.load_history AS h USING (endpoint, subject_kind, subject, seconds)
    JOIN step_history_normal AS n USING (endpoint, subject_kind, subject, host_id, seconds)
    GROUP BY h.endpoint, h.subject_kind, h.subject, h.begin_at, c.mean_seconds, c.seconds
),
of_episode AS (
    SELECT
        e.endpoint,
        e.subject_kind,
        e.subject,
        c.cause,
        c.cause_name,
        e.episode,
        any_value(e.is_held_back) AS is_held_back,
        any_value(e.begin_at) AS begin_at,
        any_value(e.latency_max_ms) AS latency_max_ms,
        bool_or(c.begin_at >= e.begin_at - INTERVAL 5 MINUTE AND c.begin_at < e.begin_at + to_seconds(e.seconds)) AS is_begun,
        bool_or(c.begin_at < e.end_at AND c.end_at > e.begin_at) AS has_run
    FROM episode AS e
    JOIN step_episode_cause AS c USING (endpoint, subject_kind, subject)
    GROUP BY e.endpoint, e.subject_kind, e.subject, c.cause, c.cause_name, e.episode
),
of_place AS (
    SELECT
        p.endpoint,
        p.subject_kind,
        p.subject,
        c.cause,
        c.cause_name,
        p.begin_at,
        bool_or(c.begin_at >= p.begin_at - INTERVAL 5 MINUTE AND c.begin_at < p.begin_at + to_seconds(p.seconds)) AS is_begun,
        bool_or(c.begin_at < p.end_at AND c.end_at > p.begin_at) AS has_run
    FROM place AS p
    JOIN step_episode_cause AS c USING (endpoint, subject_kind, subject)
    GROUP BY p.endpoint, p.subject_kind, p.subject, c.cause, c.cause_name, p.begin_at
),
share AS (
    SELECT o.endpoint, o.subject_kind, o.subject, o.cause, o.cause_name, avg(o.is_begun::INTEGER) AS share_begun, avg(o.has_run::INTEGER) AS share_ran
    FROM of_place AS o
    GROUP BY o.endpoint, o.subject_kind, o.subject, o.cause, o.cause_name
),
run AS (
    SELECT
        c.endpoint,
        c.subject_kind,
        c.subject,
        c.cause,
        c.cause_name,
        c.begin_at,
        bool_or(c.begin_at >= e.begin_at - INTERVAL 5 MINUTE AND c.begin_at < e.begin_at + to_seconds(e.seconds)) AS is_met
    FROM step_episode_cause AS c
    JOIN episode AS e USING (endpoint, subject_kind, subject)
    JOIN step_history_subject AS s USING (endpoint, subject_kind, subject)
    WHERE c.begin_at >= s.first_at AND c.begin_at < s.last_at
    GROUP BY c.endpoint, c.subject_kind, c.subject, c.cause, c.cause_name, c.begin_at
),
runs AS (
    SELECT endpoint, subject_kind, subject, cause, cause_name, count(*) AS runs, count(*) FILTER (WHERE is_met) AS runs_met
    FROM run
    GROUP BY endpoint, subject_kind, subject, cause, cause_name
),
fit AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        cause,
        cause_name,
        count(*) FILTER (WHERE is_begun) AS begun,
        count(*) FILTER (WHERE has_run) AS ran,
        count(*) FILTER (WHERE has_run AND is_held_back) AS ran_held_back,
        min(begin_at) FILTER (WHERE has_run OR is_begun) AS first_at,
        max(begin_at) FILTER (WHERE has_run OR is_begun) AS last_at,
        max(latency_max_ms) FILTER (WHERE has_run OR is_begun) AS worst_ms
    FROM of_episode
    GROUP BY endpoint, subject_kind, subject, cause, cause_name
)
SELECT
    f.endpoint,
    f.subject_kind,
    f.subject,
    f.cause,
    f.cause_name,
    c.episodes,
    f.begun,
    s.share_begun,
    CASE WHEN f.cause = 'move' THEN f.ran_held_back ELSE f.ran END AS ran,
    s.share_ran,
    coalesce(r.runs, 0) AS runs,
    coalesce(r.runs_met, 0) AS runs_met,
    f.first_at,
    f.last_at,
    f.worst_ms
FROM fit AS f
JOIN counted AS c USING (endpoint, subject_kind, subject)
JOIN share AS s USING (endpoint, subject_kind, subject, cause, cause_name)
LEFT JOIN runs AS r USING (endpoint, subject_kind, subject, cause, cause_name);
