-- materialize: table
-- One row per host and device that no rule about disks judges: an administrator detached it, or it holds no data of machines (step_inquiry). Where
-- neither is known, `is_aside` is NULL. Usually few.
SELECT n.endpoint, n.host_id, m.device, i.is_aside
FROM step_device_row AS d
JOIN step_inquiry AS i USING (inquiry_number)
JOIN step_host_number AS n USING (host_number)
JOIN step_device_number AS m USING (device_number)
WHERE i.is_aside IS DISTINCT FROM false;
