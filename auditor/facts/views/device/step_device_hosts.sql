-- materialize: table
-- One row per device name that several hosts may share: how many hosts see it, those that detached it left out, and the first five by name. Devices of
-- one cluster are seen by the same hosts, so names are looked up once for each set of hosts; a set is known by its size and the hashes of its numbers.
WITH seeing AS (
    SELECT d.host_number, d.device_number
    FROM step_device_row AS d
    LEFT JOIN step_inquiry AS i USING (inquiry_number)
    WHERE NOT coalesce(i.is_detached, false)
),
counted AS (
    SELECT device_number, count(*) AS hosts, bit_xor(hash(host_number)) AS digest FROM seeing GROUP BY device_number
),
example AS (
    SELECT hosts, digest, min(device_number) AS device_number FROM counted GROUP BY hosts, digest
),
first_host AS (
    SELECT s.hosts, s.digest, unnest(min(d.host_number, 5)) AS host_number
    FROM example AS s
    JOIN seeing AS d USING (device_number)
    GROUP BY s.hosts, s.digest
),
named AS (
    SELECT f.hosts, f.digest, string_agg(coalesce(n.host, n.host_id), ', ' ORDER BY n.host_number) AS names
    FROM first_host AS f
    JOIN step_host_number AS n USING (host_number)
    GROUP BY f.hosts, f.digest
)
SELECT c.device_number, c.hosts, n.names || CASE WHEN c.hosts > 5 THEN ' and ' || (c.hosts - 5) || ' more' ELSE '' END AS host_names
FROM counted AS c
JOIN named AS n USING (hosts, digest)
JOIN step_device_number AS m USING (device_number)
WHERE NOT starts_with(m.device, 'mpx.');
