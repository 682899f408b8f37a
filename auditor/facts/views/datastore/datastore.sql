-- materialize: table
-- One row per datastore, with the array volumes its extents lie on, or the share it mounts (`joined_by` says by what they were joined).
-- A vVol datastore names only the arrays of its protocol endpoints: its volumes come and go with the machines.
WITH backing AS (
    SELECT
        b.endpoint,
        b.datastore_id,
        string_agg(b.device, ', ' ORDER BY b.device) AS devices,
        string_agg(DISTINCT coalesce(s.family, b.family, a.family), ', ' ORDER BY coalesce(s.family, b.family, a.family)) AS families,
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
        string_agg(DISTINCT p.name, ', ' ORDER BY p.name) AS pools,
        count(v.volume_id) = count(*) AS volumes_known
    FROM step_datastore_volume AS b
    LEFT JOIN step_seen_device AS s ON s.endpoint = b.endpoint AND s.device = b.device
    LEFT JOIN step_array AS a ON a.endpoint = b.array_endpoint
    LEFT JOIN step_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    LEFT JOIN fact.array_pool AS p ON p.endpoint = v.endpoint AND p.pool_id = v.pool_id
    GROUP BY ALL
),
reached AS (
    SELECT m.endpoint, m.datastore_id, string_agg(DISTINCT a.array_name, ', ' ORDER BY a.array_name) AS arrays
    FROM fact.vvol_mount AS m
    JOIN step_array_device AS a USING (device)
    GROUP BY ALL
),
same AS (
    -- The same volume as another vCenter knows it.
    SELECT vmfs_uuid, count(DISTINCT endpoint) AS vcenters
    FROM fact.datastore
    WHERE vmfs_uuid IS NOT NULL
    GROUP BY ALL
),
managed AS (
    SELECT e.endpoint, e.datastore_id, e.device, f.sioc_mode
    FROM fact.datastore_extent AS e
    JOIN fact.datastore AS f USING (endpoint, datastore_id)
    WHERE f.sioc_enabled
),
scheduled AS (
    SELECT g.endpoint, g.datastore_id, min(s.dsnro) AS lowest, max(s.dsnro) AS highest, count(s.dsnro) AS known
    FROM managed AS g
    JOIN fact.datastore_mount AS m USING (endpoint, datastore_id)
    JOIN fact.device_scheduling AS s ON s.endpoint = g.endpoint AND s.host_id = m.host_id AND s.device = g.device
    GROUP BY ALL
),
medium AS (
    SELECT
        g.endpoint,
        g.datastore_id,
        CASE
            WHEN count(d.is_ssd) < count(*) THEN NULL
            WHEN bool_and(d.is_ssd) THEN 'flash'
            WHEN bool_and(NOT d.is_ssd) THEN 'disk'
            ELSE 'mixed'
        END AS media
    FROM managed AS g
    LEFT JOIN fact.device AS d USING (endpoint, device)
    WHERE g.sioc_mode = 'manual'
    GROUP BY ALL
),
extended AS (
    SELECT x.endpoint, x.datastore_id, count(*) AS extents, bool_and(coalesce(u.datastores_read, false)) AS audience_read
    FROM fact.datastore_extent AS x
    LEFT JOIN step_device_audience AS u USING (device)
    GROUP BY x.endpoint, x.datastore_id
),
locked AS (
    -- ATS and ATS-only are two words for one mode: what hosts answer, and what VMware's table of the answers says.
    SELECT endpoint, vmfs_uuid, count(DISTINCT host_id) AS hosts,
        count(DISTINCT CASE WHEN upper(locking_mode) = 'ATS-ONLY' THEN 'ATS' ELSE locking_mode END) AS modes,
        string_agg(DISTINCT locking_mode, ', ' ORDER BY locking_mode) AS locking_modes
    FROM fact.vmfs_lockmode
    WHERE locking_mode IS NOT NULL
    GROUP BY ALL
),
mounted AS (
    -- By hosts that were not read as well.
    SELECT endpoint, datastore_id, count(*) AS mounts FROM fact.datastore_mount GROUP BY endpoint, datastore_id
),
mounting AS (
    -- `is_asked`: the host answers, nobody works on it, and it is to have the datastore: one that was unmounted was so by an administrator. An NFS mount
    -- that is not mounted could not be: to unmount one takes it off the host. Source: VIM API reference, HostMountInfo (mountFailedReason) and
    -- HostDatastoreSystem.RemoveDatastore; a recorded host lists such a mount as neither accessible nor mounted.
    SELECT
        m.endpoint,
        m.datastore_id,
        coalesce(h.name, h.host_id) AS host,
        (m.mounted OR d.type IN ('NFS', 'NFS41')) AND h.connection_state = 'connected' AND NOT h.in_maintenance_mode AS is_asked,
        m.accessible,
        n.mounts
    FROM fact.datastore_mount AS m
    JOIN mounted AS n USING (endpoint, datastore_id)
    JOIN fact.datastore AS d USING (endpoint, datastore_id)
    JOIN fact.host AS h USING (endpoint, host_id)
),
reach AS (
    SELECT
        endpoint,
        datastore_id,
        count(*) FILTER (WHERE is_asked) AS hosts,
        few(CASE WHEN is_asked THEN host END) AS host_names,
        few(CASE WHEN is_asked AND NOT accessible THEN host END) AS without_access,
        max(mounts) AS mounts,
        count(*) FILTER (WHERE is_asked IS NULL) AS undecided,
        count(*) FILTER (WHERE (NOT is_asked OR accessible) IS NULL) AS undetermined
    FROM mounting
    GROUP BY endpoint, datastore_id
),
release AS (
    SELECT
        endpoint,
        host_id,
        name,
        cluster,
        TRY_CAST(split_part(version, '.', 1) AS BIGINT) * 10000 + TRY_CAST(split_part(version, '.', 2) AS BIGINT) * 100
            + TRY_CAST(regexp_extract(version, '^\d+\.\d+\.(\d+)', 1) AS BIGINT) AS number
    FROM fact.host
),
reconfigured AS (
    -- Who changed Storage I/O Control last, in the last day. The event does not say what was changed.
    SELECT endpoint, datastore_id, max(happened_at) AS at, arg_max(coalesce(user_name, ''), (happened_at, coalesce(user_name, ''))) AS user_name
    FROM fact.storage_event
    WHERE what = 'Storage I/O Control reconfigured'
    GROUP BY endpoint, datastore_id
),
mount AS (
    SELECT
        m.endpoint,
        m.datastore_id,
        count(*) AS hosts,
        CASE WHEN count(h.number) = count(*) THEN max(h.number) END AS newest_esxi,
        few(h.name) AS host_names,
        CASE WHEN min(coalesce(h.cluster, '')) = max(h.cluster) THEN any_value(h.cluster) END AS cluster
    FROM fact.datastore_mount AS m
    JOIN release AS h USING (endpoint, host_id)
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
    CASE
        WHEN d.sioc_mode = 'automatic' THEN 'automatic'
        WHEN d.sioc_mode = 'manual' THEN 'manual ' || d.sioc_threshold_ms || ' ms'
    END AS sioc_threshold,
    coalesce(nullif(i.user_name, ''), CASE WHEN i.at IS NOT NULL THEN 'somebody' END) || strftime(i.at AT TIME ZONE 'UTC', ', %Y-%m-%d %H:%M UTC')
        AS sioc_changed_by,
    d.nfs_host,
    d.nfs_path,
    d.vmfs_version,
    d.unmap_priority,
    z.extents,
    CASE
        WHEN d.nfs_path IS NULL THEN CASE WHEN x.vcenters > 1 OR k.datastores_read OR z.audience_read THEN x.vcenters END
        WHEN t.other_vcenters > 0 OR (k.datastores_read AND coalesce(t.may_be_elsewhere, 0) = 0) THEN 1 + coalesce(t.other_vcenters, 0)
    END AS vcenters,
    u.media,
    CASE WHEN s.known >= m.hosts * z.extents THEN s.lowest END AS lowest_dsnro,
    CASE WHEN s.known >= m.hosts * z.extents THEN s.highest END AS highest_dsnro,
    CASE WHEN l.modes > 1 OR l.hosts >= m.hosts THEN l.modes END AS locking_mode_count,
    l.locking_modes,
    m.newest_esxi,
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
    d.pod_id,
    CASE WHEN d.pod_id IS NOT NULL THEN o.sdrs_enabled AND o.io_metric_enabled WHEN e.datastores_read AND e.pods_read THEN false END AS io_metric_in_force,
    coalesce(n.neighbours, CASE WHEN b.volumes_known AND k.datastores_read AND NOT coalesce(n.is_open, false) THEN '' END) AS sioc_neighbours,
    m.hosts,
    m.host_names,
    d.maintenance_mode,
    CASE WHEN g.hosts > 0 THEN g.hosts WHEN e.datastores_read AND e.hosts_read AND coalesce(g.undecided, 0) = 0 THEN 0 END AS answering_hosts,
    CASE
        WHEN g.without_access IS NOT NULL THEN g.without_access
        WHEN NOT d.accessible THEN g.host_names
        WHEN d.accessible AND (g.undetermined = 0 OR (g.mounts = 1 AND g.undecided = 0)) THEN ''  -- as HostMountInfo.accessible says of one host
    END AS hosts_without_access,
    CASE
        WHEN v.hosts > 1 THEN true
        WHEN e.datastores_read AND e.hosts_read AND coalesce(v.hosts_open, 0) = 0 THEN false
    END AS is_of_cluster,
    CASE
        WHEN v.without_mount IS NOT NULL AND e.hosts_read THEN v.without_mount  -- what most hosts have is known of all of them alone
        WHEN v.mounts_open = 0 AND e.hosts_read AND e.datastores_read THEN ''
    END AS hosts_without_mount,
    CASE
        WHEN t.of_other_version IS NOT NULL THEN t.of_other_version
        WHEN d.nfs_path IS NOT NULL AND k.datastores_read AND coalesce(t.may_be_of_other_version, 0) = 0 THEN ''
    END AS other_nfs_version,
    CASE
        WHEN t.by_other_name IS NOT NULL THEN t.by_other_name
        WHEN d.nfs_path IS NOT NULL AND e.datastores_read AND e.hosts_read AND coalesce(t.may_be_by_other_name, 0) = 0 THEN ''
    END AS by_other_name
FROM fact.datastore AS d
CROSS JOIN step_vcenter_reading AS k
LEFT JOIN step_endpoint_reading AS e USING (endpoint)
LEFT JOIN fact.storage_pod AS o ON o.endpoint = d.endpoint AND o.pod_id = d.pod_id
LEFT JOIN backing AS b USING (endpoint, datastore_id)
LEFT JOIN reached AS c USING (endpoint, datastore_id)
LEFT JOIN step_pool_neighbour AS n USING (endpoint, datastore_id)
LEFT JOIN mount AS m USING (endpoint, datastore_id)
LEFT JOIN step_datastore_lack AS v ON v.endpoint = d.endpoint AND v.datastore_id = d.datastore_id
LEFT JOIN step_share_twin AS t ON t.endpoint = d.endpoint AND t.datastore_id = d.datastore_id
LEFT JOIN reach AS g ON g.endpoint = d.endpoint AND g.datastore_id = d.datastore_id
LEFT JOIN same AS x ON x.vmfs_uuid = d.vmfs_uuid
LEFT JOIN extended AS z ON z.endpoint = d.endpoint AND z.datastore_id = d.datastore_id
LEFT JOIN scheduled AS s ON s.endpoint = d.endpoint AND s.datastore_id = d.datastore_id
LEFT JOIN reconfigured AS i ON i.endpoint = d.endpoint AND i.datastore_id = d.datastore_id
LEFT JOIN medium AS u ON u.endpoint = d.endpoint AND u.datastore_id = d.datastore_id
LEFT JOIN locked AS l ON l.endpoint = d.endpoint AND l.vmfs_uuid = d.vmfs_uuid;
