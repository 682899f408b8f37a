-- The hosts of one cluster that see a shared device in the same way: how many of them there are. `is_tier`: its depth is what a provider's tier
-- says (rule qos/provider-tier-depth).
CREATE VIEW step_device_group AS
SELECT
    endpoint,
    device,
    domain_id,
    cluster,
    family,
    coalesce(starts_with(array_model, 'IBM Cloud '), false) AS is_tier,
    is_protocol_endpoint,
    driver,
    dsnro,
    queue_depth,
    count(*) AS hosts
FROM device
WHERE is_shared
GROUP BY ALL;
