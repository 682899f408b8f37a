-- materialize: table
-- One row per class of a host's devices: rows of `path_policy` that are the same in all these columns, as its first device by name has them. `devices` counts
-- them.
SELECT
    c.class_key,
    p.endpoint,
    p.host_id,
    p.in_maintenance_mode,
    p.device_type,
    p.device_state,
    p.special_purpose,
    p.vendor,
    p.model,
    p.family,
    p.is_protocol_endpoint,
    p.is_shared,
    p.transport,
    p.psp,
    p.satp,
    p.rr_policy,
    p.rr_iops,
    p.rr_bytes,
    p.rr_use_unoptimized,
    p.working_paths,
    p.paths,
    p.active_paths,
    p.dead_paths,
    p.disabled_paths,
    p.usable_paths,
    p.adapters,
    p.targets,
    p.fewest_active_paths,
    p.most_active_paths,
    p.most_active_paths_at_most,
    p.has_paths,
    p.is_native,
    c.devices
FROM step_path_example AS c
JOIN step_path_of_class AS p USING (host_number, device_number);
