-- materialize: table
-- One row per class of devices and load: rows of `device_load` that are the same in all these columns. `devices` counts them.
WITH class AS (
    SELECT r.class_number, l.load_key, count(*) AS devices
    FROM step_device_row AS r
    LEFT JOIN step_device_load AS l USING (host_number, device_number)
    GROUP BY ALL
)
SELECT
    c.class_number,
    c.load_key,
    k.device_type,
    k.family,
    k.is_protocol_endpoint,
    k.is_shared,
    k.driver,
    k.queue_depth,
    k.dsnro,
    l.* EXCLUDE (load_key, window_begin),
    c.devices
FROM class AS c
LEFT JOIN step_device_class AS k USING (class_number)
LEFT JOIN step_load AS l USING (load_key);
