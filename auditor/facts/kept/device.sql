-- The view `device` as views/60_device.sql means it, computed once for all who ask. Hosts, device names, inquiries and drivers go by number
-- here: millions of rows are joined and kept by these, not by texts. Change both files together, as tests/facts/test_kept.py holds them equal.
CREATE TABLE kept_host AS
SELECT CAST(row_number() OVER (ORDER BY coalesce(h.name, h.host_id)) AS INTEGER) AS host_number, h.endpoint, h.host_id, h.cluster, h.name AS host, r.domain_id
FROM fact.host AS h
JOIN step_host_reading AS r USING (endpoint, host_id);

-- Every device name once, with what is the same for every host that sees it.
CREATE TABLE kept_name AS
SELECT CAST(row_number() OVER () AS INTEGER) AS device_number, n.device, a.* EXCLUDE (device), k.* EXCLUDE (device)
FROM (SELECT DISTINCT device FROM fact.device) AS n
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_known_device AS k USING (device);

-- Every answer to an inquiry once, with the array family it means.
CREATE TABLE kept_inquiry AS
SELECT CAST(row_number() OVER () AS INTEGER) AS inquiry_number, i.vendor, i.model, i.device_type, f.family
FROM (SELECT DISTINCT vendor, model, device_type FROM fact.device) AS i
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM i.vendor AND f.model IS NOT DISTINCT FROM i.model;

-- Every kernel module that drives an adapter once.
CREATE TABLE kept_driver AS
SELECT CAST(row_number() OVER (ORDER BY driver) AS INTEGER) AS driver_number, driver
FROM (SELECT DISTINCT driver FROM fact.hba WHERE driver IS NOT NULL);

-- What carries a device, where all its paths go by adapters of one module: no other pair of a host and a device is here. A module unknown
-- counts as -1 below and 0 above, so that it is never one with another; a group with two small numbers is half of one that counts as well.
CREATE TABLE kept_carried AS
WITH adapter AS (
    SELECT n.host_number, b.hba, v.driver_number
    FROM fact.hba AS b
    JOIN kept_host AS n USING (endpoint, host_id)
    LEFT JOIN kept_driver AS v USING (driver)
)
SELECT host_number, device_number, least_number AS driver_number
FROM (
    SELECT
        n.host_number,
        m.device_number,
        min(coalesce(b.driver_number, -1)) AS least_number,
        max(coalesce(b.driver_number, 0)) AS greatest_number
    FROM fact.path AS p
    JOIN kept_host AS n USING (endpoint, host_id)
    JOIN kept_name AS m USING (device)
    LEFT JOIN adapter AS b USING (host_number, hba)
    GROUP BY ALL
)
WHERE least_number = greatest_number;

-- The one join over every device of every host, kept because every view of devices rests on it. A row is some 40 bytes: texts stay out, and
-- are looked up by number. `driver_number` is of the module whose adapter carries the device; NULL when no path tells, or paths use several.
CREATE TABLE kept_device AS
WITH told AS (
    SELECT n.host_number, m.device_number, i.inquiry_number, d.is_protocol_endpoint, d.is_local, d.queue_depth, m.device, d.device_type
    FROM fact.device AS d
    JOIN kept_host AS n USING (endpoint, host_id)
    JOIN kept_name AS m ON m.device IS NOT DISTINCT FROM d.device
    JOIN kept_inquiry AS i ON i.vendor IS NOT DISTINCT FROM d.vendor AND i.model IS NOT DISTINCT FROM d.model
        AND i.device_type IS NOT DISTINCT FROM d.device_type
),
scheduled AS (
    SELECT n.host_number, m.device_number, s.dsnro, s.is_vvol_pe
    FROM fact.device_scheduling AS s
    JOIN kept_host AS n USING (endpoint, host_id)
    JOIN kept_name AS m USING (device)
),
classed AS (
    SELECT t.*, s.dsnro, coalesce(t.is_protocol_endpoint, s.is_vvol_pe, starts_with(t.device, 'naa.6f47acc2')) AS is_endpoint
    FROM told AS t
    LEFT JOIN scheduled AS s USING (host_number, device_number)
)
SELECT
    t.host_number,
    t.device_number,
    t.inquiry_number,
    c.driver_number,
    t.queue_depth,
    t.dsnro,
    t.is_endpoint AS is_protocol_endpoint,
    CASE WHEN t.is_endpoint THEN true WHEN t.device_type <> 'disk' THEN false ELSE NOT t.is_local END AS is_shared
FROM classed AS t
LEFT JOIN kept_carried AS c USING (host_number, device_number);

-- Who sees each device name: how many, and the first five, whose numbers are in the order of their names. Devices of one cluster are seen by
-- the same hosts, so that names are looked up once for each set of hosts; sets are told apart by how many they are and what their hashes make.
CREATE TABLE kept_sharing AS
WITH counted AS (
    SELECT device_number, CAST(count(*) AS BIGINT) AS hosts, bit_xor(hash(host_number)) AS digest FROM kept_device GROUP BY device_number
),
spoken AS (
    SELECT hosts, digest, min(device_number) AS device_number FROM counted GROUP BY hosts, digest
),
first_hosts AS (
    SELECT s.hosts, s.digest, unnest(min(d.host_number, 5)) AS host_number
    FROM spoken AS s
    JOIN kept_device AS d USING (device_number)
    GROUP BY s.hosts, s.digest
),
named AS (
    SELECT f.hosts, f.digest, string_agg(coalesce(n.host, n.host_id), ', ' ORDER BY n.host_number) AS names
    FROM first_hosts AS f
    JOIN kept_host AS n USING (host_number)
    GROUP BY f.hosts, f.digest
)
SELECT c.device_number, c.hosts, n.names || CASE WHEN c.hosts > 5 THEN ' and ' || (c.hosts - 5) || ' more' ELSE '' END AS host_names
FROM counted AS c
JOIN named AS n USING (hosts, digest)
JOIN kept_name AS m USING (device_number)
WHERE NOT starts_with(m.device, 'mpx.');

