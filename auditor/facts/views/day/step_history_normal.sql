-- materialize: table
-- One row per thing and host that measured it, with what its latency usually is in the history that was read (docs/design/episodes.md#normal). Of
-- several lengths of intervals the one that covers most counts. An interval in which less than one command a second passed says nothing of
-- latency; with fewer than 48 of the others nothing is usual: NULL, and no episode is seen. What is counted of all hosts together (host_id '') is
-- left out where each host is counted as well: it would count twice. Intervals of less than a second or more than a day are none.
WITH covered AS (
    SELECT endpoint, subject_kind, subject, seconds, count(DISTINCT begin_at) AS intervals, bool_or(host_id <> '') AS is_of_hosts
    FROM fact.load_history
    WHERE seconds BETWEEN 1 AND 86400
    GROUP BY endpoint, subject_kind, subject, seconds
),
length AS (
    SELECT endpoint, subject_kind, subject, arg_max(seconds, (intervals * seconds, -seconds)) AS seconds, bool_or(is_of_hosts) AS is_of_hosts
    FROM covered
    GROUP BY endpoint, subject_kind, subject
),
usual AS (
    SELECT
        h.endpoint,
        h.subject_kind,
        h.subject,
        h.host_id,
        h.seconds,
        count(*) AS intervals,
        count(h.latency_ms) FILTER (WHERE NOT coalesce(h.iops < 1, false)) AS judged,
        median(h.latency_ms) FILTER (WHERE NOT coalesce(h.iops < 1, false)) AS normal_ms,
        quantile_cont(h.latency_ms, 0.1) FILTER (WHERE NOT coalesce(h.iops < 1, false)) AS low_ms,
        median(h.iops) AS normal_iops,
        median(h.bytes_per_second) AS normal_bytes_per_second,
        median(coalesce(h.outstanding, h.iops * h.latency_ms / 1000)) AS normal_outstanding
    FROM fact.load_history AS h
    JOIN length AS l USING (endpoint, subject_kind, subject, seconds)
    WHERE h.host_id <> '' OR NOT l.is_of_hosts
    GROUP BY h.endpoint, h.subject_kind, h.subject, h.host_id, h.seconds
)
SELECT
    endpoint,
    subject_kind,
    subject,
    host_id,
    seconds,
    intervals,
    CASE WHEN judged >= 48 THEN normal_ms END AS normal_ms,
    CASE WHEN judged >= 48 THEN off_normal_ms(normal_ms, low_ms, 2.5) END AS raised_ms,
    CASE WHEN judged >= 48 THEN off_normal_ms(normal_ms, low_ms, 4) END AS long_ms,
    CASE WHEN judged >= 48 THEN off_normal_ms(normal_ms, low_ms, 5) END AS twice_ms,
    CASE WHEN judged >= 48 THEN off_normal_ms(normal_ms, low_ms, 6) END AS once_ms,
    normal_iops,
    normal_bytes_per_second,
    normal_outstanding
FROM usual;
