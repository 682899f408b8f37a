-- materialize: view
-- One row per host and disk or protocol endpoint: how its paths are chosen, how many there are, and how many the other hosts have.
-- Paths are NULL unless the host's paths were read whole; `fewest_active_paths` and `most_active_paths` unless those of every host that
-- sees the device were. `psp` and `satp` are vCenter's; what round robin goes by only esxcli tells, for the native plug-in alone: NULL for
-- other policies.
SELECT
    d.endpoint,
    d.resource_id,
    d.resource_name,
    d.cluster,
    d.host,
    d.host_id,
    d.device,
    d.device_type,
    d.vendor,
    d.model,
    d.family,
    d.is_protocol_endpoint,
    d.is_shared,
    d.array_name,
    d.volume,
    d.hosts,
    c.transport,
    c.psp,
    c.satp,
    p.rr_policy,
    p.rr_iops,
    p.rr_bytes,
    p.rr_use_unoptimized,
    p.working_paths,
    c.paths,
    c.active_paths,
    c.dead_paths,
    c.adapters,
    c.targets,
    c.fewest_active_paths,
    c.most_active_paths
FROM device AS d
JOIN step_device_path AS c USING (endpoint, host_id, device)
LEFT JOIN fact.device_policy AS p USING (endpoint, host_id, device);
