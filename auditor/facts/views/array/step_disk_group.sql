-- materialize: table
-- Pools of an array that share disks with others: those of one `disk_group`. Of most families a pool has its disks for itself, and no row here. The storage types of a Dell SC
-- are all made of the disks of its Storage Center, whose serial number their ids begin with, and common provisioning groups of a 3PAR of all disks of their kind. Source: docs/domain/arrays.md#pools.
SELECT p.endpoint, p.pool_id, CASE WHEN a.family = 'dell-sc' THEN 'all disks of ' || regexp_extract(p.pool_id, '^([0-9]+)[.]', 1) ELSE 'disks of the kind ' || p.media END AS disk_group
FROM fact.array_pool AS p
JOIN step_array AS a USING (endpoint)
WHERE a.family = 'dell-sc' OR (a.family = '3par' AND p.media IS NOT NULL);
