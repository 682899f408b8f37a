-- materialize: table
-- One row per host and host-wide offload option, whether the host lists it or not, with the ETERNUS arrays behind the host.
WITH option AS (
    SELECT * FROM (VALUES
        ('DataMover.HardwareAcceleratedMove', true),
        ('DataMover.HardwareAcceleratedInit', true),
        ('VMFS3.HardwareAcceleratedLocking', true),
        ('VMFS3.UseATSForHBOnVMFS5', false)
    ) AS t (option, is_primitive)
),
reporting AS (
    -- As people write it in fleet.yaml: "dx90", "ETERNUS DX90 S1", "s1". What is neither form says nothing, and not that the array is another.
    SELECT
        endpoint, host_id, device, array_name, volume, qos, array_model, array_generation, array_firmware, firmware_level,
        family_of_inquiry(vendor, model) = 'eternus-dx' AS is_by_inquiry,
        nullif(regexp_extract(upper(trim(array_model)), '^(?:FUJITSU )?(?:ETERNUS )?(DX\d+F?)(?: |$)', 1), '') AS product,
        nullif(regexp_extract(upper(trim(array_generation)), '^S\d+$'), '') AS generation
    FROM device
    WHERE family = 'eternus-dx'
),
behind AS (
    SELECT
        endpoint,
        host_id,
        device,
        array_name,
        volume,
        qos,
        CASE
            WHEN array_model IS NULL AND array_generation IS NULL AND array_firmware IS NULL THEN 'undeclared'
            ELSE concat_ws(
                ' ', coalesce(array_model, 'model not declared'), coalesce(array_generation, 'generation not declared'),
                coalesce(array_firmware, 'firmware not declared')
            )
        END AS what,
        CASE
            WHEN product IN ('DX60', 'DX80', 'DX90') AND generation = 'S1' AND firmware_level < 10068 THEN true
            WHEN product NOT IN ('DX60', 'DX80', 'DX90') THEN false
            WHEN generation = 'S1' THEN CASE WHEN firmware_level >= 10068 THEN false END
            WHEN generation = 'S2' THEN CASE WHEN product <> 'DX90' THEN false END
            WHEN generation IS NOT NULL THEN false
            WHEN firmware_level >= 10068 AND product <> 'DX90' THEN false
        END AS is_affected,
        product = 'DX90' AND generation = 'S2' AS is_doubted,
        -- Only of the first generation does a source say that it bears offload, and from which firmware on.
        coalesce(
            is_by_inquiry AND product IN ('DX60', 'DX80', 'DX90') AND generation = 'S1' AND firmware_level >= 10068, false
        ) AS is_sourced
    FROM reporting
),
eternus AS (
    -- An S1 below V10L68 is affected. Of the DX90 S2 the support that incident S4 quotes names possible issues: nobody knows, whatever its firmware
    -- (docs/domain/facts.md#3-5). An ETERNUS that nobody declared or asked may be either: undetermined.
    SELECT
        endpoint,
        host_id,
        count(*) AS devices,
        count(*) FILTER (WHERE is_affected) AS affected,
        count(*) FILTER (WHERE is_affected IS NULL) AS undetermined,
        few(device) AS device_names,
        string_agg(DISTINCT array_name, ', ' ORDER BY array_name) AS array_names,
        few(volume) AS volumes,
        few_distinct(qos, '; ') AS qos,
        string_agg(DISTINCT what, ', ' ORDER BY what) AS arrays,
        string_agg(DISTINCT what, ', ' ORDER BY what) FILTER (WHERE is_doubted) AS doubts,
        string_agg(DISTINCT 'ETERNUS ' || what, ', ' ORDER BY 'ETERNUS ' || what) FILTER (WHERE NOT is_sourced) AS unsourced
    FROM behind
    GROUP BY ALL
),
lockmode AS (
    -- `esxcli` writes ATS as public scripts read it, VMware's table says ATS-only, and a change under way has a word of its own: whatever is
    -- not known to have SCSI reservations besides is without another lock, as auditor/apply/interlocks.py has it.
    SELECT
        endpoint,
        host_id,
        count(locking_mode) AS ats_only,
        count(*) FILTER (WHERE locking_mode IS NULL) AS undetermined,
        string_agg(volume_name, ', ' ORDER BY volume_name) FILTER (WHERE locking_mode IS NOT NULL) AS ats_only_volumes
    FROM fact.vmfs_lockmode
    WHERE locking_mode IS NULL OR upper(locking_mode) NOT IN ('ATS+SCSI', 'SCSI')
    GROUP BY ALL
),
shared AS (
    -- Disks from outside the host, or of vSAN: what hosts that share them may disagree about. NULL where a disk may be one, or disks were not read.
    SELECT
        r.endpoint,
        r.host_id,
        CASE
            WHEN count(*) FILTER (WHERE NOT d.is_local AND d.device_type = 'disk') > 0 OR bool_or(h.vsan_enabled) THEN true
            WHEN bool_and(r.devices_read AND NOT h.vsan_enabled) AND count(d.device) = 0 THEN false
        END AS has_block_storage
    FROM step_host_reading AS r
    JOIN fact.host AS h USING (endpoint, host_id)
    LEFT JOIN fact.device AS d
        ON d.endpoint = r.endpoint AND d.host_id = r.host_id AND d.is_local IS DISTINCT FROM true AND coalesce(d.device_type, 'disk') = 'disk'
    GROUP BY ALL
),
setting AS (
    SELECT h.endpoint, h.host_id, r.domain_id, p.option, p.is_primitive, TRY_CAST(o.value AS BIGINT) AS value, k.has_block_storage
    FROM fact.host AS h
    JOIN step_host_reading AS r USING (endpoint, host_id)
    JOIN shared AS k USING (endpoint, host_id)
    CROSS JOIN option AS p
    LEFT JOIN fact.host_option AS o ON o.endpoint = h.endpoint AND o.host_id = h.host_id AND o.key = p.option
),
spread AS (
    -- What those have that have disks from outside, or may; of the latter (`doubtful`) nobody knows whether they count.
    SELECT
        endpoint,
        domain_id,
        option,
        count(DISTINCT value) AS values_seen,
        count(DISTINCT value) FILTER (WHERE has_block_storage) AS sure_values,
        count(*) FILTER (WHERE value IS NULL) AS unread,
        count(*) FILTER (WHERE value = 1) AS ones,
        count(*) FILTER (WHERE value = 0) AS zeros,
        count(*) FILTER (WHERE value = 1 AND has_block_storage IS NULL) AS doubtful_ones,
        count(*) FILTER (WHERE value = 0 AND has_block_storage IS NULL) AS doubtful_zeros,
        count(*) FILTER (WHERE value IS DISTINCT FROM 1) AS not_on
    FROM setting
    WHERE has_block_storage IS DISTINCT FROM false
    GROUP BY ALL
),
opinion AS (
    -- What a host that surely has such disks is held against: as few of the others as there are for certain.
    SELECT
        s.endpoint,
        s.host_id,
        s.option,
        CASE WHEN s.has_block_storage THEN x.sure_values ELSE x.values_seen END AS fewest_values,
        x.ones - CASE WHEN s.has_block_storage THEN x.doubtful_ones ELSE 0 END AS fewest_ones,
        x.zeros - CASE WHEN s.has_block_storage THEN x.doubtful_zeros ELSE 0 END AS fewest_zeros
    FROM setting AS s
    JOIN spread AS x USING (endpoint, domain_id, option)
),
sourced AS (
    SELECT
        r.endpoint,
        r.host_id,
        CASE
            WHEN o.unsourced > 0 OR e.unsourced IS NOT NULL THEN false
            WHEN r.devices_read THEN coalesce(o.devices, 0) > 0
        END AS is_sourced,
        -- Pure, NetApp and vSAN ask for the ATS heartbeat; no source says so of other vendors. The fix of vaai/ats-heartbeat has the same condition.
        r.devices_read AND coalesce(i.unknown_families, 0) = 0
            AND (
                regexp_full_match(coalesce(i.families, ''), '((flasharray|ontap)(, )?)+')
                OR (coalesce(i.families, '') = '' AND coalesce(h.vsan_enabled, false))
            ) AS is_heartbeat_wanted
    FROM step_host_reading AS r
    JOIN fact.host AS h USING (endpoint, host_id)
    LEFT JOIN step_host_family AS i USING (endpoint, host_id)
    LEFT JOIN eternus AS e USING (endpoint, host_id)
    LEFT JOIN step_host_offload AS o USING (endpoint, host_id)
),
standing AS (
    -- Hosts that are not on, and that nobody may switch on unasked: one that goes on beside them would be the odd one of its cluster, or make them that.
    SELECT
        s.endpoint,
        s.host_id,
        s.domain_id,
        s.option,
        s.has_block_storage IS DISTINCT FROM false
            AND s.value IS DISTINCT FROM 1 AND CASE WHEN s.is_primitive THEN u.is_sourced ELSE u.is_heartbeat_wanted END IS DISTINCT FROM true AS waits
    FROM setting AS s
    JOIN sourced AS u USING (endpoint, host_id)
),
waiting AS (
    SELECT endpoint, domain_id, option, count(*) FILTER (WHERE waits) AS hosts
    FROM standing
    GROUP BY ALL
)
SELECT
    s.endpoint,
    s.host_id || '/' || s.option AS resource_id,
    s.option AS resource_name,
    h.cluster,
    h.name AS host,
    s.host_id,
    s.option,
    s.is_primitive,
    s.value,
    CASE
        WHEN e.devices > 0 THEN true
        WHEN r.devices_read AND coalesce(i.unknown_families, 0) = 0 THEN false
    END AS serves_eternus,
    CASE
        WHEN e.affected > 0 THEN true
        WHEN r.devices_read AND coalesce(e.undetermined, 0) = 0 AND coalesce(i.unknown_families, 0) = 0 THEN false
    END AS serves_affected_eternus,
    e.arrays AS eternus_arrays,
    e.array_names AS eternus_array_names,
    e.device_names AS eternus_devices,
    e.volumes AS eternus_volumes,
    e.qos AS eternus_qos,
    CASE WHEN r.devices_read AND coalesce(i.unknown_families, 0) = 0 THEN coalesce(i.families, '') END AS families,
    CASE
        WHEN r.devices_read AND coalesce(i.unknown_families, 0) = 0
        THEN concat_ws(', ', i.families_beside_eternus, CASE WHEN e.devices > e.affected + e.undetermined THEN 'other eternus-dx' END)
    END AS arrays_punished,
    CASE
        WHEN s.option <> 'VMFS3.HardwareAcceleratedLocking' THEN NULL
        WHEN s.value = 1 THEN false
        WHEN s.value = 0 AND (l.ats_only > 0 OR h.vsan_enabled) THEN true
        WHEN s.value = 0 AND r.lockmode_read AND coalesce(l.undetermined, 0) = 0 AND NOT h.vsan_enabled THEN false
    END AS loses_locking,
    nullif(concat_ws(', ', l.ats_only_volumes, CASE WHEN h.vsan_enabled THEN 'vSAN' END), '') AS ats_only_volumes,
    CASE WHEN x.ones > x.zeros THEN 1 WHEN x.zeros > x.ones THEN 0 END AS majority_value,
    CASE
        WHEN s.value IS NULL THEN NULL
        -- A host that did not tell may be of either opinion.
        WHEN CASE s.value
            WHEN 1 THEN p.fewest_zeros >= x.ones + x.unread
            WHEN 0 THEN p.fewest_ones >= x.zeros + x.unread
            ELSE p.fewest_values > 1
        END
        THEN true
        WHEN coalesce(x.unread, 0) = 0 AND d.options_read
            AND CASE s.value
                WHEN 1 THEN coalesce(x.zeros < p.fewest_ones, true)
                WHEN 0 THEN coalesce(x.ones < p.fewest_zeros, true)
                ELSE coalesce(x.values_seen = 1, true)
            END
        THEN false
    END AS differs_from_cluster,
    s.has_block_storage,
    u.is_sourced AS offload_is_sourced,
    concat_ws(', ', o.unsourced_arrays, e.unsourced) AS unsourced_arrays,
    w.hosts - CASE WHEN t.waits THEN 1 ELSE 0 END AS hosts_left_off,
    coalesce(x.not_on, 0) - CASE WHEN s.value IS DISTINCT FROM 1 AND s.has_block_storage IS DISTINCT FROM false THEN 1 ELSE 0 END AS hosts_not_on,
    e.doubts AS eternus_doubts,
    h.vsan_enabled
FROM setting AS s
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_domain_reading AS d ON d.endpoint = s.endpoint AND d.domain_id = s.domain_id
LEFT JOIN eternus AS e ON e.endpoint = s.endpoint AND e.host_id = s.host_id
LEFT JOIN step_host_family AS i ON i.endpoint = s.endpoint AND i.host_id = s.host_id
LEFT JOIN step_host_offload AS o ON o.endpoint = s.endpoint AND o.host_id = s.host_id
LEFT JOIN lockmode AS l ON l.endpoint = s.endpoint AND l.host_id = s.host_id
JOIN sourced AS u ON u.endpoint = s.endpoint AND u.host_id = s.host_id
JOIN standing AS t ON t.endpoint = s.endpoint AND t.host_id = s.host_id AND t.option = s.option
JOIN waiting AS w ON w.endpoint = s.endpoint AND w.domain_id = s.domain_id AND w.option = s.option
LEFT JOIN spread AS x ON x.endpoint = s.endpoint AND x.domain_id = s.domain_id AND x.option = s.option
LEFT JOIN opinion AS p ON p.endpoint = s.endpoint AND p.host_id = s.host_id AND p.option = s.option;
