-- materialize: table
-- One row per host and Emulex module: the depth set for all its ports, and those set for single ports. NULL when not everything was read.
-- Source: lpfc driver, lpfcN_lun_queue_depth is of instance N and goes before lpfc_lun_queue_depth (docs/domain/facts.md#2 and #2-2).
WITH word AS (
    SELECT
        endpoint,
        host_id,
        module,
        count(*) FILTER (WHERE name = 'lpfc_lun_queue_depth') AS general,
        count(*) FILTER (WHERE regexp_matches(name, '^lpfc\d+_lun_queue_depth$')) AS instances,
        count(DISTINCT value) FILTER (WHERE regexp_matches(name, '^lpfc\d+_lun_queue_depth$')) AS instance_values,
        string_agg(name || '=' || value, ' ' ORDER BY name) FILTER (WHERE regexp_matches(name, '^lpfc\d*_lun_queue_depth$')) AS settings
    FROM step_module_word
    GROUP BY ALL
),
port AS (
    SELECT endpoint, host_id, driver, count(*) AS ports FROM fact.hba GROUP BY ALL
)
SELECT
    m.endpoint,
    m.resource_id,
    m.resource_name,
    m.cluster,
    m.host,
    m.host_id,
    m.module,
    m.option_string,
    m.families,
    CASE WHEN r.hbas_read AND n.host_id IS NULL THEN coalesce(p.ports, 0) END AS ports,
    CASE WHEN m.option_string IS NOT NULL THEN coalesce(w.general, 0) > 0 END AS sets_all_ports,
    CASE WHEN m.option_string IS NOT NULL THEN coalesce(w.instances, 0) END AS instances_set,
    CASE WHEN m.option_string IS NOT NULL THEN coalesce(w.instance_values, 0) END AS instance_values,
    CASE WHEN m.option_string IS NOT NULL THEN coalesce(w.settings, '') END AS depth_settings
FROM host_module AS m
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_nameless_adapter AS n ON n.endpoint = m.endpoint AND n.host_id = m.host_id
LEFT JOIN word AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module
LEFT JOIN port AS p ON p.endpoint = m.endpoint AND p.host_id = m.host_id AND p.driver = m.module
WHERE m.depth_parameter = 'lpfc_lun_queue_depth';
