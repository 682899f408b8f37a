-- materialize: view
-- The rows of `device_demand`, each with the number of its device's class.
SELECT d.*, q.outstanding
FROM step_device_of_class AS d
LEFT JOIN step_queue AS q USING (host_number, device_number);
