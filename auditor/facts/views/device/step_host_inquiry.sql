-- materialize: table
-- The devices that a host sees of one inquiry and one family by name, by one driver: how many, and their queues. Those within the host are left out.
-- Those where that is not known count apart: `may_be_local`.
SELECT
    d.host_number,
    d.inquiry_number,
    m.name_family,
    d.driver_number,
    d.is_shared IS NULL AS may_be_local,
    count(*) AS devices,
    max(d.queue_depth) AS deepest_queue,
    count(*) FILTER (WHERE d.queue_depth IS NULL) AS undetermined
FROM step_device_row AS d
LEFT JOIN step_device_number AS m USING (device_number)
WHERE d.is_shared IS DISTINCT FROM false
GROUP BY ALL;
