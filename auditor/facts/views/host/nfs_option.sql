-- materialize: table
-- One row per host and host-wide NFS option, whether the host lists it or not, with the NFS datastores of ONTAP that it mounts.
-- `mounts_ontap` goes by the server, as step_nfs_server has it: NULL while one of them may be an ONTAP. A datastore of no known type that
-- lies on no device is a share where it has a path, and may be one where it has none.
WITH option AS (
    SELECT * FROM (VALUES
        ('NFS.MaxVolumes', false),
        ('NFS.HeartbeatFrequency', false),
        ('NFS.HeartbeatTimeout', false),
        ('NFS.HeartbeatMaxFailures', false),
        ('SunRPC.MaxConnPerIP', false),
        ('Net.TcpipHeapSize', true),
        ('Net.TcpipHeapMax', true)
    ) AS t (option, is_heap)
),
store AS (
    SELECT
        d.endpoint,
        d.datastore_id,
        d.resource_name AS name,
        d.arrays,
        d.volumes,
        d.qos,
        CASE WHEN d.type IS NOT NULL OR d.nfs_path IS NOT NULL THEN d.families = 'ontap' END AS is_ontap
    FROM datastore AS d
    WHERE d.type IN ('NFS', 'NFS41') OR (d.type IS NULL AND d.devices IS NULL)
),
mounted AS (
    SELECT
        m.endpoint,
        m.host_id,
        count(*) FILTER (WHERE s.is_ontap) AS ontap,
        count(*) FILTER (WHERE s.is_ontap IS NULL) AS undetermined,
        few_distinct(CASE WHEN s.is_ontap THEN s.name END) AS datastores,
        few_distinct(CASE WHEN s.is_ontap IS DISTINCT FROM true THEN s.name END) AS others,
        few_distinct(CASE WHEN s.is_ontap THEN s.arrays END) AS arrays,
        few_distinct(CASE WHEN s.is_ontap THEN s.volumes END) AS volumes,
        few_distinct(CASE WHEN s.is_ontap THEN s.qos END, '; ') AS qos
    FROM fact.datastore_mount AS m
    JOIN store AS s USING (endpoint, datastore_id)
    GROUP BY m.endpoint, m.host_id
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
LEFT JOIN mounted AS m ON m.endpoint = h.endpoint AND m.host_id = h.host_id
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = h.endpoint;
