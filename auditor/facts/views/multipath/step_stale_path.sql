-- materialize: table
-- The devices of each host of whose paths vCenter's copy is not what the host's own esxcli lists: usually none. By what adapters and to what ports
-- they are reached is not known.
SELECT n.endpoint, n.host_id, m.device, d.host_number, d.device_number
FROM step_device_path AS d
JOIN step_host_number AS n USING (host_number)
JOIN step_device_number AS m USING (device_number)
WHERE d.paths_differ;
