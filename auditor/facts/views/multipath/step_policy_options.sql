-- materialize: view
-- How the native plug-in chooses among the paths of each device on each host, under a key: choices that are all the same have the same one.
SELECT *, hash(satp, psp, rr_policy, rr_iops, rr_bytes, rr_use_unoptimized, working_paths) AS policy_key
FROM fact.device_policy;
