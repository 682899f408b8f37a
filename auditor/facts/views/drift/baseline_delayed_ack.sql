-- materialize: view
-- One row per host, iSCSI adapter and target: delayed acknowledgement now, and in the baseline by the target's portal and name. Of a target
-- that is no longer configured `is_seen` is false, and NULL where not all adapters of the host were read.
WITH here AS (
    SELECT endpoint, host_id, hba, kind, address, port, iqn, delayed_ack, concat_ws(' ', address || ':' || port, iqn) AS target
    FROM fact.iscsi_target
),
named AS (
    SELECT DISTINCT endpoint, host_id, target FROM here
),
gone AS (
    SELECT s.endpoint, s.host_id, b.thing AS target, CASE WHEN r.hbas_read THEN false END AS is_seen
    FROM step_wanted_host AS s
    JOIN step_host_reading AS r ON r.endpoint = s.endpoint AND r.host_id = s.host_id
    JOIN fact.baseline AS b ON b.kind = 'delayed_ack' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
    LEFT JOIN named AS n ON n.endpoint = s.endpoint AND n.host_id = s.host_id AND n.target = b.thing
    WHERE s.is_own AND n.target IS NULL
),
listed AS (
    SELECT endpoint, host_id, hba, kind, address, port, iqn, delayed_ack, target, true AS is_seen FROM here
    UNION ALL
    SELECT endpoint, host_id, NULL AS hba, NULL AS kind, NULL AS address, NULL AS port, NULL AS iqn, NULL AS delayed_ack, target, is_seen
    FROM gone
)
SELECT
    l.endpoint,
    l.host_id || '/' || coalesce(l.hba, '') || '/' || l.target AS resource_id,
    coalesce(l.iqn, l.target) AS resource_name,
    s.cluster,
    s.host,
    l.host_id,
    l.hba,
    l.kind,
    l.address,
    CAST(l.port AS VARCHAR) AS port,
    coalesce(l.iqn, '') AS iqn,
    b.kind IS NOT NULL AS is_known,
    l.is_seen,
    l.delayed_ack,
    b.value = 'true' AS wanted_delayed_ack,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM listed AS l
JOIN step_wanted_host AS s ON s.endpoint = l.endpoint AND s.host_id = l.host_id
LEFT JOIN fact.baseline AS b ON b.kind = 'delayed_ack' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host AND b.thing = l.target
LEFT JOIN step_host_change AS c ON c.kind = 'delayed_ack' AND c.endpoint = l.endpoint AND c.host_id = l.host_id;
