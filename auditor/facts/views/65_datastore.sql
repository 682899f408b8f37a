-- One row per datastore, with the array volumes its extents lie on.
CREATE VIEW datastore AS
WITH visible AS (
    -- A device is the same for every host that sees it; the array's side of it is joined by name alone.
    SELECT endpoint, device, any_value(family) AS family FROM device GROUP BY ALL
),
backing AS (
    SELECT
        e.endpoint,
        e.datastore_id,
        string_agg(e.device, ', ' ORDER BY e.device) AS devices,
        string_agg(DISTINCT v.family, ', ' ORDER BY v.family) AS families,
        string_agg(DISTINCT a.array_name, ', ' ORDER BY a.array_name) AS arrays,
        string_agg(a.volume, ', ' ORDER BY a.volume) AS volumes,
        string_agg(DISTINCT a.qos_policy, ', ' ORDER BY a.qos_policy) AS qos_policies,
        min(a.qos_max_iops) AS qos_max_iops,
        CASE
            WHEN bool_or(a.qos_capped) THEN true
            WHEN bool_and(a.qos_capped IS NOT NULL) THEN false
        END AS has_array_qos
    FROM fact.datastore_extent AS e
    LEFT JOIN visible AS v USING (endpoint, device)
    LEFT JOIN step_array_device AS a USING (device)
    GROUP BY ALL
),
mount AS (
    SELECT m.endpoint, m.datastore_id, count(*) AS hosts, string_agg(h.name, ', ' ORDER BY h.name) AS host_names,
        CASE WHEN count(DISTINCT coalesce(h.cluster, '')) = 1 THEN any_value(h.cluster) END AS cluster
    FROM fact.datastore_mount AS m
    JOIN fact.host AS h USING (endpoint, host_id)
    GROUP BY ALL
)
SELECT
    d.endpoint,
    d.datastore_id AS resource_id,
    d.name AS resource_name,
    m.cluster,
    CAST(NULL AS VARCHAR) AS host,
    d.datastore_id,
    d.type,
    d.sioc_enabled,
    d.sioc_mode,
    d.sioc_threshold_ms,
    b.devices,
    b.families,
    b.arrays,
    b.volumes,
    b.qos_policies,
    b.qos_max_iops,
    b.has_array_qos,
    d.sioc_enabled AND b.has_array_qos AS both_throttle,
    m.hosts,
    m.host_names
FROM fact.datastore AS d
LEFT JOIN backing AS b USING (endpoint, datastore_id)
LEFT JOIN mount AS m USING (endpoint, datastore_id);
