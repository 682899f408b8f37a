-- materialize: table
-- One row per thing with episodes in which commands under way and commands a second are known: in how many of them more was asked than usual, by half or
-- more, and less was done, by a fifth or more; and in what share of the intervals outside of all episodes that is so, one more counted, as none seen is
-- not never. `asked` as in step_episode. Policy: half and a fifth.
WITH episode AS (
    SELECT
        endpoint, subject_kind, subject, begin_at, end_at, latency_max_ms, asked >= 1.5 * normal_asked AND iops <= 0.8 * normal_iops AS is_collapsed
    FROM step_episode
    WHERE is_begin_read AND asked IS NOT NULL AND iops IS NOT NULL AND normal_iops > 0
),
usual AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        seconds,
        sum(normal_iops ORDER BY normal_iops) AS normal_iops,
        sum(normal_outstanding ORDER BY normal_outstanding) AS normal_asked
    FROM step_history_normal
    GROUP BY endpoint, subject_kind, subject, seconds
),
counted AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        count(*) AS episodes,
        count(*) FILTER (WHERE is_collapsed) AS collapsed,
        min(begin_at) FILTER (WHERE is_collapsed) AS first_at,
        max(begin_at) FILTER (WHERE is_collapsed) AS last_at,
        max(latency_max_ms) FILTER (WHERE is_collapsed) AS worst_ms
    FROM episode
    GROUP BY endpoint, subject_kind, subject
),
interval_sum AS (
    SELECT
        h.endpoint,
        h.subject_kind,
        h.subject,
        h.begin_at,
        sum(coalesce(h.outstanding, h.iops * h.latency_ms / 1000) ORDER BY h.outstanding, h.iops, h.latency_ms) >= 1.5 * u.normal_asked
        AND sum(h.iops ORDER BY h.iops) <= 0.8 * u.normal_iops AS is_collapsed
    FROM counted AS c
    JOIN usual AS u USING (endpoint, subject_kind, subject)
    JOIN fact.load_history AS h USING (endpoint, subject_kind, subject, seconds)
    JOIN step_history_normal AS n USING (endpoint, subject_kind, subject, host_id, seconds)
    GROUP BY h.endpoint, h.subject_kind, h.subject, h.begin_at, u.normal_asked, u.normal_iops
),
outside AS (
    SELECT i.endpoint, i.subject_kind, i.subject, (count(*) FILTER (WHERE i.is_collapsed) + 1) / (count(*) + 1) AS share_ran
    FROM interval_sum AS i
    LEFT JOIN step_episode AS e
        ON e.endpoint = i.endpoint AND e.subject_kind = i.subject_kind AND e.subject = i.subject AND i.begin_at >= e.begin_at AND i.begin_at < e.end_at
    WHERE e.episode IS NULL
    GROUP BY i.endpoint, i.subject_kind, i.subject
)
SELECT c.endpoint, c.subject_kind, c.subject, c.episodes, c.collapsed, o.share_ran, c.first_at, c.last_at, c.worst_ms
FROM counted AS c
JOIN outside AS o USING (endpoint, subject_kind, subject);
