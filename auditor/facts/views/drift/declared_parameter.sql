-- materialize: view
-- One row per host and module parameter that settings.yaml declares for it, each by one value, where the host may have the module. `not set` is
-- a parameter that is not in the option string: the module's own default. What a string names twice with two values has both.
WITH word AS (
    SELECT endpoint, host_id, thing AS module, setting AS parameter, value FROM step_setting_now WHERE kind = 'parameter'
),
wanted AS (
    SELECT endpoint, host_id, thing AS module, setting AS parameter, wanted AS value, declared_at
    FROM step_declared_setting
    WHERE kind = 'parameter' AND wanted_values = 1
)
SELECT
    d.endpoint,
    d.host_id || '/' || d.module || '/' || d.parameter AS resource_id,
    d.module || ' ' || d.parameter AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.module,
    d.parameter,
    CASE WHEN m.module IS NOT NULL THEN true WHEN r.modules_read THEN false END AS is_listed,
    CASE
        WHEN p.name IS NOT NULL THEN true
        WHEN r.modules_read AND k.module IS NOT NULL THEN false
    END AS is_offered,
    CASE WHEN m.option_string IS NOT NULL THEN CASE WHEN w.module IS NULL THEN 'not set' ELSE w.value END END AS value,
    CASE WHEN regexp_full_match(w.value, '0|-?[1-9]\d{0,17}') THEN TRY_CAST(w.value AS BIGINT) END AS value_number,
    d.value AS wanted,
    TRY_CAST(d.value AS BIGINT) AS wanted_number,
    m.option_string,
    d.declared_at
FROM wanted AS d
JOIN fact.host AS h ON h.endpoint = d.endpoint AND h.host_id = d.host_id
JOIN step_host_reading AS r ON r.endpoint = d.endpoint AND r.host_id = d.host_id
LEFT JOIN fact.host_module AS m ON m.endpoint = d.endpoint AND m.host_id = d.host_id AND m.module = d.module
LEFT JOIN fact.host_module_parameter AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.module = d.module AND p.name = d.parameter
LEFT JOIN (SELECT DISTINCT endpoint, host_id, module FROM fact.host_module_parameter) AS k
    ON k.endpoint = d.endpoint AND k.host_id = d.host_id AND k.module = d.module
LEFT JOIN word AS w ON w.endpoint = d.endpoint AND w.host_id = d.host_id AND w.module = d.module AND w.parameter = d.parameter;
