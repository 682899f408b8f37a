-- materialize: table
-- What was read whole on each endpoint. Never NULL.
SELECT
    endpoint,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'hosts'), false) AS hosts_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'datastores'), false) AS datastores_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'pods'), false) AS pods_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'vms'), false) AS vms_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'storage_policies'), false) AS storage_policies_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'tasks'), false) AS tasks_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'array'), false) AS array_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'alerts'), false) AS alerts_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'nodes'), false) AS nodes_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'volumes'), false) AS volumes_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'addresses'), false) AS addresses_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'volume_load'), false) AS volume_load_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'qos_policies'), false) AS qos_policies_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'protocol_endpoints'), false) AS protocol_endpoints_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'bindings'), false) AS bindings_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'array_hosts'), false) AS array_hosts_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'connections'), false) AS connections_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'sessions'), false) AS sessions_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'pools'), false) AS pools_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'pool_load'), false) AS pool_load_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'replication'), false) AS replication_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'efficiency'), false) AS efficiency_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'scrub'), false) AS scrub_read,
    coalesce(bool_and(complete) FILTER (WHERE topic = 'background_jobs'), false) AS background_jobs_read
FROM fact.reading
WHERE scope = ''
GROUP BY endpoint;
