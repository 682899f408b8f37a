-- materialize: view
-- One row per host, kernel module of a storage adapter and parameter that its option string has now or had in the baseline; a module that
-- has none and had none has one row, whose parameter is ''. `not set` is a parameter that is not in the string: the module's own default.
-- A number is what is written as numbers are: drivers take 010 for eight and 0x10 for sixteen, and DuckDB 1.7 for two.
WITH wanted AS (
    SELECT s.endpoint, s.host_id, b.thing AS module, b.setting AS parameter, b.value
    FROM step_wanted_host AS s
    JOIN fact.baseline AS b ON b.kind = 'parameter' AND b.of_endpoint = s.of_endpoint AND b.of_host = s.of_host
),
-- A module that the baseline has read has at least one row there.
known AS (
    SELECT endpoint, host_id, module, min(parameter) AS first_parameter FROM wanted GROUP BY endpoint, host_id, module
),
word AS (
    SELECT endpoint, host_id, thing AS module, setting AS parameter, value FROM step_setting_now WHERE kind = 'parameter'
),
named AS (
    SELECT endpoint, host_id, module, parameter FROM wanted
    UNION
    SELECT endpoint, host_id, module, parameter FROM word
    UNION
    SELECT endpoint, host_id, module, '' AS parameter FROM fact.host_module WHERE option_string IS NULL
),
-- '' is told only where neither side has a parameter.
told AS (
    SELECT endpoint, host_id, module, max(parameter) AS last_parameter FROM named GROUP BY endpoint, host_id, module
)
SELECT
    n.endpoint,
    n.host_id || '/' || n.module || '/' || n.parameter AS resource_id,
    CASE WHEN n.parameter = '' THEN n.module ELSE n.module || ' ' || n.parameter END AS resource_name,
    s.cluster,
    s.host,
    n.host_id,
    n.module,
    n.parameter,
    k.module IS NOT NULL AS is_known,
    s.is_own,
    CASE WHEN m.module IS NOT NULL THEN true WHEN r.modules_read THEN false END AS is_listed,
    CASE WHEN m.option_string IS NOT NULL THEN CASE WHEN w.module IS NULL OR n.parameter = '' THEN 'not set' ELSE w.value END END AS value,
    CASE
        WHEN k.module IS NULL THEN NULL
        WHEN b.module IS NULL OR n.parameter = '' THEN 'not set'
        ELSE b.value
    END AS wanted,
    CASE WHEN regexp_full_match(w.value, '0|-?[1-9]\d{0,17}') THEN TRY_CAST(w.value AS BIGINT) END AS value_number,
    CASE WHEN regexp_full_match(b.value, '0|-?[1-9]\d{0,17}') THEN TRY_CAST(b.value AS BIGINT) END AS wanted_number,
    m.option_string,
    s.of_host AS baseline_host,
    s.baseline_run,
    s.baseline_at,
    c.changed_by,
    c.changed_at
FROM named AS n
JOIN told AS t ON t.endpoint = n.endpoint AND t.host_id = n.host_id AND t.module = n.module
JOIN step_wanted_host AS s ON s.endpoint = n.endpoint AND s.host_id = n.host_id
JOIN step_host_reading AS r ON r.endpoint = n.endpoint AND r.host_id = n.host_id
LEFT JOIN fact.host_module AS m ON m.endpoint = n.endpoint AND m.host_id = n.host_id AND m.module = n.module
LEFT JOIN known AS k ON k.endpoint = n.endpoint AND k.host_id = n.host_id AND k.module = n.module
LEFT JOIN word AS w ON w.endpoint = n.endpoint AND w.host_id = n.host_id AND w.module = n.module AND w.parameter = n.parameter
LEFT JOIN wanted AS b ON b.endpoint = n.endpoint AND b.host_id = n.host_id AND b.module = n.module AND b.parameter = n.parameter
LEFT JOIN step_host_change AS c ON c.kind = 'parameter' AND c.endpoint = n.endpoint AND c.host_id = n.host_id
WHERE n.parameter <> '' OR t.last_parameter = '';
