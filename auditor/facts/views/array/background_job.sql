-- materialize: view
-- One row per job that an array did, or does, besides the work of hosts: replication, deduplication, scrubs, rebuilds, snapshots, moves, backups.
-- A relationship within one cluster is work of both its volumes: two rows.
SELECT
    j.endpoint,
    j.job_id AS resource_id,
    j.kind || coalesce(' of ' || coalesce(j.subject_name, v.name, j.subject_id), '') AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    j.job_id,
    a.family,
    j.kind,
    j.subject,
    j.subject_id,
    coalesce(j.subject_name, v.name) AS subject_name,
    coalesce(j.pool_id, v.pool_id) AS pool_id,
    p.name AS pool,
    j.begin_at,
    j.end_at,
    date_diff('second', j.begin_at, j.end_at) / 60.0 AS minutes,
    j.bytes,
    j.outcome,
    j.schedule,
    j.detail
FROM fact.background_job AS j
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN fact.array_volume AS v ON v.endpoint = j.endpoint AND v.volume_id = j.subject_id AND j.subject = 'volume'
LEFT JOIN fact.array_pool AS p ON p.endpoint = j.endpoint AND p.pool_id = coalesce(j.pool_id, v.pool_id);
