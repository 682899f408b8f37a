-- materialize: table
-- One row per class of a host's devices: rows of `device_claim` that are the same in all these columns, as its first device by name has them. `devices` counts
-- them.
SELECT
    c.class_key,
    p.family,
    p.is_shared,
    p.active_paths,
    p.satp,
    p.psp,
    p.rr_policy,
    p.rr_iops,
    p.has_claim_rule,
    p.rule_group,
    p.claimed_psp,
    p.claimed_options,
    p.claimed_rr_policy,
    p.claimed_rr_iops,
    p.path_policy,
    p.claimed_policy,
    c.devices
FROM step_path_example AS c
JOIN step_claim_of_class AS p USING (host_number, device_number);
