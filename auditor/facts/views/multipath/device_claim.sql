-- materialize: view
-- One row per host and disk or protocol endpoint: its path policy, and what the claim rule that names it gives to a device like it.
-- A rule names it when SATP, vendor and model are the same; one that names the vendor alone counts where none names the model, and one
-- that somebody added goes before the build's (not verified: no VMware document states it). Rules with patterns, or for a transport, driver or
-- single device, are left out. `has_claim_rule` is false when none names it, or several that differ do; NULL when rules were not read whole, or
-- what they go by is not known of the device. One that another plug-in than the native one serves has no SATP, and no rule names it.
WITH asked AS (
    SELECT endpoint, scope AS host_id, bool_and(complete) AS whole
    FROM fact.reading
    WHERE topic = 'multipathing'
    GROUP BY ALL
),
named AS (
    SELECT endpoint, host_id, satp, vendor, model, rule_group, default_psp, psp_options
    FROM fact.satp_rule
    WHERE vendor <> '' AND device = '' AND driver = '' AND transport = ''
),
alike AS (
    -- A host's devices are of few kinds, and a rule goes by nothing else.
    SELECT DISTINCT endpoint, host_id, satp, vendor, model FROM path_policy
),
matched AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.satp,
        p.vendor,
        p.model,
        r.rule_group,
        r.default_psp,
        r.psp_options,
        CASE WHEN r.rule_group = 'user' THEN 0 ELSE 2 END + CASE WHEN r.model <> '' THEN 0 ELSE 1 END AS place
    FROM alike AS p
    JOIN named AS r
        ON r.endpoint = p.endpoint AND r.host_id = p.host_id AND r.satp = p.satp AND r.vendor = p.vendor AND r.model IN ('', p.model)
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
),
first AS (
    SELECT endpoint, host_id, satp, vendor, model, min(place) AS place
    FROM matched
    GROUP BY ALL
),
without AS (
    -- Devices without a known SATP, of which the native plug-in has nothing to tell.
    SELECT DISTINCT t.endpoint, t.host_id, t.device
    FROM fact.path AS t
    LEFT JOIN fact.device_policy AS n USING (endpoint, host_id, device)
    WHERE t.satp IS NULL AND n.device IS NULL
),
chosen AS (
    SELECT
        m.endpoint,
        m.host_id,
        m.satp,
        m.vendor,
        m.model,
        min(m.rule_group) AS rule_group,
        min(m.default_psp) AS default_psp,
        min(m.psp_options) AS psp_options,
        count(DISTINCT m.default_psp) = 1 AND count(DISTINCT m.psp_options) = 1 AS agree
    FROM matched AS m
    JOIN first AS f
        ON f.endpoint = m.endpoint AND f.host_id = m.host_id AND f.satp = m.satp AND f.vendor = m.vendor AND f.place = m.place
        AND f.model IS NOT DISTINCT FROM m.model
    GROUP BY m.endpoint, m.host_id, m.satp, m.vendor, m.model
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
        WHEN k.whole AND p.vendor IS NOT NULL AND p.model IS NOT NULL AND (p.satp IS NOT NULL OR w.device IS NOT NULL)
        THEN coalesce(c.agree, false)
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
    CASE WHEN m.disks > 0 THEN true WHEN a.all_read AND u.machines = 0 AND l.disks = 0 THEN false END AS is_mapped
FROM path_policy AS p
CROSS JOIN machine AS a
CROSS JOIN unread AS u
CROSS JOIN nameless AS l
LEFT JOIN mapped AS m ON m.device = p.device
LEFT JOIN asked AS k USING (endpoint, host_id)
LEFT JOIN without AS w ON w.endpoint = p.endpoint AND w.host_id = p.host_id AND w.device = p.device
LEFT JOIN chosen AS c
    ON c.endpoint = p.endpoint AND c.host_id = p.host_id AND c.satp = p.satp AND c.vendor = p.vendor AND c.model IS NOT DISTINCT FROM p.model
    AND c.agree;
