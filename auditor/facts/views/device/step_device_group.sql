-- materialize: table
-- The hosts of one cluster that see a shared device in the same way: how many of them there are. `is_tier`: its depth is what a provider's tier
-- says (rule qos/provider-tier-depth). `may_be_local`: these hosts do not report whether it is a disk of their own: what they make of it counts as
-- not known.
WITH counted AS (
    SELECT
        n.place_number,
        d.device_number,
        d.inquiry_number,
        d.driver_number,
        d.is_protocol_endpoint,
        d.is_shared IS NULL AS may_be_local,
        d.dsnro,
        d.queue_depth,
        count(*) AS hosts
    FROM step_device_row AS d
    JOIN step_host_number AS n USING (host_number)
    WHERE d.is_shared IS DISTINCT FROM false
    GROUP BY ALL
)
SELECT
    p.endpoint,
    m.device,
    p.domain_id,
    p.cluster,
    believed_family(i.family, m.name_family) AS family,
    coalesce(starts_with(m.array_model, 'IBM Cloud '), false) AS is_tier,
    c.is_protocol_endpoint,
    i.is_namespace,
    v.driver,
    CASE WHEN c.may_be_local THEN NULL ELSE c.dsnro END AS dsnro,
    CASE WHEN c.may_be_local THEN NULL ELSE c.queue_depth END AS queue_depth,
    c.may_be_local,
    CAST(sum(c.hosts) AS BIGINT) AS hosts
FROM counted AS c
JOIN step_place AS p USING (place_number)
LEFT JOIN step_device_number AS m USING (device_number)
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN step_driver AS v USING (driver_number)
GROUP BY ALL;
