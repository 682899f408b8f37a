-- materialize: table
-- What may have raised the latency of a thing that has episodes, or followed from it: one row each time that it ran. `cause`: job (of the array, on its
-- volumes or in their pools; one whose place is not known counts for the whole array), move (a machine's disks moved from or to it), restart (of a
-- machine on it by vSphere HA; it counts for ten minutes before it). `cause_name` is what repeats, `detail` whose it was. Of moves those that still run
-- are known.
WITH subject AS (
    SELECT endpoint, subject_kind, subject, min(last_at) AS last_at
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
        j.end_at
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
home AS (
    SELECT d.endpoint, d.vm_id, 'datastore' AS subject_kind, d.datastore_id AS subject FROM fact.vm_disk AS d
    UNION
    SELECT d.endpoint, d.vm_id, 'device', x.device
    FROM fact.vm_disk AS d
    JOIN fact.datastore_extent AS x ON x.endpoint = d.endpoint AND x.datastore_id = d.datastore_id
),
running AS (
    SELECT endpoint, entity_id AS vm_id, entity_name, started_at, target_datastore_id
    FROM fact.running_task
    WHERE (description_id ILIKE '%relocate%' OR description_id ILIKE '%storagevmotion%') AND started_at IS NOT NULL
),
moving AS (
    SELECT r.endpoint, h.subject_kind, h.subject, coalesce(r.entity_name, r.vm_id) AS machine, r.started_at
    FROM running AS r
    JOIN home AS h ON h.endpoint = r.endpoint AND h.vm_id = r.vm_id
    UNION
    SELECT endpoint, 'datastore', target_datastore_id, coalesce(entity_name, vm_id), started_at
    FROM running
    WHERE target_datastore_id IS NOT NULL
)
SELECT endpoint, subject_kind, subject, 'job' AS cause, cause_name, NULL AS detail, begin_at, end_at
FROM on_array
WHERE end_at >= begin_at
GROUP BY endpoint, subject_kind, subject, cause_name, begin_at, end_at
UNION ALL
SELECT s.endpoint, s.subject_kind, s.subject, 'move', 'moves of disks', m.machine, m.started_at, s.last_at
FROM subject AS s
JOIN moving AS m USING (endpoint, subject_kind, subject)
WHERE m.started_at <= s.last_at
UNION ALL
SELECT s.endpoint, s.subject_kind, s.subject, 'restart', 'restarts by vSphere HA', NULL, e.happened_at - INTERVAL 10 MINUTE, e.happened_at
FROM subject AS s
JOIN home AS h USING (endpoint, subject_kind, subject)
JOIN fact.storage_event AS e ON e.endpoint = h.endpoint AND e.vm_id = h.vm_id AND e.kind = 'restarted'
GROUP BY s.endpoint, s.subject_kind, s.subject, e.happened_at;
