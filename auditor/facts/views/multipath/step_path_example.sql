-- materialize: table
-- Each class of a host's devices whose paths and policies are the same: its first device by name, and how many it has.
SELECT host_number, class_key, min(device_number) AS device_number, count(*) AS devices
FROM step_path_of_class
GROUP BY host_number, class_key;
