-- materialize: view
-- The rows of `path_policy`, each with the key of its class. `has_paths`: any was reported; `is_native`: the native plug-in reported how it chooses among them.
SELECT
    n.endpoint,
    n.host_id || '/' || m.device AS resource_id,
    m.device AS resource_name,
    n.cluster,
    n.host,
    n.host_id,
    n.in_maintenance_mode,
    m.device,
    i.device_type,
    -- The copy of a disk's state is as old as that of its paths, and a disk that is lost has none that carries I/O. Who detached it said so.
    CASE
        WHEN i.device_state <> 'off' AND (d.paths_differ OR (is_lost(i.device_state) AND coalesce(p.working_paths > 0, false))) THEN NULL
        ELSE i.device_state
    END AS device_state,
    i.special_purpose,
    i.vendor,
    i.model,
    believed_family(i.family, m.name_family) AS family,
    d.is_protocol_endpoint,
    d.is_shared,
    m.array_name,
    m.volume,
    x.hosts,
    s.transport,
    CASE WHEN NOT d.policies_differ THEN s.psp END AS psp,
    CASE WHEN NOT d.policies_differ THEN s.satp END AS satp,
    p.rr_policy,
    p.rr_iops,
    p.rr_bytes,
    p.rr_use_unoptimized,
    p.working_paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ THEN coalesce(s.paths, 0) END AS paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.active_paths, 0) END AS active_paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.dead_paths, 0) END AS dead_paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.disabled_paths, 0) END AS disabled_paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ AND coalesce(s.undetermined, 0) = 0 THEN coalesce(s.usable_paths, 0) END AS usable_paths,
    CASE WHEN r.paths_read AND NOT d.paths_differ THEN coalesce(s.adapters, 0) END AS adapters,
    CASE WHEN r.paths_read AND NOT d.paths_differ THEN coalesce(s.targets, 0) END AS targets,
    CAST(d.fewest_active_paths AS BIGINT) AS fewest_active_paths,
    CAST(d.most_active_paths AS BIGINT) AS most_active_paths,
    CASE
        WHEN e.hosts_read THEN CAST(d.most_active_paths AS BIGINT)
        WHEN d.most_active_paths IS NOT NULL THEN greatest(CAST(d.most_active_paths AS BIGINT), 32)
    END AS most_active_paths_at_most,
    d.compared_by,
    d.not_compared,
    d.set_key IS NOT NULL AS has_paths,
    d.policy_key IS NOT NULL AS is_native,
    coalesce(z.is_singled_out, false) AS is_singled_out,
    d.host_number,
    d.device_number,
    hash(
        d.host_number, d.inquiry_number, m.name_family, d.is_protocol_endpoint, d.is_shared, d.set_key, d.policy_key, d.fewest_active_paths,
        d.most_active_paths, z.is_singled_out
    ) AS class_key
FROM step_device_path AS d
JOIN step_host_number AS n USING (host_number)
JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
LEFT JOIN step_endpoint_reading AS e ON e.endpoint = n.endpoint
LEFT JOIN step_device_number AS m USING (device_number)
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN step_path_set AS s USING (set_key)
LEFT JOIN step_policy AS p USING (policy_key)
LEFT JOIN step_device_hosts AS x USING (device_number)
LEFT JOIN step_singled_out AS z USING (host_number, device_number);
