-- materialize: table
-- One row per host and claim rule that names a vendor or a model, with the array family it is for and what of that the host sees.
-- Claim rules that somebody added come before those of the build (`rule_group`), and outlive what they were added for.
WITH claimed AS (
    -- Hosts have the same rules, and few. The family by all inquiries is long to plan: it is named once.
    SELECT vendor, model, family, family_of_inquiry(vendor, claimed_model) = family AS takes_family_alone
    FROM (
        SELECT vendor, model, claimed_model(model) AS claimed_model, families_of_claim(vendor, model) AS family
        FROM (SELECT DISTINCT vendor, model FROM fact.satp_rule)
    )
),
rule AS (
    SELECT
        endpoint,
        host_id,
        satp,
        device,
        vendor,
        model,
        driver,
        transport,
        options,
        rule_group,
        claim_options,
        default_psp,
        psp_options,
        CASE WHEN count(DISTINCT description) = 1 THEN any_value(description) END AS description  -- two rules may differ in nothing else
    FROM fact.satp_rule
    WHERE vendor <> '' OR model <> ''
    GROUP BY ALL
),
seen AS (
    SELECT endpoint, host_id, family, count(*) AS devices
    FROM device
    GROUP BY ALL
)
SELECT
    u.endpoint,
    u.host_id || '/' || concat_ws(
        ' ', u.rule_group, u.satp, u.vendor, u.model, u.device, u.driver, u.transport, u.options, u.claim_options, u.default_psp,
        u.psp_options
    ) AS resource_id,
    concat_ws(' ', u.satp, u.vendor, u.model, nullif(u.psp_options, '')) AS resource_name,
    h.cluster,
    h.name AS host,
    u.host_id,
    h.version,
    u.satp,
    u.vendor,
    u.model,
    k.family,
    u.rule_group,
    u.transport,
    u.options,
    u.claim_options,
    u.default_psp,
    u.psp_options,
    clear_round_robin(u.psp_options) AS clear_options,
    u.description,
    rtrim(u.default_psp || ' ' || u.psp_options) AS rule_policy,
    u.device = '' AND u.driver = '' AND u.transport = '' AND u.vendor <> '' AS names_inquiry_alone,
    k.takes_family_alone,
    CASE WHEN r.devices_read AND NOT contains(k.family, ',') THEN coalesce(s.devices, 0) END AS devices_of_family
FROM rule AS u
JOIN fact.host AS h USING (endpoint, host_id)
JOIN step_host_reading AS r USING (endpoint, host_id)
LEFT JOIN claimed AS k ON k.vendor = u.vendor AND k.model = u.model
LEFT JOIN seen AS s ON s.endpoint = u.endpoint AND s.host_id = u.host_id AND s.family = k.family;
