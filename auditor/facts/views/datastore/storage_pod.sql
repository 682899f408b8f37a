-- materialize: table
-- a row is called: datastore cluster
-- One row per datastore cluster: how Storage DRS is set in it, and what its datastores lie on.
-- The I/O metric counts only while Storage DRS is on: `io_metric_in_force`. `io_behavior` and `space_behavior` are what holds for each kind
-- of move: the override for it, else the cluster's own. Whatever is said of all its datastores is NULL unless the list of datastores was
-- read whole; that one of them has a ceiling on its array, or Storage I/O Control on, is known as soon as one was seen to have it.
-- `lowest_sioc_threshold_ms` is of the datastores where Storage I/O Control is on and its threshold set by hand; NULL where there is none. It is the
-- lowest of those that are known, which settles that it is too low; `sioc_thresholds_known` says whether a lower one may be among the others.
-- `families` and `media` are NULL unless they are known of everything behind it, and each host says the same. One in which
-- nothing lies has 0 datastores.
WITH member AS (
    SELECT
        f.endpoint,
        f.pod_id,
        f.datastore_id,
        f.name,
        f.type,
        -- Where a datastore cannot have Storage I/O Control it is off.
        coalesce(f.sioc_enabled, CASE WHEN NOT f.sioc_supported THEN false END) AS sioc_enabled,
        CASE WHEN f.sioc_enabled AND f.sioc_mode = 'manual' THEN f.sioc_threshold_ms END AS manual_threshold_ms,
        coalesce(f.sioc_enabled, CASE WHEN NOT f.sioc_supported THEN false END) AND f.sioc_mode = 'manual' AS is_manual,
        d.arrays,
        d.pools,
        d.tiering,
        d.tiers,
        d.qos,
        d.has_array_qos,
        -- Only Dell SC is known to move blocks between tiers by what it has learnt of them.
        NOT (d.has_array_qos OR (contains(d.families, 'dell-sc') AND d.tiers > 1)) AS is_unbound
    FROM fact.datastore AS f
    JOIN datastore AS d USING (endpoint, datastore_id)
    WHERE f.pod_id IS NOT NULL
),
store AS (
    SELECT
        endpoint,
        pod_id,
        count(*) AS datastores,
        few_distinct(name) AS datastore_names,
        few_distinct(type) AS types,
        CASE WHEN count(type) = count(*) THEN count(DISTINCT type) END AS type_count,
        few_distinct(CASE WHEN sioc_enabled THEN name END) AS sioc_datastores,
        CASE WHEN bool_or(sioc_enabled) THEN true WHEN count(sioc_enabled) = count(*) THEN false END AS sioc_enabled,
        min(manual_threshold_ms) AS lowest_sioc_threshold_ms,
        count(manual_threshold_ms) AS known_thresholds,
        CASE WHEN count(is_manual) = count(*) THEN count(*) FILTER (WHERE is_manual) END AS manual_thresholds,
        few_distinct(arrays) AS arrays,
        few_distinct(pools) AS pools,
        few_distinct(tiering) AS tiering,
        CASE WHEN count(tiers) = count(*) THEN max(tiers) END AS tiers,
        few_distinct(qos, '; ') AS qos,
        CASE WHEN bool_or(has_array_qos) THEN true WHEN count(has_array_qos) = count(*) THEN false END AS has_array_qos,
        CASE WHEN count(is_unbound) = count(*) THEN coalesce(few_distinct(CASE WHEN is_unbound THEN name END), '') END AS unbound_datastores
    FROM member
    GROUP BY endpoint, pod_id
),
seen AS (
    SELECT
        endpoint,
        device,
        CASE WHEN count(is_ssd) < count(*) THEN NULL WHEN bool_and(is_ssd) THEN 'flash' WHEN bool_and(NOT is_ssd) THEN 'disk' END AS media
    FROM fact.device
    GROUP BY endpoint, device
),
laid_on AS (
    SELECT m.endpoint, m.pod_id, coalesce(s.family, b.family, a.family) AS family, n.media
    FROM member AS m
    LEFT JOIN step_datastore_volume AS b USING (endpoint, datastore_id)
    LEFT JOIN step_seen_device AS s ON s.endpoint = b.endpoint AND s.device = b.device
    LEFT JOIN seen AS n ON n.endpoint = b.endpoint AND n.device = b.device
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
),
behind AS (
    SELECT
        m.endpoint,
        m.pod_id,
        CASE WHEN count(m.family) = count(*) THEN string_agg(DISTINCT m.family, ', ' ORDER BY m.family) END AS families,
        CASE WHEN count(m.family) = count(*) THEN count(DISTINCT m.family) END AS family_count,
        CASE WHEN count(m.media) = count(*) THEN string_agg(DISTINCT m.media, ', ' ORDER BY m.media) END AS media
    FROM laid_on AS m
    GROUP BY m.endpoint, m.pod_id
),
mounting AS (
    SELECT
        m.endpoint,
        m.pod_id,
        count(DISTINCT h.host_id) AS hosts,
        few_distinct(h.name) AS host_names,
        CASE WHEN count(DISTINCT coalesce(h.cluster, '')) = 1 THEN any_value(h.cluster) END AS cluster
    FROM member AS m
    JOIN fact.datastore_mount AS t USING (endpoint, datastore_id)
    JOIN fact.host AS h ON h.endpoint = t.endpoint AND h.host_id = t.host_id
    GROUP BY m.endpoint, m.pod_id
),
pod AS (
    SELECT
        *,
        coalesce(io_automation, default_behavior) AS io_behavior,
        coalesce(space_automation, default_behavior) AS space_behavior
    FROM fact.storage_pod
)
SELECT
    p.endpoint,
    p.pod_id AS resource_id,
    p.name AS resource_name,
    t.cluster,
    CAST(NULL AS VARCHAR) AS host,
    p.pod_id,
    p.sdrs_enabled,
    p.io_metric_enabled,
    p.sdrs_enabled AND p.io_metric_enabled AS io_metric_in_force,
    p.default_behavior,
    p.io_behavior,
    p.space_behavior,
    p.automated_vms,
    CASE
        WHEN p.default_behavior IS NOT NULL AND p.automated_vms IS NOT NULL
        THEN p.io_automation IS NULL AND p.space_automation IS NULL AND p.automated_vms = 0
    END AS default_level_alone,
    CASE
        WHEN NOT p.sdrs_enabled THEN false
        WHEN p.space_behavior = 'automated' OR p.automated_vms > 0 THEN p.sdrs_enabled
        WHEN p.io_behavior = 'automated' AND p.io_metric_enabled THEN p.sdrs_enabled
        WHEN p.space_behavior = 'manual' AND p.automated_vms = 0 AND (p.io_behavior = 'manual' OR NOT p.io_metric_enabled) THEN false
    END AS moves_by_itself,
    p.io_latency_threshold_ms,
    p.load_balance_interval_minutes,
    CASE WHEN r.datastores_read THEN coalesce(s.datastores, 0) END AS datastores,
    s.datastore_names,
    s.types,
    CASE WHEN r.datastores_read THEN s.type_count END AS type_count,
    CASE WHEN r.datastores_read THEN b.families END AS families,
    CASE WHEN r.datastores_read THEN b.family_count END AS family_count,
    CASE WHEN r.datastores_read THEN b.media END AS media,
    s.arrays,
    s.pools,
    s.tiering,
    s.tiers,
    s.qos,
    CASE
        WHEN s.has_array_qos THEN true
        WHEN r.datastores_read AND s.datastores IS NULL THEN false
        WHEN r.datastores_read THEN s.has_array_qos
    END AS has_array_qos,
    CASE
        WHEN s.sioc_enabled THEN true
        WHEN r.datastores_read AND s.datastores IS NULL THEN false
        WHEN r.datastores_read THEN s.sioc_enabled
    END AS any_sioc_enabled,
    s.sioc_datastores,
    CASE WHEN r.datastores_read AND s.datastores IS NULL THEN '' WHEN r.datastores_read THEN s.unbound_datastores END AS unbound_datastores,
    s.lowest_sioc_threshold_ms,
    CASE WHEN r.datastores_read AND (s.datastores IS NULL OR s.known_thresholds = s.manual_thresholds) THEN true END AS sioc_thresholds_known,
    CASE WHEN r.datastores_read AND s.datastores IS NULL THEN 0 WHEN r.datastores_read THEN s.manual_thresholds END AS manual_sioc_thresholds,
    t.hosts,
    t.host_names
FROM pod AS p
LEFT JOIN step_endpoint_reading AS r USING (endpoint)
LEFT JOIN store AS s USING (endpoint, pod_id)
LEFT JOIN behind AS b USING (endpoint, pod_id)
LEFT JOIN mounting AS t USING (endpoint, pod_id);
