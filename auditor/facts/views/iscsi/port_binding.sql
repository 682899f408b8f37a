-- materialize: table
-- One row per host and iSCSI adapter: the VMkernel adapters it is bound to, and the paths it has.
-- Without binding the host's routing table picks one VMkernel adapter for a subnet (VMware KB 2010877): `vmknics_in_one_subnet`.
-- What is bound is NULL unless the host's answer was whole; 0 is an adapter that goes by the routing table. An adapter of no known kind may be
-- one for iSCSI: what is bound to it is NULL.
WITH asked AS (
    SELECT endpoint, scope AS host_id, bool_and(complete) AS whole
    FROM fact.reading
    WHERE topic = 'port_binding'
    GROUP BY ALL
),
networked AS (
    SELECT endpoint, scope AS host_id, bool_and(complete) AS whole
    FROM fact.reading
    WHERE topic = 'network'
    GROUP BY ALL
),
bound AS (
    SELECT
        endpoint,
        host_id,
        hba,
        count(*) AS vmknics,
        count(*) FILTER (WHERE compliant IS NULL) AS undetermined,
        count(*) FILTER (WHERE NOT compliant) AS uncompliant,
        CASE WHEN count(subnet) = count(*) THEN count(DISTINCT subnet) END AS subnets,
        CASE WHEN count(mtu) = count(*) THEN count(DISTINCT mtu) END AS mtus,
        few_distinct(concat_ws(' ', vmk, ip, compliant_status, path_status), '; ') AS what
    FROM fact.iscsi_portal
    GROUP BY ALL
),
adapter AS (
    -- Most paths of a fleet may leave by others.
    SELECT DISTINCT endpoint, host_id, hba FROM fact.hba WHERE kind IS NULL OR kind = 'iscsi'
),
used AS (
    SELECT
        endpoint,
        host_id,
        hba,
        count(DISTINCT device) AS devices,
        count(*) FILTER (WHERE state = 'active') AS active_paths,
        count(*) FILTER (WHERE state = 'dead') AS dead_paths,
        count(*) FILTER (WHERE state IS NULL OR state = 'unknown') AS undetermined
    FROM fact.path
    JOIN adapter USING (endpoint, host_id, hba)
    LEFT JOIN step_aside AS x USING (endpoint, host_id, device)
    WHERE x.is_aside IS NOT true
    GROUP BY ALL
),
reached AS (
    -- VMkernel adapters in the subnet of a static target. Those of another TCP/IP stack than the host's own have a routing table of theirs.
    SELECT
        t.endpoint,
        t.host_id,
        t.hba,
        ipv4(n.ip) & ipv4(n.subnet_mask) AS subnet,
        count(DISTINCT n.vmk) FILTER (WHERE n.stack = 'defaultTcpipStack') AS vmknics,
        count(*) FILTER (WHERE n.stack IS NULL) AS undetermined,
        few_distinct(CASE WHEN n.stack = 'defaultTcpipStack' THEN n.vmk END) AS names
    FROM fact.iscsi_target AS t
    JOIN fact.vmknic AS n
        ON n.endpoint = t.endpoint AND n.host_id = t.host_id AND ipv4(n.ip) & ipv4(n.subnet_mask) = ipv4(t.address) & ipv4(n.subnet_mask)
    WHERE t.kind = 'static'
    GROUP BY ALL
),
one_network AS (
    SELECT
        endpoint,
        host_id,
        hba,
        max(vmknics) AS most,
        sum(undetermined) AS undetermined,
        few(CASE WHEN vmknics > 1 THEN names END) AS names
    FROM reached
    GROUP BY endpoint, host_id, hba
),
nameless AS (
    SELECT endpoint, host_id, hba, count(*) FILTER (WHERE ipv4(address) IS NULL) AS targets
    FROM fact.iscsi_target
    WHERE kind = 'static'
    GROUP BY endpoint, host_id, hba
),
stale AS (
    SELECT DISTINCT endpoint, host_id FROM step_stale_path
)
SELECT
    a.endpoint,
    a.host_id || '/' || a.hba AS resource_id,
    a.hba AS resource_name,
    h.cluster,
    h.name AS host,
    a.host_id,
    a.hba,
    a.driver,
    a.is_software,
    CASE WHEN k.whole THEN coalesce(b.vmknics, 0) END AS bound_vmknics,
    CASE WHEN k.whole AND coalesce(b.undetermined, 0) = 0 THEN coalesce(b.uncompliant, 0) END AS uncompliant_vmknics,
    CASE WHEN k.whole THEN CASE WHEN b.vmknics IS NULL THEN 0 ELSE b.subnets END END AS subnets,
    CASE WHEN k.whole THEN CASE WHEN b.vmknics IS NULL THEN 0 ELSE b.mtus END END AS mtus,
    CASE WHEN k.whole THEN coalesce(b.what, '') END AS portals,
    CASE
        WHEN r.hbas_read AND z.whole AND (w.most > 1 OR (coalesce(w.undetermined, 0) = 0 AND coalesce(e.targets, 0) = 0))
            THEN coalesce(w.most, 0)
    END AS vmknics_in_one_subnet,
    w.names AS vmknics_of_that_subnet,
    CASE WHEN r.paths_read AND y.host_id IS NULL THEN coalesce(u.devices, 0) END AS devices,
    CASE WHEN r.paths_read AND y.host_id IS NULL AND coalesce(u.undetermined, 0) = 0 THEN coalesce(u.active_paths, 0) END AS active_paths,
    CASE WHEN r.paths_read AND y.host_id IS NULL AND coalesce(u.undetermined, 0) = 0 THEN coalesce(u.dead_paths, 0) END AS dead_paths
FROM fact.hba AS a
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN stale AS y ON y.endpoint = a.endpoint AND y.host_id = a.host_id
LEFT JOIN asked AS k ON k.endpoint = a.endpoint AND k.host_id = a.host_id AND a.kind IS NOT NULL
LEFT JOIN bound AS b ON b.endpoint = a.endpoint AND b.host_id = a.host_id AND b.hba = a.hba
LEFT JOIN networked AS z ON z.endpoint = a.endpoint AND z.host_id = a.host_id
LEFT JOIN one_network AS w ON w.endpoint = a.endpoint AND w.host_id = a.host_id AND w.hba = a.hba
LEFT JOIN nameless AS e ON e.endpoint = a.endpoint AND e.host_id = a.host_id AND e.hba = a.hba
LEFT JOIN used AS u ON u.endpoint = a.endpoint AND u.host_id = a.host_id AND u.hba = a.hba
WHERE a.kind IS NULL OR a.kind = 'iscsi';
