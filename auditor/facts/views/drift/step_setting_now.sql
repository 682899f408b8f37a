-- materialize: view
-- One row per setting that a baseline keeps, as it is now: `kind` is a name of facts.baseline.KINDS, `host_id` is '' where it is no host's.
-- `value` is NULL where it was not read; a baseline does not keep it then. Then and now are compared in these words.
-- * option: of storage, and only numbers and switches. Names, addresses, identities and log targets are texts, and one host's own.
-- * parameter: the words of a configured option string as parameter and value; a string without any has one row whose parameter is ''. What a
--   string names twice with two values has both.
-- * dsnro, queue_depth, path_policy: of devices that lie on arrays, without detached ones. A path policy is one word: how the native plug-in chooses among the paths,
--   and what round robin goes by.
-- * delayed_ack: of a target by its portal and name; left out where a host's adapters do not agree about it.
-- * sioc: of a datastore, a setting each; of two datastores with one name neither is kept.
-- * volume_qos: all that limits a volume in one text, by the array's own id, since names of volumes may come twice. On Element it is written as
--   the remediator element.volume_limits has it, elsewhere as policies and ceilings.
-- * replication: the schedule of a relationship that copies a volume away, with the mean time between two starts, so that a change
--   shows where the schedule kept its name. NULL where the mean is not known. It belongs to the destination, whose cluster starts the transfers.
-- * policy: the limits of a named set of limits of an array: what its volumes get by it.
WITH word AS (
    SELECT endpoint, host_id, module, unnest(regexp_split_to_array(trim(option_string), '\s+')) AS word
    FROM fact.host_module
    WHERE option_string IS NOT NULL
),
parameter AS (
    SELECT endpoint, host_id, module, regexp_extract(word, '^([^=]*)', 1) AS name, regexp_extract(word, '=(.*)$', 1) AS value FROM word
),
array_device AS (
    SELECT endpoint, host_id, device, queue_depth
    FROM fact.device
    WHERE is_local IS DISTINCT FROM true AND NOT starts_with(device, 'mpx.')
        AND main_state(operational_state) IS DISTINCT FROM 'off'
        AND purpose_of_device(vendor, model, is_tiny_disk(size_bytes)) IS NULL
),
target AS (
    SELECT endpoint, host_id, concat_ws(' ', address || ':' || port, iqn) AS target, delayed_ack
    FROM fact.iscsi_target
    WHERE delayed_ack IS NOT NULL
),
single_store AS (
    SELECT endpoint, name FROM fact.datastore GROUP BY endpoint, name HAVING count(*) = 1
),
store AS (
    SELECT d.endpoint, d.name, d.sioc_enabled, d.sioc_mode, d.sioc_threshold_ms
    FROM fact.datastore AS d
    JOIN single_store AS s ON s.endpoint = d.endpoint AND s.name = d.name
    WHERE d.sioc_enabled IS NOT NULL
)
SELECT 'option' AS kind, endpoint, host_id, '' AS thing, key AS setting, value
FROM fact.host_option
WHERE value_type IN ('long', 'int', 'short', 'byte', 'boolean')
    AND (
        regexp_matches(key, '^(DataMover|Disk|ISCSI|NFS|NFS41|Scsi|SunRPC|VMFS|VMFS3)[.]')
        OR key IN ('Net.TcpipHeapMax', 'Net.TcpipHeapSize', 'Misc.APDHandlingEnable', 'Misc.APDTimeout')
    )
UNION ALL
SELECT
    'parameter' AS kind, endpoint, host_id, module AS thing, name AS setting, string_agg(DISTINCT value, ' and ' ORDER BY value) AS value
