-- materialize: view
-- a row is called: datastore
-- One row per datastore: Storage I/O Control now, and in the baseline, by the datastore's name. Of two datastores with one name neither is
-- known. `is_seen` is false for one that is gone, and NULL where not all datastores were read.
WITH same AS (
    SELECT endpoint, name FROM fact.datastore GROUP BY endpoint, name HAVING count(*) = 1
),
wanted AS (
    SELECT
        of_endpoint AS endpoint,
        thing AS name,
        max(value) FILTER (WHERE setting = 'enabled') AS enabled,
        max(value) FILTER (WHERE setting = 'mode') AS mode,
        max(value) FILTER (WHERE setting = 'threshold_ms') AS threshold_ms
    FROM fact.baseline
    WHERE kind = 'sioc'
    GROUP BY of_endpoint, thing
),
asked AS (
    SELECT DISTINCT endpoint FROM fact.reading WHERE topic = 'datastores'
),
listed AS (
    SELECT d.endpoint, d.datastore_id, d.name, d.type, d.sioc_enabled, d.sioc_mode, d.sioc_threshold_ms, u.name IS NOT NULL AS is_unique,
        true AS is_seen
    FROM fact.datastore AS d
    LEFT JOIN same AS u ON u.endpoint = d.endpoint AND u.name = d.name
    UNION ALL
    SELECT w.endpoint, NULL AS datastore_id, w.name, NULL AS type, NULL AS sioc_enabled, NULL AS sioc_mode, NULL AS sioc_threshold_ms,
        true AS is_unique, CASE WHEN r.datastores_read THEN false END AS is_seen
    FROM wanted AS w
    JOIN asked AS a ON a.endpoint = w.endpoint
    LEFT JOIN step_endpoint_reading AS r ON r.endpoint = w.endpoint
    LEFT JOIN fact.datastore AS d ON d.endpoint = w.endpoint AND d.name = w.name
    WHERE d.name IS NULL
),
change AS (
    SELECT
        e.endpoint,
        e.entity_id,
        max(e.happened_at) AS changed_at,
        nullif(arg_max(coalesce(e.user_name, ''), (e.happened_at, coalesce(e.user_name, ''))), '') AS changed_by
    FROM fact.change_event AS e
    JOIN fact.baseline AS m ON m.kind = 'made'
    WHERE e.entity_kind = 'datastore' AND e.happened_at > m.taken_at
    GROUP BY e.endpoint, e.entity_id
)
SELECT
    l.endpoint,
    coalesce(l.datastore_id, 'gone/' || l.name) AS resource_id,
    l.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    l.datastore_id,
    l.type,
    w.enabled IS NOT NULL AND l.is_unique AS is_known,
    l.is_seen,
    l.sioc_enabled,
    l.sioc_mode,
    l.sioc_threshold_ms,
    CASE
        WHEN l.sioc_mode = 'automatic' THEN 'automatic'
        WHEN l.sioc_mode = 'manual' THEN 'manual ' || l.sioc_threshold_ms || ' ms'
    END AS sioc_threshold,
    d.pod_id,
    CASE WHEN d.pod_id IS NOT NULL THEN o.sdrs_enabled AND o.io_metric_enabled WHEN r.datastores_read AND r.pods_read THEN false END AS io_metric_in_force,
    w.enabled = 'true' AS wanted_enabled,
    w.mode AS wanted_mode,
    TRY_CAST(w.threshold_ms AS BIGINT) AS wanted_threshold_ms,
    CASE
        WHEN w.mode = 'automatic' THEN 'automatic'
        WHEN w.mode = 'manual' THEN 'manual ' || TRY_CAST(w.threshold_ms AS BIGINT) || ' ms'
    END AS wanted_threshold,
    m.value AS baseline_run,
    m.taken_at AS baseline_at,
    c.changed_by,
    c.changed_at
FROM listed AS l
JOIN fact.baseline AS m ON m.kind = 'made'
LEFT JOIN wanted AS w ON w.endpoint = l.endpoint AND w.name = l.name
LEFT JOIN fact.datastore AS d ON d.endpoint = l.endpoint AND d.datastore_id = l.datastore_id
LEFT JOIN fact.storage_pod AS o ON o.endpoint = d.endpoint AND o.pod_id = d.pod_id
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = l.endpoint
LEFT JOIN change AS c ON c.endpoint = l.endpoint AND c.entity_id = l.datastore_id;
