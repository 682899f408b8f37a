-- materialize: table
-- One row per class of devices, and what is sent to them: rows of `device_demand` that are the same in all these columns. `devices` counts them.
WITH class AS (
    SELECT r.class_number, q.outstanding, count(*) AS devices
    FROM step_device_row AS r
    LEFT JOIN step_queue AS q USING (host_number, device_number)
    GROUP BY ALL
)
SELECT k.* EXCLUDE (devices), c.outstanding, c.devices
FROM class AS c
LEFT JOIN step_device_class AS k USING (class_number);
