-- materialize: table
-- One row per set of paths: how many there are, in which state, by how many adapters and to how many targets. An adapter whose module is not known counts as
-- -1 in the least driver and 0 in the greatest, so it never equals another. `target_list` is NULL where a path does not report its target.
-- `working_paths` is NULL where that of one path is not reported.
WITH adapter AS (
    SELECT n.host_number, b.hba, v.driver_number
    FROM fact.hba AS b
    JOIN step_host_number AS n USING (endpoint, host_id)
    LEFT JOIN step_driver AS v USING (driver)
),
driven AS (
    SELECT s.set_key, min(coalesce(b.driver_number, -1)) AS least_driver_number, max(coalesce(b.driver_number, 0)) AS greatest_driver_number
    FROM step_path_of_set AS s
    LEFT JOIN adapter AS b USING (host_number, hba)
    GROUP BY s.set_key
),
counted AS (
    SELECT
        set_key,
        any_value(host_number) AS host_number,
        count(*) AS paths,
        count(*) FILTER (WHERE state = 'active') AS active_paths,
        count(*) FILTER (WHERE state = 'dead') AS dead_paths,
        count(*) FILTER (WHERE state = 'disabled') AS disabled_paths,
        count(*) FILTER (WHERE state IN ('active', 'standby')) AS usable_paths,
        count(*) FILTER (WHERE state IS NULL OR state = 'unknown') AS undetermined,
        CASE WHEN count(is_working) = count(*) THEN count(*) FILTER (WHERE is_working) END AS working_paths,
        count(DISTINCT hba) AS adapters,
        count(DISTINCT target) AS targets,
        CASE WHEN count(target) = count(*) THEN list_sort(list(DISTINCT target)) END AS target_list,
        CASE WHEN min(transport) = max(transport) THEN min(transport) END AS transport,
        CASE WHEN min(psp) = max(psp) THEN min(psp) END AS psp,
        CASE WHEN min(satp) = max(satp) THEN min(satp) END AS satp
    FROM step_path_of_set
    GROUP BY set_key
)
SELECT c.*, CASE WHEN d.least_driver_number = d.greatest_driver_number THEN d.least_driver_number END AS driver_number
FROM counted AS c
LEFT JOIN driven AS d USING (set_key);
