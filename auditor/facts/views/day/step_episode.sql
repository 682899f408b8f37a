-- materialize: table
-- One row per span in which a thing's latency left its normal, by whichever host: runs of several hosts that meet are one episode. Commands and bytes
-- are those of all hosts together, latency is that of the hosts on which it was raised. `asked` is the mean number of commands under way: as measured,
-- else commands a second times latency (Little's law).
WITH interval_raised AS (
    SELECT r.endpoint, r.subject_kind, r.subject, r.seconds, h.begin_at, epoch(h.begin_at) // r.seconds AS place
    FROM step_raised_run AS r
    JOIN fact.load_history AS h
        ON h.endpoint = r.endpoint
        AND h.subject_kind = r.subject_kind
        AND h.subject = r.subject
        AND h.host_id = r.host_id
        AND h.seconds = r.seconds
        AND h.begin_at >= r.begin_at
        AND h.begin_at < r.end_at
    GROUP BY r.endpoint, r.subject_kind, r.subject, r.seconds, h.begin_at
),
numbered AS (
    SELECT *, place - row_number() OVER (ORDER BY endpoint, subject_kind, subject, place) AS episode FROM interval_raised
),
span AS (
    SELECT endpoint, subject_kind, subject, episode, seconds, min(begin_at) AS begin_at, max(begin_at) + to_seconds(seconds) AS end_at
    FROM numbered
    GROUP BY endpoint, subject_kind, subject, episode, seconds
),
of_host AS (
    SELECT s.endpoint, s.subject_kind, s.subject, s.episode, r.host_id, r.seconds, r.begin_at, r.end_at
    FROM span AS s
    JOIN step_raised_run AS r
        ON r.endpoint = s.endpoint
        AND r.subject_kind = s.subject_kind
        AND r.subject = s.subject
        AND r.begin_at >= s.begin_at
        AND r.end_at <= s.end_at
),
raised AS (
    SELECT
        r.endpoint,
        r.subject_kind,
        r.subject,
        r.episode,
        count(DISTINCT r.host_id) FILTER (WHERE r.host_id <> '') AS hosts,
        min(r.host_id) AS first_host_id,
        few_distinct(coalesce(o.name, nullif(r.host_id, ''))) AS host_names,
        sum(h.latency_ms * coalesce(h.iops, 1) ORDER BY h.latency_ms, h.iops) / sum(coalesce(h.iops, 1) ORDER BY h.iops) AS latency_ms,
        max(greatest(h.latency_ms, h.latency_max_ms)) AS latency_max_ms,
        avg(h.sioc_active_percent ORDER BY h.sioc_active_percent) AS sioc_active_percent,
        max(n.normal_ms) AS normal_ms,
        max(n.raised_ms) AS raised_ms
    FROM of_host AS r
    JOIN fact.load_history AS h
        ON h.endpoint = r.endpoint
        AND h.subject_kind = r.subject_kind
        AND h.subject = r.subject
        AND h.host_id = r.host_id
        AND h.seconds = r.seconds
        AND h.begin_at >= r.begin_at
        AND h.begin_at < r.end_at
    JOIN step_history_normal AS n
        ON n.endpoint = r.endpoint AND n.subject_kind = r.subject_kind AND n.subject = r.subject AND n.host_id = r.host_id
    LEFT JOIN fact.host AS o ON o.endpoint = r.endpoint AND o.host_id = r.host_id
    GROUP BY r.endpoint, r.subject_kind, r.subject, r.episode
),
moment AS (
    -- Every interval from the one before an episode to the one after it, of all hosts together.
    SELECT
        s.endpoint,
        s.subject_kind,
        s.subject,
        s.episode,
        h.begin_at,
        h.begin_at >= s.begin_at AND h.begin_at < s.end_at AS is_within,
        h.begin_at < s.begin_at AS is_before,
        sum(h.iops ORDER BY h.iops) AS iops,
        sum(h.bytes_per_second ORDER BY h.bytes_per_second) AS bytes_per_second,
        sum(coalesce(h.outstanding, h.iops * h.latency_ms / 1000) ORDER BY h.outstanding, h.iops, h.latency_ms) AS asked
    FROM span AS s
    JOIN fact.load_history AS h
        ON h.endpoint = s.endpoint
        AND h.subject_kind = s.subject_kind
        AND h.subject = s.subject
        AND h.seconds = s.seconds
        AND h.begin_at >= s.begin_at - to_seconds(s.seconds)
        AND h.begin_at <= s.end_at
    JOIN step_history_normal AS n
        ON n.endpoint = h.endpoint AND n.subject_kind = h.subject_kind AND n.subject = h.subject AND n.host_id = h.host_id
    GROUP BY s.endpoint, s.subject_kind, s.subject, s.episode, h.begin_at, s.begin_at, s.end_at
),
within AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        episode,
        bool_or(is_before) AS is_begin_read,
        bool_or(NOT is_before AND NOT is_within) AS is_end_read,
        avg(iops ORDER BY iops) FILTER (WHERE is_within) AS iops,
        avg(bytes_per_second ORDER BY bytes_per_second) FILTER (WHERE is_within) AS bytes_per_second,
        avg(asked ORDER BY asked) FILTER (WHERE is_within) AS asked
    FROM moment
    GROUP BY endpoint, subject_kind, subject, episode
),
usual AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        sum(normal_iops ORDER BY normal_iops) AS normal_iops,
        sum(normal_bytes_per_second ORDER BY normal_bytes_per_second) AS normal_bytes_per_second,
        sum(normal_outstanding ORDER BY normal_outstanding) AS normal_asked
    FROM step_history_normal
    GROUP BY endpoint, subject_kind, subject
)
SELECT
    s.endpoint,
    s.subject_kind,
    s.subject,
    s.episode,
    s.seconds,
    s.begin_at,
    s.end_at,
    w.is_begin_read,
    w.is_end_read,
    r.hosts,
    CASE WHEN r.hosts = 1 THEN r.first_host_id END AS host_id,
    r.host_names,
    r.latency_ms,
    r.latency_max_ms,
    r.normal_ms,
    r.raised_ms,
    w.iops,
    u.normal_iops,
    w.bytes_per_second,
    u.normal_bytes_per_second,
    w.asked,
    u.normal_asked,
    r.sioc_active_percent
FROM span AS s
JOIN raised AS r USING (endpoint, subject_kind, subject, episode)
JOIN within AS w USING (endpoint, subject_kind, subject, episode)
JOIN usual AS u USING (endpoint, subject_kind, subject);
