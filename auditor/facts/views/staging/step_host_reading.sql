-- materialize: table
-- What was read whole on each host. Never NULL: a topic nobody asked about was not read.
SELECT
    h.endpoint,
    h.host_id,
    coalesce(h.cluster_id, h.host_id) AS domain_id,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'options'), false) AS options_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'modules'), false) AS modules_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'devices'), false) AS devices_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'paths'), false) AS paths_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'hbas'), false) AS hbas_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'device_scheduling'), false) AS device_scheduling_read,
    coalesce(bool_and(r.complete) FILTER (WHERE r.topic = 'lockmode'), false) AS lockmode_read
FROM fact.host AS h
LEFT JOIN fact.reading AS r ON r.endpoint = h.endpoint AND r.scope = h.host_id
GROUP BY ALL;
