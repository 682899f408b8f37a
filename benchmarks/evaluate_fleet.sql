-- The snapshot that benchmarks/evaluate.py judges, as fact tables. Variables: hosts, devices, paths, options.
-- 25 hosts a cluster, 25 clusters a vCenter, an array family a cluster; a host in 400 does not answer, in 200 tells nothing by esxcli, and
-- one device in 50 was tuned by somebody. Figures of a real fleet are nobody's to publish; these are this project's own.
CREATE TEMP TABLE h AS
SELECT
    i,
    i // 25 AS c,
    'vc-' || i // 625 AS endpoint,
    'sf-' || i // 625 AS array_name,
    'host-' || i AS host_id,
    ['solidfire', 'flasharray', 'ontap', 'dell-sc', 'eternus'][1 + (i // 25) % 5] AS family,
    i % 400 <> 399 AS answers,
    i % 200 <> 150 AS tells
FROM range(getvariable('hosts')) AS t (i);

CREATE TEMP TABLE f AS
SELECT * FROM (VALUES
    ('solidfire', 'SolidFir', 'SSD SAN', '6f47acc1', 'iscsi_vmk'),
    ('flasharray', 'PURE', 'FlashArray', '624a9370', 'iscsi_vmk'),
    ('ontap', 'NETAPP', 'LUN C-Mode', '600a0980', 'qlnativefc'),
    ('dell-sc', 'COMPELNT', 'Compellent Vol', '6000d310', 'nfnic'),
    ('eternus', 'FUJITSU', 'ETERNUS_DXM', '600000e0', 'lpfc')
) AS t (family, vendor, model, prefix, driver);

CREATE TEMP TABLE cluster AS
SELECT DISTINCT c, endpoint, array_name, family, vendor, model, prefix, driver FROM h JOIN f USING (family);

-- What the hosts of a cluster see: on SolidFire the first four are protocol endpoints, named after node and cluster.
CREATE TEMP TABLE lun AS
SELECT
    k.*,
    d,
    family = 'solidfire' AND d < 4 AS is_pe,
    CASE WHEN family = 'solidfire' AND d < 4
        THEN format('naa.6f47acc2{:08x}{:08x}00000000', d + 1, k.c // 25)
        ELSE 'naa.' || prefix || substr(md5(k.c || '/' || d), 1, 24)
    END AS device
FROM cluster AS k, range(getvariable('devices')) AS t (d);

INSERT INTO fact.host BY NAME
SELECT endpoint, host_id, 'esx-' || i || '.example.net' AS name, 'domain-c' || c AS cluster_id, 'cluster-' || c AS cluster,
    ['7.0.3', '8.0.2'][1 + c % 2] AS version, [21930508, 22380479][1 + c % 2] AS build,
    CASE WHEN answers THEN 'connected' ELSE 'notResponding' END AS connection_state, 'poweredOn' AS power_state,
    false AS in_maintenance_mode, TIMESTAMPTZ '2026-05-01 00:00:00Z' + to_hours(CAST(i % 1000 AS INTEGER)) AS boot_time,
    CASE WHEN answers THEN false END AS vsan_enabled, CASE WHEN answers THEN family IN ('solidfire', 'flasharray') END AS software_iscsi
FROM h;

INSERT INTO fact.reading BY NAME
SELECT endpoint, host_id AS scope, topic,
    answers AND (tells OR topic NOT IN ('device_scheduling', 'device_offload', 'lockmode', 'multipathing', 'port_binding')) AS complete,
    TIMESTAMPTZ '2026-11-21 06:55:00Z' AS read_at
FROM h, (SELECT unnest(['options', 'modules', 'devices', 'paths', 'hbas', 'device_scheduling', 'device_offload', 'lockmode',
    'multipathing', 'port_binding', 'network', 'device_load', 'adapter_load']) AS topic)
WHERE topic <> 'paths' OR getvariable('paths') > 0
UNION ALL
SELECT DISTINCT endpoint, '', unnest(['hosts', 'datastores', 'vms', 'disk_load', 'pods']), true, TIMESTAMPTZ '2026-11-21 06:55:00Z' FROM h
UNION ALL
SELECT DISTINCT array_name, '', unnest(['array', 'nodes', 'volumes', 'volume_load', 'qos_policies', 'qos_limits', 'protocol_endpoints']),
    true, TIMESTAMPTZ '2026-11-21 06:55:00Z'
FROM h;

INSERT INTO fact.gap BY NAME
SELECT endpoint, 'everything of ' || host_id AS what, 'it does not respond' AS why FROM h WHERE NOT answers
UNION ALL
SELECT endpoint, 'esxcli on ' || host_id, 'permission Host.Cli is missing' FROM h WHERE answers AND NOT tells;

INSERT INTO fact.host_option BY NAME
SELECT endpoint, host_id, key, value, 'long' AS value_type
FROM h, (
    SELECT 'Made.Up' || n AS key, CAST(n * 7 % 1000 AS VARCHAR) AS value, 1 AS often FROM range(getvariable('options') - 6) AS t (n)
    UNION ALL
    SELECT * FROM (VALUES
        ('DataMover.HardwareAcceleratedMove', '1', 50), ('DataMover.HardwareAcceleratedInit', '1', 50),
        ('VMFS3.HardwareAcceleratedLocking', '1', 400), ('VMFS3.UseATSForHBOnVMFS5', '0', 300),
        ('ISCSI.MaxIoSizeKB', '128', 1), ('Scsi.ScsiVVolPESNRO', '128', 1)
    ) AS t (key, value, often)
) AS o
WHERE answers AND (often = 1 OR i % often <> 7)
UNION ALL
SELECT endpoint, host_id, unnest(['DataMover.HardwareAcceleratedMove', 'DataMover.HardwareAcceleratedInit']), '0', 'long'
FROM h WHERE answers AND i % 50 = 7;

INSERT INTO fact.host_module BY NAME
SELECT endpoint, host_id, module, true AS loaded, CASE WHEN i % 9 = 4 THEN word ELSE '' END AS option_string
FROM h, (SELECT * FROM (VALUES ('iscsi_vmk', 'iscsivmk_LunQDepth=255'), ('qlnativefc', 'qlfxmaxqdepth=255'),
    ('nfnic', 'lun_queue_depth_per_path=128'), ('lpfc', 'lpfc_lun_queue_depth=128')) AS t (module, word)) AS m
WHERE answers;

INSERT INTO fact.host_module_parameter BY NAME
SELECT endpoint, host_id, module, name, 'int' AS type, 'what it does' AS description
FROM h, (
    SELECT * FROM (VALUES ('iscsi_vmk', 'iscsivmk_LunQDepth'), ('qlnativefc', 'ql2xmaxqdepth'), ('nfnic', 'lun_queue_depth_per_path'),
        ('lpfc', 'lpfc_lun_queue_depth')) AS t (module, name)
    UNION ALL
    SELECT ['iscsi_vmk', 'qlnativefc', 'nfnic', 'lpfc'][1 + n % 4], 'parameter_' || n FROM range(96) AS t (n)
) AS p
WHERE answers;

INSERT INTO fact.hba BY NAME
SELECT endpoint, host_id, 'vmhba' || n AS hba, driver, 'adapter' AS model, 'fc' AS kind, 'online' AS status
FROM h JOIN f USING (family), range(4) AS t (n) WHERE answers;

INSERT INTO fact.iscsi_target BY NAME
SELECT endpoint, host_id, 'vmhba0' AS hba, 'static' AS kind, '192.0.2.' || n AS address, 3260 AS port,
    CASE family WHEN 'solidfire' THEN 'iqn.2010-01.com.solidfire:' ELSE 'iqn.2010-06.com.purestorage:' END || n AS iqn,
    i % 20 = 3 AS delayed_ack, true AS delayed_ack_inherited
FROM h, range(8) AS t (n) WHERE answers AND family IN ('solidfire', 'flasharray');

INSERT INTO fact.device BY NAME
SELECT h.endpoint, h.host_id, l.device, l.vendor || ' ' || l.d AS display_name, l.vendor, l.model, '1.0' AS revision, 'disk' AS device_type,
    l.is_pe AS is_protocol_endpoint, CASE WHEN (h.i + l.d) % 50 = 1 THEN 64 ELSE 128 END AS queue_depth,
    'vStorageSupported' AS vstorage_support, l.d = 511 AS is_local, true AS is_ssd, (1 + l.d % 4) * 1099511627776 AS size_bytes,
    'ok' AS operational_state
FROM h JOIN lun AS l USING (c) WHERE h.answers;

INSERT INTO fact.device_scheduling BY NAME
SELECT h.endpoint, h.host_id, l.device, CASE WHEN (h.i * 3 + l.d) % 50 = 1 THEN 256 WHEN l.is_pe THEN 128 ELSE 32 END AS dsnro,
    128 AS esxcli_queue_depth, l.is_pe AS is_vvol_pe, 'NMP' AS multipath_plugin, 0 AS queue_full_sample_size, 8 AS queue_full_threshold,
    'supported' AS vaai_status
FROM h JOIN lun AS l USING (c) WHERE h.answers AND h.tells;

INSERT INTO fact.device_offload BY NAME
SELECT h.endpoint, h.host_id, l.device, '' AS vaai_plugin, 'supported' AS ats_status, 'supported' AS clone_status,
    'supported' AS zero_status, 'supported' AS delete_status
FROM h JOIN lun AS l USING (c) WHERE h.answers AND h.tells;

INSERT INTO fact.path BY NAME
SELECT h.endpoint, h.host_id, l.device, 'vmhba' || n % 4 AS hba, 'vmhba' || n % 4 || ':C0:T' || n || ':L' || l.d AS path,
    CASE WHEN h.i % 100 = 9 AND n = 1 THEN 'dead' ELSE 'active' END AS state, 'fc' AS transport, 'target-' || n AS target,
    'VMW_PSP_RR' AS psp, 'VMW_SATP_ALUA' AS satp
FROM h JOIN lun AS l USING (c), range(getvariable('paths')) AS t (n) WHERE h.answers;

INSERT INTO fact.device_policy BY NAME
SELECT h.endpoint, h.host_id, l.device, 'VMW_SATP_ALUA' AS satp, 'VMW_PSP_RR' AS psp, 'iops' AS rr_policy,
    CASE WHEN (h.i + l.d) % 50 = 3 THEN 1000 ELSE 1 END AS rr_iops, getvariable('paths') AS working_paths
FROM h JOIN lun AS l USING (c) WHERE h.answers AND h.tells;

INSERT INTO fact.datastore BY NAME
SELECT endpoint, format('datastore-{}-{}', c, d) AS datastore_id, format('vmfs-{}-{}', c, d) AS name, 'VMFS' AS type,
    format('{:08x}-{:08x}', c, d) AS vmfs_uuid, '6.82' AS vmfs_version, 4398046511104 AS size_bytes, true AS accessible,
    true AS sioc_supported, d % 16 = 8 AS sioc_enabled, 'automatic' AS sioc_mode, 30 AS sioc_threshold_ms, false AS sioc_statistics_only
FROM lun WHERE d % 8 = 0 AND NOT is_pe
UNION ALL BY NAME
SELECT endpoint, format('datastore-{}-v', c) AS datastore_id, format('vvol-{}', c) AS name, 'VVOL' AS type, 'container' AS vvol_container_id,
    true AS accessible
FROM cluster WHERE family = 'solidfire';

INSERT INTO fact.datastore_extent BY NAME
SELECT endpoint, format('datastore-{}-{}', c, d) AS datastore_id, device, 1 AS partition FROM lun WHERE d % 8 = 0 AND NOT is_pe;

INSERT INTO fact.datastore_mount BY NAME
SELECT h.endpoint, format('datastore-{}-{}', h.c, l.d) AS datastore_id, h.host_id, true AS mounted, true AS accessible
FROM h JOIN lun AS l USING (c) WHERE l.d % 8 = 0 AND NOT l.is_pe AND h.answers;

INSERT INTO fact.vmfs_lockmode BY NAME
SELECT h.endpoint, h.host_id, format('vmfs-{}-{}', h.c, l.d) AS volume_name, format('{:08x}-{:08x}', h.c, l.d) AS vmfs_uuid,
    CASE WHEN l.d % 16 = 0 THEN 'ATS' ELSE 'ATS+SCSI' END AS locking_mode
FROM h JOIN lun AS l USING (c) WHERE l.d % 8 = 0 AND NOT l.is_pe AND h.answers AND h.tells;

INSERT INTO fact.vvol_mount BY NAME
SELECT h.endpoint, format('datastore-{}-v', h.c) AS datastore_id, h.host_id, l.device FROM h JOIN lun AS l USING (c) WHERE l.is_pe AND h.answers;

INSERT INTO fact.vm BY NAME
SELECT endpoint, format('vm-{}-{}', i, n) AS vm_id, format('vm-{}-{}', i, n) AS name, host_id, 'poweredOn' AS power_state,
    false AS is_template, NOT (i % 400 = 1 AND n = 0) AS disks_read
FROM h, range(15) AS t (n) WHERE answers;

INSERT INTO fact.vm_disk BY NAME
SELECT endpoint, format('vm-{}-{}', i, n) AS vm_id, 'Hard disk ' || k + 1 AS disk,
    CASE WHEN family = 'solidfire' THEN format('datastore-{}-v', c) ELSE format('datastore-{}-{}', c, 8 * (n % 64)) END AS datastore_id,
    CASE WHEN k = 0 THEN 'pvscsi' ELSE 'lsilogic' END AS controller, 'scsi' || k || ':0' AS node, 107374182400 AS size_bytes, format('vm-{}-{}.vmdk', i, n) AS file
FROM h, range(15) AS t (n), range(2) AS u (k) WHERE answers;

-- One device in eight carries commands, and every disk; a host in fifty has a queue that is full.
INSERT INTO fact.device_load BY NAME
SELECT h.endpoint, h.host_id, l.device, 15 AS samples, TIMESTAMPTZ '2026-11-21 06:49:40Z' AS window_begin,
    TIMESTAMPTZ '2026-11-21 06:54:40Z' AS sampled_at, CASE WHEN l.d % 8 = 0 THEN 400.0 ELSE 0 END AS commands_per_second,
    CASE WHEN l.d % 8 = 0 THEN 15 ELSE 0 END AS busy_samples, 2.0 AS gavg_ms, 2.0 AS davg_ms, 0.0 AS kavg_ms, 0.0 AS qavg_ms, 2.0 AS davg_median_ms,
    0 AS kavg_max_ms, 0 AS kavg_run_over_1ms, CASE WHEN h.i % 50 = 7 AND l.d = 8 THEN 15 ELSE 0 END AS kavg_run_over_2ms, 32 AS max_queue_depth,
    0 AS commands_aborted, 0 AS bus_resets, 0 AS troubled_samples
FROM h JOIN lun AS l USING (c) WHERE h.answers;

INSERT INTO fact.adapter_load BY NAME
SELECT endpoint, host_id, hba, 15 AS samples, 1024 AS queue_depth, 0.0 AS queued, 0 AS queued_max, 10.0 AS outstanding, 12 AS outstanding_max,
    0.0 AS queue_ms, 5000.0 AS commands_per_second
FROM fact.hba;

INSERT INTO fact.vm_disk_load BY NAME
SELECT d.endpoint, d.vm_id, d.node, 15 AS samples, TIMESTAMPTZ '2026-11-21 06:49:40Z' AS window_begin,
    TIMESTAMPTZ '2026-11-21 06:54:40Z' AS sampled_at, 200.0 AS commands_per_second, CASE WHEN d.vm_id LIKE '%-7' THEN 40.0 ELSE 0.4 END AS outstanding,
    2.0 AS latency_ms, 16384.0 AS io_bytes
FROM fact.vm_disk AS d;

INSERT INTO fact.array BY NAME
SELECT DISTINCT array_name AS endpoint, 'solidfire' AS family, array_name AS name, array_name AS array_id, '12.3' AS version FROM h;

INSERT INTO fact.array_node BY NAME
SELECT array_name AS endpoint, CAST(n AS VARCHAR) AS node_id, 'node-' || n AS name, 'active' AS state, '12.3' AS version
FROM (SELECT DISTINCT array_name FROM h), range(4) AS t (n);

INSERT INTO fact.array_protocol_endpoint BY NAME
SELECT DISTINCT array_name AS endpoint, 'pe-' || d AS protocol_endpoint_id, device, 'Active' AS state, CAST(d AS VARCHAR) AS node_id
FROM lun WHERE is_pe;

INSERT INTO fact.array_volume BY NAME
SELECT array_name AS endpoint, format('{}-{}', c, d) AS volume_id, format('volume-{}-{}', c, d) AS name,
    CASE WHEN d % 4 <> 3 THEN device END AS device, d % 4 = 3 AS is_virtual, 'active' AS status, 1099511627776 AS size_bytes,
    CAST(d % 20 AS VARCHAR) AS qos_policy_id, 'policy-' || d % 20 AS qos_policy, 50 AS qos_min_iops,
    CASE WHEN d % 5 > 0 THEN 500 + d * 10 END AS qos_max_iops, 20000 AS qos_burst_iops, true AS qos_read,
    '{"4096": 100, "8192": 160, "16384": 270, "32768": 500, "65536": 1000, "131072": 1950}' AS qos_curve
FROM lun WHERE family = 'solidfire' AND NOT is_pe;

INSERT INTO fact.array_volume_load BY NAME
SELECT endpoint, volume_id, [NULL, 4096, 24576, 65536][1 + rowid % 4] AS average_io_bytes, rowid % 900 AS actual_iops, 0.5 AS utilization,
    700 AS latency_us, 2 AS client_queue_depth
FROM fact.array_volume;

INSERT INTO fact.array_qos_policy BY NAME
SELECT array_name AS endpoint, CAST(n AS VARCHAR) AS policy_id, 'policy-' || n AS name, CASE WHEN n = 3 THEN 10 ELSE 50 END AS min_iops,
    15000 AS max_iops, 15000 AS burst_iops, 100 AS volumes
FROM (SELECT DISTINCT array_name FROM h), range(20) AS t (n);

INSERT INTO fact.array_qos_limit BY NAME
SELECT DISTINCT array_name AS endpoint, 50 AS min_iops_floor, 15000 AS min_iops_ceiling, 100 AS max_iops_floor, 200000 AS max_iops_ceiling,
    100 AS burst_iops_floor, 200000 AS burst_iops_ceiling
FROM h;

INSERT INTO fact.declared BY NAME SELECT 'naa.600000e0[0-7]*' AS devices, 'DX90' AS model, 'S1' AS generation, 'V10L66' AS firmware;
