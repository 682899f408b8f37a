-- materialize: table
-- Which families are behind each iSCSI target of an adapter, as far as the devices of its paths tell; NULL counts those whose family is not
-- known. A target of no device is not here; detached devices and what is no disk count for nothing. Paths that do not report their target may lead to any: `target` is NULL then.
SELECT p.endpoint, p.host_id, p.hba, p.target, d.family, count(*) AS paths
FROM step_path AS p
LEFT JOIN step_seen_device AS d USING (endpoint, device)
LEFT JOIN step_aside AS x ON x.endpoint = p.endpoint AND x.host_id = p.host_id AND x.device = p.device
WHERE x.is_aside IS NOT true AND (p.transport IS NULL OR p.transport = 'iscsi') AND p.hba IS NOT NULL
GROUP BY p.endpoint, p.host_id, p.hba, p.target, d.family;
