-- materialize: view
-- The rows of `device_claim`, each with the key of its class.
WITH asked AS (
    SELECT endpoint, scope AS host_id, bool_and(complete) AS whole
    FROM fact.reading
    WHERE topic = 'multipathing'
    GROUP BY ALL
),
mapped AS (
    SELECT rdm_device AS device, count(*) AS disks
    FROM fact.vm_disk
    WHERE rdm_device IS NOT NULL
    GROUP BY rdm_device
),
machine AS (
    SELECT coalesce(bool_and(complete), false) AS all_read FROM fact.reading WHERE topic = 'vms'
),
unread AS (
    SELECT count(*) AS machines FROM fact.vm WHERE disks_read IS DISTINCT FROM true
),
nameless AS (
    SELECT count(*) AS disks FROM fact.vm_disk WHERE rdm_mode IS NOT NULL AND rdm_device IS NULL
)
SELECT
    p.endpoint,
    p.resource_id,
    p.resource_name,
    p.cluster,
    p.host,
    p.host_id,
    p.device,
    p.family,
    p.is_shared,
    p.array_name,
    p.volume,
    p.active_paths,
    p.satp,
    p.psp,
    p.rr_policy,
    p.rr_iops,
    CASE
        WHEN k.whole AND p.vendor IS NOT NULL AND p.model IS NOT NULL AND (p.satp IS NOT NULL OR (p.has_paths AND NOT p.is_native))
        THEN CASE WHEN p.is_singled_out THEN NULL WHEN c.satp IS NULL THEN false ELSE c.is_named END
    END AS has_claim_rule,
    c.rule_group,
    c.default_psp AS claimed_psp,
    c.psp_options AS claimed_options,
    CASE
        WHEN c.psp_options LIKE '%policy=latency%' THEN 'latency'
        WHEN c.psp_options LIKE '%bytes=%' OR c.psp_options LIKE '%policy=bytes%' THEN 'bytes'
        WHEN c.psp_options LIKE '%iops=%' THEN 'iops'
        WHEN c.psp_options IS NOT NULL THEN 'rr'
    END AS claimed_rr_policy,
    CASE
        WHEN c.psp_options LIKE '%iops=%' THEN TRY_CAST(regexp_extract(c.psp_options, 'iops=[^0-9;,]?([0-9]+)', 1) AS BIGINT)
        WHEN c.psp_options IS NOT NULL THEN 1000
    END AS claimed_rr_iops,
    CASE
        WHEN p.psp <> 'VMW_PSP_RR' THEN p.psp
        WHEN p.rr_policy IN ('rr', 'iops') THEN p.psp || ', iops ' || p.rr_iops
        WHEN p.rr_policy = 'bytes' THEN p.psp || ', bytes ' || p.rr_bytes
        ELSE p.psp || ', ' || p.rr_policy
    END AS path_policy,
    CASE
        WHEN c.default_psp <> 'VMW_PSP_RR' OR c.psp_options LIKE '%bytes=%' OR c.psp_options LIKE '%policy=bytes%' THEN NULL
        WHEN c.psp_options LIKE '%policy=latency%' THEN 'VMW_PSP_RR, latency'
        WHEN c.psp_options LIKE '%iops=%'
        THEN 'VMW_PSP_RR, iops ' || TRY_CAST(regexp_extract(c.psp_options, 'iops=[^0-9;,]?([0-9]+)', 1) AS BIGINT)
        WHEN c.psp_options IS NOT NULL THEN 'VMW_PSP_RR, iops 1000'
    END AS claimed_policy,
    CASE WHEN m.disks > 0 THEN true WHEN a.all_read AND u.machines = 0 AND l.disks = 0 THEN false END AS is_mapped,
    p.host_number,
    p.device_number,
    p.class_key
FROM step_path_of_class AS p
CROSS JOIN machine AS a
CROSS JOIN unread AS u
CROSS JOIN nameless AS l
LEFT JOIN mapped AS m ON m.device = p.device
LEFT JOIN asked AS k USING (endpoint, host_id)
LEFT JOIN step_claim AS c
    ON c.endpoint = p.endpoint AND c.host_id = p.host_id AND c.satp = p.satp AND c.vendor IS NOT DISTINCT FROM p.vendor
    AND c.model IS NOT DISTINCT FROM p.model AND c.transport IS NOT DISTINCT FROM p.transport AND p.is_singled_out IS DISTINCT FROM true;
