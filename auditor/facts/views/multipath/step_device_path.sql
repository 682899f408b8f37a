-- materialize: table
-- The paths of each device of each host, counted once for all views that look at them: how many there are, in which state, by how many adapters and to
-- how many targets. NULL unless the host's paths were read whole; `fewest_active_paths` and `most_active_paths` unless those of every host of its
-- vCenter that sees the device were.
WITH used AS (
    SELECT
        endpoint,
        host_id,
        device,
        count(*) AS paths,
        count(*) FILTER (WHERE state = 'active') AS active_paths,
        count(*) FILTER (WHERE state = 'dead') AS dead_paths,
        count(*) FILTER (WHERE state IS NULL OR state = 'unknown') AS undetermined,
        count(DISTINCT hba) AS adapters,
        count(DISTINCT target) AS targets,
        min(transport) AS transport,
        min(psp) AS psp,
        min(satp) AS satp
    FROM step_path
    GROUP BY ALL
),
counted AS (
    SELECT
        d.endpoint,
        d.host_id,
        d.device,
        CASE WHEN r.paths_read AND coalesce(u.undetermined, 0) = 0 THEN coalesce(u.active_paths, 0) END AS active_paths,
        CASE WHEN r.paths_read AND coalesce(u.undetermined, 0) = 0 THEN coalesce(u.dead_paths, 0) END AS dead_paths,
        CASE WHEN r.paths_read THEN coalesce(u.paths, 0) END AS paths,
        CASE WHEN r.paths_read THEN coalesce(u.adapters, 0) END AS adapters,
        CASE WHEN r.paths_read THEN coalesce(u.targets, 0) END AS targets,
        u.transport,
        u.psp,
        u.satp
    FROM fact.device AS d
    JOIN step_host_reading AS r USING (endpoint, host_id)
    LEFT JOIN used AS u USING (endpoint, host_id, device)
),
seen AS (
    SELECT
        endpoint,
        device,
        CASE WHEN count(active_paths) = count(*) THEN min(active_paths) END AS fewest,
        CASE WHEN count(active_paths) = count(*) THEN max(active_paths) END AS most
    FROM counted
    GROUP BY ALL
)
SELECT c.*, s.fewest AS fewest_active_paths, s.most AS most_active_paths
FROM counted AS c
JOIN seen AS s USING (endpoint, device);
