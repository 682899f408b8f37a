-- The view `device` as views/60_device.sql means it, computed once for all who ask. A row is three numbers: of the host, of the device's name,
-- and of the kind of device that it is there: all that is told of it in few words, which many rows share. Millions of rows are joined and kept
-- by these, not by texts; what is asked of all of them is asked of their kinds first. Change both files together, as tests/facts/test_kept.py
-- holds them equal.
CREATE TABLE kept_host AS
SELECT
    CAST(row_number() OVER (ORDER BY coalesce(h.name, h.host_id)) AS INTEGER) AS host_number,
    CAST(dense_rank() OVER (ORDER BY h.endpoint, r.domain_id, h.cluster) AS INTEGER) AS place_number,
    h.endpoint,
    h.host_id,
    h.cluster,
    h.name AS host,
    r.domain_id
FROM fact.host AS h
JOIN step_host_reading AS r USING (endpoint, host_id);

-- Every device name once, with what is the same for every host that sees it.
CREATE TABLE kept_name AS
SELECT
    CAST(row_number() OVER () AS INTEGER) AS device_number,
    CAST(dense_rank() OVER (ORDER BY k.name_family, k.array_model, k.array_generation, k.array_firmware) AS INTEGER) AS array_number,
    k.*,
    a.* EXCLUDE (device)
FROM step_known_device AS k
LEFT JOIN step_array_device AS a USING (device);

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

