-- materialize: table
-- One row per host, iSCSI adapter and static target, with the parameters that hold for it, its own or inherited.
-- The family is that of the devices reached through the target, where all of them are of one; else what its name tells, see the view
-- iscsi_target. NULL where neither tells, or a path of the adapter
-- that does not report its target leads to another family; 'other' where nobody here knows it.
WITH behind AS (
    SELECT
        endpoint,
        host_id,
        hba,
        target,
        string_agg(DISTINCT family, ', ' ORDER BY family) AS families,
        count(family) = count(*) AND count(DISTINCT family) = 1 AS is_one_family,
        sum(paths) AS paths
    FROM step_iscsi_family
    GROUP BY endpoint, host_id, hba, target
),
astray AS (
    SELECT endpoint, host_id, hba, CASE WHEN is_one_family THEN families END AS family FROM behind WHERE target IS NULL
)
SELECT
    t.endpoint,
    t.resource_id,
    t.resource_name,
    t.cluster,
    t.host,
    t.host_id,
    t.version,
    t.hba,
    t.kind,
    t.address,
    t.port,
    t.iqn,
    CASE
        WHEN d.is_one_family AND (a.hba IS NULL OR a.family = d.families) THEN d.families
        WHEN t.family <> 'other' THEN t.family
        WHEN d.target IS NULL AND a.hba IS NULL AND r.paths_read THEN t.family
    END AS family,
    d.families,
    CAST(d.paths AS BIGINT) AS paths,
    v.login_timeout_seconds,
    v.login_timeout_inherited,
    v.noop_out_interval_seconds,
    v.noop_out_timeout_seconds,
    v.recovery_timeout_seconds,
    v.delayed_ack
FROM iscsi_target AS t
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_iscsi_value AS v
    ON v.endpoint = t.endpoint AND v.host_id = t.host_id AND v.hba = t.hba AND v.target = t.address || ':' || t.port || ' ' || t.iqn
LEFT JOIN behind AS d ON d.endpoint = t.endpoint AND d.host_id = t.host_id AND d.hba = t.hba AND d.target = t.iqn
LEFT JOIN astray AS a ON a.endpoint = t.endpoint AND a.host_id = t.host_id AND a.hba = t.hba;
