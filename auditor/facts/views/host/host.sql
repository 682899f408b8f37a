-- materialize: table
-- One row per ESXi host.
WITH pe AS (
    SELECT
        endpoint,
        host_id,
        count(*) AS protocol_endpoints,
        count(*) FILTER (WHERE per_object_qos) AS capped,
        count(*) FILTER (WHERE per_object_qos IS NULL) AS undetermined,
        count(*) FILTER (WHERE per_object_qos AND family = 'solidfire') AS capped_element,
        count(*) FILTER (WHERE (per_object_qos AND family = 'solidfire') IS NULL) AS undetermined_element,
        count(*) FILTER (WHERE per_object_qos AND stalls_neighbours) AS stalling,
        count(*) FILTER (WHERE (per_object_qos AND stalls_neighbours) IS NULL) AS undetermined_stalling,
        count(*) FILTER (WHERE per_object_qos AND is_deepened) AS deepened,
        count(*) FILTER (WHERE (per_object_qos AND is_deepened) IS NULL) AS undetermined_deepened,
        string_agg(DISTINCT coalesce(family, 'not known'), ', ' ORDER BY coalesce(family, 'not known'))
            FILTER (WHERE (per_object_qos AND is_deepened) IS DISTINCT FROM true) AS beside_deepened
    FROM protocol_endpoint
    GROUP BY ALL
),
old AS (
    -- Extents of the VMFS 5 datastores that a host mounts, and of what may be one: the option has no part on VMFS 6 (docs/domain/facts.md#3-9).
    SELECT
        m.endpoint,
        m.host_id,
        count(*) FILTER (WHERE d.vmfs_version IS NULL OR s.family IS NULL) AS undetermined,
        count(*) FILTER (WHERE starts_with(d.vmfs_version, '5') AND block_delete_advice(s.family) = '0') AS ask_zero,
        count(*) FILTER (WHERE starts_with(d.vmfs_version, '5') AND block_delete_advice(s.family) = '1') AS ask_one
    FROM fact.datastore AS d
    JOIN fact.datastore_mount AS m USING (endpoint, datastore_id)
    LEFT JOIN fact.datastore_extent AS x USING (endpoint, datastore_id)
    LEFT JOIN step_seen_device AS s ON s.endpoint = x.endpoint AND s.device = x.device
    WHERE (d.type IS NULL OR d.type = 'VMFS') AND (d.vmfs_version IS NULL OR starts_with(d.vmfs_version, '5'))
    GROUP BY ALL
),
mounted AS (
    SELECT
        m.endpoint,
        m.host_id,
        count(*) FILTER (WHERE d.type = 'NFS41') AS nfs_4_1,
        count(*) FILTER (WHERE d.type = 'VMFS' AND starts_with(d.vmfs_version, '6')) AS vmfs_6,
        count(*) FILTER (WHERE d.type IS NULL) AS undetermined,
        count(*) FILTER (WHERE d.type IS NULL OR (d.type = 'VMFS' AND d.vmfs_version IS NULL)) AS undetermined_vmfs
    FROM fact.datastore AS d
    JOIN fact.datastore_mount AS m USING (endpoint, datastore_id)
    GROUP BY ALL
),
affected AS (
    -- The lines of the sheet that a host's release is on: whether its build is among those that it names, and whether the host mounts such storage.
    SELECT
        h.endpoint,
        h.host_id,
        f.fault,
        h.build >= f.first_build AND h.build < f.fixed_build AS is_of_build,
        CASE
            WHEN CASE f.storage WHEN 'NFS 4.1' THEN m.nfs_4_1 ELSE m.vmfs_6 END > 0 THEN true
            WHEN e.datastores_read AND coalesce(CASE f.storage WHEN 'NFS 4.1' THEN m.undetermined ELSE m.undetermined_vmfs END, 0) = 0 THEN false
        END AS has_storage
    FROM fact.host AS h
    JOIN step_release_fault AS f ON regexp_full_match(h.version, f.of_release)
    LEFT JOIN mounted AS m ON m.endpoint = h.endpoint AND m.host_id = h.host_id
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = h.endpoint
),
faulty AS (
    SELECT
        endpoint,
        host_id,
        string_agg(fault, '; ' ORDER BY fault) FILTER (WHERE is_of_build AND has_storage) AS faults,
        count(*) FILTER (WHERE (is_of_build AND has_storage) IS NULL) AS undetermined
    FROM affected
    GROUP BY endpoint, host_id
)
SELECT
    h.endpoint,
    h.host_id AS resource_id,
    h.name AS resource_name,
    h.cluster,
    h.name AS host,
    h.host_id,
    h.version,
    h.build,
    h.connection_state,
    h.software_iscsi,
    o.iscsi_max_io_size_kb,
    o.vvol_pe_dsnro_default,
    o.max_transfer_kb,
    o.vmfs5_block_delete,
    CASE WHEN r.devices_read THEN coalesce(p.protocol_endpoints, 0) END AS protocol_endpoints,
    CASE
        WHEN p.capped > 0 THEN true
        WHEN r.devices_read AND coalesce(p.undetermined, 0) = 0 THEN false
    END AS has_capped_protocol_endpoints,
    CASE
        WHEN p.capped_element > 0 THEN true
        WHEN r.devices_read AND coalesce(p.undetermined_element, 0) = 0 THEN false
    END AS has_capped_element_endpoints,
    CASE
        WHEN p.stalling > 0 THEN true
        WHEN r.devices_read AND coalesce(p.undetermined_stalling, 0) = 0 THEN false
    END AS has_stalling_endpoints,
    CASE
        WHEN p.deepened > 0 THEN true
        WHEN r.devices_read AND coalesce(p.undetermined_deepened, 0) = 0 THEN false
    END AS has_deepened_endpoints,
    CASE WHEN r.devices_read THEN coalesce(p.beside_deepened, '') END AS endpoint_families_beside_deepened,
    k.stock_pe_dsnro,
    CASE WHEN r.devices_read AND coalesce(f.unknown_families, 0) = 0 THEN coalesce(f.families, '') END AS families,
    CASE WHEN h.version IS NOT NULL THEN y.host_id IS NOT NULL END AS is_release_on_sheet,
    CASE WHEN y.faults IS NOT NULL OR y.undetermined = 0 THEN coalesce(y.faults, '') END AS release_fault,
    CASE
        WHEN v.ask_zero > 0 AND v.ask_one > 0 THEN 'contradictory'
        WHEN NOT coalesce(e.datastores_read, false) OR v.undetermined > 0 THEN NULL
        WHEN v.ask_zero > 0 THEN '0'
        WHEN v.ask_one > 0 THEN '1'
        ELSE 'none'
    END AS block_delete_advice
FROM fact.host AS h
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_stock_queue AS k USING (endpoint, host_id)
LEFT JOIN step_option AS o USING (endpoint, host_id)
LEFT JOIN step_host_family AS f USING (endpoint, host_id)
LEFT JOIN pe AS p USING (endpoint, host_id)
LEFT JOIN old AS v USING (endpoint, host_id)
LEFT JOIN faulty AS y USING (endpoint, host_id)
LEFT JOIN step_endpoint_reading AS e USING (endpoint);
