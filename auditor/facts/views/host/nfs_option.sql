-- materialize: table
-- One row per host and host-wide NFS option, whether the host lists it or not, with the NFS datastores of ONTAP that it mounts by the version of NFS
-- that the option is of: NFS.MaxVolumes says nothing of NFS 4.1. The heap and the connections are of both.
-- `mounts_ontap` goes by the server, as step_nfs_server has it: NULL while one of them may be an ONTAP. A datastore of no known type that
-- lies on no device is a share where it has a path, and may be one where it has none.
-- Source: lamw's dumps, "Maximum number of mounted NFS v3 volumes" and "NFS v4.1 volumes" (docs/domain/advanced-options.md#options).
WITH option AS (
    SELECT * FROM (VALUES
        ('NFS.MaxVolumes', 'NFS', false),
        ('NFS41.MaxVolumes', 'NFS41', false),
        ('NFS.HeartbeatFrequency', 'NFS', false),
        ('NFS.HeartbeatTimeout', 'NFS', false),
        ('NFS.HeartbeatMaxFailures', 'NFS', false),
        ('SunRPC.MaxConnPerIP', 'any', false),
        ('Net.TcpipHeapSize', 'any', true),
        ('Net.TcpipHeapMax', 'any', true)
    ) AS t (option, nfs, is_heap)
),
store AS (
    SELECT
        d.endpoint,
        d.datastore_id,
        v.nfs,
        d.resource_name AS name,
        d.arrays,
        d.volumes,
        d.qos,
        CASE
            WHEN d.families = 'ontap' AND v.nfs <> 'any' AND d.type IS NULL THEN NULL
            WHEN d.type IS NOT NULL OR d.nfs_path IS NOT NULL THEN d.families = 'ontap'
        END AS is_ontap
    FROM datastore AS d
    JOIN (SELECT DISTINCT nfs FROM option) AS v ON v.nfs = 'any' OR d.type IS NULL OR d.type = v.nfs
    WHERE d.type IN ('NFS', 'NFS41') OR (d.type IS NULL AND d.devices IS NULL)
),
mounted AS (
    SELECT
        m.endpoint,
        m.host_id,
        s.nfs,
        count(*) FILTER (WHERE s.is_ontap) AS ontap,
        count(*) FILTER (WHERE s.is_ontap IS NULL) AS undetermined,
        few_distinct(CASE WHEN s.is_ontap THEN s.name END) AS datastores,
        few_distinct(CASE WHEN s.is_ontap IS DISTINCT FROM true THEN s.name END) AS others,
        few_distinct(CASE WHEN s.is_ontap THEN s.arrays END) AS arrays,
        few_distinct(CASE WHEN s.is_ontap THEN s.volumes END) AS volumes,
        few_distinct(CASE WHEN s.is_ontap THEN s.qos END, '; ') AS qos
    FROM fact.datastore_mount AS m
    JOIN store AS s USING (endpoint, datastore_id)
    GROUP BY m.endpoint, m.host_id, s.nfs
)
SELECT
    h.endpoint,
    h.host_id || '/' || p.option AS resource_id,
    p.option AS resource_name,
    h.cluster,
    h.name AS host,
    h.host_id,
    p.option,
    p.is_heap,
    TRY_CAST(o.value AS BIGINT) AS value,
    h.version,
    h.build,
    TRY_CAST(regexp_extract(h.version, '^(\d+)\.', 1) AS BIGINT) AS major_version,
    CASE
        WHEN m.ontap > 0 THEN true
        WHEN r.datastores_read AND coalesce(m.undetermined, 0) = 0 THEN false
    END AS mounts_ontap,
    m.datastores,
    CASE WHEN r.datastores_read THEN coalesce(m.others, '') END AS other_datastores,
    m.arrays,
    m.volumes,
    m.qos
FROM fact.host AS h
CROSS JOIN option AS p
LEFT JOIN fact.host_option AS o ON o.endpoint = h.endpoint AND o.host_id = h.host_id AND o.key = p.option
LEFT JOIN mounted AS m ON m.endpoint = h.endpoint AND m.host_id = h.host_id AND m.nfs = p.nfs
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = h.endpoint;
