-- materialize: view
-- One row per host and claim rule that settings.yaml declares for it, each by one policy: `value` is the policy of the rule of that name that
-- somebody added on the host, and its options; `absent` where there is none. A rule for one device, driver or transport is another rule.
WITH wanted AS (
    SELECT
        endpoint,
        host_id,
        thing,
        wanted,
        description,
        declared_at,
        json_extract_string(thing, '$.satp') AS satp,
        json_extract_string(thing, '$.vendor') AS vendor,
        json_extract_string(thing, '$.model') AS model,
        json_extract_string(thing, '$.options') AS options,
        json_extract_string(thing, '$.claim_options') AS claim_options
    FROM step_declared_setting
    WHERE kind = 'claim_rule' AND wanted_values = 1
),
rule AS (
    SELECT endpoint, host_id, satp, vendor, model, options, claim_options, count(*) AS rules,
        CASE WHEN count(*) = 1 THEN min(rtrim(default_psp || ' ' || psp_options)) END AS policy
    FROM fact.satp_rule
    WHERE rule_group = 'user' AND device = '' AND driver = '' AND transport = ''
    GROUP BY endpoint, host_id, satp, vendor, model, options, claim_options
),
reading AS (
    SELECT endpoint, scope AS host_id, coalesce(bool_and(complete), false) AS is_whole
    FROM fact.reading
    WHERE topic = 'multipathing'
    GROUP BY endpoint, scope
)
SELECT
    d.endpoint,
    d.host_id || '/' || concat_ws(' ', d.satp, d.vendor, d.model, d.options, d.claim_options) AS resource_id,
    concat_ws(' ', d.satp, d.vendor, nullif(d.model, '')) AS resource_name,
    h.cluster,
    h.name AS host,
    d.host_id,
    d.satp,
    d.vendor,
    d.model,
    d.options,
    d.claim_options,
    d.description,
    CASE WHEN u.rules = 1 THEN u.policy WHEN u.rules IS NULL AND r.is_whole THEN 'absent' END AS value,
    d.wanted,
    d.declared_at
FROM wanted AS d
JOIN fact.host AS h ON h.endpoint = d.endpoint AND h.host_id = d.host_id
LEFT JOIN reading AS r ON r.endpoint = d.endpoint AND r.host_id = d.host_id
LEFT JOIN rule AS u
    ON u.endpoint = d.endpoint AND u.host_id = d.host_id AND u.satp = d.satp AND u.vendor = d.vendor AND u.model = d.model
    AND u.options = d.options AND u.claim_options = d.claim_options;
