-- materialize: table
-- One row per host and driver that carries devices of arrays: whether their queue depths are those of the other hosts that share them by the same
-- driver. The depth is the driver's option, so a host is named once, with its devices. Odd is a depth that is not the one most hosts have; without such a
-- majority, any. Where the driver has to be deeper for some of them (capped virtual volumes, docs/domain/incidents.md#s0; Cisco's in front of virtual
-- volumes, docs/domain/facts.md#2), those are odd that are not the deepest; where nobody knows whether it has to be, those that are odd either way. Whether
-- all agree is known where shared_device knows it, and no device of the host may be the driver's as well, since an adapter does not report its own.
-- Emulex's brings 30 or 32 by its version (docs/domain/facts.md#2): where nobody set a depth, and each version has its own, none of these is odd.
WITH undriven AS (
    SELECT DISTINCT endpoint, host_id FROM step_host_group WHERE driver IS NULL
),
unplaced AS (
    SELECT DISTINCT u.endpoint, u.host_id FROM undriven AS u JOIN step_nameless_adapter AS n USING (endpoint, host_id)
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
    SELECT
        endpoint,
        host_id,
        module AS driver,
        driver_version,
        depth_is_configured,
        serves_capped_protocol_endpoints OR (coalesce(depth_parameter = 'lun_queue_depth_per_path', false) AND vvol_endpoints > 0) AS is_deepened
    FROM host_module
),
placed AS (
    -- Only what differs is looked for among the devices of every host: usually nothing.
    SELECT
        d.endpoint,
        d.host_id,
        d.device,
        d.driver,
        CASE WHEN d.is_shared THEN d.queue_depth END AS queue_depth,
        CASE WHEN p.host_id IS NOT NULL THEN p.is_deepened WHEN r.modules_read THEN false END AS is_deepened,
        CASE WHEN NOT p.depth_is_configured THEN p.driver_version END AS stock_version
    FROM device AS d
    JOIN differing AS i USING (device)
    JOIN step_host_reading AS r ON r.endpoint = d.endpoint AND r.host_id = d.host_id
    LEFT JOIN deepened AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.driver = d.driver
    WHERE d.is_shared IS DISTINCT FROM false
),
shipped AS (
    SELECT device, driver
    FROM placed
    WHERE driver IN ('lpfc', 'lpfc820')
    GROUP BY device, driver
    HAVING count(stock_version) = count(*) AND count(DISTINCT stock_version) = count(DISTINCT (stock_version, queue_depth))
        AND count(*) FILTER (WHERE queue_depth BETWEEN 30 AND 32) = count(*)
),
counted AS (
    SELECT
        device,
        driver,
        queue_depth,
        count(*) AS hosts,
        bool_or(is_deepened) AS any_deepened,
        count(*) FILTER (WHERE is_deepened IS NULL) AS undetermined
    FROM placed
    WHERE driver IS NOT NULL
    GROUP BY device, driver, queue_depth
),
undriven_hosts AS (
    SELECT device, count(*) AS hosts FROM placed WHERE driver IS NULL GROUP BY device
),
wanted AS (
    -- Hosts that do not tell their depth, or their driver, may have any: only what is more than half whatever they have is the majority's.
    SELECT
        c.device,
        c.driver,
        coalesce(sum(c.hosts) FILTER (WHERE c.queue_depth IS NULL), 0) + coalesce(any_value(n.hosts), 0) AS untold,
        sum(c.hosts) + coalesce(any_value(n.hosts), 0) AS all_hosts,
        CASE
            WHEN bool_or(c.any_deepened) THEN true
            WHEN sum(c.undetermined) = 0 AND coalesce(any_value(n.hosts), 0) = 0 THEN false
        END AS is_deepened,
        max(c.queue_depth) AS deepest,
        arg_max(c.queue_depth, c.hosts) AS commonest,
        max(c.hosts) AS most
    FROM counted AS c
    LEFT JOIN undriven_hosts AS n USING (device)
    LEFT JOIN shipped AS s ON s.device = c.device AND s.driver = c.driver
    WHERE s.driver IS NULL
    GROUP BY c.device, c.driver
    HAVING count(c.queue_depth) > 1
),
compared AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.driver,
        p.device,
        p.queue_depth,
        CASE WHEN w.is_deepened THEN w.deepest WHEN NOT w.is_deepened AND 2 * w.most > w.all_hosts THEN w.commonest END AS wanted,
        CASE
            WHEN w.is_deepened THEN p.queue_depth < w.deepest
            WHEN NOT w.is_deepened THEN 2 * (c.hosts + w.untold) <= w.all_hosts
            ELSE p.queue_depth < w.deepest AND 2 * (c.hosts + w.untold) <= w.all_hosts
        END AS is_odd,
        w.is_deepened IS NULL AND (p.queue_depth < w.deepest OR 2 * c.hosts <= w.all_hosts) AS may_be_odd
    FROM placed AS p
    JOIN wanted AS w ON w.device = p.device AND w.driver = p.driver
    JOIN counted AS c ON c.device = p.device AND c.driver = p.driver AND c.queue_depth = p.queue_depth
),
odd AS (
    SELECT
        endpoint,
        host_id,
        driver,
        count(*) FILTER (WHERE is_odd) AS devices,
        few(CASE WHEN is_odd THEN device END) AS names,
        few_distinct(CASE WHEN is_odd THEN CAST(queue_depth AS VARCHAR) END) AS depths,
        few_distinct(CAST(wanted AS VARCHAR)) AS wanted
    FROM compared
    WHERE is_odd OR may_be_odd
    GROUP BY ALL
),
unsettled AS (
    SELECT DISTINCT n.endpoint, n.host_id, v.driver
    FROM step_device_row AS d
    JOIN step_device_number AS m USING (device_number)
    JOIN step_host_number AS n USING (host_number)
    JOIN shared_device AS s ON s.endpoint = n.endpoint AND s.device = m.device
    LEFT JOIN step_driver AS v USING (driver_number)
    WHERE d.is_shared IS DISTINCT FROM false AND NOT coalesce(s.queue_depths_known, false)
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
        WHEN c.driver IS NOT NULL AND r.devices_read AND u.host_id IS NULL AND o.host_id IS NULL AND n.host_id IS NULL THEN true
    END AS queue_depth_agrees,
    nullif(o.devices, 0) AS odd_devices,
    o.names AS odd_device_names,
    o.wanted AS wanted_queue_depths
FROM carried AS c
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN odd AS o ON o.endpoint = c.endpoint AND o.host_id = c.host_id AND o.driver = c.driver
LEFT JOIN unplaced AS n ON n.endpoint = c.endpoint AND n.host_id = c.host_id
LEFT JOIN unsettled AS u ON u.endpoint = c.endpoint AND u.host_id = c.host_id AND u.driver = c.driver;
