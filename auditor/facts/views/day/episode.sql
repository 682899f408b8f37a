-- materialize: table
-- One row per span in which the latency of a datastore, device, volume or anything else with a history left its own normal (docs/design/episodes.md):
-- when, how far, what was sent, who sent it, and what ran meanwhile on the array and in vCenter. Without a history there are none.
WITH sent AS (
    SELECT
        e.endpoint,
        e.subject_kind,
        e.subject,
        e.episode,
        h.subject AS disk,
        coalesce(m.name, d.vm_id) || ' ' || d.node AS name,
        avg(h.iops ORDER BY h.iops) AS iops
    FROM step_episode AS e
    JOIN fact.vm_disk AS d ON e.subject_kind = 'datastore' AND d.endpoint = e.endpoint AND d.datastore_id = e.subject
    JOIN fact.load_history AS h
        ON h.endpoint = d.endpoint
        AND h.subject_kind = 'disk'
        AND h.subject = d.vm_id || ' ' || d.node
        AND h.begin_at >= e.begin_at
        AND h.begin_at < e.end_at
    LEFT JOIN fact.vm AS m ON m.endpoint = d.endpoint AND m.vm_id = d.vm_id
    GROUP BY e.endpoint, e.subject_kind, e.subject, e.episode, h.subject, m.name, d.vm_id, d.node
),
sender AS (
    SELECT
        endpoint,
        subject_kind,
        subject,
        episode,
        array_to_string(arg_max(name || ': ' || TRY_CAST(round(iops) AS BIGINT) || ' a second', (iops, name), 5), '; ') AS senders
    FROM sent
    WHERE iops > 0
    GROUP BY endpoint, subject_kind, subject, episode
),
met AS (
    SELECT
        e.endpoint,
        e.subject_kind,
        e.subject,
        e.episode,
        few_distinct(CASE WHEN c.cause = 'job' THEN c.cause_name END, '; ') AS jobs,
        few_distinct(CASE WHEN c.cause = 'move' THEN c.detail END) AS moves,
        count(*) FILTER (WHERE c.cause = 'restart') AS restarts
    FROM step_episode AS e
    JOIN step_episode_cause AS c USING (endpoint, subject_kind, subject)
    WHERE c.begin_at < e.end_at AND c.end_at > e.begin_at
    GROUP BY e.endpoint, e.subject_kind, e.subject, e.episode
),
event_on AS (
    SELECT v.endpoint, v.what, v.happened_at, 'device' AS subject_kind, v.device AS subject
    FROM fact.storage_event AS v
    WHERE v.kind IN ('lost', 'slow') AND v.device IS NOT NULL
    UNION
    SELECT v.endpoint, v.what, v.happened_at, 'datastore', x.datastore_id
    FROM fact.storage_event AS v
    JOIN fact.datastore_extent AS x ON x.endpoint = v.endpoint AND x.device = v.device
    WHERE v.kind IN ('lost', 'slow')
    UNION
    SELECT v.endpoint, v.what, v.happened_at, 'datastore', coalesce(v.datastore_id, d.datastore_id)
    FROM fact.storage_event AS v
    LEFT JOIN fact.datastore AS d ON d.endpoint = v.endpoint AND d.vmfs_uuid = v.vmfs_uuid
    WHERE v.kind IN ('lost', 'slow')
),
logged AS (
    SELECT e.endpoint, e.subject_kind, e.subject, e.episode, few_distinct(v.what, '; ') AS events
    FROM step_episode AS e
    JOIN event_on AS v USING (endpoint, subject_kind, subject)
    WHERE v.happened_at >= e.begin_at - to_seconds(e.seconds) AND v.happened_at < e.end_at + to_seconds(e.seconds)
    GROUP BY e.endpoint, e.subject_kind, e.subject, e.episode
)
SELECT
    e.endpoint,
    e.subject_kind || ' ' || e.subject || ' ' || strftime(e.begin_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ') AS resource_id,
    s.name AS resource_name,
    o.cluster,
    o.name AS host,
    e.host_id,
    e.subject_kind,
    e.subject,
    s.is_nearest,
    s.array_name,
    e.begin_at,
    e.end_at,
    (epoch(e.end_at) - epoch(e.begin_at)) / 60 AS minutes,
    e.is_begin_read,
    e.is_end_read,
    e.hosts,
    e.host_names,
    e.latency_ms,
    e.latency_max_ms,
    e.normal_ms,
    e.raised_ms,
    e.iops,
    e.normal_iops,
    e.bytes_per_second,
    e.normal_bytes_per_second,
    e.asked,
    e.normal_asked,
    e.sioc_active_percent,
    w.senders,
    m.jobs,
    m.moves,
    coalesce(m.restarts, 0) AS restarts,
    l.events
FROM step_episode AS e
JOIN step_history_subject AS s USING (endpoint, subject_kind, subject)
LEFT JOIN fact.host AS o ON o.endpoint = e.endpoint AND o.host_id = e.host_id
LEFT JOIN sender AS w ON w.endpoint = e.endpoint AND w.subject_kind = e.subject_kind AND w.subject = e.subject AND w.episode = e.episode
LEFT JOIN met AS m ON m.endpoint = e.endpoint AND m.subject_kind = e.subject_kind AND m.subject = e.subject AND m.episode = e.episode
LEFT JOIN logged AS l ON l.endpoint = e.endpoint AND l.subject_kind = e.subject_kind AND l.subject = e.subject AND l.episode = e.episode;
