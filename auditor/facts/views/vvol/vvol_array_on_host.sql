-- materialize: table
-- One row per host and Element cluster whose protocol endpoints any host of the same vCenter cluster sees.
-- The cluster's unique id stands in the name of its protocol endpoints (6f47acc2, node id, unique id, zeros), so the row exists even when
-- the array itself was not read. Source: docs/domain/arrays.md#device-names (4 recorded endpoints).
WITH seen AS (
    SELECT endpoint, host_id, domain_id, device, substr(device, 21, 8) AS array_key, array_name
    FROM device
    WHERE is_protocol_endpoint AND starts_with(device, 'naa.6f47acc2')
),
expected AS (
    SELECT endpoint, domain_id, array_key, any_value(array_name) AS array_name FROM seen GROUP BY ALL
),
presented AS (
    SELECT
        p.endpoint AS array_name,
        count(DISTINCT p.device) FILTER (WHERE p.state = 'Active') AS active_endpoints,
        count(*) FILTER (WHERE p.state <> 'Active') AS other_endpoints,
        count(*) FILTER (WHERE p.state IS NULL) AS undetermined
    FROM fact.array_protocol_endpoint AS p
    GROUP BY ALL
),
serving AS (
    -- Witness nodes and Fibre Channel nodes have no protocol endpoint; a release before 12 has no witnesses, and reports no role.
    -- Source: docs/domain/facts.md#10-2 (inferred, unverified on an array).
    SELECT
        endpoint,
        CASE
            WHEN state <> 'active' OR is_fibre_channel OR role <> 'Storage' THEN false
            WHEN is_fibre_channel IS NULL OR state IS NULL THEN NULL
            WHEN role = 'Storage' OR TRY_CAST(split_part(version, '.', 1) AS BIGINT) < 12 THEN true
        END AS has_endpoint
    FROM fact.array_node
),
nodes AS (
    SELECT
        endpoint AS array_name,
        CASE WHEN count(has_endpoint) = count(*) THEN count(*) FILTER (WHERE has_endpoint) END AS active_nodes
    FROM serving
    GROUP BY endpoint
),
visible AS (
    SELECT s.endpoint, s.host_id, s.array_key, count(DISTINCT s.device) AS visible, count(DISTINCT p.device) AS visible_active
    FROM seen AS s
    LEFT JOIN fact.array_protocol_endpoint AS p ON p.endpoint = s.array_name AND p.device = s.device AND p.state = 'Active'
    GROUP BY ALL
)
SELECT
    h.endpoint,
    h.host_id || '/' || e.array_key AS resource_id,
    coalesce(e.array_name, 'Element cluster ' || e.array_key) AS resource_name,
    h.cluster,
    h.name AS host,
    h.host_id,
    e.array_name,
    CASE WHEN r.devices_read THEN coalesce(v.visible, 0) END AS visible_endpoints,
    CASE
        WHEN r.devices_read AND a.protocol_endpoints_read AND coalesce(p.undetermined, 0) = 0 THEN coalesce(v.visible_active, 0)
    END AS visible_active_endpoints,
    CASE WHEN a.protocol_endpoints_read AND coalesce(p.undetermined, 0) = 0 THEN coalesce(p.active_endpoints, 0) END AS active_endpoints,
    CASE WHEN a.protocol_endpoints_read AND coalesce(p.undetermined, 0) = 0 THEN coalesce(p.other_endpoints, 0) END AS endpoints_in_other_states,
    CASE WHEN a.nodes_read AND n.array_name IS NULL THEN 0 WHEN a.nodes_read THEN n.active_nodes END AS active_nodes
FROM expected AS e
JOIN step_host_reading AS r USING (endpoint, domain_id)
JOIN fact.host AS h USING (endpoint, host_id)
LEFT JOIN visible AS v ON v.endpoint = h.endpoint AND v.host_id = h.host_id AND v.array_key = e.array_key
LEFT JOIN step_endpoint_reading AS a ON a.endpoint = e.array_name
LEFT JOIN presented AS p ON p.array_name = e.array_name
LEFT JOIN nodes AS n ON n.array_name = e.array_name;
