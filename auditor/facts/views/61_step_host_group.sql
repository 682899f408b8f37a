-- The devices that a host sees of one family, by one driver: how many, and their queues. Those within the host are left out.
CREATE VIEW step_host_group AS
SELECT
    endpoint,
    host_id,
    family,
    driver,
    count(*) AS devices,
    max(queue_depth) AS deepest_queue,
    count(*) FILTER (WHERE queue_depth IS NULL) AS untold
FROM device
WHERE is_shared IS DISTINCT FROM false
GROUP BY ALL;
