-- materialize: table
-- One row per vCenter and device of an array: what its hosts make of it, and which of them are at odds. All hosts of the fleet that see the
-- device are compared, whatever their cluster or vCenter. They agree only where each vCenter listed its hosts, every host of their clusters
-- was read, each told whether it is a disk of its own, and every other host that mounts a datastore on the device; or where the array's lists say who sees it, and all of these were
-- read. A majority is more than half of the hosts that tell.
-- * DSNRO: hosts differ where it holds the queue of one below what another has in force; above the device's own depth it counts for nothing
--   (docs/domain/facts.md#1-6), and that depth is compared for itself. Those are odd that are not at `wanted_dsnro`, the stock 32 of an ordinary device (docs/domain/facts.md#1-4); where no such value is known
--   (protocol endpoints, a provider's tiers, families of whose queues no source says so), not at the majority; without one, all.
-- * Depth, among hosts of one driver: likewise by the majority; on a protocol endpoint whose queue has to hold several throttled disks
--   (step_shared_queue), those are odd that are not the deepest.
WITH seen AS (
    SELECT
        endpoint,
        device,
        one_family(family) AS family,
        bool_or(is_protocol_endpoint) AS is_protocol_endpoint,
        bool_or(is_namespace) AS is_namespace,
        CASE WHEN min(coalesce(cluster, '')) = max(coalesce(cluster, '')) THEN any_value(cluster) END AS cluster
    FROM step_device_group
    GROUP BY ALL
),
unread AS (
    -- Hosts outside of the clusters that are known to see a device may mount what is on it.
    SELECT x.device
    FROM step_host_reading AS r
    JOIN fact.datastore_mount AS m USING (endpoint, host_id)
    JOIN fact.datastore_extent AS x ON x.endpoint = m.endpoint AND x.datastore_id = m.datastore_id
    WHERE NOT (r.devices_read AND r.device_scheduling_read)
    GROUP BY x.device
),
hidden AS (
    -- What an unread host sees is known by what it mounts: where that was not read either, it may be any device.
    SELECT count(*) AS hosts
    FROM step_host_reading AS r
    LEFT JOIN step_endpoint_reading AS e USING (endpoint)
    WHERE NOT (r.devices_read AND r.device_scheduling_read) AND NOT coalesce(e.datastores_read, false)
),
whole AS (
    SELECT
        t.device,
        (bool_and(r.scheduling_read AND NOT coalesce(t.may_be_local, false)) AND count(u.device) = 0 AND any_value(w.hosts_read AND h.hosts = 0))
            OR coalesce(any_value(a.hosts_read), false) AS is_whole
    FROM step_device_group AS t
    JOIN step_domain_reading AS r ON r.endpoint = t.endpoint AND r.domain_id = t.domain_id
    LEFT JOIN unread AS u ON u.device = t.device
    LEFT JOIN step_device_audience AS a ON a.device = t.device
    CROSS JOIN step_vcenter_reading AS w
    CROSS JOIN hidden AS h
    GROUP BY t.device
),
signed AS (
    SELECT device, sum(hash(family, is_tier, is_protocol_endpoint, driver, dsnro, queue_depth, hosts)) AS digest, count(*) AS groups
    FROM step_device_group
    GROUP BY device
),
kind AS (
    -- Devices about which as many hosts report the same are worked out once: a cluster has hundreds of devices, and few kinds.
    SELECT digest, groups, min(device) AS example FROM signed GROUP BY ALL
),
alike AS (
    SELECT s.device, k.example FROM signed AS s JOIN kind AS k USING (digest, groups)
),
reporting AS (
    SELECT t.* FROM step_device_group AS t JOIN kind AS k ON k.example = t.device
),
one_dsnro AS (
    SELECT
        device,
        dsnro,
        CASE WHEN bool_or(is_protocol_endpoint OR is_tier) THEN NULL WHEN dsnro_advice(one_family(family)) = 'default' THEN 32 END AS wanted,
        sum(hosts) AS hosts
    FROM reporting
    GROUP BY device, dsnro
),
dsnro AS (
    SELECT
        device,
        any_value(wanted) AS wanted,
        count(*) FILTER (WHERE dsnro IS NULL) AS undetermined,
        CASE
            WHEN 2 * max(hosts) FILTER (WHERE dsnro IS NOT NULL) > sum(hosts) FILTER (WHERE dsnro IS NOT NULL)
            THEN arg_max(dsnro, hosts)
        END AS majority,
        string_agg(dsnro || ' on ' || CAST(hosts AS BIGINT), ', ' ORDER BY dsnro) AS texts
    FROM one_dsnro
    GROUP BY device
),
in_force AS (
    SELECT
        device,
        min(dsnro) FILTER (WHERE dsnro < queue_depth) AS shortest_held,
        min(dsnro) FILTER (WHERE queue_depth IS NULL OR dsnro < queue_depth) AS shortest_held_at_least,
        max(CASE WHEN queue_depth < dsnro THEN queue_depth WHEN dsnro <= queue_depth THEN dsnro END) AS longest,
        max(CASE WHEN queue_depth < dsnro THEN queue_depth ELSE dsnro END) AS longest_at_most
    FROM reporting
    GROUP BY device
),
one_depth AS (
    SELECT t.device, t.driver, t.queue_depth, bool_or(t.is_protocol_endpoint AND f.is_deepened) AS is_raised_on_purpose, sum(t.hosts) AS hosts
    FROM reporting AS t
    LEFT JOIN step_shared_queue AS f ON f.family = t.family
    GROUP BY t.device, t.driver, t.queue_depth
),
by_driver AS (
    SELECT
        device,
        driver,
        driver IS NOT NULL AND count(queue_depth) > 1 AS differs,
        driver IS NULL OR count(queue_depth) < count(*) AS undetermined,
        CASE
            WHEN bool_or(is_raised_on_purpose) THEN max(queue_depth)
            WHEN 2 * max(hosts) FILTER (WHERE queue_depth IS NOT NULL) > sum(hosts) FILTER (WHERE queue_depth IS NOT NULL)
            THEN arg_max(queue_depth, hosts)
        END AS wanted,
        string_agg(queue_depth || ' on ' || CAST(hosts AS BIGINT), ', ' ORDER BY queue_depth) AS texts
    FROM one_depth
    GROUP BY device, driver
),
depth AS (
    SELECT
        device,
        bool_or(differs) AS differs,
        bool_or(undetermined) AS undetermined,
        string_agg(coalesce(driver, 'driver not known') || ' ' || texts, '; ' ORDER BY driver) AS texts,
        string_agg(driver || ' ' || wanted, '; ' ORDER BY driver) FILTER (WHERE differs) AS wanted
    FROM by_driver
    GROUP BY device
),
odd_group AS (
    SELECT DISTINCT
        g.device,
        g.driver,
        g.dsnro,
        g.queue_depth,
        f.shortest_held < f.longest AND g.dsnro IS NOT NULL AND g.dsnro IS DISTINCT FROM coalesce(x.wanted, x.majority)
            AND NOT coalesce(g.dsnro >= g.queue_depth AND coalesce(x.wanted, x.majority) >= g.queue_depth, false) AS is_dsnro_odd,
        v.differs AND g.queue_depth IS NOT NULL AND g.queue_depth IS DISTINCT FROM v.wanted AS is_depth_odd
    FROM step_device_group AS g
    JOIN alike AS l ON l.device = g.device
    JOIN dsnro AS x ON x.device = l.example
    JOIN in_force AS f ON f.device = l.example
    LEFT JOIN by_driver AS v ON v.device = l.example AND v.driver = g.driver
),
odd AS (
    -- Only what differs is looked for among the devices of every host: usually nothing.
    SELECT
        d.device,
        few(CASE WHEN o.is_dsnro_odd THEN d.host END) AS dsnro_hosts,
        few(CASE WHEN o.is_depth_odd THEN d.host END) AS depth_hosts
    FROM device AS d
    JOIN odd_group AS o ON o.device = d.device AND o.driver IS NOT DISTINCT FROM d.driver AND o.dsnro IS NOT DISTINCT FROM d.dsnro
        AND o.queue_depth IS NOT DISTINCT FROM d.queue_depth
    WHERE d.is_shared AND (o.is_dsnro_odd OR o.is_depth_odd)
    GROUP BY d.device
),
queue_full AS (
    SELECT
        device,
        count(sample_size) FILTER (WHERE threshold IS NOT NULL) AS values_seen,
        count(*) FILTER (WHERE sample_size IS NULL OR threshold IS NULL) AS undetermined,
        min(sample_size) AS least_sample_size,
        min(threshold) AS least_threshold,
        any_value(sample_size || '/' || threshold || ' on ' || hosts) AS a_text
    FROM step_queue_full
    GROUP BY device
),
queue_full_texts AS (
    SELECT
        f.device,
        string_agg(f.sample_size || '/' || f.threshold || ' on ' || f.hosts, ', ' ORDER BY f.sample_size, f.threshold) AS texts
    FROM step_queue_full AS f
    JOIN queue_full AS q ON q.device = f.device
    WHERE q.values_seen > 1
    GROUP BY f.device
)
SELECT
    s.endpoint,
    s.device AS resource_id,
    s.device AS resource_name,
    s.cluster,
    CAST(NULL AS VARCHAR) AS host,
    s.device,
    s.family,
    s.is_protocol_endpoint,
    s.is_namespace,
    a.array_name,
    a.volume,
    a.qos,
    n.hosts,
    n.host_names,
    CASE WHEN e.datastores_read AND i.device IS NULL THEN false WHEN e.datastores_read THEN i.sioc_enabled END AS sioc_enabled,
    i.datastores,
    x.texts AS dsnros,
    x.majority AS majority_dsnro,
    x.wanted AS wanted_dsnro,
    o.dsnro_hosts AS odd_dsnro_hosts,
    CASE
        WHEN f.shortest_held < f.longest THEN false
        WHEN w.is_whole AND x.undetermined = 0 AND NOT coalesce(f.shortest_held_at_least < f.longest_at_most, false) THEN true
    END AS dsnro_agrees,
    y.texts AS queue_depths,
    y.wanted AS wanted_queue_depths,
    o.depth_hosts AS odd_depth_hosts,
    CASE WHEN y.differs THEN false WHEN w.is_whole AND NOT y.undetermined THEN true END AS queue_depth_agrees,
    coalesce(z.texts, q.a_text) AS queue_full_values,
    CASE WHEN q.values_seen > 1 OR q.undetermined = 0 THEN q.least_sample_size END AS least_queue_full_sample_size,
    CASE WHEN q.values_seen > 1 OR q.undetermined = 0 THEN q.least_threshold END AS least_queue_full_threshold,
    CASE WHEN q.values_seen > 1 THEN false WHEN w.is_whole AND q.undetermined = 0 THEN true END AS queue_full_agrees,
    w.is_whole AND NOT y.undetermined AS queue_depths_known,
    w.is_whole AND q.undetermined = 0 AS queue_full_known
FROM seen AS s
JOIN whole AS w ON w.device = s.device
JOIN alike AS l ON l.device = s.device
JOIN dsnro AS x ON x.device = l.example
JOIN in_force AS f ON f.device = l.example
JOIN depth AS y ON y.device = l.example
LEFT JOIN odd AS o ON o.device = s.device
LEFT JOIN queue_full AS q ON q.device = s.device
LEFT JOIN queue_full_texts AS z ON z.device = s.device
LEFT JOIN step_array_device AS a ON a.device = s.device
LEFT JOIN step_seen_device AS n ON n.endpoint = s.endpoint AND n.device = s.device
LEFT JOIN step_device_sioc AS i ON i.endpoint = s.endpoint AND i.device = s.device
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = s.endpoint;
