-- materialize: table
-- One row per host and driver that carries devices of arrays: whether their queue depths are those of the other hosts that share them by the same
-- driver. The depth is the driver's option, so a host is named once, with its devices. Odd is a depth that is not the one most hosts have; without such a
-- majority, any. Where the driver has to be deeper for some of them (capped virtual volumes, docs/domain/incidents.md#s0; Cisco's in front of virtual
-- volumes, docs/domain/facts.md#2), those are odd that are not the deepest. Whether all agree is known where shared_device knows it.
WITH undriven AS (
    SELECT DISTINCT endpoint, host_id FROM step_host_group WHERE driver IS NULL
),
carried AS (
    SELECT endpoint, host_id, driver, CAST(sum(devices) AS BIGINT) AS devices, max(deepest_queue) AS deepest_queue
    FROM step_host_group
    GROUP BY ALL
    UNION ALL
    -- A host that was not read may have any driver.
    SELECT r.endpoint, r.host_id, NULL, NULL, NULL
    FROM step_host_reading AS r
    LEFT JOIN undriven AS g USING (endpoint, host_id)
    WHERE NOT r.devices_read AND g.host_id IS NULL
),
differing AS (
    SELECT DISTINCT device FROM shared_device WHERE NOT queue_depth_agrees
),
deepened AS (
    SELECT endpoint, host_id, module AS driver
    FROM host_module
    WHERE serves_capped_protocol_endpoints OR (depth_parameter = 'lun_queue_depth_per_path' AND vvol_endpoints > 0)
),
placed AS (
    -- Only what differs is looked for among the devices of every host: usually nothing.
    SELECT d.endpoint, d.host_id, d.device, d.driver, d.queue_depth, p.host_id IS NOT NULL AS is_deepened
    FROM device AS d
    JOIN differing AS i USING (device)
    LEFT JOIN deepened AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.driver = d.driver
    WHERE d.is_shared AND d.driver IS NOT NULL AND d.queue_depth IS NOT NULL
),
counted AS (
    SELECT device, driver, queue_depth, count(*) AS hosts, bool_or(is_deepened) AS is_deepened
    FROM placed
    GROUP BY device, driver, queue_depth
),
wanted AS (
    SELECT
        device,
        driver,
        CASE WHEN bool_or(is_deepened) THEN max(queue_depth) WHEN 2 * max(hosts) > sum(hosts) THEN arg_max(queue_depth, hosts) END AS depth
    FROM counted
    GROUP BY device, driver
    HAVING count(*) > 1
),
odd AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.driver,
        count(*) AS devices,
        few(p.device) AS names,
        few_distinct(CAST(p.queue_depth AS VARCHAR)) AS depths,
        few_distinct(CAST(w.depth AS VARCHAR)) AS wanted
    FROM placed AS p
    JOIN wanted AS w ON w.device = p.device AND w.driver = p.driver
    WHERE p.queue_depth IS DISTINCT FROM w.depth
    GROUP BY ALL
),
unsettled AS (
    SELECT DISTINCT n.endpoint, n.host_id, v.driver
    FROM step_device_row AS d
    JOIN step_device_number AS m USING (device_number)
    JOIN step_host_number AS n USING (host_number)
    JOIN shared_device AS s ON s.endpoint = n.endpoint AND s.device = m.device
    LEFT JOIN step_driver AS v USING (driver_number)
    WHERE d.is_shared AND NOT coalesce(s.queue_depths_known, false)
)
SELECT
    c.endpoint,
    c.host_id || '/' || coalesce(c.driver, '?') AS resource_id,
    coalesce(c.driver, 'driver not known') AS resource_name,
    h.cluster,
    h.name AS host,
    c.host_id,
    c.driver,
    c.devices,
    coalesce(o.depths, CAST(c.deepest_queue AS VARCHAR)) AS queue_depths,
    CASE
        WHEN o.devices > 0 THEN false
        WHEN c.driver IS NOT NULL AND r.devices_read AND u.host_id IS NULL THEN true
    END AS queue_depth_agrees,
    o.devices AS odd_devices,
    o.names AS odd_device_names,
    o.wanted AS wanted_queue_depths
FROM carried AS c
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN odd AS o ON o.endpoint = c.endpoint AND o.host_id = c.host_id AND o.driver = c.driver
LEFT JOIN unsettled AS u ON u.endpoint = c.endpoint AND u.host_id = c.host_id AND u.driver = c.driver;
