-- materialize: view
-- The queue depth of the devices that lie on arrays.
SELECT endpoint, host_id, device AS thing, 'queue_depth' AS setting, CAST(queue_depth AS VARCHAR) AS value
FROM fact.device
WHERE queue_depth IS NOT NULL AND is_local IS DISTINCT FROM true AND NOT starts_with(device, 'mpx.');
