-- materialize: view
-- One row per host and disk or protocol endpoint: how its paths are chosen, how many there are, and how many the other hosts have.
-- Paths are NULL unless the host's paths were read whole; `fewest_active_paths` and `most_active_paths` unless those of every host that
-- sees the device were. `psp` and `satp` are vCenter's; what round robin goes by only esxcli tells, for the native plug-in alone: NULL for
-- other policies.
SELECT * EXCLUDE (has_paths, is_native, is_singled_out, host_number, device_number, class_key) FROM step_path_of_class;
