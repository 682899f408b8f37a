-- The kernel module whose adapter carries a device; NULL when no path tells, or when paths use more than one.
CREATE VIEW step_device_driver AS
SELECT
    p.endpoint,
    p.host_id,
    p.device,
    CASE WHEN count(DISTINCT b.driver) = 1 AND count(b.driver) = count(*) THEN any_value(b.driver) END AS driver,
    count(*) AS paths,
    count(*) FILTER (WHERE p.state = 'active') AS active_paths
FROM fact.path AS p
LEFT JOIN fact.hba AS b USING (endpoint, host_id, hba)
GROUP BY ALL;
