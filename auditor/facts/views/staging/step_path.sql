-- materialize: view
-- The paths. One that does not report how it travels goes by the kind of the adapter that it leaves by; NULL where that is not known, and by an
-- adapter for NVMe, which is an adapter of Fibre Channel as well. HostMultipathInfoPath.transport is optional in the vSphere API.
SELECT * FROM fact.path WHERE transport IS NOT NULL
UNION ALL
SELECT p.* REPLACE (nullif(a.kind, 'nvme') AS transport)
FROM fact.path AS p
LEFT JOIN fact.hba AS a USING (endpoint, host_id, hba)
WHERE p.transport IS NULL;
