-- materialize: table
-- One row per thing with three episodes or more: the clock time, of those that come again every 15 minutes to every day, at which more of its episodes
-- began than chance explains best. An episode fits where it began in the interval of that time or in the next one. Times are UTC. Every period that had
-- three runs in the history, and is a number of intervals, is tried with every interval in it: `tried` is how many that are.
WITH period(minutes) AS (
    VALUES (15), (20), (30), (60), (120), (180), (240), (360), (480), (720), (1440)
),
counted AS (
    SELECT endpoint, subject_kind, subject, count(*) AS episodes FROM step_episode WHERE is_begin_read GROUP BY endpoint, subject_kind, subject
),
subject AS (
    SELECT s.endpoint, s.subject_kind, s.subject, s.seconds, c.episodes, epoch(s.first_at) AS first_second, epoch(s.last_at) AS last_second
    FROM step_history_subject AS s
    JOIN counted AS c USING (endpoint, subject_kind, subject)
    WHERE c.episodes >= 3
),
tried AS (
    SELECT s.endpoint, s.subject_kind, s.subject, s.seconds, s.episodes, p.minutes, (s.last_second - s.first_second) // (p.minutes * 60) AS runs
    FROM subject AS s
    CROSS JOIN period AS p
    WHERE (s.last_second - s.first_second) >= 3 * p.minutes * 60 AND p.minutes * 60 >= 3 * s.seconds AND p.minutes * 60 % s.seconds = 0
),
tries AS (
    SELECT endpoint, subject_kind, subject, sum(minutes * 60 // seconds ORDER BY minutes, seconds)::BIGINT AS tried
    FROM tried
    GROUP BY endpoint, subject_kind, subject
),
begun AS (
    SELECT
        t.*,
        e.begin_at,
        e.latency_max_ms,
        epoch(e.begin_at)::BIGINT % (t.minutes * 60) // t.seconds AS phase,
        epoch(e.begin_at)::BIGINT // t.seconds AS place
    FROM tried AS t
    JOIN step_episode AS e ON e.endpoint = t.endpoint AND e.subject_kind = t.subject_kind AND e.subject = t.subject AND e.is_begin_read
),
phase AS (
    SELECT endpoint, subject_kind, subject, minutes, phase FROM begun GROUP BY endpoint, subject_kind, subject, minutes, phase
),
fit AS (
    SELECT
        b.endpoint,
        b.subject_kind,
        b.subject,
        b.seconds,
        b.episodes,
        b.minutes,
        b.runs,
        p.phase,
        count(*) AS begun,
        count(DISTINCT (b.place - p.phase) // (b.minutes * 60 // b.seconds)) AS runs_met,
        min(b.begin_at) AS first_at,
        max(b.begin_at) AS last_at,
        max(b.latency_max_ms) AS worst_ms
    FROM begun AS b
    JOIN phase AS p
        ON p.endpoint = b.endpoint
        AND p.subject_kind = b.subject_kind
        AND p.subject = b.subject
        AND p.minutes = b.minutes
        AND (b.phase - p.phase + b.minutes * 60 // b.seconds) % (b.minutes * 60 // b.seconds) < 2
    GROUP BY b.endpoint, b.subject_kind, b.subject, b.seconds, b.episodes, b.minutes, b.runs, p.phase
),
rated AS (
    SELECT *, 2.0 * seconds / (minutes * 60) AS share_begun, chance_of(begun, episodes, 2.0 * seconds / (minutes * 60)) AS chance FROM fit
),
best AS (
    SELECT endpoint, subject_kind, subject, arg_min((minutes, phase), (chance, -begun, minutes, phase)) AS clock
    FROM rated
    GROUP BY endpoint, subject_kind, subject
)
SELECT
    r.endpoint,
    r.subject_kind,
    r.subject,
    CASE
        WHEN r.minutes <= 60 THEN 'every ' || r.minutes || ' minutes, at ' || r.phase * r.seconds // 60 || ' minutes past'
        WHEN r.minutes < 1440 THEN 'every ' || r.minutes // 60 || ' hours, at ' || strftime(to_timestamp(r.phase * r.seconds) AT TIME ZONE 'UTC', '%H:%M') || ' UTC'
        ELSE 'every day at ' || strftime(to_timestamp(r.phase * r.seconds) AT TIME ZONE 'UTC', '%H:%M') || ' UTC'
    END AS cause_name,
    r.episodes,
    r.begun,
    r.share_begun,
    r.chance,
    t.tried,
    r.runs::BIGINT AS runs,
    r.runs_met,
    r.first_at,
    r.last_at,
    r.worst_ms
FROM rated AS r
JOIN best AS b ON b.endpoint = r.endpoint AND b.subject_kind = r.subject_kind AND b.subject = r.subject AND b.clock = (r.minutes, r.phase)
JOIN tries AS t ON t.endpoint = r.endpoint AND t.subject_kind = r.subject_kind AND t.subject = r.subject;