FROM parameter
GROUP BY endpoint, host_id, module, name
UNION ALL
SELECT 'dsnro' AS kind, d.endpoint, d.host_id, d.device AS thing, 'dsnro' AS setting, CAST(s.dsnro AS VARCHAR) AS value
FROM array_device AS d
LEFT JOIN fact.device_scheduling AS s ON s.endpoint = d.endpoint AND s.host_id = d.host_id AND s.device = d.device
UNION ALL
SELECT 'queue_depth' AS kind, endpoint, host_id, device AS thing, 'queue_depth' AS setting, CAST(queue_depth AS VARCHAR) AS value
FROM array_device
UNION ALL
SELECT
    'path_policy' AS kind,
    d.endpoint,
    d.host_id,
    d.device AS thing,
    'path_policy' AS setting,
    CASE
        WHEN p.psp <> 'VMW_PSP_RR' THEN p.psp
        WHEN p.rr_policy IN ('rr', 'iops') THEN p.psp || ', iops ' || p.rr_iops
        WHEN p.rr_policy = 'bytes' THEN p.psp || ', bytes ' || p.rr_bytes
        ELSE p.psp || ', ' || p.rr_policy
    END AS value
FROM array_device AS d
LEFT JOIN fact.device_policy AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.device = d.device
UNION ALL
SELECT
    'delayed_ack' AS kind,
    endpoint,
    host_id,
    target AS thing,
    'delayed_ack' AS setting,
    CASE WHEN bool_and(delayed_ack) THEN 'true' ELSE 'false' END AS value
FROM target
GROUP BY endpoint, host_id, target
HAVING bool_and(delayed_ack) = bool_or(delayed_ack)
UNION ALL
SELECT
    'sioc' AS kind,
    endpoint,
    '' AS host_id,
    name AS thing,
    'enabled' AS setting,
    CASE WHEN sioc_enabled THEN 'true' ELSE 'false' END AS value
FROM store
UNION ALL
SELECT 'sioc' AS kind, endpoint, '' AS host_id, name AS thing, 'mode' AS setting, sioc_mode AS value
FROM store
WHERE sioc_enabled
UNION ALL
SELECT 'sioc' AS kind, endpoint, '' AS host_id, name AS thing, 'threshold_ms' AS setting, CAST(sioc_threshold_ms AS VARCHAR) AS value
FROM store
WHERE sioc_enabled
UNION ALL
SELECT
    'volume_qos' AS kind,
    v.endpoint,
    '' AS host_id,
    v.volume_id AS thing,
    'qos' AS setting,
    CASE
        WHEN NOT v.qos_read OR v.qos_read IS NULL OR a.family IS NULL THEN NULL
        WHEN a.family <> 'solidfire' THEN q.own_qos
        WHEN v.qos_policy_id IS NULL THEN printf('own %d/%d/%d', v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
        WHEN v.qos_min_iops = o.min_iops AND v.qos_max_iops = o.max_iops AND v.qos_burst_iops = o.burst_iops
        THEN 'policy ' || v.qos_policy_id
        WHEN v.qos_min_iops <> o.min_iops OR v.qos_max_iops <> o.max_iops OR v.qos_burst_iops <> o.burst_iops
        THEN printf('policy %s with own %d/%d/%d', v.qos_policy_id, v.qos_min_iops, v.qos_max_iops, v.qos_burst_iops)
    END AS value
FROM step_volume AS v
LEFT JOIN step_array AS a ON a.endpoint = v.endpoint
LEFT JOIN step_volume_qos AS q ON q.endpoint = v.endpoint AND q.volume_id = v.volume_id
LEFT JOIN fact.array_qos_policy AS o ON o.endpoint = v.endpoint AND o.policy_id = v.qos_policy_id
UNION ALL
SELECT
    'policy' AS kind,
    endpoint,
    '' AS host_id,
    policy_id AS thing,
    'limits' AS setting,
    CASE
        WHEN is_read THEN concat_ws(
            ', ',
            CASE WHEN max_iops IS NOT NULL THEN max_iops || ' IOPS' WHEN max_bytes_per_second IS NULL THEN 'no ceiling' END,
            'burst ' || burst_iops,
            'at least ' || min_iops,
            max_bytes_per_second || ' bytes/s',
            'priority ' || priority
        )
    END AS value
FROM fact.array_qos_policy
UNION ALL
SELECT
    'replication' AS kind,
    endpoint,
    '' AS host_id,
    replication_id AS thing,
    'schedule' AS setting,
    CASE
        WHEN schedule_read AND schedule IS NULL THEN 'no schedule'
        WHEN schedule_read THEN schedule || ', every ' || interval_seconds || ' s'
    END AS value
FROM fact.array_replication
WHERE role = 'destination';
