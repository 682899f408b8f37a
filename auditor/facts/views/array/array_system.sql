-- materialize: table
-- One row per array: what it reports as wrong with itself and nobody has acknowledged, which of its nodes are not up, and what its volumes are
-- promised together.
-- A count is NULL unless one was seen, or all alerts were read and understood: one of no known severity, or where it is not known whether somebody
-- acknowledged it, may be any. An array that fleet.yaml lists twice is shown under the name that comes first.
WITH alert AS (
    SELECT
        endpoint,
        count(*) FILTER (WHERE is_open AND severity = 'critical') AS critical,
        count(*) FILTER (WHERE is_open AND severity = 'error') AS error,
        count(*) FILTER (WHERE is_open AND severity = 'warning') AS warning,
        count(*) FILTER (WHERE NOT is_open) AS silenced,
        count(*) FILTER (WHERE is_open IS NULL OR (is_open AND severity IS NULL)) AS undetermined,
        few_distinct(CASE WHEN is_open AND severity = 'critical' THEN concat_ws(': ', component, code, summary) END, '; ') AS critical_words,
        few_distinct(CASE WHEN is_open AND severity = 'error' THEN concat_ws(': ', component, code, summary) END, '; ') AS error_words,
        few_distinct(CASE WHEN is_open AND severity = 'warning' THEN concat_ws(': ', component, code, summary) END, '; ') AS warning_words
    FROM fact.array_alert
    GROUP BY endpoint
),
promised AS (
    SELECT endpoint, sum(qos_min_iops) AS iops, count(qos_min_iops) = count(*) AS all_told, count(qos_min_iops) AS volumes
    FROM step_volume
    GROUP BY endpoint
),
node AS (
    -- What each state means: facts/node_states.py.
    SELECT
        endpoint,
        count(*) FILTER (WHERE NOT is_up) AS not_up,
        count(*) FILTER (WHERE is_up IS NULL) AS undetermined,
        few(CASE WHEN NOT is_up THEN name || ' is ' || state END) AS words
    FROM (
        SELECT n.endpoint, n.name, n.state, node_is_up(a.family, n.state) AS is_up
        FROM fact.array_node AS n
        JOIN step_array AS a ON a.endpoint = n.endpoint AND a.known_as = a.endpoint
    )
    GROUP BY endpoint
),
named AS (
    SELECT endpoint, few(name) AS name, bool_and(reports_alerts IS DISTINCT FROM false) AS reports_alerts FROM fact.array GROUP BY endpoint
)
SELECT
    a.endpoint,
    a.endpoint AS resource_id,
    coalesce(n.name, a.endpoint) AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    a.family,
    a.model AS array_model,
    a.version AS array_firmware,
    n.reports_alerts,
    CASE WHEN t.critical > 0 OR (r.alerts_read AND coalesce(t.undetermined, 0) = 0) THEN coalesce(t.critical, 0) END AS critical_alerts,
    CASE WHEN t.error > 0 OR (r.alerts_read AND coalesce(t.undetermined, 0) = 0) THEN coalesce(t.error, 0) END AS error_alerts,
    CASE WHEN t.warning > 0 OR (r.alerts_read AND coalesce(t.undetermined, 0) = 0) THEN coalesce(t.warning, 0) END AS warning_alerts,
    t.critical_words,
    t.error_words,
    t.warning_words,
    CASE WHEN r.alerts_read THEN coalesce(t.silenced, 0) END AS silenced_alerts,
    CASE
        WHEN has_node_states(a.family) AND (d.not_up > 0 OR (r.nodes_read AND d.undetermined = 0)) THEN d.not_up  -- an array has a node
    END AS nodes_not_up,
    CASE WHEN has_node_states(a.family) THEN d.words END AS nodes_not_up_words,
    c.cluster_iops,
    TRY_CAST(p.iops AS BIGINT) AS promised_iops,
    p.volumes AS promised_volumes,
    CASE
        WHEN p.iops > c.cluster_iops THEN true
        WHEN c.cluster_iops IS NOT NULL AND r.volumes_read AND coalesce(p.all_told, true) THEN false
    END AS is_oversold
FROM step_array AS a
LEFT JOIN named AS n USING (endpoint)
LEFT JOIN alert AS t USING (endpoint)
LEFT JOIN node AS d USING (endpoint)
LEFT JOIN promised AS p USING (endpoint)
LEFT JOIN fact.array_qos_limit AS c ON c.endpoint = a.endpoint
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = a.endpoint
WHERE a.known_as = a.endpoint;