-- The one join over every device of every host, kept because every view of devices rests on it. `driver_number` is of the module whose adapter
-- carries the device; NULL when no path tells, or paths use several.
CREATE TABLE kept_seen AS
WITH told AS (
    SELECT
        n.host_number, m.device_number, i.inquiry_number, m.array_number, d.is_protocol_endpoint, d.is_local, d.queue_depth, m.device, d.device_type
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
    t.array_number,
    c.driver_number,
    t.queue_depth,
    t.dsnro,
    t.is_endpoint AS is_protocol_endpoint,
    CASE WHEN t.is_endpoint THEN true WHEN t.device_type <> 'disk' THEN false ELSE NOT t.is_local END AS is_shared
FROM classed AS t
LEFT JOIN kept_carried AS c USING (host_number, device_number);

-- Every kind of device once, and how many of all devices are of it. What `device` tells in these columns it tells of a kind, not of one device.
CREATE TABLE kept_kind AS
WITH kind AS (
    SELECT inquiry_number, array_number, driver_number, queue_depth, dsnro, is_protocol_endpoint, is_shared, count(*) AS devices
    FROM kept_seen
    GROUP BY ALL
),
known AS (
    SELECT array_number, name_family, array_model, array_generation, array_firmware, firmware_level FROM kept_name GROUP BY ALL
)
SELECT
    CAST(row_number() OVER () AS INTEGER) AS kind_number,
    k.inquiry_number,
    k.array_number,
    k.driver_number,
    i.vendor,
    i.model,
    coalesce(nullif(i.family, 'other'), n.name_family, i.family) AS family,
    i.device_type,
    k.is_protocol_endpoint,
    k.is_shared,
    k.queue_depth,
    k.dsnro,
    v.driver,
    n.array_model,
    n.array_generation,
    n.array_firmware,
    n.firmware_level,
    k.devices
FROM kind AS k
JOIN kept_inquiry AS i USING (inquiry_number)
JOIN known AS n USING (array_number)
LEFT JOIN kept_driver AS v USING (driver_number);

CREATE TABLE kept_device AS
SELECT s.host_number, s.device_number, k.kind_number
FROM kept_seen AS s
JOIN kept_kind AS k ON k.inquiry_number = s.inquiry_number
    AND k.array_number = s.array_number
    AND k.driver_number IS NOT DISTINCT FROM s.driver_number
    AND k.queue_depth IS NOT DISTINCT FROM s.queue_depth
    AND k.dsnro IS NOT DISTINCT FROM s.dsnro
    AND k.is_protocol_endpoint IS NOT DISTINCT FROM s.is_protocol_endpoint
    AND k.is_shared IS NOT DISTINCT FROM s.is_shared;

DROP TABLE kept_seen;

-- How many hosts of a place (a cluster of a vCenter) see a device name as one kind, and their numbers thrown together.
CREATE TABLE kept_sight AS
SELECT n.place_number, d.device_number, d.kind_number, CAST(count(*) AS BIGINT) AS hosts, bit_xor(hash(d.host_number)) AS digest
FROM kept_device AS d
JOIN kept_host AS n USING (host_number)
GROUP BY ALL;

CREATE TABLE kept_place AS
SELECT DISTINCT place_number, endpoint, domain_id, cluster FROM kept_host;

-- Who sees each device name: how many, and the first five, whose numbers are in the order of their names. Devices of one cluster are seen by
-- the same hosts, so that names are looked up once for each set of hosts; sets are told apart by how many they are and what their hashes make.
CREATE TABLE kept_sharing AS
WITH counted AS (
    SELECT device_number, CAST(sum(hosts) AS BIGINT) AS hosts, bit_xor(digest) AS digest FROM kept_sight GROUP BY device_number
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
SELECT p.endpoint, m.device, min(k.family) AS family, min(x.hosts) AS hosts, min(x.host_names) AS host_names
FROM kept_sight AS s
JOIN kept_place AS p USING (place_number)
JOIN kept_kind AS k USING (kind_number)
JOIN kept_name AS m USING (device_number)
LEFT JOIN kept_sharing AS x USING (device_number)
GROUP BY p.endpoint, m.device;

-- The view `step_device_group` as views/61_step_device_group.sql means it: once more by what the numbers stand for, as two kinds may be told
-- alike.
CREATE TABLE kept_device_group AS
SELECT
    p.endpoint,
    m.device,
    p.domain_id,
    p.cluster,
    k.family,
    coalesce(starts_with(k.array_model, 'IBM Cloud '), false) AS is_tier,
    k.is_protocol_endpoint,
    k.driver,
    k.dsnro,
    k.queue_depth,
    CAST(sum(s.hosts) AS BIGINT) AS hosts
FROM kept_sight AS s
JOIN kept_place AS p USING (place_number)
JOIN kept_kind AS k USING (kind_number)
JOIN kept_name AS m USING (device_number)
WHERE k.is_shared
GROUP BY ALL;

-- The view `step_host_group` as views/61_step_host_group.sql means it, likewise.
CREATE TABLE kept_host_group AS
WITH counted AS (
    SELECT host_number, kind_number, count(*) AS devices FROM kept_device GROUP BY ALL
)
SELECT
    n.endpoint,
    n.host_id,
    k.family,
    k.driver,
    CAST(sum(c.devices) AS BIGINT) AS devices,
    max(k.queue_depth) AS deepest_queue,
    CAST(coalesce(sum(c.devices) FILTER (WHERE k.queue_depth IS NULL), 0) AS BIGINT) AS untold
FROM counted AS c
JOIN kept_host AS n USING (host_number)
JOIN kept_kind AS k USING (kind_number)
WHERE k.is_shared IS DISTINCT FROM false
GROUP BY ALL;

-- `device` with the number of each row's kind beside its columns.
CREATE VIEW kept_device_of_kind AS
SELECT
    n.endpoint,
    n.host_id || '/' || m.device AS resource_id,
    m.device AS resource_name,
    n.cluster,
    n.host,
    n.host_id,
    m.device,
    n.domain_id,
    k.vendor,
    k.model,
    k.family,
    k.device_type,
    k.is_protocol_endpoint,
    k.is_shared,
    k.queue_depth,
    k.dsnro,
    k.driver,
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
    k.array_model,
    k.array_generation,
    k.array_firmware,
    k.firmware_level,
    d.kind_number
FROM kept_device AS d
JOIN kept_host AS n USING (host_number)
JOIN kept_name AS m USING (device_number)
JOIN kept_kind AS k USING (kind_number)
LEFT JOIN kept_sharing AS x USING (device_number);

CREATE VIEW device AS
SELECT * EXCLUDE (kind_number) FROM kept_device_of_kind;
