-- materialize: view
-- One row per host, or array volume, and setting that settings.yaml declares for it: how many values are declared by the entries that count.
SELECT
    d.endpoint,
    concat_ws('/', d.host_id, d.kind, nullif(d.thing, ''), nullif(d.setting, '')) AS resource_id,
    CASE
        WHEN d.kind = 'parameter' THEN d.thing || ' ' || d.setting
        WHEN d.kind = 'claim_rule'
        THEN concat_ws(' ', 'claim rule', json_extract_string(d.thing, '$.satp'), json_extract_string(d.thing, '$.vendor'), json_extract_string(d.thing, '$.model'))
        ELSE d.setting
    END AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.kind,
    d.wanted_values,
    d.declared_values,
    d.declared_at
FROM step_declared_setting AS d
JOIN fact.host AS h ON h.endpoint = d.endpoint AND h.host_id = d.host_id
UNION ALL
SELECT
    l.endpoint,
    l.volume_id || '/max_iops' AS resource_id,
    l.volume AS resource_name,
    CAST(NULL AS VARCHAR) AS cluster,
    CAST(NULL AS VARCHAR) AS host,
    CAST(NULL AS VARCHAR) AS host_id,
    'volume_limit' AS kind,
    l.wanted_values,
    l.declared_values,
    l.declared_at
FROM step_declared_limit AS l;
