-- materialize: table
-- Which families are behind each iSCSI target of an adapter, as far as the devices of its paths tell; NULL counts those whose family is not
-- known. A target of no device is not here.
SELECT p.endpoint, p.host_id, p.hba, p.target, d.family, count(*) AS paths
FROM fact.path AS p
LEFT JOIN step_seen_device AS d USING (endpoint, device)
WHERE p.transport = 'iscsi' AND p.hba IS NOT NULL
GROUP BY p.endpoint, p.host_id, p.hba, p.target, d.family;
