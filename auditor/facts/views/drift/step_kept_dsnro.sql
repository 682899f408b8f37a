-- materialize: view
-- DSNRO of the devices that lie on arrays.
SELECT s.endpoint, s.host_id, s.device AS thing, 'dsnro' AS setting, CAST(s.dsnro AS VARCHAR) AS value
FROM fact.device_scheduling AS s
JOIN fact.device AS d USING (endpoint, host_id, device)
WHERE s.dsnro IS NOT NULL AND d.is_local IS DISTINCT FROM true AND NOT starts_with(s.device, 'mpx.');
