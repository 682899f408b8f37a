-- materialize: view
-- One row per host and block device or protocol endpoint, with what the array behind it does.
-- `hosts` and `host_names` are those that see the same name, of the hosts that were read; NULL for a name that is only one host's (mpx.).
-- `qos_max_iops` and `qos_max_bytes_per_second` are what is in force: the tighter of the volume's own and its group's.
-- Model, generation and firmware are the array's own words where it was read, and fleet.yaml's elsewhere.
SELECT * EXCLUDE (class_number, host_number, device_number) FROM step_device_of_class;
