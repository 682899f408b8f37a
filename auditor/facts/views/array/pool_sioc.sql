-- materialize: table
-- One row per pool of an array that datastores are known to lie on: on how many of them Storage I/O Control is on, and on how many of those on the same
-- disks it is off, in this pool or another (step_disk_group).
-- Where it is on, the datastore is of a type that it counts for; where it is off, and the type is not known, nobody knows.
-- The counts are of the datastores that were read; whether there are more, on vCenters that are not in fleet.yaml, nobody here knows.
WITH lying AS (
    SELECT DISTINCT v.endpoint, v.pool_id, coalesce(g.disk_group, v.pool_id) AS disk_group, b.endpoint AS vcenter, b.datastore_id
    FROM step_datastore_volume AS b
    JOIN step_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    LEFT JOIN step_disk_group AS g ON g.endpoint = v.endpoint AND g.pool_id = v.pool_id
    WHERE v.pool_id IS NOT NULL
),
audience AS (
    -- Volumes that datastores may lie on which no vCenter that answered has.
    SELECT v.endpoint, coalesce(g.disk_group, v.pool_id) AS disk_group, bool_and(coalesce(s.datastores_read, false)) AS datastores_read
    FROM step_volume AS v
    LEFT JOIN step_disk_group AS g ON g.endpoint = v.endpoint AND g.pool_id = v.pool_id
    LEFT JOIN step_device_audience AS s USING (device)
    WHERE NOT coalesce(v.is_virtual, false)
    GROUP BY ALL
),
astray AS (
    -- Of each array, whether what lies on volumes of several pools (a FlexGroup), or of nobody knows which, may have it, and may do without.
    SELECT
        v.endpoint,
        bool_or(coalesce(d.sioc_enabled, d.sioc_supported IS DISTINCT FROM false)) AS may_be_on,
        bool_or(d.sioc_enabled IS DISTINCT FROM true) AS may_be_off
    FROM step_datastore_volume AS b
    JOIN step_volume AS v ON v.endpoint = b.array_endpoint AND v.volume_id = b.volume_id
    JOIN fact.datastore AS d ON d.endpoint = b.endpoint AND d.datastore_id = b.datastore_id
    WHERE v.pool_id IS NULL AND (d.type IS NULL OR d.type IN ('VMFS', 'NFS'))
    GROUP BY v.endpoint
),
told AS (
    SELECT
        y.endpoint,
        y.pool_id,
        y.disk_group,
        y.vcenter,
        y.datastore_id,
        d.name,
        d.sioc_enabled,
        d.type IS NOT NULL AND NOT d.sioc_enabled AS is_off,
        d.sioc_enabled IS NULL OR (d.type IS NULL AND NOT d.sioc_enabled) AS is_undetermined,
        d.sioc_enabled IS NULL AND d.sioc_supported IS DISTINCT FROM false AS is_open
    FROM lying AS y
    JOIN fact.datastore AS d ON d.endpoint = y.vcenter AND d.datastore_id = y.datastore_id
    WHERE d.type IS NULL OR d.type IN ('VMFS', 'NFS')
),
counted AS (
    SELECT
        endpoint,
        pool_id,
        disk_group,
        count(*) FILTER (WHERE sioc_enabled) AS sioc_on,
        count(*) FILTER (WHERE is_open) AS open,
        few_distinct(CASE WHEN sioc_enabled THEN name END) AS with_sioc
    FROM told
    GROUP BY endpoint, pool_id, disk_group
),
around AS (
    -- Those on the same disks, whatever pool they are of.
    SELECT
        endpoint,
        disk_group,
        count(*) FILTER (WHERE sioc_enabled) AS sioc_on,
        count(DISTINCT (vcenter, datastore_id)) FILTER (WHERE is_off) AS sioc_off,
        count(*) FILTER (WHERE is_undetermined) AS undetermined,
        few_distinct(CASE WHEN is_off THEN name END) AS without_sioc
    FROM told
    GROUP BY endpoint, disk_group
)
SELECT
    p.endpoint,
    p.pool_id AS resource_id,
    p.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    p.pool_id,
    a.family,
    p.media,
    CASE WHEN c.sioc_on > 0 OR (c.open = 0 AND NOT coalesce(t.may_be_on, false)) THEN c.sioc_on END AS sioc_on,
    b.sioc_off,
    CASE
        WHEN b.sioc_on > 0 AND b.sioc_off > 0 THEN true
        WHEN CASE WHEN b.sioc_on > 0 THEN t.may_be_off ELSE t.may_be_on END THEN NULL
        WHEN b.undetermined = 0 AND r.volumes_read AND (k.datastores_read OR s.datastores_read) THEN false
    END AS is_mixed,
    c.with_sioc,
    b.without_sioc,
    u.datastores,
    u.volume_names,
    u.devices,
    u.host_names,
    u.qos
FROM counted AS c
JOIN around AS b USING (endpoint, disk_group)
CROSS JOIN step_vcenter_reading AS k
JOIN fact.array_pool AS p ON p.endpoint = c.endpoint AND p.pool_id = c.pool_id
LEFT JOIN step_array AS a ON a.endpoint = p.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = p.endpoint
LEFT JOIN astray AS t ON t.endpoint = p.endpoint
LEFT JOIN audience AS s ON s.endpoint = c.endpoint AND s.disk_group = c.disk_group
LEFT JOIN step_pool_use AS u ON u.endpoint = p.endpoint AND u.pool_id = p.pool_id;
