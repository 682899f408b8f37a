-- materialize: table
-- One row per datastore: on which array it lies, and of which family that is; NULL where nobody knows, or it lies on several. Two datastores are on
-- one array where their `array_key` is one, and on two where these differ, or their families do.
WITH family AS (
    SELECT b.endpoint, b.datastore_id, coalesce(min(b.family), min(d.family)) AS family, coalesce(max(b.family), max(d.family)) AS last_family
    FROM step_datastore_volume AS b
    LEFT JOIN device AS d ON d.endpoint = b.endpoint AND d.device = b.device
    GROUP BY b.endpoint, b.datastore_id
),
lying AS (
    SELECT
        b.endpoint,
        b.datastore_id,
        CASE WHEN count(a.array_key) = count(*) AND min(a.array_key) = max(a.array_key) THEN min(a.array_key) END AS array_key,
        few_distinct(b.array_name) AS arrays
    FROM step_datastore_volume AS b
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
    GROUP BY b.endpoint, b.datastore_id
)
SELECT s.endpoint, s.datastore_id, s.name, l.array_key, l.arrays, CASE WHEN f.family = f.last_family THEN f.family END AS family
FROM fact.datastore AS s
LEFT JOIN lying AS l ON l.endpoint = s.endpoint AND l.datastore_id = s.datastore_id
LEFT JOIN family AS f ON f.endpoint = s.endpoint AND f.datastore_id = s.datastore_id;
