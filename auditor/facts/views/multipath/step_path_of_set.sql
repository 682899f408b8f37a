-- materialize: table
-- The paths of each set of paths, as those of its first device by name are. `devices` have the set.
WITH example AS (
    SELECT set_key, host_number, min(device_number) AS device_number, count(*) AS devices
    FROM step_path_row
    GROUP BY set_key, host_number
)
SELECT e.set_key, e.host_number, e.devices, m.device, p.hba, p.state, p.is_working, p.transport, p.target, p.psp, p.satp
FROM example AS e
JOIN step_host_number AS n USING (host_number)
JOIN step_device_number AS m USING (device_number)
JOIN step_path AS p ON p.endpoint = n.endpoint AND p.host_id = n.host_id AND p.device = m.device;
