-- materialize: table
-- The devices that a host sees of one family, by one driver: how many, and their queues. Those within the host are left out. Of disks that may be, nobody
-- knows the family. `luns` are those that
-- are surely SCSI LUNs, `namespaces` those that are surely not.
SELECT
    n.endpoint,
    n.host_id,
    CASE WHEN c.may_be_local THEN NULL ELSE believed_family(i.family, c.name_family) END AS family,
    v.driver,
    CAST(sum(c.devices) AS BIGINT) AS devices,
    max(c.deepest_queue) AS deepest_queue,
    CAST(sum(c.undetermined) AS BIGINT) AS undetermined,
    CAST(coalesce(sum(c.devices) FILTER (WHERE NOT i.is_namespace), 0) AS BIGINT) AS luns,
    CAST(coalesce(sum(c.devices) FILTER (WHERE i.is_namespace), 0) AS BIGINT) AS namespaces,
    max(c.deepest_queue) FILTER (WHERE NOT i.is_namespace) AS deepest_lun_queue,
    CAST(coalesce(sum(c.undetermined) FILTER (WHERE NOT i.is_namespace), 0) AS BIGINT) AS undetermined_luns
FROM step_host_inquiry AS c
JOIN step_host_number AS n USING (host_number)
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN step_driver AS v USING (driver_number)
GROUP BY ALL;
