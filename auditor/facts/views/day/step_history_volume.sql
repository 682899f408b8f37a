-- materialize: table
-- The volumes that a thing with episodes lies on, with their pools: one row each, and none where no array of fleet.yaml shows them.
WITH subject AS (
    SELECT endpoint, subject_kind, subject FROM step_episode GROUP BY endpoint, subject_kind, subject
),
lying AS (
    SELECT s.endpoint, s.subject_kind, s.subject, b.array_endpoint, b.volume_id
    FROM subject AS s
    JOIN step_datastore_volume AS b ON s.subject_kind = 'datastore' AND b.endpoint = s.endpoint AND b.datastore_id = s.subject
    WHERE b.array_endpoint IS NOT NULL
    UNION
    SELECT s.endpoint, s.subject_kind, s.subject, a.array_endpoint, a.volume_id
    FROM subject AS s
    JOIN step_array_device AS a ON s.subject_kind = 'device' AND a.device = s.subject
    WHERE a.array_endpoint IS NOT NULL
    UNION
    SELECT endpoint, subject_kind, subject, endpoint, subject FROM subject WHERE subject_kind = 'volume'
)
SELECT l.endpoint, l.subject_kind, l.subject, l.array_endpoint, l.volume_id, v.pool_id
FROM lying AS l
LEFT JOIN step_volume AS v ON v.endpoint = l.array_endpoint AND v.volume_id = l.volume_id
UNION ALL
SELECT endpoint, subject_kind, subject, endpoint, NULL, subject FROM subject WHERE subject_kind = 'pool';
