-- materialize: table
-- One row per host and VMkernel adapter: its MTU, that of its switch, and whether iSCSI is bound to it.
-- What is bound is NULL unless the host's answer was whole; `iscsi_devices` unless its paths were read whole, and it is known
-- of one or of all whether they are iSCSI's. `mtu` and `ip` are NULL where vCenter's copy and the host's own esxcli differ.
WITH asked AS (
    SELECT endpoint, scope AS host_id, bool_and(complete) AS whole
    FROM fact.reading
    WHERE topic = 'port_binding'
    GROUP BY ALL
),
bound AS (
    SELECT endpoint, host_id, CASE WHEN count(mtu) = count(*) THEN count(DISTINCT mtu) END AS mtus
    FROM fact.iscsi_portal
    GROUP BY ALL
),
portal AS (
    SELECT endpoint, host_id, vmk, CASE WHEN min(mtu) = max(mtu) THEN min(mtu) END AS mtu, CASE WHEN min(ip) = max(ip) THEN min(ip) END AS ip
    FROM fact.iscsi_portal
    GROUP BY ALL
),
reached AS (
    SELECT
        p.endpoint,
        p.host_id,
        count(DISTINCT p.device) FILTER (WHERE p.transport = 'iscsi' AND x.device IS NULL) AS devices,
        count(*) FILTER (WHERE p.transport IS NULL OR x.device IS NOT NULL) AS undetermined
    FROM step_path AS p
    LEFT JOIN step_aside AS x ON x.endpoint = p.endpoint AND x.host_id = p.host_id AND x.device = p.device
    WHERE (p.transport IS NULL OR p.transport = 'iscsi') AND x.is_aside IS NOT true
    GROUP BY ALL
)
SELECT
    n.endpoint,
    n.host_id || '/' || n.vmk AS resource_id,
    n.vmk AS resource_name,
    h.cluster,
    h.name AS host,
    n.host_id,
    n.vmk,
    CASE WHEN n.mtu <> p.mtu THEN NULL ELSE n.mtu END AS mtu,
    CASE WHEN n.ip <> p.ip THEN NULL ELSE n.ip END AS ip,
    n.stack,
    n.portgroup,
    n.switch_kind,
    n.switch,
    n.switch_mtu,
    CASE WHEN k.whole THEN p.vmk IS NOT NULL END AS is_bound,
    CASE WHEN k.whole THEN CASE WHEN b.host_id IS NULL THEN 0 ELSE b.mtus END END AS bound_mtus,
    CASE WHEN r.paths_read AND (i.devices > 0 OR coalesce(i.undetermined, 0) = 0) THEN coalesce(i.devices, 0) END AS iscsi_devices
FROM fact.vmknic AS n
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN asked AS k USING (endpoint, host_id)
LEFT JOIN bound AS b USING (endpoint, host_id)
LEFT JOIN portal AS p USING (endpoint, host_id, vmk)
LEFT JOIN reached AS i USING (endpoint, host_id);
