-- materialize: view
-- How the native plug-in chooses among the paths of a device, in one word: the policy, and what round robin goes by.
SELECT
    endpoint,
    host_id,
    device AS thing,
    'path_policy' AS setting,
    CASE
        WHEN psp <> 'VMW_PSP_RR' THEN psp
        WHEN rr_policy IN ('rr', 'iops') THEN psp || ', iops ' || rr_iops
        WHEN rr_policy = 'bytes' THEN psp || ', bytes ' || rr_bytes
        ELSE psp || ', ' || rr_policy
    END AS value
FROM fact.device_policy
WHERE psp IS NOT NULL AND (psp <> 'VMW_PSP_RR' OR rr_policy IS NOT NULL) AND NOT starts_with(device, 'mpx.');
