-- materialize: view
-- One row per pool and function of what its disks do: clients, consistency (reads that writing takes), replication, dedup, scrub (rebuilds as well),
-- other. Of ONTAP, the only family whose counters tell clients apart.
-- * `basis` measured: counted by the disks. bound: between nothing and what is left, by what runs. estimate: by the bytes that copies send, at most
--   one transfer of a disk for each 4 KiB; reads of metadata are not counted.
-- * `limit_...` is what spinning disks of 10,000 rpm can do, 120 to 150 transfers a second and data disk, for reads of 4 KiB at random
--   (docs/domain/incidents.md#s3). No source has it for other speeds.
SELECT
    f.endpoint,
    f.pool_id || '/' || f.function AS resource_id,
    p.name || ': ' || f.function AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    f.pool_id,
    p.name AS pool,
    f.function,
    f.low_per_second,
    f.high_per_second,
    f.low_per_second / f.transfers_per_second AS low_share,
    f.high_per_second / f.transfers_per_second AS high_share,
    f.basis,
    f.why,
    f.transfers_per_second,
    f.nfs_operations_per_second,
    f.san_operations_per_second,
    p.rpm,
    p.data_disks,
    CASE WHEN p.rpm BETWEEN 10000 AND 10999 THEN 120 * p.data_disks END AS limit_low_per_second,
    CASE WHEN p.rpm BETWEEN 10000 AND 10999 THEN 150 * p.data_disks END AS limit_high_per_second
FROM step_pool_function AS f
JOIN fact.array_pool AS p ON p.endpoint = f.endpoint AND p.pool_id = f.pool_id;
