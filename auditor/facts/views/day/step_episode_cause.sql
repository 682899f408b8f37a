-- materialize: table
-- What may have raised the latency of a thing that has episodes, or followed from it: one row each time that it ran. `cause`: job (of the array, on its
-- volumes or in their pools; one whose place is not known counts for the whole array, one that
-- ended nobody knows when for its begin alone; and what a schedule starts every hour or more often, of which an array lists the newest run alone:
-- its minutes are the same in every time zone of whole hours; more than a year is no length of one), move (a machine's disks moved from or to it), restart (of a
-- machine on it by vSphere HA; it counts for ten minutes before it). `cause_name` is what repeats, `detail` whose it was. A move ends
-- with the machine's next event that says so; one without, and one that vCenter lists as a task, still runs.
WITH subject AS (
    SELECT endpoint, subject_kind, subject, min(first_at) AS first_at, min(last_at) AS last_at
    FROM step_episode
    JOIN step_history_subject USING (endpoint, subject_kind, subject)
    GROUP BY endpoint, subject_kind, subject
),
job AS (
    SELECT
        j.endpoint,
        j.kind || coalesce(', schedule ' || j.schedule, '') AS cause_name,
        CASE WHEN j.subject = 'volume' THEN j.subject_id END AS volume_id,
        coalesce(j.pool_id, CASE WHEN j.subject = 'pool' THEN j.subject_id END, v.pool_id) AS pool_id,
        j.begin_at,
        CASE
            WHEN j.end_at IS NOT NULL OR j.outcome = 'running' THEN j.end_at
            ELSE j.begin_at + to_seconds(CASE WHEN j.seconds BETWEEN 0 AND 31622400 THEN j.seconds ELSE 0 END)
        END AS end_at
    FROM fact.background_job AS j
    LEFT JOIN step_volume AS v ON j.subject = 'volume' AND v.endpoint = j.endpoint AND v.volume_id = j.subject_id
    WHERE j.begin_at IS NOT NULL
),
on_array AS (
    SELECT s.endpoint, s.subject_kind, s.subject, j.cause_name, j.begin_at, coalesce(j.end_at, s.last_at) AS end_at
    FROM subject AS s
    JOIN step_history_volume AS p USING (endpoint, subject_kind, subject)
    JOIN job AS j
        ON j.endpoint = p.array_endpoint
        AND (j.volume_id = p.volume_id OR j.pool_id = p.pool_id OR j.pool_id IS NULL OR p.pool_id IS NULL)
),
minute AS (
    SELECT
        s.endpoint, s.subject_kind, s.subject, s.first_at, s.last_at, x.schedule, x.transfer_seconds, unnest(TRY_CAST(x.start_minutes AS BIGINT[])) % 60 AS minute
    FROM subject AS s
    JOIN step_history_volume AS p USING (endpoint, subject_kind, subject)
    JOIN step_replication AS x ON x.endpoint = p.array_endpoint AND x.pool_id = p.pool_id
    WHERE x.interval_seconds <= 3600
),
started AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        'replication' || coalesce(', schedule ' || schedule, '') AS cause_name,
        minute,
        max(transfer_seconds) FILTER (WHERE transfer_seconds BETWEEN 0 AND 31622400) AS seconds,
        unnest(range(epoch(min(first_at))::BIGINT // 3600, epoch(min(last_at))::BIGINT // 3600 + 1)) AS hour
    FROM minute
    GROUP BY endpoint, subject_kind, subject, schedule, minute
),
scheduled AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        cause_name,
        to_timestamp(hour * 3600 + minute * 60) AS begin_at,
        to_timestamp(hour * 3600 + minute * 60 + coalesce(seconds, 0)) AS end_at
    FROM started
),
home AS (
    SELECT d.endpoint, d.vm_id, 'datastore' AS subject_kind, d.datastore_id AS subject FROM fact.vm_disk AS d
    UNION
    SELECT d.endpoint, d.vm_id, 'device', x.device
    FROM fact.vm_disk AS d
    JOIN fact.datastore_extent AS x ON x.endpoint = d.endpoint AND x.datastore_id = d.datastore_id
),
begun AS (
    SELECT b.endpoint, b.vm_id, b.from_datastore_id, b.to_datastore_id, b.happened_at AS begin_at, min(o.happened_at) AS end_at
    FROM fact.storage_event AS b
    LEFT JOIN fact.storage_event AS o
        ON o.endpoint = b.endpoint AND o.vm_id = b.vm_id AND o.kind IN ('moved', 'not moved') AND o.happened_at >= b.happened_at
    WHERE b.kind = 'moving' AND b.from_datastore_id <> b.to_datastore_id
    GROUP BY b.endpoint, b.vm_id, b.from_datastore_id, b.to_datastore_id, b.happened_at
),
running AS (
    SELECT endpoint, entity_id AS vm_id, started_at, target_datastore_id
    FROM fact.running_task
    WHERE (description_id ILIKE '%relocate%' OR description_id ILIKE '%storagevmotion%') AND started_at IS NOT NULL
),
moving AS (
    SELECT endpoint, from_datastore_id AS datastore_id, vm_id, begin_at, end_at FROM begun
    UNION
    SELECT endpoint, to_datastore_id, vm_id, begin_at, end_at FROM begun
    UNION
    SELECT r.endpoint, h.subject, r.vm_id, r.started_at, NULL
    FROM running AS r
    JOIN home AS h ON h.endpoint = r.endpoint AND h.vm_id = r.vm_id AND h.subject_kind = 'datastore'
    UNION
    SELECT endpoint, target_datastore_id, vm_id, started_at, NULL FROM running WHERE target_datastore_id IS NOT NULL
),
moved AS (
    SELECT endpoint, 'datastore' AS subject_kind, datastore_id AS subject, vm_id, begin_at, end_at FROM moving
    UNION
    SELECT m.endpoint, 'device', x.device, m.vm_id, m.begin_at, m.end_at
    FROM moving AS m
    JOIN fact.datastore_extent AS x ON x.endpoint = m.endpoint AND x.datastore_id = m.datastore_id
)
SELECT endpoint, subject_kind, subject, 'job' AS cause, cause_name, NULL AS detail, begin_at, end_at
FROM on_array
WHERE end_at >= begin_at
GROUP BY endpoint, subject_kind, subject, cause_name, begin_at, end_at
UNION ALL
SELECT endpoint, subject_kind, subject, 'job', cause_name, NULL, begin_at, end_at
FROM scheduled
UNION ALL
SELECT s.endpoint, s.subject_kind, s.subject, 'move', 'moves of disks', coalesce(v.name, m.vm_id), m.begin_at, coalesce(m.end_at, s.last_at)
FROM subject AS s
JOIN moved AS m USING (endpoint, subject_kind, subject)
LEFT JOIN fact.vm AS v ON v.endpoint = m.endpoint AND v.vm_id = m.vm_id
WHERE m.begin_at <= s.last_at
UNION ALL
SELECT s.endpoint, s.subject_kind, s.subject, 'restart', 'restarts by vSphere HA', NULL, e.happened_at - INTERVAL 10 MINUTE, e.happened_at
FROM subject AS s
JOIN home AS h USING (endpoint, subject_kind, subject)
JOIN fact.storage_event AS e ON e.endpoint = h.endpoint AND e.vm_id = h.vm_id AND e.kind = 'restarted'
GROUP BY s.endpoint, s.subject_kind, s.subject, e.happened_at;
