-- materialize: table
-- What the claim rules of a host give to the kinds of devices that it has. `agree`: the rules that go first for the kind give the same.
WITH named AS (
    SELECT endpoint, host_id, satp, vendor, model, rule_group, default_psp, psp_options
    FROM fact.satp_rule
    WHERE vendor <> '' AND device = '' AND driver = '' AND transport = ''
),
alike AS (
    -- A host's devices are of few kinds, and a rule goes by nothing else.
    SELECT DISTINCT d.host_number, s.satp, i.vendor, i.model
    FROM step_device_path AS d
    JOIN step_path_set AS s USING (set_key)
    JOIN step_inquiry AS i USING (inquiry_number)
),
matched AS (
    SELECT
        n.endpoint,
        n.host_id,
        a.satp,
        a.vendor,
        a.model,
        r.rule_group,
        r.default_psp,
        r.psp_options,
        CASE WHEN r.rule_group = 'user' THEN 0 ELSE 2 END + CASE WHEN r.model <> '' THEN 0 ELSE 1 END AS place
    FROM alike AS a
    JOIN step_host_number AS n USING (host_number)
    JOIN named AS r
        ON r.endpoint = n.endpoint AND r.host_id = n.host_id AND r.satp = a.satp AND r.vendor = a.vendor AND r.model IN ('', a.model)
),
first AS (
    SELECT endpoint, host_id, satp, vendor, model, min(place) AS place
    FROM matched
    GROUP BY ALL
)
SELECT
    m.endpoint,
    m.host_id,
    m.satp,
    m.vendor,
    m.model,
    min(m.rule_group) AS rule_group,
    min(m.default_psp) AS default_psp,
    min(m.psp_options) AS psp_options,
    count(DISTINCT m.default_psp) = 1 AND count(DISTINCT m.psp_options) = 1 AS agree
FROM matched AS m
JOIN first AS f
    ON f.endpoint = m.endpoint AND f.host_id = m.host_id AND f.satp = m.satp AND f.vendor = m.vendor AND f.place = m.place
    AND f.model IS NOT DISTINCT FROM m.model
GROUP BY m.endpoint, m.host_id, m.satp, m.vendor, m.model;
