-- materialize: table
-- One row per interval of the history of a thing with episodes, for pictures of the day: `side` is host, all hosts together, or array, the volumes that
-- it lies on. Latency is the mean over commands, of several hosts or volumes by their commands; NULL where none passed.
WITH subject AS (
    SELECT endpoint, subject_kind, subject FROM step_episode GROUP BY endpoint, subject_kind, subject
),
part AS (
    SELECT s.endpoint, s.subject_kind, s.subject, CASE WHEN y.endpoint IS NULL THEN 'host' ELSE 'array' END AS side, s.endpoint AS of_endpoint,
        s.subject_kind AS of_kind, s.subject AS of_subject
    FROM subject AS s
    LEFT JOIN step_array AS y ON y.endpoint = s.endpoint
    UNION
    SELECT endpoint, subject_kind, subject, 'array', array_endpoint, 'volume', volume_id
    FROM step_history_volume
    WHERE volume_id IS NOT NULL
)
SELECT
    p.endpoint,
    p.subject_kind || ' ' || p.subject || ' ' || p.side || ' ' || strftime(h.begin_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS resource_id,
    s.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    CAST(NULL AS VARCHAR) AS host_id,
    p.subject_kind,
    p.subject,
    p.side,
    h.begin_at,
    max(h.seconds) AS seconds,
    sum(h.latency_ms * coalesce(h.iops, 1) ORDER BY h.latency_ms, h.iops)
        / nullif(sum(CASE WHEN h.latency_ms IS NOT NULL THEN coalesce(h.iops, 1) END ORDER BY h.latency_ms IS NULL, h.iops), 0) AS latency_ms,
    max(greatest(h.latency_ms, h.latency_max_ms)) AS latency_max_ms,
    sum(h.iops ORDER BY h.iops) AS iops,
    sum(h.bytes_per_second ORDER BY h.bytes_per_second) AS bytes_per_second,
    avg(h.sioc_active_percent ORDER BY h.sioc_active_percent) AS sioc_active_percent
FROM part AS p
JOIN step_history_subject AS s USING (endpoint, subject_kind, subject)
JOIN step_history_normal AS n ON n.endpoint = p.of_endpoint AND n.subject_kind = p.of_kind AND n.subject = p.of_subject
JOIN fact.load_history AS h
    ON h.endpoint = n.endpoint AND h.subject_kind = n.subject_kind AND h.subject = n.subject AND h.host_id = n.host_id AND h.seconds = n.seconds
GROUP BY p.endpoint, p.subject_kind, p.subject, p.side, s.name, h.begin_at;
