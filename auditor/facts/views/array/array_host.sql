-- materialize: table
-- a row is called: host of the array
-- One row per host, server or initiator group that an array knows, joined to ESXi hosts by their initiators.
-- `is_esxi` is true as soon as one initiator is an ESXi host's, false only where every adapter of every host was read, and each whose kind has
-- a name or number of its own reports it, and it is known by no SAS initiator and no NVMe host: what vCenter has of a SAS adapter is not the
-- port that an array knows, and of an NVMe host's qualified name it has nothing. `host` and `cluster` are NULL unless all of them are of one.
WITH adapter AS (
    -- Two hosts may report one initiator, as a profile of a blade that was moved: then it is both hosts'.
    SELECT DISTINCT b.initiator, h.endpoint || '/' || h.host_id AS host_key, h.name AS host, h.cluster
    FROM fact.hba AS b
    JOIN fact.host AS h USING (endpoint, host_id)
    WHERE b.initiator IS NOT NULL
),
known AS (
    SELECT
        i.endpoint,
        i.array_host_id,
        count(DISTINCT i.initiator) AS initiators,
        count(DISTINCT b.initiator) AS initiators_seen,
        string_agg(CASE WHEN b.initiator IS NULL THEN i.initiator END, ', ' ORDER BY i.initiator) AS initiators_unseen,
        count(DISTINCT b.host_key) AS esxi_hosts,
        bool_or(i.kind IN ('sas', 'nvme')) AS any_unnamed,
        string_agg(DISTINCT i.kind, ', ' ORDER BY i.kind) AS initiator_kinds,
        few_distinct(b.host) AS host_names,
        CASE WHEN count(DISTINCT b.host_key) = 1 THEN any_value(b.host) END AS host,
        CASE WHEN count(DISTINCT coalesce(b.cluster, '')) FILTER (WHERE b.host_key IS NOT NULL) = 1 THEN any_value(b.cluster) END AS cluster
    FROM fact.array_initiator AS i
    LEFT JOIN adapter AS b USING (initiator)
    GROUP BY i.endpoint, i.array_host_id
),
reachable AS (
    SELECT
        c.endpoint,
        c.array_host_id,
        count(DISTINCT c.volume_id) AS volumes,
        few_distinct(u.volume) AS volume_names,
        few_distinct(u.device) AS devices,
        few_distinct(u.datastores) AS datastores,
        few_distinct(q.qos, '; ') AS qos
    FROM fact.array_connection AS c
    LEFT JOIN step_volume_use AS u USING (endpoint, volume_id)
    LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
    GROUP BY c.endpoint, c.array_host_id
),
nameless AS (
    SELECT count(*) AS adapters FROM fact.hba WHERE initiator IS NULL AND (kind IS NULL OR kind IN ('iscsi', 'fc', 'fcoe'))
),
everywhere AS (
    SELECT bool_and(r.hbas_read) AND any_value(n.adapters) = 0 AS hbas_read
    FROM step_host_reading AS r
    CROSS JOIN nameless AS n
)
SELECT
    h.endpoint,
    h.array_host_id AS resource_id,
    h.name AS resource_name,
    k.cluster,
    k.host,
    h.array_host_id,
    a.family,
    h.host_group,
    h.host_type,
    CASE WHEN r.array_hosts_read THEN coalesce(k.initiators, 0) END AS initiators,
    CASE WHEN r.array_hosts_read THEN coalesce(k.initiators_seen, 0) END AS initiators_seen,
    k.initiators_unseen,
    k.initiator_kinds,
    CASE WHEN k.esxi_hosts > 0 THEN true WHEN r.array_hosts_read AND w.hosts_read AND e.hbas_read AND NOT coalesce(k.any_unnamed, false) THEN false END AS is_esxi,
    k.esxi_hosts,
    k.host_names,
    CASE WHEN r.connections_read THEN coalesce(c.volumes, 0) END AS volumes,
    c.volume_names,
    c.devices,
    c.datastores,
    c.qos
FROM fact.array_host AS h
LEFT JOIN step_array AS a USING (endpoint)
LEFT JOIN step_endpoint_reading AS r USING (endpoint)
LEFT JOIN known AS k ON k.endpoint = h.endpoint AND k.array_host_id = h.array_host_id
LEFT JOIN reachable AS c ON c.endpoint = h.endpoint AND c.array_host_id = h.array_host_id
CROSS JOIN everywhere AS e
CROSS JOIN step_vcenter_reading AS w;
