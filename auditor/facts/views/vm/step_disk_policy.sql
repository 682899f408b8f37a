-- materialize: table
-- The storage policy that limits a virtual disk, or may: its limit, and whether the disk's own limit is that one, `is_limit_by_policy`.
-- `policy_has_limit`: its policy sets a limit; NULL when its policies were not read whole.
-- A disk without a limit of its own has none by a policy either way; NULL where it has one and its policy was not read.
WITH given AS (
    SELECT
        x.endpoint,
        x.vm_id,
        x.disk_key,
        few_distinct(p.name) AS storage_policy,
        min(p.iops_limit) AS iops_limit,
        bool_and(p.is_limit_known) AS is_limit_known
    FROM fact.storage_policy_disk AS x
    JOIN fact.storage_policy AS p USING (endpoint, policy_id)
    GROUP BY x.endpoint, x.vm_id, x.disk_key
)
SELECT
    d.endpoint,
    d.vm_id,
    d.disk,
    g.storage_policy,
    g.iops_limit AS policy_iops_limit,
    CASE
        WHEN g.iops_limit IS NOT NULL THEN true
        WHEN r.storage_policies_read AND d.disk_key IS NOT NULL AND coalesce(g.is_limit_known, true) THEN false
    END AS policy_has_limit,
    CASE
        WHEN d.iops_limit IS NULL THEN false
        WHEN d.iops_limit = g.iops_limit THEN true
        WHEN r.storage_policies_read AND d.disk_key IS NOT NULL AND coalesce(g.is_limit_known, true) THEN false
    END AS is_limit_by_policy
FROM fact.vm_disk AS d
LEFT JOIN given AS g ON g.endpoint = d.endpoint AND g.vm_id = d.vm_id AND g.disk_key = d.disk_key
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = d.endpoint
WHERE d.iops_limit IS NOT NULL OR g.vm_id IS NOT NULL;
