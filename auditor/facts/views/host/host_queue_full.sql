-- materialize: table
-- One row per host: what the adaptive queue depth does for the devices of arrays that it sees. It is the host's option unless a device sets its own, so
-- a host is named once, with its devices. Whether it agrees with the other hosts that share them is known where shared_device knows it.
-- NVMe namespaces are left out: ESXi lowers the depth when an array answers with QUEUE FULL or BUSY, which are statuses of SCSI (KB 311232).
WITH presented AS (
    SELECT
        endpoint,
        device,
        family = 'ontap' AND NOT is_protocol_endpoint AND NOT coalesce(is_namespace, false) AS is_ontap_lun,
        coalesce(family <> 'ontap', true) AND NOT coalesce(is_namespace, false) AS is_other,
        queue_full_agrees,
        coalesce(queue_full_known, false) AS is_known
    FROM shared_device
),
reporting AS (
    SELECT r.endpoint, r.host_id, r.sample_size, r.threshold, count(*) AS devices, few(r.device) AS names
    FROM step_queue_full_row AS r
    JOIN presented AS d ON d.endpoint = r.endpoint AND d.device = r.device AND d.is_ontap_lun
    GROUP BY ALL
),
ontap AS (
    SELECT
        endpoint,
        host_id,
        CAST(sum(devices) AS BIGINT) AS devices,
        string_agg(sample_size || '/' || threshold, ', ' ORDER BY sample_size, threshold) AS seen,
        count(*) FILTER (WHERE sample_size IS NULL OR threshold IS NULL) AS undetermined,
        string_agg(sample_size || '/' || threshold || ' on ' || devices, ', ' ORDER BY sample_size, threshold) AS texts,
        string_agg(names, '; ' ORDER BY sample_size, threshold) AS names
    FROM reporting
    GROUP BY endpoint, host_id
),
own AS (
    -- What these devices set themselves; a sample size of 0 leaves it to the host.
    SELECT
        s.endpoint,
        s.host_id,
        string_agg(s.device, ' ' ORDER BY s.device) AS names,
        CASE
            WHEN count(s.queue_full_sample_size) = count(*)
            THEN array_to_string(
                list_sort(
                    list(
                        DISTINCT CASE
                            WHEN s.queue_full_sample_size > 0 THEN s.queue_full_sample_size || '/' || coalesce(CAST(s.queue_full_threshold AS VARCHAR), '?')
                            ELSE 'as the host'
                        END
                    )
                ),
                ', '
            )
        END AS texts
    FROM fact.device_scheduling AS s
    JOIN presented AS d ON d.endpoint = s.endpoint AND d.device = s.device AND d.is_ontap_lun
    GROUP BY s.endpoint, s.host_id
),
differing AS (
    SELECT DISTINCT device FROM presented WHERE is_other AND NOT queue_full_agrees
),
majority AS (
    -- Hosts that do not tell may have any values: only what is more than half whatever they have is the majority's.
    SELECT
        q.device,
        sum(q.hosts) AS hosts,
        coalesce(sum(q.hosts) FILTER (WHERE q.sample_size IS NULL OR q.threshold IS NULL), 0) AS untold,
        CASE
            WHEN 2 * max(q.hosts) FILTER (WHERE q.sample_size IS NOT NULL AND q.threshold IS NOT NULL) > sum(q.hosts)
            THEN arg_max(q.sample_size || '/' || q.threshold, q.hosts) FILTER (WHERE q.sample_size IS NOT NULL AND q.threshold IS NOT NULL)
        END AS wanted
    FROM step_queue_full AS q
    JOIN differing AS d USING (device)
    GROUP BY q.device
),
odd AS (
    -- Only what differs is looked for on every host: usually nothing. What may yet be the majority's is not odd.
    SELECT
        r.endpoint,
        r.host_id,
        count(*) AS devices,
        few(r.device) AS names,
        few_distinct(r.sample_size || '/' || r.threshold) AS texts,
        few_distinct(m.wanted) AS wanted
    FROM step_queue_full_row AS r
    JOIN majority AS m USING (device)
    JOIN step_queue_full AS q ON q.device = r.device AND q.sample_size = r.sample_size AND (r.sample_size = 0 OR q.threshold = r.threshold)
    WHERE 2 * (q.hosts + m.untold) <= m.hosts
    GROUP BY ALL
),
unsettled AS (
    SELECT DISTINCT n.endpoint, n.host_id
    FROM step_device_row AS d
    JOIN step_device_number AS m USING (device_number)
    JOIN step_host_number AS n USING (host_number)
    JOIN presented AS p ON p.endpoint = n.endpoint AND p.device = m.device
    WHERE p.is_other AND NOT p.is_known
),
seen AS (
    SELECT
        endpoint,
        host_id,
        CAST(sum(devices - coalesce(namespaces, 0)) FILTER (WHERE family <> 'ontap') AS BIGINT) AS others,
        count(*) FILTER (WHERE family IS NULL AND devices > coalesce(namespaces, 0)) AS unknown_families
    FROM step_host_group
    GROUP BY ALL
)
SELECT
    h.endpoint,
    h.host_id AS resource_id,
    h.name AS resource_name,
    h.cluster,
    h.name AS host,
    h.host_id,
    CASE
        WHEN o.devices > 0 THEN o.devices
        WHEN r.devices_read AND r.device_scheduling_read AND coalesce(s.unknown_families, 0) = 0 THEN 0
    END AS ontap_devices,
    o.seen AS ontap_values,
    CASE
        WHEN r.devices_read AND r.device_scheduling_read AND coalesce(o.undetermined, 0) = 0 AND coalesce(s.unknown_families, 0) = 0 THEN true
    END AS all_are_known,
    o.texts AS ontap_value_counts,
    o.names AS ontap_device_names,
    w.names AS ontap_device_list,
    w.texts AS ontap_own_values,
    CASE WHEN s.others > 0 THEN s.others WHEN r.devices_read AND coalesce(s.unknown_families, 0) = 0 THEN 0 END AS other_devices,
    CASE
        WHEN x.devices > 0 THEN false
        WHEN r.devices_read AND r.device_scheduling_read AND u.host_id IS NULL THEN true
    END AS agrees_with_others,
    x.devices AS odd_devices,
    x.names AS odd_device_names,
    x.texts AS odd_values,
    x.wanted AS majority_values
FROM fact.host AS h
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN seen AS s USING (endpoint, host_id)
LEFT JOIN ontap AS o USING (endpoint, host_id)
LEFT JOIN own AS w USING (endpoint, host_id)
LEFT JOIN odd AS x USING (endpoint, host_id)
LEFT JOIN unsettled AS u USING (endpoint, host_id);