-- The view `step_seen_device` as views/61_step_seen_device.sql means it.
CREATE TABLE kept_seen_device AS
WITH pair AS (
    SELECT n.endpoint, d.device_number, d.inquiry_number
    FROM kept_device AS d
    JOIN kept_host AS n USING (host_number)
    GROUP BY n.endpoint, d.device_number, d.inquiry_number
)
SELECT
    p.endpoint,
    m.device,
    min(coalesce(nullif(i.family, 'other'), m.name_family, i.family)) AS family,
    min(x.hosts) AS hosts,
    min(x.host_names) AS host_names
FROM pair AS p
JOIN kept_name AS m USING (device_number)
JOIN kept_inquiry AS i USING (inquiry_number)
LEFT JOIN kept_sharing AS x USING (device_number)
GROUP BY p.endpoint, m.device;

-- The view `step_device_group` as views/61_step_device_group.sql means it: counted by numbers, then once more by what they stand for, as two
-- inquiries may tell one family.
CREATE TABLE kept_device_group AS
WITH place AS (
    SELECT CAST(row_number() OVER () AS INTEGER) AS place_number, endpoint, domain_id, cluster
    FROM (SELECT DISTINCT endpoint, domain_id, cluster FROM kept_host)
),
placed AS (
    SELECT n.host_number, p.place_number
    FROM kept_host AS n
    JOIN place AS p ON p.endpoint = n.endpoint AND p.domain_id = n.domain_id AND p.cluster IS NOT DISTINCT FROM n.cluster
),
counted AS (
    SELECT p.place_number, d.device_number, d.inquiry_number, d.driver_number, d.is_protocol_endpoint, d.dsnro, d.queue_depth, count(*) AS hosts
    FROM kept_device AS d
    JOIN placed AS p USING (host_number)
    WHERE d.is_shared
    GROUP BY ALL
)
SELECT
    p.endpoint,
    m.device,
    p.domain_id,
    p.cluster,
    coalesce(nullif(i.family, 'other'), m.name_family, i.family) AS family,
    coalesce(starts_with(m.array_model, 'IBM Cloud '), false) AS is_tier,
    c.is_protocol_endpoint,
    v.driver,
    c.dsnro,
    c.queue_depth,
    CAST(sum(c.hosts) AS BIGINT) AS hosts
FROM counted AS c
JOIN place AS p USING (place_number)
JOIN kept_name AS m USING (device_number)
JOIN kept_inquiry AS i USING (inquiry_number)
LEFT JOIN kept_driver AS v USING (driver_number)
GROUP BY ALL;

-- The view `step_host_group` as views/61_step_host_group.sql means it, likewise.
CREATE TABLE kept_host_group AS
WITH counted AS (
    SELECT
        d.host_number, d.driver_number, i.family, m.name_family, count(*) AS devices, max(d.queue_depth) AS deepest_queue,
        count(*) FILTER (WHERE d.queue_depth IS NULL) AS untold
    FROM kept_device AS d
    JOIN kept_name AS m USING (device_number)
    JOIN kept_inquiry AS i USING (inquiry_number)
    WHERE d.is_shared IS DISTINCT FROM false
    GROUP BY ALL
)
SELECT
    n.endpoint,
    n.host_id,
    coalesce(nullif(c.family, 'other'), c.name_family, c.family) AS family,
    v.driver,
    CAST(sum(c.devices) AS BIGINT) AS devices,
    max(c.deepest_queue) AS deepest_queue,
    CAST(sum(c.untold) AS BIGINT) AS untold
FROM counted AS c
JOIN kept_host AS n USING (host_number)
LEFT JOIN kept_driver AS v USING (driver_number)
GROUP BY ALL;

CREATE VIEW device AS
SELECT
    n.endpoint,
    n.host_id || '/' || m.device AS resource_id,
    m.device AS resource_name,
    n.cluster,
    n.host,
    n.host_id,
    m.device,
    n.domain_id,
    i.vendor,
    i.model,
    coalesce(nullif(i.family, 'other'), m.name_family, i.family) AS family,
    i.device_type,
    d.is_protocol_endpoint,
    d.is_shared,
    d.queue_depth,
    d.dsnro,
    v.driver,
    x.hosts,
    x.host_names,
    m.array_name,
    m.is_stretched,
    m.volume,
    m.volume_id,
    m.pool_id,
    m.protocol_endpoint_id,
    m.qos,
    m.qos_policy,
    m.qos_group,
    m.qos_max_iops,
    m.qos_max_bytes_per_second,
    m.qos_capped,
    m.qos_sharers,
    m.qos_shared_by,
    m.array_model,
    m.array_generation,
    m.array_firmware,
    m.firmware_level
FROM kept_device AS d
JOIN kept_host AS n USING (host_number)
JOIN kept_name AS m USING (device_number)
JOIN kept_inquiry AS i USING (inquiry_number)
LEFT JOIN kept_sharing AS x USING (device_number)
LEFT JOIN kept_driver AS v USING (driver_number);
