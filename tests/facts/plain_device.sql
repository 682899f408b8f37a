-- The view `device`, and the steps that sum it up, as plain joins of texts: what facts/views/device/ computes by numbers is compared with them.
-- `few` is a macro of facts/macros.py.
CREATE VIEW plain_device AS
WITH driver AS (
    SELECT
        p.endpoint,
        p.host_id,
        p.device,
        CASE WHEN count(DISTINCT b.driver) = 1 AND count(b.driver) = count(*) THEN any_value(b.driver) END AS driver
    FROM fact.path AS p
    LEFT JOIN fact.hba AS b USING (endpoint, host_id, hba)
    GROUP BY ALL
),
sharing AS (
    SELECT d.device, count(*) AS hosts, few(coalesce(h.name, h.host_id)) AS host_names
    FROM fact.device AS d
    JOIN fact.host AS h USING (endpoint, host_id)
    WHERE NOT starts_with(d.device, 'mpx.') AND main_state(d.operational_state) IS DISTINCT FROM 'off'
    GROUP BY d.device
),
single_path AS (
    SELECT endpoint, host_id, device, any_value(transport) AS transport FROM fact.path GROUP BY endpoint, host_id, device HAVING count(*) = 1
),
own AS (
    SELECT p.endpoint, p.host_id, p.device, CASE WHEN h.vsan_enabled OR q.devices_read THEN false END AS own_is_shared
    FROM single_path AS p
    JOIN fact.host AS h USING (endpoint, host_id)
    JOIN step_host_reading AS r USING (endpoint, host_id)
    JOIN step_domain_reading AS q ON q.endpoint = r.endpoint AND q.domain_id = r.domain_id
    LEFT JOIN driver AS v USING (endpoint, host_id, device)
    WHERE r.paths_read
        AND (p.transport IN ('sas', 'block') OR (p.transport = 'nvme' AND v.driver IN ('nvme', 'nvme_pcie', 'iavmd')))
        AND p.device NOT IN (SELECT device FROM step_declared WHERE device IS NOT NULL)
        AND (starts_with(p.device, 'mpx.') OR (SELECT count(*) FROM fact.device AS e WHERE e.device = p.device) = 1)
)
SELECT
    d.endpoint,
    d.host_id || '/' || d.device AS resource_id,
    d.device AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.device,
    r.domain_id,
    d.vendor,
    d.model,
    coalesce(nullif(f.family, 'other'), k.name_family, f.family) AS family,
    d.device_type,
    main_state(d.operational_state) AS device_state,
    d.special_purpose,
    lower(d.vendor) = 'nvme' AS is_namespace,
    CASE
        WHEN d.is_protocol_endpoint <> s.is_vvol_pe THEN NULL
        ELSE coalesce(d.is_protocol_endpoint, s.is_vvol_pe, starts_with(d.device, 'naa.6f47acc2'))
    END AS is_protocol_endpoint,
    NOT is_aside AND CASE
        WHEN coalesce(d.is_protocol_endpoint = s.is_vvol_pe, true) AND coalesce(d.is_protocol_endpoint, s.is_vvol_pe, starts_with(d.device, 'naa.6f47acc2'))
        THEN true
        WHEN d.device_type <> 'disk' OR d.is_local THEN false
        WHEN o.device IS NOT NULL AND coalesce(nullif(f.family, 'other'), k.name_family, f.family) = 'other' THEN o.own_is_shared
        WHEN d.is_local IS NULL AND coalesce(nullif(f.family, 'other'), k.name_family, f.family) <> 'other' THEN true
        ELSE NOT d.is_local
    END AS is_shared,
    CASE WHEN d.queue_depth <> s.esxcli_queue_depth THEN NULL ELSE d.queue_depth END AS queue_depth,
    s.dsnro,
    p.driver,
    x.hosts,
    x.host_names,
    a.* EXCLUDE (device, is_ambiguous, presented_by, array_endpoint, read_model, read_generation, read_version),
    CASE WHEN NOT is_shared THEN 'not held back by QoS' ELSE w.qos_wait END AS qos_wait,
    k.array_model,
    k.array_generation,
    k.array_firmware,
    k.firmware_level,
    dsnro_advice(coalesce(nullif(f.family, 'other'), k.name_family, f.family)) AS dsnro_advice
FROM (
    SELECT *, main_state(operational_state) = 'off' OR special_purpose <> 'none' AS is_aside
    FROM (
        SELECT
            *,
            CASE
                WHEN vendor IS NULL OR model IS NULL THEN NULL
                WHEN purpose_of_device(vendor, model, size_bytes <= 16777216) IS NOT NULL THEN purpose_of_device(vendor, model, size_bytes <= 16777216)
                WHEN size_bytes IS NULL AND purpose_of_device(vendor, model, true) IS NOT NULL THEN NULL
                ELSE 'none'
            END AS special_purpose
        FROM fact.device
    )
) AS d
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN fact.device_scheduling AS s USING (endpoint, host_id, device)
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM d.vendor AND f.model IS NOT DISTINCT FROM d.model
LEFT JOIN driver AS p USING (endpoint, host_id, device)
LEFT JOIN sharing AS x USING (device)
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_known_device AS k USING (device)
LEFT JOIN step_device_wait AS w USING (device)
LEFT JOIN own AS o USING (endpoint, host_id, device);

CREATE VIEW plain_seen_device AS
SELECT endpoint, device, one_family(family) AS family, min(hosts) AS hosts, min(host_names) AS host_names
FROM plain_device
GROUP BY endpoint, device;

CREATE VIEW plain_device_group AS
SELECT
    endpoint,
    device,
    domain_id,
    cluster,
    family,
    coalesce(starts_with(array_model, 'IBM Cloud '), false) AS is_tier,
    is_protocol_endpoint,
    is_namespace,
    driver,
    CASE WHEN is_shared THEN dsnro END AS dsnro,
    CASE WHEN is_shared THEN queue_depth END AS queue_depth,
    is_shared IS NULL AS may_be_local,
    count(*) AS hosts
FROM plain_device
WHERE is_shared IS DISTINCT FROM false
GROUP BY ALL;

CREATE VIEW plain_host_group AS
SELECT
    endpoint,
    host_id,
    CASE WHEN is_shared THEN family END AS family,
    driver,
    count(*) AS devices,
    max(queue_depth) AS deepest_queue,
    count(*) FILTER (WHERE queue_depth IS NULL) AS undetermined,
    count(*) FILTER (WHERE lower(vendor) <> 'nvme') AS luns,
    count(*) FILTER (WHERE lower(vendor) = 'nvme') AS namespaces,
    max(queue_depth) FILTER (WHERE lower(vendor) <> 'nvme') AS deepest_lun_queue,
    count(*) FILTER (WHERE queue_depth IS NULL AND lower(vendor) <> 'nvme') AS undetermined_luns
FROM plain_device
WHERE is_shared IS DISTINCT FROM false
GROUP BY ALL;
