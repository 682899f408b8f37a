-- materialize: view
-- One row per host and block device or protocol endpoint, as in `device`, with what the disks of the host's machines send to it.
SELECT * EXCLUDE (class_number, host_number, device_number) FROM step_demand_of_class;
