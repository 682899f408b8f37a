-- materialize: table
-- One row per host and device that has paths. Devices of one host have one `set_key` where their paths leave by the same adapters, end at the same targets
-- are in the same state and carry I/O alike: a host has many devices and few such sets. A set is known by its host, how many paths there are, and the sum of
-- their hashes.
WITH hashed AS (
    SELECT n.host_number, m.device_number, hash(p.hba, p.state, p.is_working, p.transport, p.target, p.psp, p.satp) AS digest
    FROM fact.path AS p
    JOIN step_host_number AS n USING (endpoint, host_id)
    JOIN step_device_number AS m USING (device)
),
summed AS (
    SELECT host_number, device_number, count(*) AS paths, sum(digest) AS digest
    FROM hashed
    GROUP BY ALL
)
SELECT host_number, device_number, hash(host_number, paths, digest) AS set_key
FROM summed;
