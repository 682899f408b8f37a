-- materialize: table
-- One row per host and Emulex module: the depth set for all its ports, and those set for single ports. NULL when not everything was read, where a name has
-- capitals, which no source says that the driver takes, and the depths where one is given twice with two values. `port_depths`: those that its ports
-- get; one that nothing sets has the driver's own and is not counted.
-- Source: lpfc driver, lpfcN_lun_queue_depth is of instance N and goes before lpfc_lun_queue_depth (docs/domain/facts.md#2 and #2-2).
WITH word AS (
    SELECT
        endpoint,
        host_id,
        module,
        count(*) FILTER (WHERE name = 'lpfc_lun_queue_depth') AS general,
        count(*) FILTER (WHERE regexp_matches(name, '^lpfc\d+_lun_queue_depth$')) AS instances,
        count(DISTINCT value) FILTER (WHERE regexp_matches(name, '^lpfc\d+_lun_queue_depth$')) AS instance_values,
        count(DISTINCT value) FILTER (WHERE regexp_matches(name, '^lpfc\d*_lun_queue_depth$')) AS all_values,
        count(*) FILTER (WHERE values_given > 1 AND regexp_matches(name, '^lpfc\d+_lun_queue_depth$')) AS unclear_instances,
        count(*) FILTER (WHERE values_given > 1 AND regexp_matches(name, '^lpfc\d*_lun_queue_depth$')) AS unclear,
        string_agg(settings, ' ' ORDER BY name) FILTER (WHERE regexp_matches(name, '^lpfc\d*_lun_queue_depth$')) AS settings,
        count(*) FILTER (WHERE regexp_matches(lower(name), '^lpfc\d*_lun_queue_depth$') AND name <> lower(name)) > 0 AS any_in_capitals
    FROM step_module_word
    GROUP BY ALL
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
    CASE WHEN p.module IS NOT NULL THEN p.ports WHEN r.hbas_read AND n.host_id IS NULL THEN 0 END AS ports,
    CASE WHEN option_words(m.option_string) IS NOT NULL AND NOT coalesce(w.any_in_capitals, false) THEN coalesce(w.general, 0) > 0 END AS sets_all_ports,
    CASE WHEN option_words(m.option_string) IS NOT NULL AND NOT coalesce(w.any_in_capitals, false) THEN coalesce(w.instances, 0) END AS instances_set,
    CASE
        WHEN option_words(m.option_string) IS NOT NULL AND coalesce(w.unclear_instances, 0) = 0 AND NOT coalesce(w.any_in_capitals, false)
        THEN coalesce(w.instance_values, 0)
    END AS instance_values,
    CASE
        WHEN w.any_in_capitals THEN NULL
        WHEN w.instances = p.ports AND w.unclear_instances = 0 THEN w.instance_values
        WHEN option_words(m.option_string) IS NOT NULL AND coalesce(w.unclear, 0) = 0 THEN coalesce(w.all_values, 0)
    END AS port_depths,
    CASE WHEN option_words(m.option_string) IS NOT NULL THEN coalesce(w.settings, '') END AS depth_settings
FROM host_module AS m
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN step_nameless_adapter AS n ON n.endpoint = m.endpoint AND n.host_id = m.host_id
LEFT JOIN word AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module
LEFT JOIN step_module_port AS p ON p.endpoint = m.endpoint AND p.host_id = m.host_id AND p.module = m.module
WHERE m.depth_parameter = 'lpfc_lun_queue_depth';
