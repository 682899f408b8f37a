-- materialize: table
-- One row per host and device whose paths all go by adapters of one kernel module: that module. An adapter whose module is not known counts as
-- -1 in the least and 0 in the greatest, so it never equals another.
WITH adapter AS (
    SELECT n.host_number, b.hba, v.driver_number
    FROM fact.hba AS b
    JOIN step_host_number AS n USING (endpoint, host_id)
    LEFT JOIN step_driver AS v USING (driver)
),
used AS (
    SELECT
        n.host_number,
        m.device_number,
        min(coalesce(b.driver_number, -1)) AS least_number,
        max(coalesce(b.driver_number, 0)) AS greatest_number
    FROM fact.path AS p
    JOIN step_host_number AS n USING (endpoint, host_id)
    JOIN step_device_number AS m USING (device)
    LEFT JOIN adapter AS b USING (host_number, hba)
    GROUP BY ALL
)
SELECT host_number, device_number, least_number AS driver_number
FROM used
WHERE least_number = greatest_number;
