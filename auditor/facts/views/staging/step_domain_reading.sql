-- materialize: table
-- A uniformity domain is a cluster, or a host that is in none. What was read whole on every host of it.
SELECT
    r.endpoint,
    r.domain_id,
    coalesce(any_value(e.hosts_read), false) AND bool_and(r.options_read) AS options_read,
    coalesce(any_value(e.hosts_read), false) AND bool_and(r.devices_read) AS devices_read,
    coalesce(any_value(e.hosts_read), false) AND bool_and(r.devices_read AND r.device_scheduling_read) AS scheduling_read
FROM step_host_reading AS r
LEFT JOIN step_endpoint_reading AS e USING (endpoint)
GROUP BY ALL;
