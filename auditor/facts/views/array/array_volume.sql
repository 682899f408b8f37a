-- materialize: table
-- a row is called: volume
-- One row per volume of an array, virtual ones included: who uses it, the QoS in force, and what its ceiling is worth at the size of I/O it
-- does. `qos_max_iops` is the tighter of its own ceiling and its group's.
WITH named AS (
    -- What datastores call what they lie on, where it may be any array's.
    SELECT device AS name FROM fact.datastore_extent WHERE device IS NOT NULL
    UNION
    SELECT path AS name FROM step_nfs_server WHERE family IS NULL OR (family IN ('ontap', 'powerstore') AND volume_id IS NULL)
),
unplaced AS (
    -- PowerStores with a mount of none of their exports by name: by which other path one can be mounted is not verified.
    SELECT array_endpoint AS endpoint FROM step_nfs_server WHERE family = 'powerstore' AND volume_id IS NULL GROUP BY array_endpoint
),
lain_on AS (
    SELECT v.endpoint, v.volume_id, any_value(n.name) AS name
    FROM step_volume AS v
    JOIN named AS n
        ON n.name = CASE WHEN v.kind = 'share' THEN coalesce(nullif(rtrim(v.export_path, '/'), ''), left(v.export_path, 1)) ELSE v.device END
    GROUP BY v.endpoint, v.volume_id
)
SELECT
    v.endpoint,
    v.volume_id AS resource_id,
    v.name AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    v.volume_id,
    v.name AS volume,
    a.family,
    v.kind,
    v.is_virtual,
    v.vvol_id,
    v.svm,
    v.os_type,
    v.pod,
    v.copy_of,
    v.status AS state,
    volume_serves(a.family, v.status) AS serves_hosts,
    u.device,
    u.hosts,
    u.host_names,
    u.datastores,
    CASE
        WHEN v.is_virtual THEN NULL
        WHEN j.machines >= 2 OR j.undetermined = 0 THEN j.machines
    END AS running_machines,
    CASE
        WHEN u.datastores IS NOT NULL OR (n.name = v.device AND NOT d.is_ambiguous) THEN true
        WHEN (w.datastores_read OR s.datastores_read) AND n.name IS NULL AND (v.device IS NOT NULL OR v.is_virtual OR (v.kind = 'share' AND y.endpoint IS NULL))
            THEN false
    END AS carries_datastore,
    u.vm_disk,
    p.name AS pool,
    v.tiering,
    v.tiers,
    v.size_bytes,
    coalesce(o1.name, v.owner_id) AS owner,
    coalesce(o2.name, v.preferred_owner_id) AS preferred_owner,
    v.owner_id = v.preferred_owner_id AS is_with_preferred_owner,
    q.qos,
    v.qos_policy_id,
    v.qos_policy,
    q.qos_group,
    v.qos_min_iops,
    q.qos_max_iops,
    q.own_max_iops_at_least AS qos_max_iops_at_least,
    q.own_max_iops_at_most AS qos_max_iops_at_most,
    v.qos_burst_iops,
    -- As the remediator element.volume_limits has it.
    CASE
        WHEN a.family IS DISTINCT FROM 'solidfire' THEN NULL
        WHEN v.qos_policy_id IS NULL THEN printf('own %d/%d/%d', v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
        WHEN v.qos_min_iops = o.min_iops AND v.qos_max_iops = o.max_iops AND v.qos_burst_iops = o.burst_iops
        THEN 'policy ' || v.qos_policy_id
        WHEN v.qos_min_iops <> o.min_iops OR v.qos_max_iops <> o.max_iops OR v.qos_burst_iops <> o.burst_iops
        THEN printf('policy %s with own %d/%d/%d', v.qos_policy_id, v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
    END AS limits,
    CASE WHEN v.qos_policy_id IS NOT NULL THEN true WHEN v.qos_read THEN false END AS is_in_policy,
    q.qos_max_bytes_per_second,
    q.qos_priority,
    q.qos_sharers,
    q.qos_shared_by,
    q.is_capped,
    a.latency_threshold_ms,
    l.average_io_bytes,
    l.actual_iops,
    l.bytes_per_second,
    l.utilization,
    l.latency_us,
    l.throttle_us,
    l.misaligned_ratio,
    h.is_at_limit,
    h.ceiling_use_at_least,
    CASE
        WHEN a.family IN ('solidfire', 'flasharray', 'ontap') AND (l.utilization IS NOT NULL OR l.throttle_us IS NOT NULL OR x.is_countable) THEN true
        WHEN a.family IS NOT NULL AND x.is_told IS DISTINCT FROM false THEN a.family IN ('solidfire', 'flasharray', 'ontap') AND x.is_countable
    END AS is_ceiling_countable,
    h.qos_wait,
    CASE WHEN a.family = 'ontap' THEN a.generation IS NULL OR a.generation NOT IN ('ASA r2', 'AFX') END AS has_alignment,
    -- A row without figures is of a volume whose load was not understood, or is old. No metric of a PowerStore tells what a single virtual volume does.
    CASE
        WHEN l.average_io_bytes > 0 OR l.actual_iops > 0 THEN true
        WHEN l.volume_id IS NOT NULL THEN CASE WHEN l.actual_iops = 0 THEN false END
        WHEN r.volume_load_read AND NOT (a.family = 'powerstore' AND v.is_virtual) THEN false
    END AS is_busy,
    round(q.qos_max_iops / c.cost, 1) AS effective_max_iops,
    round(v.qos_burst_iops / c.cost, 1) AS effective_burst_iops
FROM step_volume AS v
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
LEFT JOIN step_volume_use AS u USING (endpoint, volume_id)
LEFT JOIN step_volume_machine AS j ON j.endpoint = v.endpoint AND j.volume_id = v.volume_id
LEFT JOIN step_array_device AS d ON d.device = v.device
LEFT JOIN step_device_audience AS s ON s.device = v.device
LEFT JOIN lain_on AS n USING (endpoint, volume_id)
LEFT JOIN unplaced AS y ON y.endpoint = v.endpoint
LEFT JOIN fact.array_pool AS p ON p.endpoint = v.endpoint AND p.pool_id = v.pool_id
LEFT JOIN fact.array_node AS o1 ON o1.endpoint = v.endpoint AND o1.node_id = v.owner_id
LEFT JOIN fact.array_node AS o2 ON o2.endpoint = v.endpoint AND o2.node_id = v.preferred_owner_id
LEFT JOIN fact.array_volume_load AS l ON l.endpoint = v.endpoint AND l.volume_id = v.volume_id
LEFT JOIN step_volume_ceiling AS x ON x.endpoint = v.endpoint AND x.volume_id = v.volume_id
LEFT JOIN step_volume_load AS h ON h.endpoint = v.endpoint AND h.volume_id = v.volume_id
LEFT JOIN step_curve_cost AS c ON c.endpoint = v.endpoint AND c.volume_id = v.volume_id
LEFT JOIN fact.array_qos_policy AS o ON o.endpoint = v.endpoint AND o.policy_id = v.qos_policy_id
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = v.endpoint
CROSS JOIN step_vcenter_reading AS w;
