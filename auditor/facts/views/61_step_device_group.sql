-- The hosts of one cluster that see a shared device in the same way: how many of them there are.
CREATE VIEW step_device_group AS
SELECT endpoint, device, domain_id, cluster, family, is_protocol_endpoint, driver, dsnro, queue_depth, count(*) AS hosts
FROM device
WHERE is_shared
GROUP BY ALL;
