-- materialize: view
-- Which array's share is behind a path that NFS clients mount. The data addresses of storage virtual machines are not read, so the path alone
-- joins them: only where one share of one array has it, and every array of that family was read whole; NULL elsewhere.
WITH share AS (
    SELECT
        coalesce(nullif(rtrim(v.export_path, '/'), ''), '/') AS path,
        coalesce(a.array_key, v.endpoint) AS array_key,
        v.endpoint,
        v.volume_id
    FROM step_volume AS v
    LEFT JOIN step_array AS a USING (endpoint)
    WHERE v.kind = 'share' AND v.export_path IS NOT NULL
),
side AS (
    SELECT path, array_key, min(endpoint) AS endpoint, count(DISTINCT volume_id) AS volumes, min(volume_id) AS volume_id
    FROM share
    GROUP BY path, array_key
),
found AS (
    SELECT
        path,
        count(*) = 1 AND max(volumes) = 1 AS fits,
        string_agg(endpoint, ', ' ORDER BY endpoint) AS presented_by,
        min(endpoint) AS endpoint,
        min(volume_id) AS volume_id
    FROM side
    GROUP BY path
)
SELECT
    f.path,
    NOT f.fits AS is_ambiguous,
    f.presented_by,
    CASE WHEN f.fits AND l.volumes_read THEN f.endpoint END AS array_endpoint,
    CASE WHEN f.fits AND l.volumes_read THEN f.volume_id END AS volume_id
FROM found AS f
CROSS JOIN step_ontap_reading AS l;
