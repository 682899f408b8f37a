-- materialize: view
-- a row is called: replication
-- One row per relationship that copies a volume of an array away: its schedule now, and in the baseline, by the array's id of it; see
-- step_setting_drift.
SELECT
    d.endpoint,
    d.thing AS resource_id,
    coalesce(x.source || ' to ' || x.destination, d.thing) AS resource_name,
    d.cluster,
    d.host,
    d.thing AS replication_id,
    x.policy,
    d.is_known,
    d.is_seen,
    d.value,
    d.wanted,
    d.baseline_run,
    d.baseline_at
FROM step_setting_drift AS d
LEFT JOIN fact.array_replication AS x ON x.endpoint = d.endpoint AND x.replication_id = d.thing
WHERE d.kind = 'replication';
