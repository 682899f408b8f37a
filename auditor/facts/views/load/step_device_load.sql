-- materialize: table
-- One row per host and device whose load was measured, in numbers, with the key of its load.
SELECT n.host_number, m.device_number, l.load_key
FROM step_load_figures AS l
JOIN step_host_number AS n USING (endpoint, host_id)
JOIN step_device_number AS m USING (device);
