-- materialize: table
-- One row per host and option of its disk scheduler, or of its queues to NFS servers, with the value of a fresh install.
-- VMkernel.Boot.isPerFileSchedModelActive is a row only where the host lists it, 1 for true: not every build does.
-- Source of the stock values: lamw/esxi-advanced-and-kernel-settings, the same in all 42 builds, 6.0 U3 to 9.0.1 (docs/domain/facts.md#1-8 to #1-10).
WITH option AS (
    SELECT * FROM (VALUES
        ('Disk.SchedQuantum', 'scheduler', 8, true),
        ('Disk.SchedQControlSeqReqs', 'scheduler', 128, true),
        ('Disk.SchedQControlVMSwitches', 'scheduler', 6, true),
        ('Disk.SchedCostUnit', 'scheduler', 32768, true),
        ('Disk.SchedulerWithReservation', 'scheduler', 1, true),
        ('VMkernel.Boot.isPerFileSchedModelActive', 'scheduler', 1, false),
        ('NFS.MaxQueueDepth', 'nfs', 4294967295, true)
    ) AS t (option, purpose, stock_value, is_everywhere)
),
served AS (
    SELECT
        endpoint,
        host_id,
        string_agg(families, ', ' ORDER BY families) FILTER (WHERE families <> '') AS families,
        count(families) = count(*) AS is_whole
    FROM host_module
    GROUP BY ALL
),
share AS (
    SELECT
        m.endpoint,
        m.host_id,
        count(*) AS shares,
        count(*) FILTER (WHERE d.type = 'NFS' AND d.families = 'ontap') AS ontap,
        count(*) FILTER (WHERE d.families IS NULL OR (d.type IS NULL AND d.families = 'ontap')) AS undetermined,
        few_distinct(CASE WHEN d.type = 'NFS' AND d.families = 'ontap' THEN d.resource_name END) AS ontap_names,
        few_distinct(CASE WHEN d.type = 'NFS' AND d.families = 'ontap' THEN d.arrays END) AS arrays,
        few_distinct(CASE WHEN (d.type = 'NFS' AND d.families = 'ontap') IS DISTINCT FROM true THEN d.resource_name END) AS other_names
    FROM fact.datastore_mount AS m
    JOIN datastore AS d USING (endpoint, datastore_id)
    WHERE d.type = 'NFS' OR (d.type IS NULL AND d.devices IS NULL)  -- one on a device is no share
    GROUP BY m.endpoint, m.host_id
),
listed AS (
    SELECT
        endpoint,
        host_id,
        key AS option,
        CASE lower(value) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE TRY_CAST(value AS BIGINT) END AS value
    FROM fact.host_option
)
SELECT
    h.endpoint,
    h.host_id || '/' || p.option AS resource_id,
    p.option AS resource_name,
    h.cluster,
    h.name AS host,
    h.host_id,
    h.version,
    p.option,
    p.purpose,
    o.value,
    CAST(p.stock_value AS BIGINT) AS stock_value,
    CASE WHEN s.is_whole THEN coalesce(s.families, '') END AS families,
    CASE
        WHEN n.ontap > 0 THEN true
        WHEN e.datastores_read AND coalesce(n.undetermined, 0) = 0 THEN false
    END AS mounts_ontap_nfs,
    n.ontap_names AS ontap_datastores,
    n.arrays AS ontap_arrays,
    CASE WHEN e.datastores_read THEN coalesce(n.other_names, '') END AS other_datastores
FROM fact.host AS h
CROSS JOIN option AS p
LEFT JOIN listed AS o ON o.endpoint = h.endpoint AND o.host_id = h.host_id AND o.option = p.option
LEFT JOIN served AS s ON s.endpoint = h.endpoint AND s.host_id = h.host_id
LEFT JOIN share AS n ON n.endpoint = h.endpoint AND n.host_id = h.host_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = h.endpoint
WHERE p.is_everywhere OR o.option IS NOT NULL;
