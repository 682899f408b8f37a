-- materialize: table
-- One row per host and iSCSI adapter, with its own parameters, those that hold for its targets, and the families of arrays behind it.
-- What is said of all targets is NULL unless the adapters of the host were read whole, and one target that does not tell makes it NULL.
-- An adapter of no known kind may be one for iSCSI: what is said of all its targets is NULL where it has none.
-- `families` are those of the devices that the adapter has paths to; NULL unless devices and paths were read whole and each is known.
WITH target AS (
    SELECT
        t.endpoint,
        t.host_id,
        t.hba,
        count(*) AS targets,
        count(v.login_timeout_seconds) = count(*) AS login_timeouts_known,
        min(v.login_timeout_seconds) AS lowest,
        max(v.login_timeout_seconds) AS highest,
        count(v.delayed_ack) = count(*) AS delayed_acks_known,
        count(*) FILTER (WHERE v.delayed_ack) AS delayed
    FROM fact.iscsi_target AS t
    LEFT JOIN step_iscsi_value AS v
        ON v.endpoint = t.endpoint AND v.host_id = t.host_id AND v.hba = t.hba AND v.target = t.address || ':' || t.port || ' ' || t.iqn
    WHERE t.kind = 'static'
    GROUP BY t.endpoint, t.host_id, t.hba
),
behind AS (
    SELECT
        endpoint,
        host_id,
        hba,
        string_agg(DISTINCT family, ', ' ORDER BY family) AS families,
        count(family) = count(*) AS families_known,
        count(DISTINCT family) AS family_count
    FROM step_iscsi_family
    GROUP BY endpoint, host_id, hba
)
SELECT
    a.endpoint,
    a.host_id || '/' || a.hba AS resource_id,
    a.hba AS resource_name,
    h.cluster,
    h.name AS host,
    a.host_id,
    a.hba,
    a.driver,
    a.is_software,
    a.initiator,
    v.login_timeout_seconds,
    v.noop_out_interval_seconds,
    v.noop_out_timeout_seconds,
    v.recovery_timeout_seconds,
    v.delayed_ack,
    CASE WHEN r.hbas_read AND (a.kind IS NOT NULL OR t.targets > 0) THEN coalesce(t.targets, 0) END AS targets,
    CASE WHEN r.hbas_read AND t.login_timeouts_known THEN t.lowest END AS lowest_login_timeout_seconds,
    CASE WHEN r.hbas_read AND t.login_timeouts_known THEN t.highest END AS highest_login_timeout_seconds,
    CASE WHEN r.hbas_read AND t.delayed_acks_known THEN t.delayed END AS targets_with_delayed_ack,
    CASE WHEN r.devices_read AND r.paths_read AND b.families_known THEN b.families END AS families,
    CASE WHEN r.devices_read AND r.paths_read AND coalesce(b.families_known, true) THEN coalesce(b.family_count, 0) END AS family_count
FROM fact.hba AS a
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_iscsi_value AS v ON v.endpoint = a.endpoint AND v.host_id = a.host_id AND v.hba = a.hba AND v.target = ''
LEFT JOIN target AS t ON t.endpoint = a.endpoint AND t.host_id = a.host_id AND t.hba = a.hba
LEFT JOIN behind AS b ON b.endpoint = a.endpoint AND b.host_id = a.host_id AND b.hba = a.hba
WHERE a.kind IS NULL OR a.kind = 'iscsi';
