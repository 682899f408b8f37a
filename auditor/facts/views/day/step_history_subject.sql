-- materialize: table
-- One row per thing that has a history: what it is called, the array behind it, since when and how whole its history is: by each host that measured it,
-- as what one host did not read another did not see. `is_nearest`: no other
-- thing with a history shows the same storage nearer to the machines: a datastore, a device on which no such datastore lies, a volume that no such
-- datastore or device is joined to.
WITH of_host AS (
    -- An interval whose latency was not read is a hole, but for one in which nothing passed.
    SELECT
        h.endpoint,
        h.subject_kind,
        h.subject,
        min(h.seconds) AS seconds,
        min(h.begin_at) AS first_at,
        max(h.begin_at) AS last_begin_at,
        count(*) FILTER (WHERE h.latency_ms IS NOT NULL OR h.iops < 1) AS intervals
    FROM fact.load_history AS h
    JOIN step_history_normal AS n USING (endpoint, subject_kind, subject, host_id, seconds)
    GROUP BY h.endpoint, h.subject_kind, h.subject, h.host_id
),
read AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        min(seconds) AS seconds,
        min(first_at) AS first_at,
        max(last_begin_at) + to_seconds(min(seconds)) AS last_at,
        min(intervals) AS intervals
    FROM of_host
    GROUP BY endpoint, subject_kind, subject
),
lying AS (
    SELECT endpoint, datastore_id, few_distinct(array_name) AS array_name FROM step_datastore_volume GROUP BY endpoint, datastore_id
),
under_datastore AS (
    SELECT v.endpoint, v.device, v.array_endpoint, v.volume_id
    FROM step_datastore_volume AS v
    JOIN read AS r ON r.endpoint = v.endpoint AND r.subject_kind = 'datastore' AND r.subject = v.datastore_id
),
shown_volume AS (
    SELECT array_endpoint, volume_id FROM under_datastore WHERE volume_id IS NOT NULL
    UNION
    SELECT a.array_endpoint, a.volume_id
    FROM read AS r
    JOIN step_array_device AS a ON a.device = r.subject
    WHERE r.subject_kind = 'device' AND a.volume_id IS NOT NULL
),
shown_device AS (
    SELECT endpoint, device FROM under_datastore WHERE device IS NOT NULL GROUP BY endpoint, device
),
whole AS (
    SELECT endpoint, bool_and(complete) AS is_read FROM fact.reading WHERE topic = 'load_history' GROUP BY endpoint
)
SELECT
    r.endpoint,
    r.subject_kind,
    r.subject,
    coalesce(d.name, v.name, p.name, r.subject) AS name,
    CASE
        WHEN r.subject_kind = 'device' THEN a.array_name
        WHEN r.subject_kind = 'datastore' THEN l.array_name
        WHEN y.endpoint IS NOT NULL THEN r.endpoint
    END AS array_name,
    r.seconds,
    r.first_at,
    r.last_at,
    r.intervals,
    CASE WHEN w.is_read AND r.intervals * r.seconds >= epoch(r.last_at) - epoch(r.first_at) THEN true END AS is_whole,
    CASE
        WHEN r.subject_kind = 'datastore' THEN true
        WHEN r.subject_kind = 'device' THEN s.device IS NULL
        WHEN r.subject_kind = 'volume' THEN u.volume_id IS NULL
        ELSE false
    END AS is_nearest
FROM read AS r
LEFT JOIN fact.datastore AS d ON r.subject_kind = 'datastore' AND d.endpoint = r.endpoint AND d.datastore_id = r.subject
LEFT JOIN lying AS l ON r.subject_kind = 'datastore' AND l.endpoint = r.endpoint AND l.datastore_id = r.subject
LEFT JOIN step_volume AS v ON r.subject_kind = 'volume' AND v.endpoint = r.endpoint AND v.volume_id = r.subject
LEFT JOIN fact.array_pool AS p ON r.subject_kind = 'pool' AND p.endpoint = r.endpoint AND p.pool_id = r.subject
LEFT JOIN step_array AS y ON y.endpoint = r.endpoint
LEFT JOIN step_array_device AS a ON r.subject_kind = 'device' AND a.device = r.subject
LEFT JOIN shown_device AS s ON r.subject_kind = 'device' AND s.endpoint = r.endpoint AND s.device = r.subject
LEFT JOIN shown_volume AS u ON r.subject_kind = 'volume' AND u.array_endpoint = r.endpoint AND u.volume_id = r.subject
LEFT JOIN whole AS w ON w.endpoint = r.endpoint;
