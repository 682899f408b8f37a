-- materialize: view
-- What was read whole on every vCenter of the fleet: one row, never NULL. One that could not be reached was not read, and neither is anything
-- where there is no vCenter; see facts/unread.py. What is counted over all hosts or datastores asks for it.
SELECT
    coalesce(bool_and(complete) FILTER (WHERE topic = 'hosts'), false) AS hosts_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'datastores'), false) AS datastores_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'vms'), false) AS vms_read
FROM fact.reading
WHERE scope = '';
