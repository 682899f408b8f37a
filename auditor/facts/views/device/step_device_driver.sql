-- materialize: view
-- One row per host and device whose paths all go by adapters of one kernel module: that module.
SELECT p.host_number, p.device_number, s.driver_number
FROM step_path_row AS p
JOIN step_path_set AS s USING (set_key)
WHERE s.driver_number IS NOT NULL;
