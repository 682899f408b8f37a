-- materialize: view
-- Storage I/O Control of each datastore, a setting each; of two datastores with one name neither is kept.
WITH same AS (
    SELECT endpoint, name FROM fact.datastore GROUP BY endpoint, name HAVING count(*) = 1
),
store AS (
    SELECT d.endpoint, d.name, d.sioc_enabled, d.sioc_mode, d.sioc_threshold_ms
    FROM fact.datastore AS d
    JOIN same AS s ON s.endpoint = d.endpoint AND s.name = d.name
    WHERE d.sioc_enabled IS NOT NULL
)
SELECT endpoint, '' AS host_id, name AS thing, 'enabled' AS setting, CASE WHEN sioc_enabled THEN 'true' ELSE 'false' END AS value FROM store
UNION ALL
SELECT endpoint, '' AS host_id, name AS thing, 'mode' AS setting, sioc_mode AS value
FROM store
WHERE sioc_enabled AND sioc_mode IS NOT NULL
UNION ALL
SELECT endpoint, '' AS host_id, name AS thing, 'threshold_ms' AS setting, CAST(sioc_threshold_ms AS VARCHAR) AS value
FROM store
WHERE sioc_enabled AND sioc_threshold_ms IS NOT NULL;
