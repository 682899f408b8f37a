-- materialize: table
-- Each way in which the native plug-in chooses among paths, once.
SELECT DISTINCT ON (policy_key) policy_key, satp, psp, rr_policy, rr_iops, rr_bytes, rr_use_unoptimized, working_paths
FROM step_policy_options;
