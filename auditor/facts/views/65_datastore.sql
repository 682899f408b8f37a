-- One row per datastore, with the array volumes its extents lie on, or the share it mounts (`joined_by` says by what they were joined).
-- A vVol datastore names only the arrays of its protocol endpoints: its volumes come and go with the machines.
CREATE VIEW datastore AS
WITH backing AS (
    SELECT
        b.endpoint,
        b.datastore_id,
        string_agg(b.device, ', ' ORDER BY b.device) AS devices,
        string_agg(DISTINCT coalesce(s.family, a.family), ', ' ORDER BY coalesce(s.family, a.family)) AS families,
        string_agg(DISTINCT b.array_name, ', ' ORDER BY b.array_name) AS arrays,
        string_agg(b.volume, ', ' ORDER BY b.volume) AS volumes,
        string_agg(DISTINCT b.joined_by, ', ' ORDER BY b.joined_by) AS joined_by,
        CASE WHEN count(b.qos) = count(*) THEN string_agg(DISTINCT b.qos, '; ' ORDER BY b.qos) END AS qos,
        string_agg(DISTINCT b.qos_policy, ', ' ORDER BY b.qos_policy) AS qos_policies,
        min(b.qos_max_iops) AS qos_max_iops,
        min(b.qos_max_bytes_per_second) AS qos_max_bytes_per_second,
        CASE
            WHEN bool_or(b.qos_capped) THEN true
            WHEN bool_and(b.qos_capped IS NOT NULL) THEN false
        END AS has_array_qos,
        string_agg(DISTINCT v.tiering, ', ' ORDER BY v.tiering) AS tiering,
        CASE WHEN count(v.tiers) = count(*) THEN max(v.tiers) END AS tiers,
        string_agg(DISTINCT p.name, ', ' ORDER BY p.name) AS pools
    FROM step_datastore_volume AS b
    LEFT JOIN step_seen_device AS s ON s.endpoint = b.endpoint AND s.device = b.device
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
    LEFT JOIN fact.array_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    LEFT JOIN fact.array_pool AS p ON p.endpoint = v.endpoint AND p.pool_id = v.pool_id
    GROUP BY ALL
),
reached AS (
    SELECT m.endpoint, m.datastore_id, string_agg(DISTINCT a.array_name, ', ' ORDER BY a.array_name) AS arrays
    FROM fact.vvol_mount AS m
    JOIN step_array_device AS a USING (device)
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
    d.nfs_host,
    d.nfs_path,
    b.devices,
    b.families,
    coalesce(b.arrays, c.arrays) AS arrays,
    b.volumes,
    b.joined_by,
    b.qos,
    b.qos_policies,
    b.qos_max_iops,
    b.qos_max_bytes_per_second,
    b.has_array_qos,
    b.tiering,
    b.tiers,
    b.pools,
    d.sioc_enabled AND b.has_array_qos AS both_throttle,
    m.hosts,
    m.host_names
FROM fact.datastore AS d
LEFT JOIN backing AS b USING (endpoint, datastore_id)
LEFT JOIN reached AS c USING (endpoint, datastore_id)
LEFT JOIN mount AS m USING (endpoint, datastore_id);
